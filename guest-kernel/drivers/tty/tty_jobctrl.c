/* tty_jobctrl.c - the session of the terminal and its foreground group. */
#include "tty.h"
#include <linux/errno.h>
#include <linux/sched/signal.h>
#include <linux/tty.h>
#include <linux/uaccess.h>

/* Under tasklist_lock, and read without it. 0: none. */
static pid_t tty_session, tty_pgrp;

bool tty_is_current(void)
{
    return current->session && READ_ONCE(tty_session) == current->session;
}

void tty_signal(int sig)
{
    kill_pgrp(READ_ONCE(tty_pgrp), sig, 1);
}

int tty_check_change(int sig)
{
    pid_t pgrp = READ_ONCE(tty_pgrp);

    if (!tty_is_current() || !pgrp || pgrp == current->pgrp)
        return 0;
    if ((current->sig_blocked | current->sig_ignored) & sigmask(sig))
        return sig == SIGTTIN ? -EIO : 0;
    if (is_current_pgrp_orphaned())
        return -EIO;
    kill_pgrp(current->pgrp, sig, 1);
    return -EINTR;
}

/* The leader of a session without a terminal gets this one, if it is free. */
static int tiocsctty(void)
{
    unsigned long flags;
    int err = -EPERM;

    spin_lock_irqsave(&tasklist_lock, flags);
    if (current->session == current->pid && (!tty_session || tty_session == current->session)) {
        WRITE_ONCE(tty_session, current->session);
        WRITE_ONCE(tty_pgrp, current->pgrp);
        err = 0;
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return err;
}

void disassociate_ctty(void)
{
    unsigned long flags;
    pid_t pgrp;

    if (!tty_is_current() || current->session != current->pid)
        return;
    spin_lock_irqsave(&tasklist_lock, flags);
    pgrp = tty_pgrp;
    WRITE_ONCE(tty_session, 0);
    WRITE_ONCE(tty_pgrp, 0);
    __kill_pgrp(pgrp, SIGHUP, 1);
    __kill_pgrp(pgrp, SIGCONT, 1);
    spin_unlock_irqrestore(&tasklist_lock, flags);
}

static int set_pgrp(pid_t pgrp)
{
    struct task_struct *p;
    unsigned long flags;
    int err = -ESRCH;

    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(p)
        if (p->pgrp == pgrp && !task_is_dead(p))
            err = p->session == current->session ? 0 : -EPERM;
    if (!err)
        WRITE_ONCE(tty_pgrp, pgrp);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return err;
}

static long tiocspgrp(const int __user *from)
{
    int pgrp, err = tty_check_change(SIGTTOU);

    if (err)
        return err;
    if (!tty_is_current())
        return -ENOTTY;
    if (get_user(pgrp, from))
        return -EFAULT;
    return pgrp < 0 ? -EINVAL : set_pgrp(pgrp);
}

static long put_id(pid_t id, int __user *to)
{
    if (!tty_is_current())
        return -ENOTTY;
    return put_user(id, to) ? -EFAULT : 0;
}

enum { TIOCSCTTY = 0x540e, TIOCGPGRP, TIOCSPGRP, TIOCNOTTY = 0x5422, TIOCGSID = 0x5429 };

long tty_jobctrl_ioctl(unsigned int cmd, unsigned long arg)
{
    switch (cmd) {
    case TIOCSCTTY: return tiocsctty();
    case TIOCNOTTY:
        if (!tty_is_current())
            return -ENOTTY;
        disassociate_ctty();
        return 0;
    case TIOCGPGRP: return put_id(READ_ONCE(tty_pgrp), (int __user *)arg);
    case TIOCSPGRP: return tiocspgrp((const int __user *)arg);
    case TIOCGSID: return put_id(READ_ONCE(tty_session), (int __user *)arg);
    default: return -ENOTTY;
    }
}
