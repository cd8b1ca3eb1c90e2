# vector.S - bytes 0, 1, 2 and so on in v1, twice that in v2, and then an endless loop, for vector.sh.
    .globl _start
_start:
    li t0, 0x200
    csrs mstatus, t0
    vsetvli t1, zero, e8, m1, ta, ma
    vid.v v1
    vadd.vv v2, v1, v1
    .globl done
done:
    vadd.vi v3, v2, 0
    j done
text_end:

/* What a compiler says of `int seen[4]' that is in v2, DWARF's register 98. */
    .section .debug_abbrev, "", @progbits
    .byte 1, 0x11, 1                # a unit: its name, language C11, range
    .byte 0x03, 0x08, 0x13, 0x0b, 0x11, 0x01, 0x12, 0x07, 0, 0
    .byte 2, 0x24, 0                # a base type: size, encoding, name
    .byte 0x0b, 0x0b, 0x3e, 0x0b, 0x03, 0x08, 0, 0
    .byte 3, 0x01, 1, 0x49, 0x13, 0, 0              # an array
    .byte 4, 0x21, 0, 0x2f, 0x0b, 0, 0              # its upper bound
    .byte 5, 0x34, 0                # a variable: name, type, external, location
    .byte 0x03, 0x08, 0x49, 0x13, 0x3f, 0x19, 0x02, 0x18, 0, 0
    .byte 0
    .section .debug_info, "", @progbits
unit:
    .4byte unit_end - unit - 4
    .2byte 4
    .4byte 0
    .byte 8
    .byte 1
    .asciz "vector.c"
    .byte 0x1d
    .8byte _start
    .8byte text_end - _start
int:
    .byte 2, 4, 5
    .asciz "int"
array:
    .byte 3
    .4byte int - unit
    .byte 4, 3, 0
    .byte 5
    .asciz "seen"
    .4byte array - unit
    .byte 2, 0x90, 98               # DW_OP_regx
    .byte 0
unit_end:
