/*
 * signal.h - sending and receiving signals.
 *
 * A kernel thread gets only the signals that it has allowed; it notices them by -EINTR from a
 * wait, or by signal_pending(). A program gets all signals that it does not ignore: on return
 * to U-mode it runs the handler or, without one, ends.
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

/* Returns whether a signal prevents p from sleeping in this state. */
static inline bool signal_pending_state(unsigned int state, const struct task_struct *p)
{
    return (state & TASK_INTERRUPTIBLE) && signal_pending(p);
}

/* Sends a signal. Returns 0, also if p does not accept it, or -EINVAL. code: si_code. */
int send_sig_info(int sig, int code, struct task_struct *p, bool group);
/* priv: sent by the kernel itself. */
int send_sig(int sig, struct task_struct *p, int priv);
/* Send to a task, or to all tasks of a process group. 0, -ESRCH or -EINVAL. */
int kill_pid(pid_t pid, int sig);
int kill_pgrp(pid_t pgrp, int sig, int priv);
int __kill_pgrp(pid_t pgrp, int sig, int priv); /* with tasklist_lock held */

/* Tells p's parent, if it has one, that p has ended, stopped or continued. Under tasklist_lock. */
void notify_parent(struct task_struct *p, int sig, int code);

/* For current: accepts a signal; takes the lowest pending one (0: none). */
void allow_signal(int sig);
int dequeue_signal(void);

struct pt_regs;
struct sighand_struct;

/* The argument of rt_sigaction, with the layout of RISC-V Linux: without sa_restorer. */
struct k_sigaction {
    unsigned long handler; /* SIG_DFL, SIG_IGN or an address in U-mode */
    unsigned long flags;   /* SA_* */
    u64 mask;              /* signals blocked while the handler runs, besides its own */
};

enum { SIG_DFL = 0, SIG_IGN = 1 };
enum { SA_NOCLDSTOP = 1, SA_SIGINFO = 4, SA_RESTART = 0x10000000, SA_NODEFER = 0x40000000 };
#define SA_RESETHAND 0x80000000ul

/* old NULL: all default. Returns NULL if there is no memory. */
struct sighand_struct *copy_sighand(const struct sighand_struct *old);
void exit_sighand(struct task_struct *p);
/* Sets the blocked signals of current; SIGKILL and SIGSTOP are left out. */
void set_current_blocked(u64 mask);
/* Blocks these signals until the next one is handled; then the mask is as before. */
void set_restore_sigmask(u64 mask);
/* Undoes that if no signal came. */
void restore_saved_sigmask(void);
/* The mask that a signal handler returns to. */
u64 sigmask_to_save(void);
/* Ends current with sig even if it blocks, ignores or handles it. Panics if current is init. */
void force_sig(int sig);

/*
 * Architecture hook: changes regs so that current runs the handler. 0, or -EFAULT if the frame
 * cannot be written.
 */
int setup_rt_frame(struct pt_regs *regs, int sig, int code, unsigned long handler);

/*
 * Whether no member of the group but `leaving` has a parent in the same session that could continue
 * it: then the terminal does not stop it. Under tasklist_lock.
 */
bool is_orphaned_pgrp(pid_t pgrp, const struct task_struct *leaving);
bool is_current_pgrp_orphaned(void);

/* Delivers a signal, on return to U-mode with regs. May not return. */
void do_signal(struct pt_regs *regs);
/* Reports an exception of the program, and ends it with sig. */
void force_sig_fault(const struct pt_regs *regs, int sig, int code, unsigned long addr);

#endif
