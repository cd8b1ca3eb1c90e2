/*
 * signals.h - reads the host's signals from a descriptor: no handler, so no global state, and
 * nothing happens asynchronously.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>

struct signals {
    int fd; /* readable when a signal is pending; -1: signals have their former actions */
    sigset_t before;
};

/* Holds (blocks) SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGCONT; ignored ones stay ignored. */
void signals_hold(struct signals *s);

/* The number of the next pending signal; 0: none. */
int signals_next(const struct signals *s);

/* Restores the former actions, also for signals that are pending. */
void signals_release(struct signals *s);

#endif
