# vector.S - runs the cases of vectortest.py and prints a hash of what became of each.
#
# Machine mode, at the start of RAM. A case is a record of registers and some code; each trap is
# folded into a hash and its instruction skipped, with vstart as it is or zero. At the end the
# registers, CSRs and the data are folded in, too. For the case whose number stands at `dump' all
# of it is printed. The data are the last bytes of RAM: beyond them accesses fault.

    .equ CODE,   0x80400000
    .equ CASES,  0x81000000
    .equ DATA,   0x87fff000         # 4 KiB, to the end of RAM
    .equ STATE,  0x80200000         # not in the image: stores to a page of code are slow
    .equ ROOM,   0x80201000
    .equ PATTERN, 0x80202000
    .equ UART,   0x10000000
    .equ FINISHER, 0x100000
    .include "console.S"

    .equ R_X, 0
    .equ R_F, 256
    .equ R_FCSR, 512
    .equ R_VCSR, 520
    .equ R_BEGIN, 528
    .equ R_END, 536
    .equ R_STATUS, 544
    .equ R_V, 576
    .equ R_BYTES, 576 + 32 * 128

    .equ S_X, 0
    .equ S_RECORD, 256
    .equ S_HASH, 264
    .equ S_LEFT, 272
    .equ S_NUMBER, 280
    .equ S_TRAPS, 288
    .equ S_ROUND, 296

    .option norelax
    .section .text
    .globl _start
_start:
    csrr t0, mhartid
1:  bnez t0, 1b
    li s0, STATE
    csrw mscratch, s0
    permit_memory
    li t0, CASES
    sd t0, S_RECORD(s0)
    la t0, count
    ld t0, 0(t0)
    sd t0, S_LEFT(s0)
    sd zero, S_NUMBER(s0)
    li t0, PATTERN
    li t1, 512
    li t2, 0x0123456789abcdef
1:  sd t2, 0(t0)
    slli t3, t2, 1
    srli t4, t2, 63
    or t2, t3, t4
    addi t0, t0, 8
    addi t1, t1, -1
    bnez t1, 1b

next_case:
    li s0, STATE
    la t0, trap
    csrw mtvec, t0
    ld t0, S_LEFT(s0)
    beqz t0, all_done
    addi t0, t0, -1
    sd t0, S_LEFT(s0)
    ld s1, S_RECORD(s0)
    li t0, 0x9e3779b97f4a7c15
    sd t0, S_HASH(s0)
    sd zero, S_ROUND(s0)

# In each round of a case the vector registers are rotated by 37 doublewords more.
next_round:
    sd zero, S_TRAPS(s0)
    li t0, 0x6600
    csrs mstatus, t0
    csrr t1, vlenb
    slli t1, t1, 5                  # bytes of all registers
    ld t2, S_ROUND(s0)
    li t3, 37 * 8
    mul t2, t2, t3
    addi t3, t1, -1
    and t2, t2, t3
    add t3, s1, t2
    addi t3, t3, R_V                # from there to the end of the record's, then its beginning
    add t4, s1, t1
    addi t4, t4, R_V
    li t0, ROOM
    add t1, t0, t1
1:  ld t5, 0(t3)
    addi t3, t3, 8
    sd t5, 0(t0)
    addi t0, t0, 8
    bne t3, t4, 2f
    addi t3, s1, R_V
2:  bne t0, t1, 1b
    li t0, PATTERN
    li t1, DATA
    li t2, DATA + 0x1000
1:  .irp n, 0,8,16,24,32,40,48,56
    ld t3, \n(t0)
    sd t3, \n(t1)
    .endr
    addi t0, t0, 64
    addi t1, t1, 64
    bne t1, t2, 1b
    li t0, 0x6600
    csrs mstatus, t0
    li t0, ROOM
    csrr t1, vlenb
    slli t1, t1, 3
    .irp n, 0,8,16,24
    vl8re8.v v\n, (t0)
    add t0, t0, t1
    .endr
    addi t0, s1, R_F
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fld f\n, 8*\n(t0)
    .endr
    ld t0, R_FCSR(s1)
    csrw fcsr, t0
    ld t0, R_VCSR(s1)
    csrw vcsr, t0
    csrw vstart, zero
    vsetivli zero, 4, e32, m1, tu, mu
    ld t0, R_STATUS(s1)
    csrc mstatus, t0
    ld t0, R_BEGIN(s1)
    csrw mepc, t0
    li t0, 0x1800
    csrs mstatus, t0
    mv x31, s1
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    ld x\n, 8*\n(x31)
    .endr
    ld x31, 8*31(x31)
    mret

    .include "fold.S"

