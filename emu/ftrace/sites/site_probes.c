/*
 * site_probes.c - see site_probes.h.
 */
#include "ftrace/sites/site_probes.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/sites/sites.h"

struct site_probes {
    struct site_probes_config config;
    struct probe_field field;
    uint32_t first_count;      /* sites of the image */
    VEC_OF(uint32_t) of_image; /* the probes that are planted at them */
    VEC_OF(uint32_t) of_added; /* per_site for each added site */
};

static uint32_t plant(const struct site_probes *p, uint64_t pa, uint32_t site, unsigned which)
{
    return cluster_plant(p->config.cluster, pa, p->config.owner, p->config.per_site * site + which);
}

static void uproot(struct cluster *c, uint32_t *probes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cluster_uproot(c, probes[i]);
        probes[i] = CLUSTER_NO_PROBE;
    }
}

/* ---- sites of the image ---- */

static void plant_in_page(void *ctx, uint64_t page)
{
    struct site_probes *p = ctx;
    const struct site_table *sites = p->config.sites;
    uint64_t from = page > SITE_PROBE_NEAR ? page - SITE_PROBE_NEAR : 0, pa;

    for (uint32_t i = site_first_of_image(sites, from); i < p->first_count; i++) {
        uint32_t id = site_of_image(sites, i);
        const struct site *s = site_get(sites, id);

        if (s->pa >= page + PAGE_BYTES + SITE_PROBE_NEAR)
            break;
        for (unsigned which = 0; which < p->config.per_site; which++)
            if (p->config.place(p->config.ctx, s, which, &pa) && pa - page < PAGE_BYTES)
                VEC_PUSH(&p->of_image, plant(p, pa, id, which));
    }
}

struct site_probes *site_probes_new(const struct site_probes_config *config)
{
    struct site_probes *p = xcalloc(1, sizeof *p);

    p->config = *config;
    p->first_count = (uint32_t)site_count(config->sites);
    p->field = (struct probe_field){p, plant_in_page};
    cluster_add_field(config->cluster, &p->field);
    return p;
}

/* ---- sites that come and go ---- */

static void add(struct site_probes *p, uint32_t site)
{
    const struct site *s = site_get(p->config.sites, site);
    uint64_t pa;

    for (unsigned which = 0; which < p->config.per_site; which++) {
        bool has = !s->gone && p->config.place(p->config.ctx, s, which, &pa);

        VEC_PUSH(&p->of_added, has ? plant(p, pa, site, which) : CLUSTER_NO_PROBE);
    }
}

void site_probes_changed(struct site_probes *p, uint32_t site)
{
    if (!site_get(p->config.sites, site)->gone)
        add(p, site);
    else if (site >= p->first_count)
        uproot(p->config.cluster, &p->of_added.at[p->config.per_site * (site - p->first_count)],
               p->config.per_site);
}

void site_probes_restored(struct site_probes *p)
{
    uproot(p->config.cluster, p->of_added.at, p->of_added.len);
    p->of_added.len = 0;
    for (uint32_t site = p->first_count; site < site_count(p->config.sites); site++)
        add(p, site);
}

void site_probes_free(struct site_probes *p)
{
    if (!p)
        return;
    cluster_remove_field(p->config.cluster, &p->field);
    uproot(p->config.cluster, p->of_image.at, p->of_image.len);
    uproot(p->config.cluster, p->of_added.at, p->of_added.len);
    VEC_FREE(&p->of_image);
    VEC_FREE(&p->of_added);
    free(p);
}
