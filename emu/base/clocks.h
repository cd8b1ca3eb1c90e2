/*
 * clocks.h - the clocks of a hart before an instruction, as events and calls have them.
 */
#ifndef BASE_CLOCKS_H
#define BASE_CLOCKS_H

#include <stdint.h>

/* Cycles of a tick of the time CSR. */
enum { CYCLES_PER_TICK = 100 };

struct clocks {
    uint64_t cycle, insns;
    uint64_t ahead;  /* ticks, of the time CSR before clocks_ticks(cycle) */
    uint64_t others; /* instructions of all other harts: with `insns', the step of the machine */
};

static inline uint64_t clocks_ticks(uint64_t cycle)
{
    return cycle / CYCLES_PER_TICK;
}

static inline uint64_t clocks_step(const struct clocks *c)
{
    return c->insns + c->others;
}

#endif
