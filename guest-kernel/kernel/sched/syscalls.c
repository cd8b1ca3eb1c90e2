/* syscalls.c - what a program may say of its place among the others. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

SYSCALL_DEFINE0(sched_yield)
{
    yield();
    return 0;
}

/* Its own affinity only: nobody else's may be changed while it runs. */
static bool is_self(pid_t pid)
{
    return pid == 0 || pid == current->pid;
}

SYSCALL_DEFINE3(sched_getaffinity, pid_t, pid, unsigned int, len, char __user *, mask)
{
    unsigned long cpus = current->cpus_allowed & cpu_possible_mask;

    if (!is_self(pid))
        return -ESRCH;
    if (len < sizeof(cpus) || len % sizeof(cpus))
        return -EINVAL;
    return copy_to_user(mask, &cpus, sizeof(cpus)) ? -EFAULT : (long)sizeof(cpus);
}
