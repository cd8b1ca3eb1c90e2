/*
 * site_sweep.h - judges sites also if no hart executes them: at the end of each update that the
 * kernel announces, all sites that were written since the last one, and the data by which the
 * trampoline knows what to call. At the end of the run, the sites that no announcement followed.
 *
 * Emits FTRACE_SITE_ODD for what is wrong.
 */
#ifndef FTRACE_SITE_SWEEP_H
#define FTRACE_SITE_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct ftrace_stream;
struct hart;
struct site_check;
struct site_sweep;
struct site_table;
struct state_io;
struct symbols;

/* All must outlive it. */
struct site_sweep *site_sweep_new(struct cluster *c, const struct site_table *sites,
                                  const struct site_check *check, const struct symbols *symbols,
                                  const struct ftrace_stream *stream);
void site_sweep_free(struct site_sweep *w); /* NULL is allowed */

/* Must be called after a store to the site. */
void site_sweep_written(struct site_sweep *w, uint32_t site);

/* Must be called when the kernel, on this hart, has announced the end of an update of sites. */
void site_sweep_update_ended(struct site_sweep *w, struct hart *h);

/* Judges the sites that begin in [va, va + size), as the hart maps them. */
void site_sweep_range(struct site_sweep *w, struct hart *h, uint64_t va, uint64_t size);

/*
 * Must be called at the end of the run: judges those of the sites written since the last update's
 * end for which `is_due` is true.
 */
void site_sweep_run_ended(struct site_sweep *w, struct hart *h,
                          bool (*is_due)(void *ctx, uint32_t site), void *ctx);

/* Saves or restores which sites were written. */
void site_sweep_state_io(struct state_io *io, struct site_sweep *w);

#endif
