/*
 * base.c - /proc/PID: what is known of each task except idle tasks; /proc/self.
 *
 * No entries are kept for tasks: a dentry is created by a lookup and freed with its last
 * reference. The inode's i_private is the pid.
 */
#include "internal.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

/* Positions in /proc from this one on are PID_OFFSET + pid. */
#define PID_OFFSET ((loff_t)1 << 32)

/* Properties of a task, copied under tasklist_lock. */
struct task_snapshot {
    pid_t pid, ppid, pgrp, session;
    char comm[TASK_COMM_LEN], state;
    int cpu, prio, nice, rt_priority, policy;
    u64 runtime_ns;
    unsigned long nvcsw, nivcsw;
};

static char state_char(const struct task_struct *p)
{
    if (p->exit_state)
        return 'Z';
    if (p->on_cpu)
        return 'R';
    switch (READ_ONCE(p->state)) {
    case TASK_INTERRUPTIBLE: return 'S';
    case TASK_UNINTERRUPTIBLE: return 'D';
    case __TASK_STOPPED: return 'T';
    case TASK_DEAD: return 'X';
    default: return 'R';
    }
}

static void fill_snapshot(struct task_snapshot *s, const struct task_struct *p)
{
    *s = (struct task_snapshot){
        .pid = p->pid,
        .ppid = p->parent ? p->parent->pid : 0,
        .pgrp = p->pgrp,
        .session = p->session,
        .state = state_char(p),
        .cpu = p->cpu,
        .prio = p->prio - MAX_RT_PRIO,
        .nice = PRIO_TO_NICE(p->static_prio),
        .rt_priority = p->rt_priority,
        .policy = p->policy,
        .runtime_ns = p->sum_exec_runtime,
        .nvcsw = p->nvcsw,
        .nivcsw = p->nivcsw,
    };
    strscpy(s->comm, p->comm, sizeof(s->comm));
}

/* Gets the task with the lowest pid >= min; false: none. */
static bool next_task(pid_t min, struct task_snapshot *s)
{
    const struct task_struct *p, *found = NULL;
    unsigned long flags;

    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(p) {
        if (!is_idle_task(p) && !task_is_dead(p) && p->pid >= min &&
            (!found || p->pid < found->pid))
            found = p;
    }
    if (found)
        fill_snapshot(s, found);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return found;
}

static bool find_task(pid_t pid, struct task_snapshot *s)
{
    return next_task(pid, s) && s->pid == pid;
}

/* ---- the files ---- */

static pid_t pid_of(const struct inode *inode)
{
    return (long)inode->i_private;
}

static int comm_show(struct seq_file *m, void *pid)
{
    struct task_snapshot s;

    if (!find_task((long)pid, &s))
        return -ESRCH;
    seq_printf(m, "%s\n", s.comm);
    return 0;
}

static int mounts_show(struct seq_file *m, void *pid)
{
    struct task_snapshot s;

    return find_task((long)pid, &s) ? proc_mounts_show(m, NULL) : -ESRCH;
}

/* Linux's fields in its order; those that are not counted here are 0. */
static int stat_show(struct seq_file *m, void *pid)
{
    struct task_snapshot s;
    int field;

    if (!find_task((long)pid, &s))
        return -ESRCH;
    seq_printf(m, "%d (%s) %c %d %d %d 0 -1 0 0 0 0 0 %llu 0 0 0 %d %d 1 0 0", s.pid, s.comm,
               s.state, s.ppid, s.pgrp, s.session, s.runtime_ns / (NSEC_PER_SEC / HZ), s.prio,
               s.nice);
    for (field = 23; field <= 38; field++)
        seq_puts(m, " 0");
    seq_printf(m, " %d %d %d", s.cpu, s.rt_priority, s.policy);
    for (field = 42; field <= 52; field++)
        seq_puts(m, " 0");
    seq_puts(m, "\n");
    return 0;
}

static const char *state_name(char state)
{
    switch (state) {
    case 'R': return "R (running)";
    case 'S': return "S (sleeping)";
    case 'D': return "D (disk sleep)";
    case 'T': return "T (stopped)";
    case 'Z': return "Z (zombie)";
    default: return "X (dead)";
    }
}

