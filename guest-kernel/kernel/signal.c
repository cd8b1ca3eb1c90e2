/*
 * signal.c - signals: to kernel threads, from the terminal, to programs.
 *
 * The sender holds tasklist_lock or is the task itself, so the task still exists.
 */
#include <asm/ptrace.h>
#include <asm/unistd.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#define CREATE_TRACE_POINTS
#include <trace/events/signal.h>
#undef CREATE_TRACE_POINTS

/*
 * The handlers of a program, by signal number minus one. Allocated when the first handler is
 * set; fork copies it, exec frees it.
 */
struct sighand_struct {
    struct k_sigaction action[_NSIG];
};

/* The action with a handler function, or NULL for the default action and for an ignored signal. */
static const struct k_sigaction *handler_of(const struct task_struct *p, int sig)
{
    const struct sighand_struct *sighand = READ_ONCE(p->sighand);

    return sighand && sighand->action[sig - 1].handler ? &sighand->action[sig - 1] : NULL;
}

static u64 ignored_by_default(void)
{
    return sigmask(SIGCHLD) | sigmask(SIGCONT) | sigmask(SIGURG) | sigmask(SIGWINCH);
}

static u64 stop_signals(void)
{
    return sigmask(SIGSTOP) | sigmask(SIGTSTP) | sigmask(SIGTTIN) | sigmask(SIGTTOU);
}

static u64 unmaskable(void)
{
    return sigmask(SIGKILL) | sigmask(SIGSTOP);
}

static bool sig_ignored(const struct task_struct *p, int sig)
{
    if (!(READ_ONCE(p->sig_allowed) & sigmask(sig)))
        return true;
    if (!p->mm)
        return false;
    if (READ_ONCE(p->sig_ignored) & sigmask(sig))
        return true;
    if (handler_of(p, sig))
        return false;
    return is_global_init(p) || ignored_by_default() & sigmask(sig);
}

/*
 * p may be running in U-mode, where it does not check its flags: an interrupt makes it enter
 * the kernel.
 */
static void signal_wake_up(struct task_struct *p)
{
    set_bit(TIF_SIGPENDING, &p->flags);
    if (!wake_up_state(p, TASK_INTERRUPTIBLE) && p != current)
        smp_send_reschedule(READ_ONCE(p->cpu));
}

void notify_parent(struct task_struct *p, int sig, int code)
{
    struct task_struct *parent = p->parent;

    if (parent && sig)
        send_sig_info(sig, code, parent, true);
    if (parent)
        wake_up_process(parent);
}

/* The same of a task that stops or continues, unless the parent has set SA_NOCLDSTOP. */
static void notify_stop(struct task_struct *p, int status, int code)
{
    const struct k_sigaction *action = p->parent ? handler_of(p->parent, SIGCHLD) : NULL;

    p->stop_status = status;
    notify_parent(p, action && action->flags & SA_NOCLDSTOP ? 0 : SIGCHLD, code);
}

static void clear_pending(struct task_struct *p, u64 mask)
{
    (void)__atomic_fetch_and(&p->sig_pending, ~mask, __ATOMIC_SEQ_CST);
}

/* Also a signal that is ignored or blocked stops or continues: each of the two undoes the other. */
static void prepare_signal(int sig, struct task_struct *p)
{
    if (sigmask(sig) & stop_signals())
        clear_pending(p, sigmask(SIGCONT));
    if (sig == SIGCONT) {
        clear_pending(p, stop_signals());
        p->stop_dequeued = false;
        if (wake_up_state(p, __TASK_STOPPED))
            notify_stop(p, 0xffff, CLD_CONTINUED);
    }
    if (sig == SIGKILL)
        wake_up_state(p, __TASK_STOPPED);
}

