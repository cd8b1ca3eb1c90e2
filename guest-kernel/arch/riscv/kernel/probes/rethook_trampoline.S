/*
 * rethook_trampoline.S - where a function with a return hook returns to.
 *
 * a0 and a1 hold its result. The handler sees all registers in a struct pt_regs, and may change the
 * result. s0 is the caller's frame pointer, so a stack walk from the handler continues there.
 */
#include <asm/asm-offsets.h>

    .section .kprobes.text, "ax"
    .option norelax

    .macro for_each_kept op
    \op  gp, PT_GP(sp)
    \op  tp, PT_TP(sp)
    \op  s0, PT_S0(sp)
    \op  s1, PT_S0+8(sp)
    .irp n, 0,1,2
    \op  t\n, PT_T0+8*\n(sp)
    .endr
    .irp n, 0,1,2,3,4,5,6,7
    \op  a\n, PT_A0+8*\n(sp)
    .endr
    .irp n, 2,3,4,5,6,7,8,9,10,11
    \op  s\n, PT_S2+8*(\n-2)(sp)
    .endr
    .irp n, 3,4,5,6
    \op  t\n, PT_T3+8*(\n-3)(sp)
    .endr
    .endm

    .balign 4
    .globl arch_rethook_trampoline
    .type arch_rethook_trampoline, @function
arch_rethook_trampoline:
    addi sp, sp, -PT_SIZE
    for_each_kept sd
    sd   ra, PT_RA(sp)
    addi t0, sp, PT_SIZE
    sd   t0, PT_SP(sp)
    csrr t0, sstatus
    sd   t0, PT_STATUS(sp)
    mv   a0, sp
    call arch_rethook_trampoline_callback
    mv   ra, a0
    for_each_kept ld
    addi sp, sp, PT_SIZE
    ret
    .size arch_rethook_trampoline, . - arch_rethook_trampoline