/* The size of its memory, if it has any, in kB. */
static void show_size(struct seq_file *m, pid_t pid)
{
    struct mm_struct *mm = get_task_mm(pid);

    if (!mm)
        return;
    seq_printf(m, "VmSize:\t%8lu kB\n", READ_ONCE(mm->total_vm) * (PAGE_SIZE / 1024));
    mmput(mm);
}

/* Linux's lines in its order, without those of what is not here. */
static int status_show(struct seq_file *m, void *pid)
{
    struct task_snapshot s;

    if (!find_task((long)pid, &s))
        return -ESRCH;
    seq_printf(m, "Name:\t%s\nState:\t%s\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\n", s.comm,
               state_name(s.state), s.pid, s.pid, s.ppid);
    seq_puts(m, "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n");
    show_size(m, s.pid);
    seq_printf(m, "Threads:\t1\nvoluntary_ctxt_switches:\t%lu\nnonvoluntary_ctxt_switches:\t%lu\n",
               s.nvcsw, s.nivcsw);
    return 0;
}

static int maps_show(struct seq_file *m, void *pid)
{
    struct task_snapshot s;

    return find_task((long)pid, &s) ? proc_maps_show(m, pid) : -ESRCH;
}

DEFINE_SHOW_ATTRIBUTE(comm);
DEFINE_SHOW_ATTRIBUTE(maps);
DEFINE_SHOW_ATTRIBUTE(mounts);
DEFINE_SHOW_ATTRIBUTE(stat);
DEFINE_SHOW_ATTRIBUTE(status);

static const struct {
    const char *name;
    const struct file_operations *fops;
} pid_files[] = {
    {"comm", &comm_fops}, {"maps", &maps_fops},     {"mounts", &mounts_fops},
    {"stat", &stat_fops}, {"status", &status_fops},
};

/* ---- names ---- */

/* Creates a dentry outside of the tree, referenced by the caller only. */
static struct dentry *make_dentry(struct dentry *dir, const char *name, size_t len, umode_t mode,
                                  pid_t pid, const struct inode_operations *iop,
                                  const struct file_operations *fop)
{
    struct inode *inode = new_inode(mode);
    struct dentry *d = inode ? d_alloc(dir, name, len) : NULL;

    if (!d) {
        if (inode)
            iput(inode);
        return NULL;
    }
    inode->i_private = (void *)(long)pid;
    inode->i_op = iop;
    inode->i_fop = fop;
    d->d_inode = inode;
    return d;
}

static bool is_called(const char *file, const char *name, size_t len)
{
    return strlen(file) == len && !memcmp(file, name, len);
}

static struct dentry *make_dir(struct dentry *dir, const char *name, size_t len, pid_t pid,
                               const struct inode_operations *iop,
                               const struct file_operations *fop)
{
    return make_dentry(dir, name, len, S_IFDIR | S_IRUGO | S_IXUGO, pid, iop, fop);
}

static const struct inode_operations task_dir_iops;
static const struct file_operations task_dir_fops;

static struct dentry *tid_dir_lookup(struct dentry *dir, const char *name, size_t len)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(pid_files); i++)
        if (is_called(pid_files[i].name, name, len))
            return make_dentry(dir, name, len, S_IFREG | S_IRUGO, pid_of(dir->d_inode), NULL,
                               pid_files[i].fops);
    return NULL;
}

/* Also the threads (there is one) in the directory `task`. */
static struct dentry *pid_dir_lookup(struct dentry *dir, const char *name, size_t len)
{
    if (is_called("task", name, len))
        return make_dir(dir, name, len, pid_of(dir->d_inode), &task_dir_iops, &task_dir_fops);
    return tid_dir_lookup(dir, name, len);
}

static bool emit_dots(const struct file *file, struct dir_context *ctx)
{
    for (; ctx->pos < 2; ctx->pos++) {
        size_t dots = ctx->pos + 1;

        if (!ctx->actor(ctx, dots == 1 ? "." : "..", dots, ctx->pos, file->f_inode->i_ino, DT_DIR))
            return false;
    }
    return true;
}

