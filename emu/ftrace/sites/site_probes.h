/*
 * site_probes.h - probes that one owner has at each site.
 *
 * Those of the image's sites are a field (cpu/cluster.h): they are planted in the pages whose code
 * is decoded. They stay when a site is gone, as no other site comes to its place: its bytes were
 * overwritten, so its blocks are decoded again, and the owner's plan() must then ignore it. Those
 * of added sites are planted with the site and go with it: modules bring other sites to its place,
 * and there is room for only a few probes at each place.
 */
#ifndef FTRACE_SITE_PROBES_H
#define FTRACE_SITE_PROBES_H

#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct probe_owner;
struct site;
struct site_probes;
struct site_table;

struct site_probes_config {
    struct cluster *cluster;
    const struct site_table *sites;
    const struct probe_owner *owner; /* the number of a probe is per_site * site + which */
    unsigned per_site;
    /*
     * The physical address of probe `which` of a site, at most SITE_PROBE_NEAR bytes before its
     * first byte or after it; false: it has none.
     */
    bool (*place)(void *ctx, const struct site *s, unsigned which, uint64_t *pa);
    void *ctx;
};
enum { SITE_PROBE_NEAR = 256 };

/* All that the configuration names must outlive it. Never NULL. */
struct site_probes *site_probes_new(const struct site_probes_config *config);
void site_probes_free(struct site_probes *p); /* uproots them; NULL is allowed */

/* Must be called when a site of the table was added, or is gone. */
void site_probes_changed(struct site_probes *p, uint32_t site);

/* Plants the probes of the added sites again, after the table was restored. */
void site_probes_restored(struct site_probes *p);

#endif
