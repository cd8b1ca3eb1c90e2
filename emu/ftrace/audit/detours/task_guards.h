/*
 * task_guards.h - what a detour takes of its task, and has to give back on each way out: the bits
 * of the guards against recursion, trace_recursion, and the depth of the calls that the function
 * graph tracer has counted, curr_ret_depth.
 *
 * A guard that is kept ends all tracing of the task, without a word. Comparing costs more than the
 * rest of a detour's rules, so it is done for some detours after each change of ops, and then for
 * one of many. A guard that was kept is seen at a later detour, too, as nothing may have it there.
 */
#ifndef FTRACE_TASK_GUARDS_H
#define FTRACE_TASK_GUARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct audit;
struct detour;
struct hart;
struct state_io;
struct task_counts;

/* Depths of return stacks that are told apart: each full one has a depth of its own, or shares it.
 */
enum { GUARD_DEPTHS = 64 };

struct task_guards {
    uint8_t at_depth[GUARD_DEPTHS]; /* the same as `left', of detours that begin with this depth */
    uint32_t left;                  /* detours that are compared before it is one of many again */
    uint32_t skipped;               /* detours since the last one that was compared */
};

/* Must be called when ops or their filters have changed. */
void task_guards_changed(struct task_guards *g);

/* Detours of which one is compared, when `left' is used up. */
enum { GUARDS_ONE_OF = 256 };

/*
 * Whether the next detour is compared, which begins with this depth of the return stack: a tracer
 * may leave in another way where the stack is full.
 */
static inline bool task_guards_takes(struct task_guards *g, int32_t depth)
{
    uint8_t *at_depth = &g->at_depth[(uint32_t)depth % GUARD_DEPTHS];

    if (UNLIKELY(*at_depth)) {
        --*at_depth;
        return true;
    }
    if (UNLIKELY(g->left)) {
        g->left--;
        return true;
    }
    g->skipped = (g->skipped + 1) % GUARDS_ONE_OF;
    return !g->skipped;
}

/*
 * A detour that is compared begins. outermost: no other detour is open on the hart, nor on the
 * stack. `counts' is that of now, here and below.
 */
void task_guards_enter(struct audit *a, struct hart *h, struct detour *d,
                       const struct task_counts *counts, bool outermost);

/* A detour with has_guards has come back. */
void task_guards_leave(struct audit *a, struct hart *h, const struct detour *d,
                       const struct task_counts *counts);

void task_guards_state_io(struct state_io *io, struct task_guards *g);

#endif
