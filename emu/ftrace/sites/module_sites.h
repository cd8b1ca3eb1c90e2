/*
 * module_sites.h - adds and removes the sites of the guest's modules when its kernel does.
 *
 * ftrace_process_locs is called for each module with the table of its sites (__mcount_loc), before
 * the module's code runs; do_init_module, when its init function is about to be called;
 * ftrace_free_mem, when the memory of its init functions is freed; and ftrace_release_mod, when it
 * is unloaded (Linux's kernel/trace/ftrace.c, in all versions that have sites to patch). In a
 * kernel without these symbols, a module's site is learnt when a store makes it a call
 * (site_life.h).
 */
#ifndef FTRACE_MODULE_SITES_H
#define FTRACE_MODULE_SITES_H

#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct hart;
struct image;
struct module_sites;
struct site_life;
struct site_table;
struct state_io;
struct symbols;

/* Plants probes at these functions. All must outlive it. */
struct module_sites *module_sites_new(struct cluster *c, const struct image *im,
                                      const struct symbols *symbols, struct site_table *sites,
                                      struct site_life *life);
void module_sites_free(struct module_sites *m); /* NULL is allowed */

/*
 * Calls taken() for each site that the kernel is about to take up from a module's table, before it
 * is patched; then, with NO_SITE, for each function that has room for one, and no entry in the
 * table.
 */
typedef void module_site_taken(void *ctx, struct hart *h, uint32_t site, uint64_t lacking);
void module_sites_listen(struct module_sites *m, module_site_taken *taken, void *ctx);

/*
 * Whether the virtual address is in a module whose sites are known, and no site of it begins there
 * or has begun there before. The site may be removed while the kernel gives up the module.
 */
bool module_sites_lack(const struct module_sites *m, struct hart *h, uint64_t va);

/* The number of tables of modules that were not read, because they are too long or damaged. */
uint64_t module_sites_left_out(const struct module_sites *m);

/*
 * Whether the site is of a module that is loaded: its init function was called (do_init_module),
 * and the module was not given up.
 */
bool module_sites_runs(const struct module_sites *m, uint32_t site);

/* Saves or restores which site belongs to which module. */
void module_sites_state_io(struct state_io *io, struct module_sites *m);

#endif
