/* sys.c - system calls about the system and who asks. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

struct new_utsname {
    char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};

static const struct new_utsname init_uts = {
    .sysname = "Linux", /* programs ask for the interface, and this is it */
    .nodename = "guest",
    .release = "6.1.0-guest",
    .version = "#1 SMP PREEMPT",
    .machine = "riscv64",
    .domainname = "(none)",
};

SYSCALL_DEFINE1(uname, struct new_utsname __user *, name)
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

/* Who has lost its parent is init's child, as far as it can tell. */
SYSCALL_DEFINE0(getppid)
{
    unsigned long flags;
    pid_t pid;

    spin_lock_irqsave(&tasklist_lock, flags);
    pid = current->parent ? current->parent->pid : 1;
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return pid;
}

/* There is one user. */
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

SYSCALL_DEFINE3(getrandom, char __user *, buf, size_t, count, unsigned int, flags)
{
    char piece[64];
    size_t done, n;

    if (flags & ~3u)
        return -EINVAL;
    for (done = 0; done < count; done += n) {
        n = min(count - done, sizeof(piece));
        get_random_bytes(piece, n);
        if (copy_to_user(buf + done, piece, n))
            return -EFAULT;
    }
    return done;
}
