/* sys.c - uname, ids, process groups, prctl and reboot. */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>

const struct new_utsname init_uts = {
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

/* Other users do not exist: as in a user namespace that maps only root. */
static int only_root(unsigned int id)
{
    return id && id != ~0u ? -EINVAL : 0;
}

SYSCALL_DEFINE1(setuid, uid_t, uid)
{
    return uid ? -EINVAL : 0;
}

SYSCALL_DEFINE1(setgid, gid_t, gid)
{
    return gid ? -EINVAL : 0;
}

SYSCALL_DEFINE2(setreuid, uid_t, ruid, uid_t, euid)
{
    return only_root(ruid) ?: only_root(euid);
}

SYSCALL_DEFINE2(setregid, gid_t, rgid, gid_t, egid)
{
    return only_root(rgid) ?: only_root(egid);
}

SYSCALL_DEFINE3(setresuid, uid_t, ruid, uid_t, euid, uid_t, suid)
{
    return only_root(ruid) ?: only_root(euid) ?: only_root(suid);
}

SYSCALL_DEFINE3(setresgid, gid_t, rgid, gid_t, egid, gid_t, sgid)
{
    return only_root(rgid) ?: only_root(egid) ?: only_root(sgid);
}

static int put_ids(unsigned int __user *a, unsigned int __user *b, unsigned int __user *c)
{
    return put_user(0, a) || put_user(0, b) || put_user(0, c) ? -EFAULT : 0;
}

SYSCALL_DEFINE3(getresuid, uid_t __user *, ruidp, uid_t __user *, euidp, uid_t __user *, suidp)
{
    return put_ids(ruidp, euidp, suidp);
}

SYSCALL_DEFINE3(getresgid, gid_t __user *, rgidp, gid_t __user *, egidp, gid_t __user *, sgidp)
{
    return put_ids(rgidp, egidp, sgidp);
}

/* The number of supplementary groups. */
SYSCALL_DEFINE2(getgroups, int, gidsetsize, gid_t __user *, grouplist)
{
    (void)grouplist;
    return gidsetsize < 0 ? -EINVAL : 0;
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

/* Whether p may join a group: one of its own, or one of its session. Under tasklist_lock. */
static bool may_join(const struct task_struct *p, pid_t pgid)
{
    const struct task_struct *member;

    if (pgid == p->pid)
        return true;
    for_each_process(member)
        if (member->pgrp == pgid && member->session == p->session)
            return true;
    return false;
}

static int join_pgrp(struct task_struct *p, pid_t pgid)
{
    if (!p || p->exit_state || (p != current && p->parent != current))
        return -ESRCH;
    pgid = pgid ? pgid : p->pid;
    if (p->session != current->session || p->session == p->pid || !may_join(p, pgid))
        return -EPERM;
    WRITE_ONCE(p->pgrp, pgid);
    return 0;
}

/*
 * Sets the group of the caller or of one of its children. pgid 0: the task becomes the leader
 * of a new group.
 */
SYSCALL_DEFINE2(setpgid, pid_t, pid, pid_t, pgid)
{
    unsigned long flags;
    int err;

    if (pgid < 0)
        return -EINVAL;
    spin_lock_irqsave(&tasklist_lock, flags);
    err = join_pgrp(pid ? find_task_by_vpid(pid) : current, pgid);
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
    p = find_task_by_vpid(pid);
    if (p)
        pgrp = p->pgrp;
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return pgrp;
}

SYSCALL_DEFINE1(getsid, pid_t, pid)
{
    struct task_struct *p;
    unsigned long flags;
    pid_t session = -ESRCH;

    if (!pid)
        return current->session;
    spin_lock_irqsave(&tasklist_lock, flags);
    p = find_task_by_vpid(pid);
    if (p)
        session = p->session;
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return session;
}

/* The caller leads a new session and a new group, unless its pid is that of a group. */
SYSCALL_DEFINE0(setsid)
{
    struct task_struct *p;
    unsigned long flags;
    bool leads = false;

    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(p)
        leads |= p->pgrp == current->pid;
    if (!leads) {
        current->session = current->pid;
        WRITE_ONCE(current->pgrp, current->pid);
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return leads ? -EPERM : current->pid;
}

/* ---- resources ---- */

struct timeval {
    s64 tv_sec, tv_usec;
};

/* What is not counted here is 0: the time in the kernel counts as the program's, too. */
struct rusage {
    struct timeval ru_utime, ru_stime;
    long counts[14];
};

int put_rusage(struct rusage __user *to, u64 runtime)
{
    struct rusage ru = {
        .ru_utime = {runtime / NSEC_PER_SEC, runtime % NSEC_PER_SEC / NSEC_PER_USEC}};

    return copy_to_user(to, &ru, sizeof(ru)) ? -EFAULT : 0;
}

enum { RUSAGE_SELF = 0, RUSAGE_CHILDREN = -1, RUSAGE_THREAD = 1 };

SYSCALL_DEFINE2(getrusage, int, who, struct rusage __user *, ru)
{
    if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
        return -EINVAL;
    return put_rusage(ru, who == RUSAGE_CHILDREN ? current->children_runtime
                                                 : task_sched_runtime(current));
}

struct tms {
    long tms_utime, tms_stime, tms_cutime, tms_cstime;
};

SYSCALL_DEFINE1(times, struct tms __user *, tbuf)
{
    const u64 tick = NSEC_PER_SEC / HZ;
    struct tms t = {.tms_utime = task_sched_runtime(current) / tick,
                    .tms_cutime = current->children_runtime / tick};

    if (tbuf && copy_to_user(tbuf, &t, sizeof(t)))
        return -EFAULT;
    return sched_clock() / tick;
}

struct rlimit64 {
    u64 rlim_cur, rlim_max;
};

enum { RLIMIT_STACK = 3, RLIMIT_CORE = 4, RLIMIT_NOFILE = 7, RLIM_NLIMITS = 16 };

/* The limits that exist; they are fixed. */
static struct rlimit64 limit_of(unsigned int resource)
{
    switch (resource) {
    case RLIMIT_STACK: return (struct rlimit64){STACK_LIMIT, STACK_LIMIT};
    case RLIMIT_CORE: return (struct rlimit64){0, 0};
    case RLIMIT_NOFILE: return (struct rlimit64){NR_OPEN_DEFAULT, NR_OPEN_DEFAULT};
    default: return (struct rlimit64){~0ull, ~0ull};
    }
}

static int do_prlimit(unsigned int resource, const struct rlimit64 __user *new,
                      struct rlimit64 __user *old)
{
    struct rlimit64 limit, to;

    if (resource >= RLIM_NLIMITS)
        return -EINVAL;
    limit = limit_of(resource);
    if (new &&copy_from_user(&to, new, sizeof(to)))
        return -EFAULT;
    if (new &&to.rlim_cur > to.rlim_max)
        return -EINVAL;
    if (new && (to.rlim_cur != limit.rlim_cur || to.rlim_max != limit.rlim_max))
        return -EPERM;
    return old && copy_to_user(old, &limit, sizeof(limit)) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(getrlimit, unsigned int, resource, struct rlimit64 __user *, rlim)
{
    return do_prlimit(resource, NULL, rlim);
}

SYSCALL_DEFINE2(setrlimit, unsigned int, resource, struct rlimit64 __user *, rlim)
{
    return do_prlimit(resource, rlim, NULL);
}

SYSCALL_DEFINE4(prlimit64, pid_t, pid, unsigned int, resource, const struct rlimit64 __user *,
                new_rlim, struct rlimit64 __user *, old_rlim)
{
    if (pid && pid != current->pid)
        return -ESRCH;
    return do_prlimit(resource, new_rlim, old_rlim);
}

struct sysinfo {
    long uptime;
    unsigned long loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap;
    u16 procs, pad;
    unsigned long totalhigh, freehigh;
    u32 mem_unit;
};

SYSCALL_DEFINE1(sysinfo, struct sysinfo __user *, info)
{
    struct sysinfo val = {
        .uptime = sched_clock() / NSEC_PER_SEC,
        .totalram = totalram_pages() * PAGE_SIZE,
        .freeram = nr_free_pages() * PAGE_SIZE,
        .mem_unit = 1,
    };
    struct task_struct *p;
    unsigned long flags;

    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(p)
        val.procs += !is_idle_task(p) && !task_is_dead(p);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return copy_to_user(info, &val, sizeof(val)) ? -EFAULT : 0;
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
