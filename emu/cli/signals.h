/*
 * signals.h - reads the host's signals from a descriptor: no handler, so no global state, and
 * nothing happens asynchronously.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>

struct signals {
    int fd; /* readable when one is pending; -1: they have their former actions */
    sigset_t before;
};

/* From here on SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGCONT are held; ignored ones stay ignored. */
void signals_hold(struct signals *s);

/* The next one pending; 0: none. */
int signals_next(const struct signals *s);

/* They have their former actions, also those that are pending. */
void signals_release(struct signals *s);

#endif
