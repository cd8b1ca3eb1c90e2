/* asm-offsets.c - checks asm-offsets.h against the structures. Generates no code. */
#include <asm/asm-offsets.h>
#include <asm/ptrace.h>
#include <linux/sched.h>

#define SAME(name, type, member)                               \
    _Static_assert((name) == __builtin_offsetof(type, member), \
                   #name " is not the offset of " #member)

SAME(TASK_TI_KERNEL_SP, struct task_struct, kernel_sp);
SAME(TASK_TI_USER_SP, struct task_struct, user_sp);
SAME(TASK_THREAD_RA, struct task_struct, thread.ra);
SAME(TASK_THREAD_SP, struct task_struct, thread.sp);
SAME(TASK_THREAD_S0, struct task_struct, thread.s);
SAME(FSTATE_F0, struct riscv_d_ext_state, f);
SAME(FSTATE_FCSR, struct riscv_d_ext_state, fcsr);
SAME(VSTATE_VSTART, struct riscv_v_ext_state, vstart);
SAME(VSTATE_VL, struct riscv_v_ext_state, vl);
SAME(VSTATE_VTYPE, struct riscv_v_ext_state, vtype);
SAME(VSTATE_VCSR, struct riscv_v_ext_state, vcsr);
SAME(VSTATE_VLENB, struct riscv_v_ext_state, vlenb);
SAME(PT_EPC, struct pt_regs, epc);
SAME(PT_RA, struct pt_regs, ra);
SAME(PT_SP, struct pt_regs, sp);
SAME(PT_GP, struct pt_regs, gp);
SAME(PT_TP, struct pt_regs, tp);
SAME(PT_T0, struct pt_regs, t0);
SAME(PT_S0, struct pt_regs, s0);
SAME(PT_A0, struct pt_regs, a0);
SAME(PT_S2, struct pt_regs, s2);
SAME(PT_T3, struct pt_regs, t3);
SAME(PT_STATUS, struct pt_regs, status);
SAME(PT_BADADDR, struct pt_regs, badaddr);
SAME(PT_CAUSE, struct pt_regs, cause);
_Static_assert(PT_SIZE == sizeof(struct pt_regs), "PT_SIZE is not the size of pt_regs");
