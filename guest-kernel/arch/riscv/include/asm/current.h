/* current.h - the running task; tp points to it at all times in S-mode. */
#ifndef ASM_CURRENT_H
#define ASM_CURRENT_H

struct task_struct;
register struct task_struct *riscv_current_is_tp __asm__("tp");

#define current riscv_current_is_tp

#endif
