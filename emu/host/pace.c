/*
 * pace.c - see pace.h.
 */
#include "host/pace.h"

/* How far the guest's time is behind the wall clock, in ns; negative: ahead. */
static int64_t lag(const struct pace *p, uint64_t guest, uint64_t wall)
{
    return (int64_t)(wall - p->wall) - (int64_t)(guest - p->guest);
}

uint64_t pace_sleep(struct pace *p, uint64_t guest, uint64_t until, uint64_t wall)
{
    int64_t behind = p->set ? lag(p, guest, wall) : 0;

    if (!p->set || behind > PACE_DRIFT_MAX || behind < -PACE_DRIFT_MAX) {
        *p = (struct pace){.set = true, .guest = guest, .wall = wall};
        behind = 0;
    }
    if (until == UINT64_MAX)
        return UINT64_MAX;
    if (behind >= 0 && until - guest <= (uint64_t)behind)
        return 0;
    return until - guest - (uint64_t)behind;
}

uint64_t pace_guest(const struct pace *p, uint64_t guest, uint64_t until, uint64_t wall)
{
    int64_t behind = lag(p, guest, wall);

    if (behind <= 0)
        return guest;
    return (uint64_t)behind < until - guest ? guest + (uint64_t)behind : until;
}
