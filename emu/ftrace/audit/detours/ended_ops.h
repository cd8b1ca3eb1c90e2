/*
 * ended_ops.h - whether all who may still call the tracer of an ops have left it when the kernel
 * says that the ops is out of use, so that it may be freed.
 *
 * A site's call may have been preempted in the trampoline, with the ops in a register or still to
 * be read. No later change of code concerns it: who ends an ops has to wait for such calls.
 */
#ifndef FTRACE_ENDED_OPS_H
#define FTRACE_ENDED_OPS_H

#include <stddef.h>

struct audit;
struct detour;
struct ended_ops;
struct state_io;

/* detours: those that are open now. */
struct ended_ops *ended_ops_new(struct audit *a,
                                const struct detour *(*detours)(void *ctx, size_t *count),
                                void *ctx);
void ended_ops_free(struct ended_ops *e); /* NULL is allowed */

void ended_ops_state_io(struct state_io *io, struct ended_ops *e);

#endif
