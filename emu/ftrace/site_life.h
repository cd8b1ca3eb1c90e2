/*
 * site_life.h - sites that come and go while the guest runs, told by the stores to its code alone.
 *
 * A site is gone when a store puts there what no patching does: its memory was freed (__init,
 * a module) and holds something else. A site that is in no table, for its module was loaded
 * later, is learnt when its bytes become a call of ftrace's trampoline: the pair at some physical
 * address leads to ftrace_caller from exactly one virtual address, and it is one if the hart that
 * stored sees those bytes there. A module's functions are known from their first switching on; the
 * page must have been run from before, or its stores are not seen.
 */
#ifndef FTRACE_SITE_LIFE_H
#define FTRACE_SITE_LIFE_H

#include "cpu/observer.h"

struct cluster;
struct image;
struct site_life;
struct site_table;
struct state_io;
struct symbols;

/* All must outlive it. */
struct site_life *site_life_new(struct cluster *c, struct site_table *sites, const struct image *im,
                                const struct symbols *symbols);
void site_life_free(struct site_life *l); /* NULL is allowed */

/* Saves or restores how many sites were learnt; the sites are the table's. */
void site_life_state_io(struct state_io *io, struct site_life *l);

/*
 * After a store to code, which is in memory: adds or removes the sites that it says something of.
 * Answers the first site that the store hits, of those there are now, or NO_SITE.
 */
uint32_t site_life_store(struct site_life *l, const struct code_write *w);

#endif
