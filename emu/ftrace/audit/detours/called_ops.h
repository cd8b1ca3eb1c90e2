/*
 * called_ops.h - whether ftrace calls the functions of exactly those ops whose filters have the
 * traced function, and passes each its own ops.
 *
 * After each change of ops and filters some calls are judged, wherever they come from: the list
 * function, a trampoline that calls the only ops, or one that takes it from the site.
 */
#ifndef FTRACE_CALLED_OPS_H
#define FTRACE_CALLED_OPS_H

#include <stdbool.h>
#include <stdint.h>

struct audit;
struct called_ops;
struct detour;
struct hart;
struct lock_event;
struct state_io;

/* running: the innermost detour that the hart is in; NULL: it is in none. */
struct called_ops *called_ops_new(struct audit *a,
                                  const struct detour *(*running)(void *ctx, const struct hart *h),
                                  void *ctx);
void called_ops_free(struct called_ops *c); /* NULL is allowed */

/* Must be called when a hart is about to release the kernel's ftrace_lock. */
void called_ops_changed(struct called_ops *c);

/* Whether calls are to be judged, so that the two below must be called. */
bool called_ops_judges(const struct called_ops *c);

/* Must be called when a site has called its tracer. */
void called_ops_enter(struct called_ops *c, struct hart *h);

/*
 * Must be called when that call has come back, or is forgotten. outermost: no other call of a
 * tracer is open there, so the kernel's protection against recursion has let it pass.
 */
void called_ops_leave(struct called_ops *c, struct hart *h, const struct detour *d, bool came_back,
                      bool outermost);

void called_ops_state_io(struct state_io *io, struct called_ops *c);

#endif