/* A signal that is pending already keeps its code. */
static int send_signal(int sig, struct task_struct *p)
{
    if (sig_ignored(p, sig))
        return TRACE_SIGNAL_IGNORED;
    if (__atomic_fetch_or(&p->sig_pending, sigmask(sig), __ATOMIC_SEQ_CST) & sigmask(sig))
        return TRACE_SIGNAL_ALREADY_PENDING;
    return TRACE_SIGNAL_DELIVERED;
}

int send_sig_info(int sig, int code, struct task_struct *p, bool group)
{
    int result;

    if (sig < 0 || sig > _NSIG)
        return -EINVAL;
    if (!sig)
        return 0;
    prepare_signal(sig, p);
    if (!(READ_ONCE(p->sig_pending) & sigmask(sig)))
        WRITE_ONCE(p->sig_code[sig - 1], (short)code);
    result = send_signal(sig, p);
    trace_signal_generate(sig, code, p, group, result);
    if (result != TRACE_SIGNAL_IGNORED && !(READ_ONCE(p->sig_blocked) & sigmask(sig)))
        signal_wake_up(p);
    return 0;
}

int send_sig(int sig, struct task_struct *p, int priv)
{
    return send_sig_info(sig, priv ? SI_KERNEL : SI_USER, p, false);
}

int kill_pid(pid_t pid, int sig)
{
    struct task_struct *p;
    unsigned long flags;
    int err = -ESRCH;

    spin_lock_irqsave(&tasklist_lock, flags);
    p = find_task_by_vpid(pid);
    if (p)
        err = send_sig_info(sig, SI_USER, p, true);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return err;
}

int __kill_pgrp(pid_t pgrp, int sig, int priv)
{
    struct task_struct *p;
    int err = -ESRCH;

    for_each_process(p) {
        if (pgrp && p->pgrp == pgrp && !task_is_dead(p))
            err = send_sig_info(sig, priv ? SI_KERNEL : SI_USER, p, true);
    }
    return err;
}

int kill_pgrp(pid_t pgrp, int sig, int priv)
{
    unsigned long flags;
    int err;

    spin_lock_irqsave(&tasklist_lock, flags);
    err = __kill_pgrp(pgrp, sig, priv);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return err;
}

void allow_signal(int sig)
{
    WRITE_ONCE(current->sig_allowed, current->sig_allowed | sigmask(sig));
}

/* Sets TIF_SIGPENDING if an unblocked signal is pending; one may have arrived just now. */
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

struct sighand_struct *copy_sighand(const struct sighand_struct *old)
{
    struct sighand_struct *sighand = kmalloc(sizeof(*sighand));

    if (sighand && old)
        memcpy(sighand, old, sizeof(*sighand));
    else if (sighand)
        memset(sighand, 0, sizeof(*sighand));
    return sighand;
}

void exit_sighand(struct task_struct *p)
{
    struct sighand_struct *sighand = p->sighand;

    p->sighand = NULL;
    kfree(sighand);
}

static void force_sig_code(int sig, int code)
{
    if (is_global_init(current))
        panic("Attempted to kill init! exitcode=0x%08x", sig);
    current->sig_blocked &= ~sigmask(sig);
    current->sig_ignored &= ~sigmask(sig);
    if (current->sighand)
        current->sighand->action[sig - 1].handler = SIG_DFL;
    send_sig_info(sig, code, current, false);
}

void force_sig(int sig)
{
    force_sig_code(sig, SI_KERNEL);
}

static bool is_sleep(const struct pt_regs *regs)
{
    return regs->a7 == __NR_nanosleep || regs->a7 == __NR_clock_nanosleep ||
           regs->a7 == __NR_restart_syscall;
}

static void restart(struct pt_regs *regs)
{
    regs->a0 = current->restart_a0;
    regs->epc -= 4;
}

static bool was_interrupted(const struct pt_regs *regs)
{
    return regs->cause == EXC_SYSCALL && (long)regs->a0 == -EINTR;
}

