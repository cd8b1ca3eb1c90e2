/*
 * switch_to.h - floating-point registers at a task switch.
 *
 * sstatus.FS in a task's registers says whether its program has used the unit: the registers are
 * saved only if they are dirty, and loaded only if the program has used them.
 */
#ifndef ASM_SWITCH_TO_H
#define ASM_SWITCH_TO_H

#include <asm/ptrace.h>
#include <linux/sched.h>

/* Set once at boot. */
extern bool has_fpu;

void fpu_init(void);
void fstate_save(struct task_struct *task, struct pt_regs *regs);
void fstate_restore(struct task_struct *task, struct pt_regs *regs);
void __switch_to_fpu(struct task_struct *prev, struct task_struct *next);

#endif
