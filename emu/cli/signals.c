/*
 * signals.c - see signals.h.
 */
#include "cli/signals.h"

#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

void signals_hold(struct signals *s)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTSTP);
    sigaddset(&set, SIGCONT);
    s->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    sigaddset(&set, SIGTTOU); /* to give a terminal back is no reason to stop */
    sigprocmask(SIG_BLOCK, &set, &s->before);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, and said so */
}

int signals_next(const struct signals *s)
{
    struct signalfd_siginfo info;

    if (s->fd < 0 || read(s->fd, &info, sizeof info) != sizeof info)
        return 0;
    return (int)info.ssi_signo;
}

void signals_release(struct signals *s)
{
    if (s->fd < 0)
        return;
    close(s->fd);
    s->fd = -1;
    sigprocmask(SIG_SETMASK, &s->before, NULL);
}
