/*
 * signal.c - signals, as far as kernel threads and the terminal need them.
 *
 * Who sends holds tasklist_lock or is the task itself, so the task is still there.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/sched/signal.h>

int send_sig(int sig, struct task_struct *p, int priv)
{
    (void)priv;
    if (sig < 0 || sig > _NSIG)
        return -EINVAL;
    if (!sig || !(READ_ONCE(p->sig_allowed) & sigmask(sig)))
        return 0;
    (void)__atomic_fetch_or(&p->sig_pending, sigmask(sig), __ATOMIC_SEQ_CST);
    set_bit(TIF_SIGPENDING, &p->flags);
    wake_up_state(p, TASK_INTERRUPTIBLE);
    return 0;
}

int kill_pid(pid_t pid, int sig)
{
    struct task_struct *p;
    unsigned long flags;
    int err = -ESRCH;

    spin_lock_irqsave(&tasklist_lock, flags);
    list_for_each_entry(p, &task_list, tasks)
    {
        if (pid && p->pid == pid) {
            err = send_sig(sig, p, 0);
            break;
        }
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return err;
}

int kill_pgrp(pid_t pgrp, int sig)
{
    struct task_struct *p;
    unsigned long flags;
    int err = -ESRCH;

    spin_lock_irqsave(&tasklist_lock, flags);
    list_for_each_entry(p, &task_list, tasks)
    {
        if (pgrp && p->pgrp == pgrp)
            err = send_sig(sig, p, 0);
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return err;
}

void allow_signal(int sig)
{
    WRITE_ONCE(current->sig_allowed, current->sig_allowed | sigmask(sig));
}

/* The flag goes first: a signal that comes in between sets it again. */
int dequeue_signal(void)
{
    u64 pending;
    int sig;

    clear_bit(TIF_SIGPENDING, &current->flags);
    pending = __atomic_load_n(&current->sig_pending, __ATOMIC_SEQ_CST);
    if (!pending)
        return 0;
    sig = __ffs(pending) + 1;
    pending = __atomic_and_fetch(&current->sig_pending, ~sigmask(sig), __ATOMIC_SEQ_CST);
    if (pending)
        set_bit(TIF_SIGPENDING, &current->flags);
    return sig;
}
