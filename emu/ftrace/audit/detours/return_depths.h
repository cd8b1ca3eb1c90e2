/*
 * return_depths.h - whether what tasks have on their return stacks and in their lists of hooked
 * returns changes only by detours: by a tracer's push and a return handler's pop.
 */
#ifndef FTRACE_RETURN_DEPTHS_H
#define FTRACE_RETURN_DEPTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/detours/detour.h"
#include "ftrace/kernel/tasks.h"

struct audit;

/* How the last detour of a hart left its task. Not part of the state. */
struct return_depth {
    bool known;
    int32_t depth;
    uint32_t traps; /* of the hart (struct audited_hart) */
    uint64_t tp, hooks;
    uint64_t pc; /* where the hart went on */
};

/* Judges what has changed since; see return_depths_begin. */
void return_depths_judge(struct audit *a, struct hart *h, const struct return_depth *last,
                         const struct detour *d, const struct task_counts *counts);

/*
 * Must be called when a detour begins and something is known. True: something has changed, and was
 * judged. Hooked returns may also come from the handler of a breakpoint, so they are compared only
 * if the hart has taken no trap since.
 */
static inline bool return_depths_begin(struct audit *a, struct hart *h, struct return_depth *last,
                                       const struct detour *d, const struct task_counts *counts)
{
    bool changed = last->tp == d->regs[REG_TP] &&
                   UNLIKELY(counts->depth != last->depth ||
                            (counts->hooks != last->hooks && d->traps == last->traps));

    if (UNLIKELY(changed))
        return_depths_judge(a, h, last, d, counts);
    last->known = false;
    return changed;
}

/* Must be called when the outermost detour of a task has ended, and the hart goes on. */
static inline void return_depths_end(struct return_depth *last, struct hart *h, uint32_t traps,
                                     const struct task_counts *counts)
{
    last->known = true;
    last->depth = counts->depth;
    last->traps = traps;
    last->tp = hart_reg(h, REG_TP);
    last->hooks = counts->hooks;
    last->pc = hart_pc(h);
}

/* Calls that are open on the task's stack and return to a handler: enum call_hook. */
unsigned return_depths_open(const struct audit *a, struct hart *h, uint64_t tp, unsigned hook);

#endif
