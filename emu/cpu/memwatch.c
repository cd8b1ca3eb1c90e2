/*
 * memwatch.c - accesses to watched pages are reported (cluster_watch_memory).
 *
 * A watched page never gets a cached store translation, nor, if loads are
 * reported, a load translation or a span that covers it. So each access to it
 * comes to the slow path (mmu.c, ram_write), where the page's flags are tested; the
 * fast paths know nothing of it. Only cached translations of that page are
 * dropped, which no guest can observe in its cycles or results.
 */
#include <string.h>

#include "base/bits.h"
#include "cpu/cluster_priv.h"
#include "cpu/hart_priv.h"

/* ---- reports ---- */

static void tell(const struct cluster *c, uint64_t pa, const uint8_t *new_bytes, unsigned size,
                 bool reads, const struct writer *who)
{
    const uint8_t *present = ram_host(c->ram, pa);
    const struct event e = {.kind = EVENT_ACCESS,
                            .access = {.who = *who,
                                       .pa = pa,
                                       .size = size,
                                       .reads = reads,
                                       .writes = new_bytes != NULL,
                                       .old_bytes = present,
                                       .new_bytes = new_bytes ? new_bytes : present}};

    if (is_wanted(c, EVENT_ACCESS))
        cluster_emit(c, &e);
}

void memwatch_tell_load(const struct cluster *c, uint64_t pa, unsigned size,
                        const struct writer *by)
{
    tell(c, pa, NULL, size, true, by);
}

void memwatch_storing(void *cluster, uint64_t pa, const uint8_t *bytes, unsigned size,
                      const struct writer *by)
{
    const struct cluster *c = cluster;

    tell(c, pa, bytes, size, c->store_reads, by);
}

/* ---- which pages ---- */

static struct watched_page *page_of(struct cluster *c, uint64_t pa)
{
    for (size_t i = 0; i < c->watched.len; i++)
        if (c->watched.at[i].pa == pa)
            return &c->watched.at[i];
    VEC_PUSH(&c->watched, (struct watched_page){.pa = pa});
    return &c->watched.at[c->watched.len - 1];
}

static void set_flag(struct cluster *c, uint64_t pa, uint32_t flag, bool on)
{
    struct ram_page *page = ram_page_at(c->ram, pa);

    page->flags = on ? page->flags | flag : page->flags & ~flag;
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
    set_flag(c, pa, RAM_PAGE_WATCHED_STORES, true);
    set_flag(c, pa, RAM_PAGE_WATCHED_LOADS, p->reads != 0);
    for (size_t i = 0; i < c->harts.len; i++)
        hart_drop_page(c->harts.at[i], pa);
}

static void unwatch_page(struct cluster *c, uint64_t pa, bool reads)
{
    struct watched_page *p = page_of(c, pa);

    p->writes--;
    p->reads -= reads;
    set_flag(c, pa, RAM_PAGE_WATCHED_STORES, p->writes != 0);
    set_flag(c, pa, RAM_PAGE_WATCHED_LOADS, p->reads != 0);
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

void memwatch_keep_unwatched(const struct cluster *c, uint64_t pa, uint64_t *from, uint64_t *to)
{
    for (size_t i = 0; i < c->watched.len; i++) {
        const struct watched_page *p = &c->watched.at[i];

        if (!p->reads)
            continue;
        if (p->pa > pa && p->pa < *to)
            *to = p->pa;
        if (p->pa < pa && p->pa + PAGE_BYTES > *from)
            *from = p->pa + PAGE_BYTES;
    }
}
