/*
 * codemap.c - what is known of each page that holds code (cpu_priv.h).
 *
 * A page becomes code when a hart first decodes from it, or when somebody who
 * knows (a site table, a section header) declares it. From then on every store
 * to it comes through codemap_store. The way there is slow and may be: code
 * pages have no cached store translations, all others pay nothing.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cpu/cpu_priv.h"
#include "mem/bus.h"

static uint64_t page_key(uint64_t pa)
{
    return pa >> PAGE_SHIFT;
}

struct code_page *codemap_page(struct cluster *c, uint64_t pa)
{
    return map_get_ptr(&c->code_pages, page_key(pa));
}

struct code_page *codemap_make_page(struct cluster *c, uint64_t pa)
{
    struct code_page *page = codemap_page(c, pa);
    struct ram_page *meta;

    if (page)
        return page;
    meta = ram_page_at(c->ram, pa);
    page = xcalloc(1, sizeof *page);
    page->pa = align_down(pa, PAGE_BYTES);
    page->base_stamp = meta->stamp;
    page->base_writer = meta->opener;
    map_put_ptr(&c->code_pages, page_key(pa), page);
    ram_flag_page(c->ram, pa, RAM_PAGE_CODE);
    /* The hart that is running may hold a store translation for the page, too. */
    for (size_t i = 0; i < c->harts.len; i++)
        hart_flush_stores(c->harts.at[i]);
    return page;
}

void codemap_free(struct cluster *c)
{
    for (size_t i = 0; i < c->code_pages.cap; i++) {
        struct code_page *page;

        if (c->code_pages.slots[i].key == UINT64_MAX)
            continue;
        page = (struct code_page *)(uintptr_t)c->code_pages.slots[i].value;
        for (unsigned line = 0; line < LINES_PER_PAGE; line++)
            free(page->lines[line]);
        free(page);
    }
    map_free(&c->code_pages);
}

static unsigned parcel_in_page(uint64_t pa)
{
    return (unsigned)(pa & (PAGE_BYTES - 1)) / 2;
}

static struct parcel_write *record_of(struct code_page *page, uint64_t pa)
{
    unsigned parcel = parcel_in_page(pa);
    struct code_line **line = &page->lines[parcel * 2 / LINE_BYTES];

    if (!*line)
        *line = xcalloc(1, sizeof **line);
    return &(*line)->parcel[parcel % (LINE_BYTES / 2)];
}

struct parcel_write codemap_last_write(const struct cluster *c, const struct code_page *page,
                                       uint64_t pa)
{
    unsigned parcel = parcel_in_page(pa);
    const struct code_line *line = page->lines[parcel * 2 / LINE_BYTES];
    struct parcel_write whole_page = {.stamp = page->base_stamp, .who = page->base_writer};

    if (line && line->parcel[parcel % (LINE_BYTES / 2)].stamp)
        return line->parcel[parcel % (LINE_BYTES / 2)];
    memcpy(&whole_page.new_bytes, ram_host(c->ram, pa), 2);
    whole_page.old_bytes = whole_page.new_bytes; /* not known */
    return whole_page;
}

void codemap_mark_known(struct code_page *page, uint64_t pa, unsigned size)
{
    unsigned first = parcel_in_page(pa);

    for (unsigned parcel = first; parcel < first + size / 2; parcel++)
        page->known[parcel / 64] |= UINT64_C(1) << (parcel % 64);
}

static bool is_known(const struct code_page *page, uint64_t pa, unsigned size)
{
    for (uint64_t at = align_down(pa, 2); at < pa + size; at += 2) {
        unsigned parcel = parcel_in_page(at);

        if (bit(page->known[parcel / 64], parcel % 64))
            return true;
    }
    return false;
}

static void enlist(struct block *b, unsigned which, struct code_page *page)
{
    b->page_next[which] = page->blocks;
    b->page_pprev[which] = &page->blocks;
    if (page->blocks) {
        struct block *old = page->blocks;

        old->page_pprev[align_down(old->pa, PAGE_BYTES) == page->pa ? 0 : 1] = &b->page_next[which];
    }
    page->blocks = b;
}

void codemap_add_block(struct cluster *c, struct block *b)
{
    enlist(b, 0, codemap_make_page(c, b->pa));
    if (b->pa_second)
        enlist(b, 1, codemap_make_page(c, b->pa_second));
}

static void delist(struct block *b, unsigned which, uint64_t page_pa)
{
    struct block *next = b->page_next[which];

    if (!b->page_pprev[which])
        return;
    *b->page_pprev[which] = next;
    if (next)
        next->page_pprev[align_down(next->pa, PAGE_BYTES) == page_pa ? 0 : 1] =
            b->page_pprev[which];
    b->page_pprev[which] = NULL;
}

void codemap_remove_block(struct block *b)
{
    delist(b, 0, align_down(b->pa, PAGE_BYTES));
    delist(b, 1, b->pa_second);
}

