/* exit.c - the end of a task, and wait4(). */
#include <asm/irqflags.h>
#include <asm/mmu_context.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/syscalls.h>
#include <linux/tty.h>
#include <linux/uaccess.h>
#include <trace/events/sched.h>

/* Drops current's address space: it cannot return to U-mode after this. */
static void exit_mm(void)
{
    struct mm_struct *mm = current->mm;
    unsigned long flags;

    if (!mm)
        return;
    exit_mm_release(current);
    spin_lock_irqsave(&tasklist_lock, flags);
    current->mm = NULL;
    switch_mm(mm, NULL);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    mmput(mm);
}

/* Stopped tasks of a group that nothing could continue any more, because current ends. */
static void continue_orphans(pid_t pgrp)
{
    struct task_struct *p;
    bool stopped = false;

    for_each_process(p)
        stopped |= p->pgrp == pgrp && READ_ONCE(p->state) == __TASK_STOPPED;
    if (stopped && is_orphaned_pgrp(pgrp, current)) {
        __kill_pgrp(pgrp, SIGHUP, 1);
        __kill_pgrp(pgrp, SIGCONT, 1);
    }
}

/*
 * Unlinks current's children. Zombies move to *orphans, to be released without the lock;
 * children that still run lose their parent and its reference.
 */
static void forget_children(struct list_head *orphans)
{
    struct task_struct *child, *next;

    list_for_each_entry_safe(child, next, &current->children, sibling) {
        child->parent = NULL;
        list_del_init(&child->sibling);
        if (READ_ONCE(child->state) == __TASK_STOPPED)
            continue_orphans(child->pgrp);
        if (child->exit_state)
            list_add(&child->sibling, orphans);
        else
            atomic_dec(&child->usage);
    }
}

static void release_orphans(struct list_head *orphans)
{
    struct task_struct *child, *next;

    list_for_each_entry_safe(child, next, orphans, sibling) {
        list_del_init(&child->sibling);
        put_task_struct(child);
    }
}

static void exit_notify(void)
{
    LIST_HEAD(orphans);
    unsigned long flags;

    spin_lock_irqsave(&tasklist_lock, flags);
    forget_children(&orphans);
    continue_orphans(current->pgrp);
    current->exit_state = current->parent ? EXIT_ZOMBIE : EXIT_DEAD;
    notify_parent(current, current->exit_signal,
                  current->exit_code & 0x7f ? CLD_KILLED : CLD_EXITED);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    release_orphans(&orphans);
}

/*
 * Ends the machine with init's exit status. Linux panics here; in an emulator the status of
 * init is useful as the exit status of the run.
 */
static _Noreturn void exit_init(long code)
{
    if (code & 0x7f)
        panic("Attempted to kill init! exitcode=0x%08lx", code);
    machine_exit(code >> 8);
}

void do_exit(long code)
{
    if (is_global_init(current))
        exit_init(code);
    exit_mm();
    disassociate_ctty();
    trace_sched_process_exit(current);
    exit_files(current);
    exit_fs(current);
    current->exit_code = code;
    perf_event_exit_task(current);
    exit_notify();
    do_task_dead();
}

/*
 * A process has one thread here, so this is exit(). It stands before it: do_exit() does not return,
 * so the address after the call, the caller of a trace, is that of the next function.
 */
SYSCALL_DEFINE1(exit_group, int, error_code)
{
    do_exit((error_code & 0xff) << 8);
}

SYSCALL_DEFINE1(exit, int, error_code)
{
    do_exit((error_code & 0xff) << 8);
}

/* Whether wait4() with this pid waits for the child. */
static bool waits_for(pid_t pid, const struct task_struct *child)
{
    if (pid > 0)
        return child->pid == pid;
    return pid == -1 || child->pgrp == (pid ? -pid : current->pgrp);
}

/* Takes a report that a child has stopped or continued; 0: there is none. */
static int take_stop_status(struct task_struct *child, int options)
{
    int status = child->stop_status;

    if (!status || !(options & (status == 0xffff ? WCONTINUED : WUNTRACED)))
        return 0;
    child->stop_status = 0;
    return status;
}

/*
 * Unlinks and returns a zombie child that wait4() with this pid waits for, or NULL. *any: such a
 * child exists, zombie or not. Or returns one that has stopped or continued, and *status.
 */
static struct task_struct *reap(pid_t pid, int options, int *status, bool *any)
{
    struct task_struct *child, *found = NULL;
    unsigned long flags;

    *any = false;
    spin_lock_irqsave(&tasklist_lock, flags);
    list_for_each_entry(child, &current->children, sibling) {
        if (!waits_for(pid, child))
            continue;
        *any = true;
        *status = child->exit_state ? 0 : take_stop_status(child, options);
        if (!*status && child->exit_state != EXIT_ZOMBIE)
            continue;
        found = child;
        get_task_struct(child);
        if (*status)
            break;
        child->exit_state = EXIT_DEAD;
        child->parent = NULL;
        list_del_init(&child->sibling);
        break;
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return found;
}

pid_t do_wait(pid_t pid, int *status, int options, unsigned int state, u64 *runtime)
{
    struct task_struct *child;
    int stopped = 0;
    pid_t ret = 0;
    bool any;

    for (;;) {
        set_current_state(state); /* before the check, so that no wakeup is lost */
        child = reap(pid, options, &stopped, &any);
        if (child || !any || options & WNOHANG)
            break;
        if (state == TASK_INTERRUPTIBLE && signal_pending(current)) {
            ret = -EINTR;
            break;
        }
        schedule();
    }
    set_current_state(TASK_RUNNING);
    if (!any)
        return -ECHILD;
    if (child) {
        ret = child->pid;
        *status = stopped ? stopped : child->exit_code;
        *runtime = task_sched_runtime(child) + child->children_runtime;
        if (!stopped) {
            current->children_runtime += *runtime;
            put_task_struct(child);
        }
        put_task_struct(child);
    }
    return ret;
}

SYSCALL_DEFINE4(wait4, pid_t, upid, int __user *, stat_addr, int, options, struct rusage __user *,
                ru)
{
    const unsigned int known = WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL;
    u64 runtime = 0;
    int code = 0;
    pid_t ret;

    if (options & ~known)
        return -EINVAL;
    trace_sched_process_wait(max(upid, 0));
    ret = do_wait(upid, &code, options, TASK_INTERRUPTIBLE, &runtime);
    if (ret > 0 && stat_addr && put_user(code, stat_addr))
        return -EFAULT;
    return ret > 0 && ru ? put_rusage(ru, runtime) ?: ret : ret;
}