/*
 * Restarts the interrupted system call if the handler has SA_RESTART. Sleeping calls are not
 * restarted: they would sleep for the whole time again.
 */
static void restart_or_fail(struct pt_regs *regs, const struct k_sigaction *action)
{
    if (was_interrupted(regs) && action->flags & SA_RESTART && !is_sleep(regs))
        restart(regs);
}

/* The task has only been stopped, or a signal came to nothing: a sleep goes on for its rest. */
static void restart_without_handler(struct pt_regs *regs)
{
    if (!was_interrupted(regs))
        return;
    restart(regs);
    if (is_sleep(regs))
        regs->a7 = __NR_restart_syscall;
}

/*
 * Builds the signal frame on the user stack. The program may change it before rt_sigreturn()
 * reads it back.
 */
static void handle_signal(struct pt_regs *regs, int sig, struct k_sigaction *action)
{
    unsigned long handler = action->handler;

    restart_or_fail(regs, action);
    if (setup_rt_frame(regs, sig, current->sig_code[sig - 1], handler)) {
        force_sig(SIGSEGV);
        return;
    }
    current->restore_sigmask = false;
    WRITE_ONCE(current->sig_blocked, (current->sig_blocked | action->mask |
                                      (action->flags & SA_NODEFER ? 0 : sigmask(sig))) &
                                         ~unmaskable());
    if (action->flags & SA_RESETHAND)
        action->handler = SIG_DFL;
    recalc_sigpending();
}

void set_restore_sigmask(u64 mask)
{
    current->saved_sigmask = current->sig_blocked;
    current->restore_sigmask = true;
    set_current_blocked(mask);
}

void restore_saved_sigmask(void)
{
    if (current->restore_sigmask)
        set_current_blocked(current->saved_sigmask);
    current->restore_sigmask = false;
}

u64 sigmask_to_save(void)
{
    return current->restore_sigmask ? current->saved_sigmask : current->sig_blocked;
}

/* The values of SIG_IGN and SIG_DFL are the event's, too. */
static void trace_deliver(int sig)
{
    const struct k_sigaction *action = handler_of(current, sig);
    unsigned long handler = current->sig_ignored & sigmask(sig) ? SIG_IGN : SIG_DFL;

    trace_signal_deliver(sig, current->sig_code[sig - 1], action ? action->handler : handler,
                         action ? action->flags : 0);
}

/* ---- stopping ---- */

bool is_orphaned_pgrp(pid_t pgrp, const struct task_struct *leaving)
{
    const struct task_struct *p;

    for_each_process(p)
        if (p->pgrp == pgrp && p != leaving && !p->exit_state && p->parent &&
            p->parent->pgrp != pgrp && p->parent->session == p->session)
            return false;
    return true;
}

bool is_current_pgrp_orphaned(void)
{
    unsigned long flags;
    bool orphaned;

    spin_lock_irqsave(&tasklist_lock, flags);
    orphaned = is_orphaned_pgrp(current->pgrp, NULL);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return orphaned;
}

/* Stops current until SIGCONT or SIGKILL, unless SIGCONT has come since sig was taken. */
static void do_signal_stop(int sig)
{
    unsigned long flags;

    spin_lock_irqsave(&tasklist_lock, flags);
    if (current->stop_dequeued && !(READ_ONCE(current->sig_pending) & sigmask(SIGKILL)) &&
        (sig == SIGSTOP || !is_orphaned_pgrp(current->pgrp, NULL))) {
        set_current_state(__TASK_STOPPED);
        notify_stop(current, sig << 8 | 0x7f, CLD_STOPPED);
    }
    current->stop_dequeued = false;
    spin_unlock_irqrestore(&tasklist_lock, flags);
    schedule();
}

