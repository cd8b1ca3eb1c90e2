/*
 * pace.h - makes the time of an idle guest follow the wall clock.
 *
 * Pure: both times are arguments, in nanoseconds. A guest that has fallen
 * behind while it computed sleeps less until it has caught up, one that was ahead
 * sleeps more. A larger difference than PACE_DRIFT_MAX is dropped: after a minute of
 * computing, or after the process was stopped, the guest does not catch up.
 */
#ifndef CLI_PACE_H
#define CLI_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum { PACE_DRIFT_MAX = 100 * 1000 * 1000 };

/* A common reference point of both clocks; all zero: none yet. */
struct pace {
    bool set;
    uint64_t guest, wall;
};

/*
 * How long to sleep, in ns, when the guest is idle from `guest` to `until`, both in guest time.
 * UINT64_MAX: no limit.
 */
uint64_t pace_sleep(struct pace *p, uint64_t guest, uint64_t until, uint64_t wall);

/* The guest's time at `wall`, after pace_sleep: from `guest` to `until`. */
uint64_t pace_guest(const struct pace *p, uint64_t guest, uint64_t until, uint64_t wall);

#endif
