/*
 * tasks.c - grace periods of preemptible code, such as trampolines.
 *
 * A task that may be inside is one that runs, or was preempted: it is on a run
 * queue.  Each of those is held out until it switches by its own will, which
 * no trampoline does.  Idle tasks are never preempted: to the scheduler they
 * are readers, and so is a task that is on its way to sleep.  The grace period
 * of readers at the end waits for those.
 */
#include <linux/delay.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

enum { HOLDOUT_POLL_MSECS = 10 };

static DEFINE_MUTEX(tasks_gp_mutex);

void rcu_tasks_qs(void)
{
    if (unlikely(READ_ONCE(current->rcu_tasks_holdout)))
        WRITE_ONCE(current->rcu_tasks_holdout, false);
}

static void hold_out_runnable_tasks(void)
{
    struct task_struct *t;
    unsigned long flags;

    spin_lock_irqsave(&tasklist_lock, flags);
    list_for_each_entry(t, &task_list, tasks)
        WRITE_ONCE(t->rcu_tasks_holdout, t != current && !is_idle_task(t) && READ_ONCE(t->on_rq));
    spin_unlock_irqrestore(&tasklist_lock, flags);
}

/* A task may have set off to sleep while we marked it, and not seen the mark: then it is off by
 * now. */
static bool any_holdout(void)
{
    struct task_struct *t;
    unsigned long flags;
    bool found = false;

    spin_lock_irqsave(&tasklist_lock, flags);
    list_for_each_entry(t, &task_list, tasks)
    {
        if (!READ_ONCE(t->rcu_tasks_holdout))
            continue;
        if (!READ_ONCE(t->on_rq))
            WRITE_ONCE(t->rcu_tasks_holdout, false);
        else
            found = true;
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return found;
}

void synchronize_rcu_tasks(void)
{
    mutex_lock(&tasks_gp_mutex);
    smp_mb(); /* what the caller took away is gone before we look for its users */
    hold_out_runnable_tasks();
    while (any_holdout())
        msleep(HOLDOUT_POLL_MSECS);
    synchronize_rcu();
    mutex_unlock(&tasks_gp_mutex);
}
