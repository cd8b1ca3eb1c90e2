/*
 * pace.h - keeps an idle guest's clock beside the clock on the wall.
 *
 * Pure: both times are arguments, in nanoseconds. A guest that has fallen
 * behind while it worked sleeps less until it has caught up, one that was ahead
 * sleeps more. What exceeds PACE_DRIFT_MAX is forgiven instead: who has computed
 * for a minute does not race through an hour of sleep, and a process that was
 * stopped goes on from where it stood.
 */
#ifndef CLI_PACE_H
#define CLI_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum { PACE_DRIFT_MAX = 100 * 1000 * 1000 };

/* A moment at which both clocks were taken for equal; all zero: none yet. */
struct pace {
    bool set;
    uint64_t guest, wall;
};

/* The guest has nothing to do from `guest` to `until`: how long to sleep. UINT64_MAX: for ever. */
uint64_t pace_sleep(struct pace *p, uint64_t guest, uint64_t until, uint64_t wall);

/* The guest's time at `wall`, after pace_sleep: not before `guest`, not behind `until`. */
uint64_t pace_guest(const struct pace *p, uint64_t guest, uint64_t until, uint64_t wall);

#endif
