/*
 * fpu.S - saves and restores the floating-point registers of a task.
 *
 * The kernel is built without floating point and runs with the unit off, so that a mistake
 * traps; only these two functions turn it on.
 */
#include <asm/asm-offsets.h>
#include <asm/csr.h>

    .text
    .option norelax
    .option arch, +d

/* void __fstate_save(struct riscv_d_ext_state *fstate) */
    .globl __fstate_save
    .type __fstate_save, @function
__fstate_save:
    li   t1, SR_FS
    csrs sstatus, t1
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fsd  f\n, FSTATE_F0+8*\n(a0)
    .endr
    frcsr t0
    sw   t0, FSTATE_FCSR(a0)
    csrc sstatus, t1
    ret
    .size __fstate_save, . - __fstate_save

/* void __fstate_restore(const struct riscv_d_ext_state *fstate) */
    .globl __fstate_restore
    .type __fstate_restore, @function
__fstate_restore:
    li   t1, SR_FS
    csrs sstatus, t1
    lw   t0, FSTATE_FCSR(a0)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fld  f\n, FSTATE_F0+8*\n(a0)
    .endr
    fscsr t0
    csrc sstatus, t1
    ret
    .size __fstate_restore, . - __fstate_restore
