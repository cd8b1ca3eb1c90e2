/*
 * site_life.h - adds and removes sites while the guest runs.
 *
 * A site is gone when a store writes bytes there that patching never writes, and its memory was
 * freed: it is a module's that the kernel has no more, or the image's code that only booting needs,
 * and the kernel has called free_initmem(). Elsewhere it stays a site, whatever is written there
 * (in an image without _stext and _etext it is not known what stays). A site of a module, which is
 * not in the
 * image's table, is added when the kernel's ftrace gets it (module_sites.h), or, if the kernel has
 * no symbols for that, when its bytes become a call of ftrace's trampoline. The pair at a physical
 * address calls ftrace_caller from exactly one virtual address, and it is a site if the storing
 * hart maps that address to these bytes. So such a module's functions are known once they are
 * traced for the first time, if code was run from their page before (otherwise stores to it are not
 * observed).
 */
#ifndef FTRACE_SITE_LIFE_H
#define FTRACE_SITE_LIFE_H

#include "cpu/observer.h"

struct cluster;
struct hart;
struct image;
struct module_symbols;
struct site_life;
struct site_table;
struct state_io;
struct symbols;

/* All must outlive it. */
struct site_life *site_life_new(struct cluster *c, struct site_table *sites, const struct image *im,
                                const struct symbols *symbols);
void site_life_free(struct site_life *l); /* NULL is allowed */

/*
 * Saves or restores the numbers of sites that were added and left out; the sites themselves are in
 * the table.
 */
void site_life_state_io(struct state_io *io, struct site_life *l);

/*
 * Must be called after a store to code was made: adds and removes sites because of it. Returns the
 * first of the present sites that the store hits, or NO_SITE.
 */
uint32_t site_life_store(struct site_life *l, const struct code_write *w);

/*
 * Adds the site at a virtual address, as the hart maps it, and removes others that had its memory.
 * `names`: those of its module; NULL: it is in none. Returns the site, also if it was known
 * already; NO_SITE: it is the image's, no memory is mapped there, or there are too many.
 */
uint32_t site_life_add(struct site_life *l, struct hart *h, uint64_t va,
                       const struct module_symbols *names);

/* Whether the site's memory is sure to be still its own, as the hart maps it. */
bool site_life_is_present(const struct site_life *l, struct hart *h, uint32_t id);

/* The number of sites that were not added, because there were too many. */
uint64_t site_life_left_out(const struct site_life *l);

#endif
