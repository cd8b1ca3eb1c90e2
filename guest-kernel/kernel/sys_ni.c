/* sys_ni.c - the system calls that do not exist. */
#include <asm/syscall.h>
#include <linux/errno.h>

long sys_ni_syscall(const struct pt_regs *regs)
{
    (void)regs;
    return -ENOSYS;
}

/* What this kernel may have been built without. No weak functions: their sites would stay. */
#define NI_SYSCALL(name)                                 \
    long __riscv_sys_##name(const struct pt_regs *regs); \
    long __riscv_sys_##name(const struct pt_regs *regs)  \
    {                                                    \
        return sys_ni_syscall(regs);                     \
    }

#ifndef CONFIG_PERF_EVENTS
NI_SYSCALL(perf_event_open)
#endif
