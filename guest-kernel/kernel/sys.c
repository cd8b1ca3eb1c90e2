/* sys.c - uname, ids, process groups, prctl and reboot. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

struct new_utsname {
    char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};

static const struct new_utsname init_uts = {
    .sysname = "Linux", /* programs check it, and the system calls are Linux's */
    .nodename = "guest",
    .release = "6.1.0-guest",
    .version = "#1 SMP PREEMPT",
    .machine = "riscv64",
    .domainname = "(none)",
};

SYSCALL_DEFINE1(newuname, struct new_utsname __user *, name)
{
    return copy_to_user(name, &init_uts, sizeof(init_uts)) ? -EFAULT : 0;
}

SYSCALL_DEFINE0(getpid)
{
    return current->pid;
}

SYSCALL_DEFINE0(gettid)
{
    return current->pid;
}

/* A task whose parent has ended reports init as its parent. */
SYSCALL_DEFINE0(getppid)
{
    unsigned long flags;
    pid_t pid;

    spin_lock_irqsave(&tasklist_lock, flags);
    pid = current->parent ? current->parent->pid : 1;
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return pid;
}

/* There is one user, root. */
SYSCALL_DEFINE0(getuid)
{
    return 0;
}

SYSCALL_DEFINE0(geteuid)
{
    return 0;
}

SYSCALL_DEFINE0(getgid)
{
    return 0;
}

SYSCALL_DEFINE0(getegid)
{
    return 0;
}

SYSCALL_DEFINE3(getrandom, char __user *, ubuf, size_t, len, unsigned int, flags)
{
    char piece[64];
    size_t done, n;

    if (flags & ~3u)
        return -EINVAL;
    for (done = 0; done < len; done += n) {
        n = min(len - done, sizeof(piece));
        get_random_bytes(piece, n);
        if (copy_to_user(ubuf + done, piece, n))
            return -EFAULT;
    }
    return done;
}

/* ---- process groups ---- */

/*
 * Sets the group of the caller or of one of its children. pgid 0: the task becomes the leader
 * of a new group.
 */
SYSCALL_DEFINE2(setpgid, pid_t, pid, pid_t, pgid)
{
    struct task_struct *p;
    unsigned long flags;
    int err = -ESRCH;

    if (pgid < 0)
        return -EINVAL;
    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(p)
    {
        if (is_idle_task(p) || (pid ? p->pid != pid : p != current) || p->exit_state)
            continue;
        if (p == current || p->parent == current) {
            WRITE_ONCE(p->pgrp, pgid ? pgid : p->pid);
            err = 0;
        }
        break;
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return err;
}

SYSCALL_DEFINE1(getpgid, pid_t, pid)
{
    struct task_struct *p;
    unsigned long flags;
    pid_t pgrp = -ESRCH;

    if (!pid)
        return current->pgrp;
    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(p) if (p->pid == pid && !p->exit_state) pgrp = p->pgrp;
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return pgrp;
}

/* ---- prctl ---- */

enum { PR_SET_NAME = 15, PR_GET_NAME = 16 };

SYSCALL_DEFINE5(prctl, int, option, unsigned long, arg2, unsigned long, arg3, unsigned long, arg4,
                unsigned long, arg5)
{
    char __user *name = (char __user *)arg2;
    char comm[TASK_COMM_LEN] = "";
    long n;

    (void)arg3, (void)arg4, (void)arg5;
    switch (option) {
    case PR_SET_NAME:
        n = strncpy_from_user(comm, name, sizeof(comm) - 1);
        if (n < 0)
            return n;
        comm[sizeof(comm) - 1] = 0;
        set_task_comm(current, comm);
        return 0;
    case PR_GET_NAME: return copy_to_user(name, current->comm, sizeof(comm)) ? -EFAULT : 0;
    default: return -EINVAL;
    }
}

/* ---- reboot ---- */

#define LINUX_REBOOT_MAGIC1  0xfee1dead
#define LINUX_REBOOT_MAGIC2  672274793
#define LINUX_REBOOT_MAGIC2A 85072278
#define LINUX_REBOOT_MAGIC2B 369367448
#define LINUX_REBOOT_MAGIC2C 537993216

#define LINUX_REBOOT_CMD_RESTART   0x01234567
#define LINUX_REBOOT_CMD_HALT      0xcdef0123
#define LINUX_REBOOT_CMD_POWER_OFF 0x4321fedc

/* Halting powers the machine off, too. */
SYSCALL_DEFINE4(reboot, int, magic1, int, magic2, unsigned int, cmd, void __user *, arg)
{
    (void)arg;
    if ((unsigned int)magic1 != LINUX_REBOOT_MAGIC1 ||
        (magic2 != LINUX_REBOOT_MAGIC2 && magic2 != LINUX_REBOOT_MAGIC2A &&
         magic2 != LINUX_REBOOT_MAGIC2B && magic2 != LINUX_REBOOT_MAGIC2C))
        return -EINVAL;
    switch (cmd) {
    case LINUX_REBOOT_CMD_RESTART: machine_restart();
    case LINUX_REBOOT_CMD_HALT:
    case LINUX_REBOOT_CMD_POWER_OFF: machine_power_off();
    default: return -EINVAL;
    }
}
