/* syscall_table.c - system call functions by number; NULL: not supported. */
#include <asm/syscall.h>
#include <asm/unistd.h>

#define SYSCALL_AS(name, function, nr) SYSCALL(function, nr)

#define SYSCALL(name, nr) long __riscv_sys_##name(const struct pt_regs *regs);
#include <asm/syscalls.def>
#undef SYSCALL

const syscall_fn_t sys_call_table[NR_syscalls] = {
#define SYSCALL(name, nr) [nr] = __riscv_sys_##name,
#include <asm/syscalls.def>
#undef SYSCALL
};
