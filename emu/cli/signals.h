/*
 * signals.h - the host's signals as things to be read: no handler, so nothing
 * global, and nothing happens between two instructions of ours.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>

struct signals {
    int fd; /* readable when one has come; -1: they act as they did before */
    sigset_t before;
};

/* SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGCONT wait from here on; what was ignored stays so. */
void signals_hold(struct signals *s);

/* The next that has come; 0: none. */
int signals_next(const struct signals *s);

/* They act as before, also those that wait. */
void signals_release(struct signals *s);

#endif
