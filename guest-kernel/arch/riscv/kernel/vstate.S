/*
 * vstate.S - saves and restores the vector registers of a task.
 *
 * The kernel is built without vectors and runs with the unit off, so that a mistake traps; only
 * these two functions turn it on.
 */
#include <asm/asm-offsets.h>
#include <asm/csr.h>

    .text
    .option norelax
    .option arch, +v

/* void __riscv_v_vstate_save(struct riscv_v_ext_state *state, void *registers) */
    .globl __riscv_v_vstate_save
    .type __riscv_v_vstate_save, @function
__riscv_v_vstate_save:
    li   t6, SR_VS
    csrs sstatus, t6
    csrr t0, vstart
    csrr t1, vl
    csrr t2, vtype
    csrr t3, vcsr
    csrr t4, vlenb
    sd   t0, VSTATE_VSTART(a0)
    sd   t1, VSTATE_VL(a0)
    sd   t2, VSTATE_VTYPE(a0)
    sd   t3, VSTATE_VCSR(a0)
    sd   t4, VSTATE_VLENB(a0)
    slli t4, t4, 3          /* the bytes of eight registers */
    csrw vstart, zero
    vs8r.v v0, (a1)
    add  a1, a1, t4
    vs8r.v v8, (a1)
    add  a1, a1, t4
    vs8r.v v16, (a1)
    add  a1, a1, t4
    vs8r.v v24, (a1)
    csrc sstatus, t6
    ret
    .size __riscv_v_vstate_save, . - __riscv_v_vstate_save

/* void __riscv_v_vstate_restore(const struct riscv_v_ext_state *state, const void *registers) */
    .globl __riscv_v_vstate_restore
    .type __riscv_v_vstate_restore, @function
__riscv_v_vstate_restore:
    li   t6, SR_VS
    csrs sstatus, t6
    csrr t4, vlenb
    slli t4, t4, 3
    csrw vstart, zero
    vl8re8.v v0, (a1)
    add  a1, a1, t4
    vl8re8.v v8, (a1)
    add  a1, a1, t4
    vl8re8.v v16, (a1)
    add  a1, a1, t4
    vl8re8.v v24, (a1)
    ld   t0, VSTATE_VSTART(a0)
    ld   t1, VSTATE_VL(a0)
    ld   t2, VSTATE_VTYPE(a0)
    ld   t3, VSTATE_VCSR(a0)
    vsetvl zero, t1, t2
    csrw vcsr, t3
    csrw vstart, t0         /* last: each vector instruction clears it */
    csrc sstatus, t6
    ret
    .size __riscv_v_vstate_restore, . - __riscv_v_vstate_restore
