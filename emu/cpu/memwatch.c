/*
 * memwatch.c - accesses to watched pages become events (cluster_watch_memory).
 *
 * A watched page never gets a cached store translation, nor, if its loads are
 * watched, a load translation or a span that includes it (ram_hooks.accessed). So
 * each access to it takes the slow path, which reports it; nothing is added to
 * the fast paths. Of the stores of harts to other bytes of the page most are not
 * reported: an ELF's `tohost' may be among variables (struct beside).
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

static bool includes(const struct watched_page *p, uint64_t pa, unsigned size)
{
    uint64_t at = pa - p->pa;

    return at < PAGE_BYTES && at < p->end && at + size > p->from;
}

void memwatch_range(const struct cluster *c, uint64_t page, uint64_t *from, uint64_t *end)
{
    for (size_t i = 0; i < c->watched.len; i++) {
        if (c->watched.at[i].pa == page) {
            *from = c->watched.at[i].from;
            *end = c->watched.at[i].end;
        }
    }
}

bool memwatch_has(const struct cluster *c, uint64_t pa, unsigned size)
{
    for (size_t i = 0; i < c->watched.len; i++)
        if (includes(&c->watched.at[i], pa, size))
            return true;
    return false;
}

static struct watched_page *page_of(struct cluster *c, uint64_t pa)
{
    const struct watched_page none = {.pa = pa, .from = PAGE_BYTES};

    for (size_t i = 0; i < c->watched.len; i++)
        if (c->watched.at[i].pa == pa)
            return &c->watched.at[i];
    VEC_PUSH(&c->watched, none);
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

/* The part of some memory that is in one page. */
struct piece {
    uint64_t page;
    unsigned from, end;
};

static void watch_piece(struct cluster *c, const struct piece *piece, bool reads)
{
    struct watched_page *p = page_of(c, piece->page);

    p->from = piece->from < p->from ? piece->from : p->from;
    p->end = piece->end > p->end ? piece->end : p->end;
    p->writes++;
    p->reads += reads;
    set_flags(c, p);
}

static void unwatch_piece(struct cluster *c, const struct piece *piece, bool reads)
{
    struct watched_page *p = page_of(c, piece->page);

    p->writes--;
    p->reads -= reads;
    set_flags(c, p);
    forget_if_unused(c, p);
}

static void for_each_piece(struct cluster *c, uint64_t pa, uint64_t size, bool reads,
                           void (*visit)(struct cluster *c, const struct piece *piece, bool reads))
{
    uint64_t end = pa + size;

    for (uint64_t page = align_down(pa, PAGE_BYTES); page < end; page += PAGE_BYTES) {
        struct piece piece = {.page = page, .end = PAGE_BYTES};

        if (pa > page)
            piece.from = (unsigned)(pa - page);
        if (end - page < PAGE_BYTES)
            piece.end = (unsigned)(end - page);
        visit(c, &piece, reads);
    }
}

void cluster_watch_memory(struct cluster *c, uint64_t pa, uint64_t size, bool reads)
{
    for_each_piece(c, pa, size, reads, watch_piece);
}

void cluster_unwatch_memory(struct cluster *c, uint64_t pa, uint64_t size, bool reads)
{
    for_each_piece(c, pa, size, reads, unwatch_piece);
}