static int tid_dir_readdir(struct file *file, struct dir_context *ctx)
{
    unsigned int i;

    if (!emit_dots(file, ctx))
        return 0;
    for (; (i = ctx->pos - 2) < ARRAY_SIZE(pid_files); ctx->pos++) {
        const char *name = pid_files[i].name;

        if (!ctx->actor(ctx, name, strlen(name), ctx->pos, i + 1, DT_REG))
            break;
    }
    return 0;
}

static int pid_dir_readdir(struct file *file, struct dir_context *ctx)
{
    const loff_t last = ARRAY_SIZE(pid_files) + 2;

    tid_dir_readdir(file, ctx);
    if (ctx->pos == last && ctx->actor(ctx, "task", 4, last, last, DT_DIR))
        ctx->pos++;
    return 0;
}

static const struct inode_operations pid_dir_iops = {.lookup = pid_dir_lookup};
static const struct file_operations pid_dir_fops = {
    .llseek = dcache_dir_llseek,
    .iterate_shared = pid_dir_readdir,
};
static const struct inode_operations tid_dir_iops = {.lookup = tid_dir_lookup};
static const struct file_operations tid_dir_fops = {
    .llseek = dcache_dir_llseek,
    .iterate_shared = tid_dir_readdir,
};

/* Parses a decimal number without sign and leading zeros; -1: not a number. */
static pid_t parse_pid(const char *name, size_t len)
{
    pid_t pid = 0;

    if (!len || len > 9 || *name == '0')
        return -1;
    for (; len; len--, name++) {
        if (*name < '0' || *name > '9')
            return -1;
        pid = pid * 10 + *name - '0';
    }
    return pid;
}

static struct dentry *task_dir_lookup(struct dentry *dir, const char *name, size_t len)
{
    pid_t pid = pid_of(dir->d_inode);

    if (parse_pid(name, len) != pid)
        return NULL;
    return make_dir(dir, name, len, pid, &tid_dir_iops, &tid_dir_fops);
}

static int task_dir_readdir(struct file *file, struct dir_context *ctx)
{
    pid_t pid = pid_of(file->f_inode);
    char name[12];

    if (emit_dots(file, ctx) && ctx->pos == 2 &&
        ctx->actor(ctx, name, snprintf(name, sizeof(name), "%d", pid), 2, pid, DT_DIR))
        ctx->pos++;
    return 0;
}

static const struct inode_operations task_dir_iops = {.lookup = task_dir_lookup};
static const struct file_operations task_dir_fops = {
    .llseek = dcache_dir_llseek,
    .iterate_shared = task_dir_readdir,
};

static struct dentry *proc_root_lookup(struct dentry *dir, const char *name, size_t len)
{
    pid_t pid = is_called("self", name, len) ? current->pid : parse_pid(name, len);
    struct task_snapshot s;

    if (pid < 0 || !find_task(pid, &s))
        return NULL;
    return make_dir(dir, name, len, pid, &pid_dir_iops, &pid_dir_fops);
}

static int proc_root_readdir(struct file *file, struct dir_context *ctx)
{
    struct task_snapshot s;
    char name[12];

    if (ctx->pos < PID_OFFSET) {
        if (!dir_emit_children(file, ctx))
            return 0;
        ctx->pos = PID_OFFSET + 1;
    }
    while (next_task(ctx->pos - PID_OFFSET, &s)) {
        ctx->pos = PID_OFFSET + s.pid;
        if (!ctx->actor(ctx, name, snprintf(name, sizeof(name), "%d", s.pid), ctx->pos, ctx->pos,
                        DT_DIR))
            break;
        ctx->pos++;
    }
    return 0;
}

const struct inode_operations proc_root_iops = {.lookup = proc_root_lookup};
const struct file_operations proc_root_fops = {
    .llseek = dcache_dir_llseek,
    .iterate_shared = proc_root_readdir,
};
