/*
 * tasks.c - grace periods for preemptible code, such as trampolines.
 *
 * A task can be inside such code only while it is on a run queue, running or preempted. Each of
 * these tasks is marked as a holdout until it switches voluntarily, which no trampoline does.
 * Idle tasks are never preempted, so synchronize_rcu() at the end waits for them, and for tasks
 * on their way to sleep.
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
    for_each_process(t)
        WRITE_ONCE(t->rcu_tasks_holdout, t != current && !is_idle_task(t) && READ_ONCE(t->on_rq));
    spin_unlock_irqrestore(&tasklist_lock, flags);
}

/*
 * A task that was on its way to sleep when it was marked did not see the mark: it is cleared
 * here once the task is off its queue.
 */
static bool any_holdout(void)
{
    struct task_struct *t;
    unsigned long flags;
    bool found = false;

    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(t) {
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
    smp_mb(); /* the caller's removal is visible before the tasks are marked */
    hold_out_runnable_tasks();
    while (any_holdout())
        msleep(HOLDOUT_POLL_MSECS);
    synchronize_rcu();
    mutex_unlock(&tasks_gp_mutex);
}
