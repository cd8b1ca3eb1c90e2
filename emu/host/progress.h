/*
 * progress.h - the line on the terminal by which a user sees that a run of more than two seconds
 * goes on, while the guest prints nothing.
 *
 * Pure: the time is an argument, in nanoseconds. The line has no newline; it is cleared before
 * anything else is printed.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *out;            /* NULL: no line is shown */
    uint64_t begun;       /* 0: not yet */
    uint64_t quiet_since; /* when the guest printed last */
    uint64_t drawn_at;    /* when the line was drawn last */
    uint64_t drawn_insns; /* instructions of the run then */
    bool is_shown;
};

/* The guest has printed, or the machine has stood still: the line waits for a second. */
void progress_rest(struct progress *p, uint64_t now);

/* Shows the line if it is time. */
void progress_show(struct progress *p, uint64_t insns, uint64_t cycles, uint64_t now);

/* Clears the line. */
void progress_clear(struct progress *p);

#endif
