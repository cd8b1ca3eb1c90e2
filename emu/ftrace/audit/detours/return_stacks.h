/*
 * return_stacks.h - whether the stacks on which the graph tracer keeps return addresses are of one
 * task each, and there as long as the graph tracer is active, or functions return to its handler.
 */
#ifndef FTRACE_RETURN_STACKS_H
#define FTRACE_RETURN_STACKS_H

#include <stdbool.h>
#include <stdint.h>

struct audit;
struct detour;
struct hart;
struct return_stacks;
struct state_io;
struct task_counts;

struct return_stacks *return_stacks_new(struct audit *a);
void return_stacks_free(struct return_stacks *r);

/*
 * Must be called when a hart is about to release the kernel's ftrace_lock. Returns whether the
 * graph tracer is active.
 */
bool return_stacks_changed(struct return_stacks *r, struct hart *h);

/* Must be called when the hart goes on with this task. */
void return_stacks_task_runs(struct return_stacks *r, struct hart *h, uint64_t tp);

/*
 * Must be called when a function has returned to return_to_handler, or to the return handler of
 * rethooks. counts: of the task then.
 */
void return_stacks_return(struct return_stacks *r, struct hart *h, const struct detour *d,
                          const struct task_counts *counts);
void return_stacks_hooked_return(struct return_stacks *r, struct hart *h, const struct detour *d,
                                 const struct task_counts *counts);

void return_stacks_state_io(struct state_io *io, struct return_stacks *r);

#endif