/* The block's next in the list of this page: a page-crossing block is in two lists. */
static struct block *next_in_page(const struct block *b, const struct code_page *page)
{
    return b->page_next[align_down(b->pa, PAGE_BYTES) == page->pa ? 0 : 1];
}

/* Physical address of the block's parcel at this byte offset. */
static uint64_t block_pa_at(const struct block *b, unsigned offset)
{
    uint64_t pa = b->pa + offset;

    if (b->pa_second && align_down(pa, PAGE_BYTES) != align_down(b->pa, PAGE_BYTES))
        return b->pa_second + (pa & (PAGE_BYTES - 1));
    return pa;
}

/* A hart that has decoded the parcel keeps its old bytes in view until its next fence.i. */
static void keep_old_bytes(struct block *b, uint64_t pa, unsigned size)
{
    for (unsigned offset = 0; offset < b->size; offset += 2) {
        uint64_t at = block_pa_at(b, offset), unused;
        uint16_t old;

        if (at + 2 <= pa || at >= pa + size || map_get(&b->hart->view, at, &unused))
            continue;
        memcpy(&old, b->bytes + offset, 2);
        map_put(&b->hart->view, at, old);
    }
}

static bool block_holds(const struct block *b, uint64_t pa, unsigned size)
{
    if (b->pa_second && align_down(pa, PAGE_BYTES) == b->pa_second)
        return pa < b->pa_second + 2;
    return pa < b->pa + b->size && b->pa < pa + size;
}

static void touch_blocks(const struct code_page *page, uint64_t pa, unsigned size)
{
    for (struct block *b = page->blocks; b; b = next_in_page(b, page)) {
        if (!block_holds(b, pa, size))
            continue;
        keep_old_bytes(b, pa, size);
        block_suspect(b);
    }
}

void codemap_replan(struct cluster *c, uint64_t pa, bool forget)
{
    const struct code_page *page = codemap_page(c, pa);

    for (struct block *b = page ? page->blocks : NULL; b; b = next_in_page(b, page)) {
        if (!block_holds(b, pa, 2))
            continue;
        for (unsigned i = 0; forget && i < b->counter_count; i++)
            b->counters[i] = &b->hart->uncounted;
        block_suspect(b);
    }
}

/* Stores; of the parcels written, those that change are stamped. */
static void stamp_parcels(struct cluster *c, struct code_page *page, const struct code_write *w)
{
    uint64_t from = align_down(w->pa, 2);
    unsigned count = (unsigned)(align_up(w->pa + w->size, 2) - from) / 2;
    uint16_t old_bytes[sizeof w->new_bytes / 2 + 1], new_bytes[ARRAY_LEN(old_bytes)];

    memcpy(old_bytes, ram_host(c->ram, from), count * sizeof *old_bytes);
    memcpy(ram_host(c->ram, w->pa), w->new_bytes, w->size);
    memcpy(new_bytes, ram_host(c->ram, from), count * sizeof *new_bytes);
    for (unsigned i = 0; i < count; i++)
        if (old_bytes[i] != new_bytes[i])
            *record_of(page, from + 2 * i) = (struct parcel_write){
                .stamp = w->stamp,
                .who = w->who,
                .old_bytes = old_bytes[i],
                .new_bytes = new_bytes[i],
            };
}

void codemap_store(void *cluster, uint64_t pa, const uint8_t *bytes, unsigned size,
                   const struct writer *who)
{
    struct cluster *c = cluster;
    struct code_page *page = codemap_page(c, pa);
    struct code_write w = {.who = *who, .pa = pa, .size = size};

    assert(page && size <= 8 && (pa & (PAGE_BYTES - 1)) + size <= PAGE_BYTES);
    memcpy(w.old_bytes, ram_host(c->ram, pa), size);
    memcpy(w.new_bytes, bytes, size);
    /* Bytes that do not change cannot be stale, whoever has them. */
    if (!memcmp(w.old_bytes, w.new_bytes, size))
        return;
    w.stamp = ++c->ram->stamp;
    touch_blocks(page, pa, size);
    stamp_parcels(c, page, &w);
    if (!is_known(page, pa, size))
        return;
    for (unsigned i = 0; i < c->observer_count; i++)
        if (c->observers[i].code_write)
            c->observers[i].code_write(c->observers[i].ctx, &w);
}

void cluster_watch_code(struct cluster *c, uint64_t pa, uint64_t size)
{
    uint64_t end = pa + size;

    while (pa < end) {
        uint64_t page_end = align_down(pa, PAGE_BYTES) + PAGE_BYTES;
        uint64_t piece = (end < page_end ? end : page_end) - pa;

        if (ram_has(c->ram, pa, piece))
            codemap_mark_known(codemap_make_page(c, pa), align_down(pa, 2),
                               (unsigned)align_up(piece, 2));
        pa += piece;
    }
}
