/* syscall.h - the table of system calls. */
#ifndef ASM_SYSCALL_H
#define ASM_SYSCALL_H

#include <asm/ptrace.h>

#define NR_syscalls 512

typedef long (*syscall_fn_t)(const struct pt_regs *regs);

extern const syscall_fn_t sys_call_table[NR_syscalls];
long sys_ni_syscall(const struct pt_regs *regs); /* -ENOSYS */

/* The number of the call that the task is in. */
static inline long syscall_get_nr(const struct pt_regs *regs)
{
    return regs->a7;
}

/* Its six arguments; before the call, as the result replaces the first. */
static inline void syscall_get_arguments(const struct pt_regs *regs, unsigned long *args)
{
    args[0] = regs->a0;
    args[1] = regs->a1;
    args[2] = regs->a2;
    args[3] = regs->a3;
    args[4] = regs->a4;
    args[5] = regs->a5;
}

#endif
