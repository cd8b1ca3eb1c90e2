/*
 * graph_users.h - whether the return function of a graph tracer is called for exactly those calls
 * that its entry function has accepted.
 *
 * The kernel notes on the task's return stack which tracers want the return of a call. After each
 * change of ops and tracers some calls are followed from the entry functions to the return
 * functions, so that it does not matter how the kernel notes it.
 */
#ifndef FTRACE_GRAPH_USERS_H
#define FTRACE_GRAPH_USERS_H

#include <stdbool.h>
#include <stdint.h>

struct audit;
struct call;
struct detour;
struct graph_users;
struct hart;
struct state_io;
struct task_counts;

/* running: the innermost detour that the hart is in; NULL: it is in none. */
struct graph_users *
graph_users_new(struct audit *a, const struct detour *(*running)(void *ctx, const struct hart *h),
                void *ctx);
void graph_users_free(struct graph_users *g); /* NULL is allowed */

/* Must be called when a hart is about to release the kernel's ftrace_lock. */
void graph_users_changed(struct graph_users *g, struct hart *h);

/* Whether calls are followed, so that the two below must be called. */
bool graph_users_follows(const struct graph_users *g);

/*
 * Must be called when a detour has begun: a tracer's, or the one of return_to_handler. `counts' is
 * that of now, here and below.
 */
void graph_users_enter(struct graph_users *g, struct hart *h, const struct call *call,
                       const struct detour *d, const struct task_counts *counts);

/* Must be called when a tracer has come back, and its task was switched meanwhile, or may have
 * been. */
void graph_users_delayed(struct graph_users *g, const struct detour *d);

/* Must be called when it has come back. alone: no other detour is open there. */
void graph_users_leave(struct graph_users *g, struct hart *h, const struct detour *d,
                       const struct task_counts *counts, bool alone);

void graph_users_state_io(struct state_io *io, struct graph_users *g);

#endif
