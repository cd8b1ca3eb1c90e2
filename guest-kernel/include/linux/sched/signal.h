/*
 * signal.h - sending signals and taking them.
 *
 * A kernel thread gets only the signals it has allowed; it notices them when
 * what it waits for answers -EINTR, or by signal_pending().  A program gets
 * all that it does not ignore: on its way back to U-mode it runs its handler
 * for the signal, or without one it ends.
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
struct sighand_struct;

/* What sigaction(2) sets, as RISC-V Linux lays it out: without a restorer. */
struct k_sigaction {
    unsigned long handler; /* SIG_DFL, SIG_IGN or an address in U-mode */
    unsigned long flags;   /* SA_* */
    u64 mask;              /* blocked while the handler runs, in addition to the signal */
};

enum { SIG_DFL = 0, SIG_IGN = 1 };
enum { SA_SIGINFO = 4, SA_RESTART = 0x10000000, SA_NODEFER = 0x40000000 };
#define SA_RESETHAND 0x80000000ul

/* old NULL: all actions are the default. NULL: no memory. */
struct sighand_struct *copy_sighand(const struct sighand_struct *old);
void exit_sighand(struct task_struct *p);
/* Of current: what cannot be blocked is left out. */
void set_current_blocked(u64 mask);
/* Ends current, whatever it does about sig; init may not end: that is a panic. */
void force_sig(int sig);

/* arch: current, with these registers, is to run the handler in U-mode. 0, or -EFAULT: no stack. */
int setup_rt_frame(struct pt_regs *regs, int sig, unsigned long handler);

/* On the way to U-mode with regs. May not return. */
void do_signal(struct pt_regs *regs);
/* The program did something that it cannot go on from: says so and sends it sig. */
void force_sig_fault(const struct pt_regs *regs, int sig, int code, unsigned long addr);

#endif
