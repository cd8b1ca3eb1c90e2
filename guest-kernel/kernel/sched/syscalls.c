/* syscalls.c - the sched_* system calls, setpriority() and getpriority(). */
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

struct task_struct *find_task_by_vpid(pid_t pid)
{
    struct task_struct *p;

    for_each_process(p)
        if (pid && p->pid == pid && !task_is_dead(p))
            return p;
    return NULL;
}

struct task_struct *find_get_task(pid_t pid)
{
    struct task_struct *p;
    unsigned long flags;

    spin_lock_irqsave(&tasklist_lock, flags);
    p = pid ? find_task_by_vpid(pid) : current;
    if (p && p->exit_state)
        p = NULL;
    if (p)
        get_task_struct(p);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return p;
}

/* Programs may not change kernel threads. */
static int check_task(const struct task_struct *p)
{
    if (!p)
        return -ESRCH;
    return p->mm ? 0 : -EPERM;
}

static void put_task(struct task_struct *p)
{
    if (p)
        put_task_struct(p);
}

SYSCALL_DEFINE0(sched_yield)
{
    yield();
    return 0;
}

SYSCALL_DEFINE3(sched_setaffinity, pid_t, pid, unsigned int, len, unsigned long __user *,
                user_mask_ptr)
{
    struct task_struct *p;
    unsigned long cpus = 0;
    int err;

    if (copy_from_user(&cpus, user_mask_ptr, min((size_t)len, sizeof(cpus))))
        return -EFAULT;
    p = find_get_task(pid);
    err = check_task(p);
    if (!err)
        err = set_cpus_allowed_ptr(p, cpus);
    put_task(p);
    return err;
}

/* Returns the size of the mask in bytes. */
SYSCALL_DEFINE3(sched_getaffinity, pid_t, pid, unsigned int, len, unsigned long __user *,
                user_mask_ptr)
{
    struct task_struct *p;
    unsigned long cpus;

    if (len < sizeof(cpus) || len % sizeof(cpus))
        return -EINVAL;
    p = find_get_task(pid);
    if (!p)
        return -ESRCH;
    cpus = READ_ONCE(p->cpus_allowed) & cpu_possible_mask;
    put_task(p);
    return copy_to_user(user_mask_ptr, &cpus, sizeof(cpus)) ? -EFAULT : (long)sizeof(cpus);
}

SYSCALL_DEFINE3(sched_setscheduler, pid_t, pid, int, policy, struct sched_param __user *, param)
{
    struct sched_param new;
    struct task_struct *p;
    int err;

    if (copy_from_user(&new, param, sizeof(new)))
        return -EFAULT;
    p = find_get_task(pid);
    err = check_task(p);
    if (!err)
        err = sched_setscheduler(p, policy, &new);
    put_task(p);
    return err;
}

enum { SCHED_ATTR_SIZE_VER0 = 48 };

/* A struct of another size is a program's of another version: what is not known must be 0. */
static int copy_attr(struct sched_attr *attr, struct sched_attr __user *uattr)
{
    static const u32 known = sizeof(*attr);
    u32 size, i;
    u8 rest;

    if (copy_from_user(&size, &uattr->size, sizeof(size)))
        return -EFAULT;
    size = size ? size : SCHED_ATTR_SIZE_VER0;
    if (size < SCHED_ATTR_SIZE_VER0 || size > PAGE_SIZE)
        return copy_to_user(&uattr->size, &known, sizeof(known)) ? -EFAULT : -E2BIG;
    *attr = (struct sched_attr){.size = size};
    if (copy_from_user(attr, uattr, min(size, known)))
        return -EFAULT;
    for (i = known; i < size; i++) {
        if (copy_from_user(&rest, (u8 __user *)uattr + i, 1))
            return -EFAULT;
        if (rest)
            return copy_to_user(&uattr->size, &known, sizeof(known)) ? -EFAULT : -E2BIG;
    }
    attr->sched_nice = max(MIN_NICE, min(attr->sched_nice, MAX_NICE));
    return 0;
}

SYSCALL_DEFINE3(sched_setattr, pid_t, pid, struct sched_attr __user *, uattr, unsigned int, flags)
{
    struct sched_attr attr;
    struct task_struct *p;
    int err;

    if (!uattr || pid < 0 || flags)
        return -EINVAL;
    err = copy_attr(&attr, uattr);
    if (err)
        return err;
    if ((int)attr.sched_policy < 0)
        return -EINVAL;
    p = find_get_task(pid);
    err = check_task(p);
    if (!err)
        err = sched_setattr(p, &attr);
    put_task(p);
    return err;
}

SYSCALL_DEFINE4(sched_getattr, pid_t, pid, struct sched_attr __user *, uattr, unsigned int, usize,
                unsigned int, flags)
{
    struct sched_attr attr;
    struct task_struct *p;

    if (!uattr || pid < 0 || usize > PAGE_SIZE || usize < SCHED_ATTR_SIZE_VER0 || flags)
        return -EINVAL;
    p = find_get_task(pid);
    if (!p)
        return -ESRCH;
    sched_getattr(p, &attr);
    put_task(p);
    attr.size = min(usize, (unsigned int)sizeof(attr));
    return copy_to_user(uattr, &attr, attr.size) ? -EFAULT : 0;
}

SYSCALL_DEFINE1(sched_getscheduler, pid_t, pid)
{
    struct task_struct *p = find_get_task(pid);
    int policy = p ? p->policy : -ESRCH;

    put_task(p);
    return policy;
}

SYSCALL_DEFINE2(sched_getparam, pid_t, pid, struct sched_param __user *, param)
{
    struct task_struct *p = find_get_task(pid);
    struct sched_param now;

    if (!p)
        return -ESRCH;
    now.sched_priority = p->rt_priority;
    put_task(p);
    return copy_to_user(param, &now, sizeof(now)) ? -EFAULT : 0;
}

static bool is_realtime(int policy)
{
    return policy == SCHED_FIFO || policy == SCHED_RR;
}

SYSCALL_DEFINE1(sched_get_priority_max, int, policy)
{
    if (!is_realtime(policy) && policy != SCHED_NORMAL && policy != SCHED_DEADLINE)
        return -EINVAL;
    return is_realtime(policy) ? MAX_RT_PRIO - 1 : 0;
}

SYSCALL_DEFINE1(sched_get_priority_min, int, policy)
{
    if (!is_realtime(policy) && policy != SCHED_NORMAL && policy != SCHED_DEADLINE)
        return -EINVAL;
    return is_realtime(policy);
}

enum { PRIO_PROCESS = 0 };

SYSCALL_DEFINE3(setpriority, int, which, int, who, int, niceval)
{
    struct task_struct *p;
    int err;

    if (which != PRIO_PROCESS)
        return -EINVAL;
    p = find_get_task(who);
    err = check_task(p);
    if (!err)
        set_user_nice(p, niceval);
    put_task(p);
    return err;
}

/* Returns 20 - nice (1 to 40), as Linux does, so that no result looks like an error. */
SYSCALL_DEFINE2(getpriority, int, which, int, who)
{
    struct task_struct *p;
    long prio;

    if (which != PRIO_PROCESS)
        return -EINVAL;
    p = find_get_task(who);
    prio = p ? 20 - PRIO_TO_NICE(p->static_prio) : -ESRCH;
    put_task(p);
    return prio;
}
