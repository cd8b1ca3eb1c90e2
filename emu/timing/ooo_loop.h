/*
 * ooo_loop.h - the loop buffer of a core that executes out of order: whether the code is in a short
 * loop that is not fetched again.
 */
#ifndef TIMING_OOO_LOOP_H
#define TIMING_OOO_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "timing/core.h"

struct ooo_insn;

enum { LOOP_KNOWN = 2 }; /* rounds after which a loop is in the buffer */

/* The loop that the code is in. */
struct ooo_loop {
    uint64_t end;    /* its branch backwards; OOO_NOWHERE: none */
    uint64_t rounds; /* how often that one was taken in a row since the first time */
    uint64_t filled; /* the branch of the loop that the buffer has */

    /* in this round: */
    uint64_t forward; /* branches forward */
    uint64_t reach;   /* the farthest of their targets */
    uint64_t unfit;   /* something that the buffer does not take */
};

/* Whether the core has the loop that it is in in its loop buffer. */
static inline bool ooo_is_looping(const struct ooo_loop *l, const struct core *core)
{
    return core->loop_buffer && l->rounds >= LOOP_KNOWN;
}

/* Fetch is out of the loop buffer, and may be in no loop. */
void ooo_loop_leave(struct ooo_loop *l);

/* Notes a branch or jump that fetch has followed rightly. */
void ooo_loop_note(struct ooo_loop *l, const struct core *core, const struct ooo_insn *i);

#endif
