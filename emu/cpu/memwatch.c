/*
 * memwatch.c - accesses to watched pages become events (cluster_watch_memory).
 *
 * A watched page never gets a cached store translation, nor, if its loads are
 * watched, a load translation or a span that includes it (ram_hooks.accessed). So
 * each access to it takes the slow path, which reports it; nothing is added to
 * the fast paths.
 */
#include "base/bits.h"
#include "cpu/hart_priv.h"

/* ---- reports ---- */

void memwatch_accessed(void *cluster, uint64_t pa, const uint8_t *old_bytes, unsigned size,
                       const struct writer *by)
{
    const struct cluster *c = cluster;
    const uint8_t *present = ram_host(c->ram, pa);
    const struct event e = {.kind = EVENT_ACCESS,
                            .access = {.who = *by,
                                       .pa = pa,
                                       .size = size,
                                       .reads = !old_bytes || c->store_reads,
                                       .writes = old_bytes != NULL,
                                       .old_bytes = old_bytes ? old_bytes : present,
                                       .new_bytes = present}};

    if (is_wanted(c, EVENT_ACCESS))
        cluster_emit(c, &e);
}

/* ---- the watched pages ---- */

static struct watched_page *page_of(struct cluster *c, uint64_t pa)
{
    for (size_t i = 0; i < c->watched.len; i++)
        if (c->watched.at[i].pa == pa)
            return &c->watched.at[i];
    VEC_PUSH(&c->watched, (struct watched_page){.pa = pa});
    return &c->watched.at[c->watched.len - 1];
}

static void set_flag(struct cluster *c, uint64_t pa, enum ram_page_flag flag, bool set)
{
    if (set)
        ram_flag_page(c->ram, pa, flag);
    else
        ram_unflag_page(c->ram, pa, flag);
}

/* Drops the cached translations of the page, also in a callback while a hart runs. */
static void set_flags(struct cluster *c, const struct watched_page *p)
{
    set_flag(c, p->pa, RAM_PAGE_WATCHED_STORES, p->writes);
    set_flag(c, p->pa, RAM_PAGE_WATCHED_LOADS, p->reads);
    for (size_t i = 0; i < c->harts.len; i++)
        hart_flush_tlb(c->harts.at[i]);
}

static void forget_if_unused(struct cluster *c, struct watched_page *p)
{
    if (!p->writes)
        *p = c->watched.at[--c->watched.len];
}

static void watch_page(struct cluster *c, uint64_t pa, bool reads)
{
    struct watched_page *p = page_of(c, pa);

    p->writes++;
    p->reads += reads;
    set_flags(c, p);
}

static void unwatch_page(struct cluster *c, uint64_t pa, bool reads)
{
    struct watched_page *p = page_of(c, pa);

    p->writes--;
    p->reads -= reads;
    set_flags(c, p);
    forget_if_unused(c, p);
}

static void for_each_page(struct cluster *c, uint64_t pa, uint64_t size, bool reads,
                          void (*visit)(struct cluster *c, uint64_t pa, bool reads))
{
    for (uint64_t at = align_down(pa, PAGE_BYTES); at < pa + size; at += PAGE_BYTES)
        visit(c, at, reads);
}

void cluster_watch_memory(struct cluster *c, uint64_t pa, uint64_t size, bool reads)
{
    for_each_page(c, pa, size, reads, watch_page);
}

void cluster_unwatch_memory(struct cluster *c, uint64_t pa, uint64_t size, bool reads)
{
    for_each_page(c, pa, size, reads, unwatch_page);
}
