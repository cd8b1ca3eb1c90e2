/*
 * signal.c - signals: for kernel threads, from the terminal, and to end programs.
 *
 * Who sends holds tasklist_lock or is the task itself, so the task is still there.
 */
#include <asm/ptrace.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

/* Nobody is stopped here, so what would stop is passed over. */
static u64 ignored_by_default(void)
{
    return sigmask(SIGCHLD) | sigmask(SIGCONT) | sigmask(SIGSTOP) | sigmask(SIGTSTP) |
           sigmask(SIGTTIN) | sigmask(SIGTTOU) | sigmask(SIGURG) | sigmask(SIGWINCH);
}

static u64 unmaskable(void)
{
    return sigmask(SIGKILL) | sigmask(SIGSTOP);
}

static bool sig_ignored(const struct task_struct *p, int sig)
{
    if (!(READ_ONCE(p->sig_allowed) & sigmask(sig)))
        return true;
    return p->mm && (READ_ONCE(p->sig_ignored) | ignored_by_default()) & sigmask(sig);
}

/* It may be running in U-mode, where it looks at nothing: an interrupt brings it in. */
static void signal_wake_up(struct task_struct *p)
{
    set_bit(TIF_SIGPENDING, &p->flags);
    if (!wake_up_state(p, TASK_INTERRUPTIBLE) && p != current)
        smp_send_reschedule(READ_ONCE(p->cpu));
}

int send_sig(int sig, struct task_struct *p, int priv)
{
    (void)priv;
    if (sig < 0 || sig > _NSIG)
        return -EINVAL;
    if (!sig || sig_ignored(p, sig))
        return 0;
    (void)__atomic_fetch_or(&p->sig_pending, sigmask(sig), __ATOMIC_SEQ_CST);
    if (!(READ_ONCE(p->sig_blocked) & sigmask(sig)))
        signal_wake_up(p);
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

/* Sets the flag if a signal is there that is not blocked; it may have come in just now. */
static void recalc_sigpending(void)
{
    if (__atomic_load_n(&current->sig_pending, __ATOMIC_SEQ_CST) & ~current->sig_blocked)
        set_bit(TIF_SIGPENDING, &current->flags);
}

int dequeue_signal(void)
{
    u64 pending;
    int sig = 0;

    clear_bit(TIF_SIGPENDING, &current->flags);
    pending = __atomic_load_n(&current->sig_pending, __ATOMIC_SEQ_CST) & ~current->sig_blocked;
    if (pending) {
        sig = __ffs(pending) + 1;
        (void)__atomic_fetch_and(&current->sig_pending, ~sigmask(sig), __ATOMIC_SEQ_CST);
    }
    recalc_sigpending();
    return sig;
}

/* ---- programs ---- */

void do_signal(void)
{
    int sig = dequeue_signal();

    if (sig && !sig_ignored(current, sig))
        do_exit(sig);
}

void force_sig_fault(const struct pt_regs *regs, int sig, int code, unsigned long addr)
{
    printk("%s[%d]: unhandled signal %d code 0x%x at 0x%016lx\n", current->comm, current->pid, sig,
           code, addr);
    printk("epc : %016lx ra : %016lx sp : %016lx\n", regs->epc, regs->ra, regs->sp);
    current->sig_blocked &= ~sigmask(sig);
    current->sig_ignored &= ~sigmask(sig);
    send_sig(sig, current, 0);
}

SYSCALL_DEFINE2(kill, pid_t, pid, int, sig)
{
    if (sig < 0 || sig > _NSIG)
        return -EINVAL;
    if (pid > 0)
        return kill_pid(pid, sig);
    if (pid == -1)
        return -EPERM; /* everybody would be the shell, too */
    return kill_pgrp(pid ? -pid : current->pgrp, sig);
}

/* As RISC-V has it: no restorer. */
struct sigaction {
    unsigned long handler;
    unsigned long flags;
    u64 mask;
};

enum { SIG_DFL = 0, SIG_IGN = 1 };

/* Ignoring a signal and not ignoring it; there are no handlers. */
SYSCALL_DEFINE4(rt_sigaction, int, sig, const struct sigaction __user *, act,
                struct sigaction __user *, oldact, size_t, sigsetsize)
{
    struct sigaction new, old = {.handler = SIG_DFL};

    if (sig < 1 || sig > _NSIG || sigsetsize != sizeof(u64))
        return -EINVAL;
    if (act && copy_from_user(&new, act, sizeof(new)))
        return -EFAULT;
    if (act && (sigmask(sig) & unmaskable()))
        return -EINVAL;
    if (act && new.handler > SIG_IGN)
        return -ENOSYS;
    if (current->sig_ignored & sigmask(sig))
        old.handler = SIG_IGN;
    if (act) {
        current->sig_ignored &= ~sigmask(sig);
        if (new.handler == SIG_IGN)
            current->sig_ignored |= sigmask(sig);
    }
    return oldact && copy_to_user(oldact, &old, sizeof(old)) ? -EFAULT : 0;
}

enum { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };

SYSCALL_DEFINE4(rt_sigprocmask, int, how, const u64 __user *, set, u64 __user *, oldset, size_t,
                sigsetsize)
{
    u64 old = current->sig_blocked, new = old, mask = 0;

    if (sigsetsize != sizeof(u64))
        return -EINVAL;
    if (set && get_user(mask, set))
        return -EFAULT;
    switch (how) {
    case SIG_BLOCK: new |= mask; break;
    case SIG_UNBLOCK: new &= ~mask; break;
    case SIG_SETMASK: new = mask; break;
    default: return -EINVAL;
    }
    if (set) {
        WRITE_ONCE(current->sig_blocked, new & ~unmaskable());
        recalc_sigpending();
    }
    return oldset && copy_to_user(oldset, &old, sizeof(old)) ? -EFAULT : 0;
}
