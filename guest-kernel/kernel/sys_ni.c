/* sys_ni.c - the system calls that do not exist. */
#include <asm/syscall.h>
#include <linux/errno.h>

long sys_ni_syscall(const struct pt_regs *regs)
{
    (void)regs;
    return -ENOSYS;
}