void do_signal(struct pt_regs *regs)
{
    int sig;

    for (;;) {
        WRITE_ONCE(current->stop_dequeued, true);
        sig = dequeue_signal();
        if (sig && trace_signal_deliver_enabled())
            trace_deliver(sig);
        if (!sig)
            break;
        if (sig_ignored(current, sig))
            continue;
        if (handler_of(current, sig)) {
            handle_signal(regs, sig, &current->sighand->action[sig - 1]);
            return;
        }
        if (!(sigmask(sig) & stop_signals()))
            do_exit(sig);
        do_signal_stop(sig);
    }
    restart_without_handler(regs);
    restore_saved_sigmask();
}

void set_current_blocked(u64 mask)
{
    WRITE_ONCE(current->sig_blocked, mask & ~unmaskable());
    recalc_sigpending();
}

void force_sig_fault(const struct pt_regs *regs, int sig, int code, unsigned long addr)
{
    printk("%s[%d]: unhandled signal %d code 0x%x at 0x%016lx\n", current->comm, current->pid, sig,
           code, addr);
    printk("epc : %016lx ra : %016lx sp : %016lx\n", regs->epc, regs->ra, regs->sp);
    force_sig_code(sig, code);
}

/* All programs but init and the caller. */
static int kill_all(int sig)
{
    struct task_struct *p;
    unsigned long flags;
    int err = -ESRCH;

    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(p) {
        if (p->pid > 1 && p->mm && p != current && !task_is_dead(p))
            err = send_sig_info(sig, SI_USER, p, true);
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return err;
}

/* A process has one thread. */
SYSCALL_DEFINE2(tkill, pid_t, pid, int, sig)
{
    return pid <= 0 || sig < 0 || sig > _NSIG ? -EINVAL : kill_pid(pid, sig);
}

SYSCALL_DEFINE3(tgkill, pid_t, tgid, pid_t, pid, int, sig)
{
    if (tgid <= 0 || pid <= 0 || sig < 0 || sig > _NSIG)
        return -EINVAL;
    return tgid == pid ? kill_pid(pid, sig) : -ESRCH;
}

SYSCALL_DEFINE2(kill, pid_t, pid, int, sig)
{
    if (sig < 0 || sig > _NSIG)
        return -EINVAL;
    if (pid > 0)
        return kill_pid(pid, sig);
    if (pid == -1)
        return kill_all(sig);
    return kill_pgrp(pid ? -pid : current->pgrp, sig, 0);
}

/* Sets the action of a signal; SIG_IGN is kept as a bit of sig_ignored. */
static int set_action(int sig, const struct k_sigaction *new)
{
    if (new->handler > SIG_IGN && !current->sighand)
        WRITE_ONCE(current->sighand, copy_sighand(NULL));
    if (new->handler > SIG_IGN && !current->sighand)
        return -ENOMEM;
    if (current->sighand) {
        current->sighand->action[sig - 1] = *new;
        if (new->handler == SIG_IGN)
            current->sighand->action[sig - 1].handler = SIG_DFL;
    }
    current->sig_ignored &= ~sigmask(sig);
    if (new->handler == SIG_IGN)
        current->sig_ignored |= sigmask(sig);
    return 0;
}

/* Clears flags that are not supported, as Linux does. */
SYSCALL_DEFINE4(rt_sigaction, int, sig, const struct k_sigaction __user *, act,
                struct k_sigaction __user *, oldact, size_t, sigsetsize)
{
    struct k_sigaction new, old = {.handler = SIG_DFL};
    int err;

    if (sig < 1 || sig > _NSIG || sigsetsize != sizeof(u64))
        return -EINVAL;
    if (act && copy_from_user(&new, act, sizeof(new)))
        return -EFAULT;
    if (act && (sigmask(sig) & unmaskable()))
        return -EINVAL;
    if (current->sighand)
        old = current->sighand->action[sig - 1];
    if (current->sig_ignored & sigmask(sig))
        old.handler = SIG_IGN;
    if (act) {
        new.flags &= SA_NOCLDSTOP | SA_SIGINFO | SA_RESTART | SA_NODEFER | SA_RESETHAND;
        err = set_action(sig, &new);
        if (err)
            return err;
    }
    return oldact && copy_to_user(oldact, &old, sizeof(old)) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(rt_sigpending, u64 __user *, uset, size_t, sigsetsize)
{
    u64 pending = __atomic_load_n(&current->sig_pending, __ATOMIC_SEQ_CST) & current->sig_blocked;

    if (sigsetsize > sizeof(pending))
        return -EINVAL;
    return copy_to_user(uset, &pending, sigsetsize) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(rt_sigsuspend, u64 __user *, unewset, size_t, sigsetsize)
{
    u64 mask;

    if (sigsetsize != sizeof(mask))
        return -EINVAL;
    if (get_user(mask, unewset))
        return -EFAULT;
    set_restore_sigmask(mask);
    for (;;) {
        set_current_state(TASK_INTERRUPTIBLE);
        if (signal_pending(current))
            break;
        schedule();
    }
    set_current_state(TASK_RUNNING);
    return -EINTR;
}

/* Takes a pending signal of the set; 0: there is none. */
static int take_signal(u64 set)
{
    u64 pending = __atomic_load_n(&current->sig_pending, __ATOMIC_SEQ_CST) & set;
    int sig = pending ? __ffs(pending) + 1 : 0;

    if (sig)
        (void)__atomic_fetch_and(&current->sig_pending, ~sigmask(sig), __ATOMIC_SEQ_CST);
    return sig;
}

/* While it waits, the signals of the set wake it; they are blocked, so no handler runs. */
static int wait_for_signal(u64 set, u64 end)
{
    u64 blocked = current->sig_blocked;
    int sig;

    for (;;) {
        set_current_state(TASK_INTERRUPTIBLE);
        WRITE_ONCE(current->sig_blocked, blocked & ~set);
        sig = take_signal(set);
        if (sig || signal_pending(current) || sched_clock() >= end)
            break;
        (void)schedule_hrtimeout(end, HRTIMER_MODE_ABS);
    }
    set_current_state(TASK_RUNNING);
    if (!sig)
        sig = take_signal(set);
    clear_bit(TIF_SIGPENDING, &current->flags);
    set_current_blocked(blocked);
    if (sig)
        return sig;
    return signal_pending(current) ? -EINTR : -EAGAIN;
}

SYSCALL_DEFINE4(rt_sigtimedwait, const u64 __user *, uthese, void __user *, uinfo,
                const struct __kernel_timespec __user *, uts, size_t, sigsetsize)
{
    int info[32] = {0}, sig, err;
    u64 set, ns = 0, end = ~0ull >> 1;

    if (sigsetsize != sizeof(set))
        return -EINVAL;
    if (get_user(set, uthese))
        return -EFAULT;
    err = uts ? get_timespec64(&ns, uts) : 0;
    if (err)
        return err;
    if (uts)
        end = sched_clock() + ns;
    sig = wait_for_signal(set & ~unmaskable(), end);
    info[0] = sig;
    return sig > 0 && uinfo && copy_to_user(uinfo, info, sizeof(info)) ? -EFAULT : sig;
}

enum { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };

SYSCALL_DEFINE4(rt_sigprocmask, int, how, const u64 __user *, nset, u64 __user *, oset, size_t,
                sigsetsize)
{
    u64 old = current->sig_blocked, new = old, mask = 0;

    if (sigsetsize != sizeof(u64))
        return -EINVAL;
    if (nset && get_user(mask, nset))
        return -EFAULT;
    switch (how) {
    case SIG_BLOCK: new |= mask; break;
    case SIG_UNBLOCK: new &= ~mask; break;
    case SIG_SETMASK: new = mask; break;
    default: return -EINVAL;
    }
    if (nset)
        set_current_blocked(new);
    return oset && copy_to_user(oset, &old, sizeof(old)) ? -EFAULT : 0;
}
