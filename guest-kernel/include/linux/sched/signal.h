/*
 * signal.h - asking a task to stop what it does.
 *
 * A kernel thread gets only the signals it has allowed; it notices them when
 * what it waits for answers -EINTR, or by signal_pending().  A program gets
 * all that it does not ignore, and on its way back to U-mode ends of them:
 * there are no handlers.
 */
#ifndef LINUX_SCHED_SIGNAL_H
#define LINUX_SCHED_SIGNAL_H

#include <linux/sched.h>
#include <linux/signal.h>

static inline u64 sigmask(int sig)
{
    return 1ull << (sig - 1);
}

static inline bool signal_pending(const struct task_struct *p)
{
    return READ_ONCE(p->flags) & (1UL << TIF_SIGPENDING);
}

/* What the scheduler asks: may p, about to sleep in this state, go on sleeping? */
static inline bool signal_pending_state(unsigned int state, const struct task_struct *p)
{
    return (state & TASK_INTERRUPTIBLE) && signal_pending(p);
}

/* 0, also for a signal that is not allowed, or -EINVAL. */
int send_sig(int sig, struct task_struct *p, int priv);
/* To one task, or to all of a process group: 0, -ESRCH or -EINVAL. */
int kill_pid(pid_t pid, int sig);
int kill_pgrp(pid_t pgrp, int sig);

/* Of current: which signals it takes, and the lowest pending one, taken off; 0: none. */
void allow_signal(int sig);
int dequeue_signal(void);

struct pt_regs;

/* On the way to U-mode. May not return. */
void do_signal(void);
/* The program did something that it cannot go on from: says so and sends it sig. */
void force_sig_fault(const struct pt_regs *regs, int sig, int code, unsigned long addr);

#endif
