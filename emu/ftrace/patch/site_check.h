/*
 * site_check.h - looks at what harts execute at sites, and emits EVENT_SITE_ODD for what no
 * protocol of ftrace leaves there.
 *
 * The bytes are those that the hart fetches. They are looked at when a block is decoded, so a site
 * with legal contents costs nothing.
 */
#ifndef FTRACE_SITE_CHECK_H
#define FTRACE_SITE_CHECK_H

#include <stdint.h>

#include "cpu/observer.h"

struct cluster;
struct image;
struct site_check;
struct site_table;
struct state_io;
struct symbols;

/* Plants probes at all sites. All must outlive it. */
struct site_check *site_check_new(struct cluster *c, struct site_table *sites,
                                  const struct image *im, const struct symbols *symbols);
/* When a state is restored: the table of sites may be another one. */
void site_check_state_io(struct state_io *io, struct site_check *k);

/*
 * Judges a site of which memory has these bytes, in the hart's mapping: *odd gets the oddity,
 * SITE_SOUND if there is none, the bytes and the target.
 */
void site_check_judge(const struct site_check *k, struct hart *h, uint32_t id, const uint8_t *bytes,
                      struct site_odd_event *odd);

void site_check_free(struct site_check *k); /* NULL is allowed */

#endif
