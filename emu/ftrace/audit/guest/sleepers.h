/*
 * sleepers.h - tasks that do not run for very long: those of programs that sleep without being
 * woken and do not react to signals, as what they wait for does not come; and those of all kinds
 * that could run, but no hart runs them.
 *
 * The kernel's list of tasks is read only once in a second of the guest's time.
 */
#ifndef FTRACE_SLEEPERS_H
#define FTRACE_SLEEPERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/observer.h"

struct audit;
struct sleepers;
struct state_io;

struct sleepers *sleepers_new(const struct audit *a);
void sleepers_free(struct sleepers *s);

/* Must be called at each trap. */
void sleepers_trap(struct sleepers *s, const struct trap_event *t);

/* Must be called when a hart goes on with this task: it was woken, and may sleep again. */
void sleepers_runs(struct sleepers *s, uint64_t tp);

/* A task that does not run. */
struct sleeping {
    uint64_t tp, cycles; /* for which it has not run */
    bool runnable;       /* it could run */
};

/*
 * Finds the task that has not run for the longest time, for twenty seconds or more, as hart `h`
 * reads the list; `at_all`: for any time. False: there is none.
 */
bool sleepers_longest(struct sleepers *s, struct hart *h, bool at_all, struct sleeping *longest);

void sleepers_state_io(struct state_io *io, struct sleepers *s);

#endif
