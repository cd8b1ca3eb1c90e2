/* sys_ni.c - the system calls that do not exist. */
#include <asm/syscall.h>
#include <linux/errno.h>

long sys_ni_syscall(const struct pt_regs *regs)
{
    (void)regs;
    return -ENOSYS;
}

/* What this kernel may have been built without. */
#define COND_SYSCALL(name)                                                    \
    long __riscv_sys_##name(const struct pt_regs *regs);                      \
    __attribute__((weak)) long __riscv_sys_##name(const struct pt_regs *regs) \
    {                                                                         \
        return sys_ni_syscall(regs);                                          \
    }

COND_SYSCALL(bpf)
