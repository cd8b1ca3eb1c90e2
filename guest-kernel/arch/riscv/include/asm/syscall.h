/* syscall.h - the table of system calls. */
#ifndef ASM_SYSCALL_H
#define ASM_SYSCALL_H

#include <asm/ptrace.h>

#define NR_syscalls 512

typedef long (*syscall_fn_t)(const struct pt_regs *regs);

extern const syscall_fn_t sys_call_table[NR_syscalls];

#endif
