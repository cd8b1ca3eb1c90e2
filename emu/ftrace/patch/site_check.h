/*
 * site_check.h - checks the bytes that harts execute at sites, and emits FTRACE_SITE_ODD for those
 * that no protocol of ftrace leaves there.
 *
 * The bytes are those that the hart fetches. They are checked when a block is decoded, so a site
 * with legal contents costs nothing.
 */
#ifndef FTRACE_SITE_CHECK_H
#define FTRACE_SITE_CHECK_H

#include <stdint.h>

#include "ftrace/events/events.h"

struct cluster;
struct image;
struct site_check;
struct site_table;
struct state_io;
struct symbols;

/* Plants probes at all sites. All must outlive it. */
struct site_check *site_check_new(struct cluster *c, struct site_table *sites,
                                  const struct image *im, const struct symbols *symbols,
                                  const struct ftrace_stream *stream);
/* Must be called when a state is restored: the table of sites may have changed. */
void site_check_state_io(struct state_io *io, struct site_check *k);

/*
 * Judges a site that has these bytes in memory, in the hart's mapping. *odd gets the oddity
 * (SITE_SOUND: none), the bytes and the target.
 */
void site_check_judge(const struct site_check *k, struct hart *h, uint32_t id, const uint8_t *bytes,
                      struct site_odd_event *odd);

void site_check_free(struct site_check *k); /* NULL is allowed */

#endif
