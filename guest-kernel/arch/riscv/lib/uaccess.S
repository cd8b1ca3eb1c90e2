/*
 * uaccess.S - copies between kernel and user memory, where any address may be invalid.
 *
 * Each access to user memory has an entry in __ex_table: after a fault that cannot be handled,
 * execution continues at label 9, which returns the number of bytes left. sstatus.SUM is set
 * only in here; a trap clears it, and the return from the trap sets it again.
 */
#include <asm/csr.h>

/* Marks the next instruction: if it faults, continue at label 9. */
    .macro may_fault
    .pushsection __ex_table, "a"
    .balign 4
    .word 100f - .
    .word 9f - .
    .popsection
100:
    .endm

    .text
    .option norelax

/* unsigned long __asm_copy_*_user(to, from, n): words while both sides are aligned, then bytes. */
    .globl __asm_copy_to_user
    .globl __asm_copy_from_user
    .type __asm_copy_to_user, @function
    .type __asm_copy_from_user, @function
__asm_copy_to_user:
__asm_copy_from_user:
    li   t6, SR_SUM
    csrs sstatus, t6
    or   t0, a0, a1
    andi t0, t0, 7
    bnez t0, 2f
    li   t1, 8
1:  bltu a2, t1, 2f
    may_fault
    ld   t0, 0(a1)
    may_fault
    sd   t0, 0(a0)
    addi a0, a0, 8
    addi a1, a1, 8
    addi a2, a2, -8
    j    1b
2:  beqz a2, 9f
    may_fault
    lbu  t0, 0(a1)
    may_fault
    sb   t0, 0(a0)
    addi a0, a0, 1
    addi a1, a1, 1
    addi a2, a2, -1
    j    2b
9:  csrc sstatus, t6
    mv   a0, a2
    ret
    .size __asm_copy_to_user, . - __asm_copy_to_user

/* unsigned long __clear_user(to, n) */
    .globl __clear_user
    .type __clear_user, @function
__clear_user:
    li   t6, SR_SUM
    csrs sstatus, t6
1:  beqz a1, 9f
    may_fault
    sb   zero, 0(a0)
    addi a0, a0, 1
    addi a1, a1, -1
    j    1b
9:  csrc sstatus, t6
    mv   a0, a1
    ret
    .size __clear_user, . - __clear_user
