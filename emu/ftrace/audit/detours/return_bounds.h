/*
 * return_bounds.h - whether what tracers push on the return stack of a task lies in the memory that
 * the kernel has allocated for it.
 */
#ifndef FTRACE_RETURN_BOUNDS_H
#define FTRACE_RETURN_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

struct audit;
struct detour;
struct hart;
struct kernel_probes;
struct state_io;

struct return_bounds {
    struct audit *audit;
    struct kernel_probes *at_allocations; /* NULL: the graph tracer is not active */
    struct map asked;                     /* sp of a call of the allocator -> the size */
    struct map sizes;                     /* what was allocated -> the size that was asked for */
    uint64_t entry_bytes;                 /* of an entry; 0: not known */
    int32_t deepest; /* no depth up to this one is past the end of any return stack */
    bool in_words;   /* the depth counts words, not entries */
};

void return_bounds_begin(struct return_bounds *b, struct audit *a);
void return_bounds_end(struct return_bounds *b);

/* ftrace's lock is released: the graph tracer is active, or not. */
void return_bounds_changed(struct return_bounds *b, struct hart *h, bool active);

/* The hart goes on with this task, whose return stack may be new. */
void return_bounds_task_runs(struct return_bounds *b, struct hart *h, uint64_t tp);

/*
 * Must be called if the call of a tracer has left the task deeper than `deepest': judges where its
 * entry is.
 */
void return_bounds_judge(struct return_bounds *b, struct hart *h, const struct detour *d,
                         int32_t depth);

void return_bounds_state_io(struct state_io *io, struct return_bounds *b);

#endif