# Prints a0 in hexadecimal and a blank.
print:
    li t0, UART
    li t1, 60
2:  srl t2, a0, t1
    andi t2, t2, 15
    addi t3, t2, -10
    bltz t3, 3f
    addi t2, t2, 39
3:  addi t2, t2, 48
4:  lbu t3, 5(t0)
    andi t3, t3, 0x20
    beqz t3, 4b
    sb t2, 0(t0)
    addi t1, t1, -4
    bgez t1, 2b
    li t2, 10
5:  lbu t3, 5(t0)
    andi t3, t3, 0x20
    beqz t3, 5b
    sb t2, 0(t0)
    ret

    .balign 4
trap:
    csrrw x31, mscratch, x31
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    sd x\n, 8*\n(x31)
    .endr
    mv s0, x31
    csrrw x31, mscratch, x31
    sd x31, 8*31(s0)
    ld s1, S_RECORD(s0)
    csrr a0, mepc
    ld a1, R_END(s1)
    beq a0, a1, ended
    ld t0, S_TRAPS(s0)
    addi t0, t0, 1
    sd t0, S_TRAPS(s0)
    li t1, 64
    bgtu t0, t1, ended
    ld a1, R_BEGIN(s1)
    sub a0, a0, a1
    jal fold
    csrr a0, mcause
    jal fold
    csrr a0, mtval
    jal fold
    csrr a0, mepc
    addi a0, a0, 4
    csrw mepc, a0
    li t0, 0x600
    csrr t1, mstatus
    and t1, t1, t0
    beqz t1, 1f
    csrr a0, vstart
    jal fold
    ld t0, S_HASH(s0)
    andi t0, t0, 3
    beqz t0, 1f
    csrw vstart, zero
1:  li t0, 0x1800
    csrs mstatus, t0
    mv x31, s0
    .irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
    ld x\n, 8*\n(x31)
    .endr
    ld x31, 8*31(x31)
    mret

ended:
    csrr a0, mstatus
    li t0, 0x600
    and a0, a0, t0
    jal fold
    li t0, 0x6600
    csrs mstatus, t0
    .irp csr, vl, vtype, vstart, vcsr, fcsr
    csrr a0, \csr
    jal fold
    .endr
    csrw vstart, zero
    li s2, ROOM
    csrr s3, vlenb
    slli s3, s3, 3
    mv t0, s2
    .irp n, 0,8,16,24
    vs8r.v v\n, (t0)
    add t0, t0, s3
    .endr
    slli s3, s3, 2
    add s3, s2, s3
    jal fold_all
    addi s2, s0, S_X + 8
    addi s3, s0, S_X + 256
    jal fold_all
    li s2, ROOM
    addi s3, s2, 256
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fsd f\n, 8*\n(s2)
    .endr
    jal fold_all
    li s2, DATA
    li s3, DATA + 0xff8             # an element beyond the end may be stored in part
    jal fold_all
    ld t0, S_ROUND(s0)
    addi t0, t0, 1
    sd t0, S_ROUND(s0)
    la t1, rounds
    ld t1, 0(t1)
    blt t0, t1, next_round
    ld a0, S_HASH(s0)
    jal print
    ld t0, S_RECORD(s0)
    li t1, R_BYTES
    add t0, t0, t1
    sd t0, S_RECORD(s0)
    ld t0, S_NUMBER(s0)
    addi t0, t0, 1
    sd t0, S_NUMBER(s0)
    j next_case

all_done:
    power_off

    .balign 8
count: .dword 0
dump:  .dword 0
rounds: .dword 1
