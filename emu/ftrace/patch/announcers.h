/*
 * announcers.h - learns from the kernel's own functions (announcers.def) when a change of code
 * begins and ends, and passes it on to the updates (updates.h).
 */
#ifndef FTRACE_ANNOUNCERS_H
#define FTRACE_ANNOUNCERS_H

#include "ftrace/events/events.h"

struct announcers;
struct cluster;
struct hart;
struct image;
struct state_io;
struct symbols;
struct updates;

/*
 * Called after the updates have ended; and, for sites that were changed within a change of
 * something else, when they are complete.
 */
typedef void announced_end(void *ctx, struct hart *h, enum announced what);

/* Image and symbols are not needed afterwards. Never NULL. */
struct announcers *announcers_new(struct cluster *c, const struct image *im,
                                  const struct symbols *symbols, struct updates *updates,
                                  announced_end *ended, void *ctx);
void announcers_free(struct announcers *a); /* NULL is allowed */

/* The number of announced changes whose end is not awaited any more: there were too many. */
uint64_t announcers_left_out(const struct announcers *a);

/* Saves or restores which calls have not returned. */
void announcers_state_io(struct state_io *io, struct announcers *a);

#endif
