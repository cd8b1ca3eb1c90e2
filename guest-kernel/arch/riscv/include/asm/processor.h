/* processor.h - per-task state of the architecture, and the limits of user addresses. */
#ifndef ASM_PROCESSOR_H
#define ASM_PROCESSOR_H

#include <linux/types.h>

/* The lower half of Sv39. */
#define TASK_SIZE          0x4000000000UL
#define STACK_TOP          TASK_SIZE
#define TASK_UNMAPPED_BASE (STACK_TOP - 0x10000000UL) /* mappings grow down from here */
#define ELF_ET_DYN_BASE    0x2aaaaaa000UL

/* Floating-point registers of a task that does not run. */
struct riscv_d_ext_state {
    u64 f[32];
    u32 fcsr;
};

/* Vector state of a task that does not run. datap: its registers, v0 first; NULL: it has used none.
 */
struct riscv_v_ext_state {
    unsigned long vstart, vl, vtype, vcsr, vlenb;
    void *datap;
};

/* Callee-saved registers of a task that does not run. */
struct thread_struct {
    unsigned long ra, sp;
    unsigned long s[12];
    struct riscv_d_ext_state fstate;
    struct riscv_v_ext_state vstate;
};

struct pt_regs;
struct task_struct;

/* The registers saved at the task's entry from U-mode, at the top of its stack. */
struct pt_regs *task_pt_regs(const struct task_struct *p);
/* Lets U-mode read cycle, time and instret on this hart. */
void enable_user_counters(void);
/* Sets up regs for the first instruction of a program. */
void start_thread(struct pt_regs *regs, unsigned long pc, unsigned long sp);

#endif
