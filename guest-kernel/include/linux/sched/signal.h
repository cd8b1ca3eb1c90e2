/* signal.h - whether a signal waits for a task: what ends an interruptible sleep. */
#ifndef LINUX_SCHED_SIGNAL_H
#define LINUX_SCHED_SIGNAL_H

#include <linux/sched.h>

static inline bool signal_pending(const struct task_struct *p)
{
    return READ_ONCE(p->flags) & (1UL << TIF_SIGPENDING);
}

/* What the scheduler asks: may p, about to sleep in this state, go on sleeping? */
static inline bool signal_pending_state(unsigned int state, const struct task_struct *p)
{
    return (state & TASK_INTERRUPTIBLE) && signal_pending(p);
}

#endif
