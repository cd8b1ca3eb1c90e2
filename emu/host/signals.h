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

/*
 * Takes a second signal of that number, if one comes within a moment: timeout(1) sends its signal
 * to the process and then to the process's group.
 */
void signals_take_second(const struct signals *s, int number);

/*
 * Restores the former actions, also for signals that are pending. Those that the whole program
 * holds (end_watch.h) stay held.
 */
void signals_release(struct signals *s);

#endif
