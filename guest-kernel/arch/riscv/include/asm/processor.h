/* processor.h - what the architecture keeps for a task, and where U-mode's addresses end. */
#ifndef ASM_PROCESSOR_H
#define ASM_PROCESSOR_H

#include <linux/types.h>

/* The lower half of Sv39. */
#define TASK_SIZE          0x4000000000UL
#define STACK_TOP          TASK_SIZE
#define TASK_UNMAPPED_BASE (STACK_TOP - 0x10000000UL) /* mappings grow down from here */
#define ELF_ET_DYN_BASE    0x2aaaaaa000UL

/* Floating point registers of a task that does not run. */
struct riscv_d_ext_state {
    u64 f[32];
    u32 fcsr;
};

/* Callee-saved registers of a task that does not run. */
struct thread_struct {
    unsigned long ra, sp;
    unsigned long s[12];
    struct riscv_d_ext_state fstate;
};

struct pt_regs;
struct task_struct;

/* The frame of a task's entry from U-mode, at the top of its stack. */
struct pt_regs *task_pt_regs(const struct task_struct *p);
void enable_user_counters(void);
/* What sret is to find for a program's first instruction. */
void start_thread(struct pt_regs *regs, unsigned long pc, unsigned long sp);

#endif
