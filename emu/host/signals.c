/*
 * signals.c - see signals.h.
 */
#include "host/signals.h"

#include <poll.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/compiler.h"

/* Holds a signal unless it is ignored, by nohup for example: held signals would not be ignored. */
static void hold(sigset_t *set, int number)
{
    struct sigaction action;

    if (sigaction(number, NULL, &action) || action.sa_handler != SIG_IGN)
        sigaddset(set, number);
}

void signals_hold(struct signals *s)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        hold(&set, numbers[i]);
    s->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    sigaddset(&set,
              SIGTTOU); /* restoring the terminal in the background must not stop the process */
    sigprocmask(SIG_BLOCK, &set, &s->before);
    signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe then fails, with a message */
}

int signals_next(const struct signals *s)
{
    struct signalfd_siginfo info;

    if (s->fd < 0 || read(s->fd, &info, sizeof info) != sizeof info)
        return 0;
    return (int)info.ssi_signo;
}

/* The host may run another process between the two; a person is slower. */
enum { SECOND_MS = 100 };

void signals_take_second(const struct signals *s, int number)
{
    struct pollfd second = {.fd = s->fd, .events = POLLIN};

    while (s->fd >= 0 && poll(&second, 1, SECOND_MS) > 0 && signals_next(s) != number)
        continue;
}

void signals_release(struct signals *s)
{
    if (s->fd < 0)
        return;
    while (signals_next(s)) /* would end the process before its report is written */
        continue;
    close(s->fd);
    s->fd = -1;
    sigprocmask(SIG_SETMASK, &s->before, NULL);
}
