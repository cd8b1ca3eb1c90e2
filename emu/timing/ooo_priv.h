/*
 * ooo_priv.h - what the files of the out-of-order model share: cycles with the reason for them.
 */
#ifndef TIMING_OOO_PRIV_H
#define TIMING_OOO_PRIV_H

#include "timing/model.h"
#include "timing/ooo.h"

enum { ISSUES = MODEL_PARTS }; /* the reason that is none of enum model_part */

/* Stamps: a cycle, and below it the reason why it is no earlier one. */

enum { STAMP_SHIFT = 2, STAMP_REASON = (1 << STAMP_SHIFT) - 1 };
_Static_assert((int)ISSUES <= (int)STAMP_REASON, "a reason fits into a stamp");

static inline uint64_t stamp(uint64_t cycle, uint64_t reason)
{
    return cycle << STAMP_SHIFT | reason;
}

static inline uint64_t cycle_of(uint64_t stamp)
{
    return stamp >> STAMP_SHIFT;
}

static inline uint64_t later(uint64_t stamp, uint64_t cycles)
{
    return stamp + (cycles << STAMP_SHIFT);
}

static inline uint64_t max_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline void wait_for(uint64_t *t, uint64_t stamp)
{
    if (stamp > *t)
        *t = stamp;
}

/* By which address the first target buffer is asked for a jump in the present piece of code. */
uint64_t ooo_from_where(const struct ooo *o);

/* Code comes from the loop buffer from now on; the cycle in which its first group is decoded. */
uint64_t ooo_begin_loop(struct ooo *o);

/*
 * Fetch goes on where the instruction, a branch or jump that is decided in that cycle, and has
 * retired, goes.
 */
void ooo_redirect(struct ooo *o, const struct ooo_insn *i, uint64_t decided);

#endif
