/*
 * vectors.S - a function whose tracer uses vector registers, for tests/machine/flow.sh. As it is, it saves them; CLOBBER:
 * it does not.
 */
    .globl _start, _stext, _etext
_stext:
_start:
    la sp, stack_top
    li t0, 0x200                    # VS
    csrs sstatus, t0
    vsetvli t0, zero, e8, m1, ta, ma
    vid.v v24
    la t1, site                     # let it call ftrace_caller, which is next to _mcount
    lw t2, 4(t1)
    li t3, 4 << 20
    add t2, t2, t3
    sw t2, 4(t1)
    fence.i
    call work
end:
    li a7, 0x53525354               # SRST: shutdown
    li a6, 0
    li a0, 0
    li a1, 0
    ecall

    .type work, @function
work:
    addi sp, sp, -16
    sd ra, 8(sp)
site:
    call _mcount
    ld ra, 8(sp)
    addi sp, sp, 16
    ret
    .size work, . - work

    .globl _mcount
    .type _mcount, @function
_mcount:
    ret
    .size _mcount, . - _mcount

    .globl ftrace_caller
    .type ftrace_caller, @function
ftrace_caller:
    csrr t1, vlenb
    slli t1, t1, 1
    sub sp, sp, t1
#ifndef CLOBBER
    vs1r.v v24, (sp)
#endif
    vmv.v.i v24, -1
    vmv.v.i v8, 0                   # the compiler has saved this one, if it needs it
#ifndef CLOBBER
    vl1r.v v24, (sp)
#endif
    add sp, sp, t1
    ret
    .size ftrace_caller, . - ftrace_caller
_etext:

    .data
    .balign 16
    .fill 4096, 1, 0
stack_top:
    .globl __start_mcount_loc, __stop_mcount_loc
__start_mcount_loc:
    .dword site
__stop_mcount_loc:
