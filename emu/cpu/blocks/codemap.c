/*
 * codemap.c - the records of each page with code (codemap_priv.h).
 *
 * A page becomes code when a hart first decodes from it, or when a site table or
 * a section header declares it. From then on every store to it goes through
 * codemap_store, because code pages have no cached store translations. This path
 * may be slow: stores to other pages do not take it.
 *
 * A page is no longer code when it is all zeroes, as when a kernel gives the memory
 * of one program, or of its own init text, to another. Zeroes are not instructions, so
 * its next contents are all new, and one stamp for the page is enough, as for any
 * page from which no code was run.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/search.h"
#include "base/state_io.h"
#include "base/versions.h"
#include "cpu/codemap_priv.h"
#include "cpu/fetch_view_priv.h"
#include "cpu/hart_priv.h"
#include "mem/bus.h"

static uint64_t page_key(uint64_t pa)
{
    return pa >> PAGE_SHIFT;
}

/* Numbers of chunks of records in versions; those below are pages. */
static const uint64_t CHUNKS = UINT64_C(1) << 60;

struct code_page *codemap_page(struct cluster *c, uint64_t pa)
{
    return map_get_ptr(&c->code_pages, page_key(pa));
}

/* ---- stamps ---- */

static uint32_t stamp_after(const struct code_line *line, unsigned i)
{
    uint32_t after;

    if (!line->wide)
        return line->after[i];
    memcpy(&after, line->after + 2 * i, sizeof after);
    return after;
}

static struct code_line *new_line(uint64_t base, bool wide)
{
    struct code_line *line =
        xcalloc(1, sizeof *line + LINE_PARCELS * (wide ? sizeof(uint32_t) : sizeof(uint16_t)));

    line->base = base & (UINT64_MAX >> 1);
    line->wide = wide;
    return line;
}

static void set_after(struct code_line **at, unsigned i, uint32_t after)
{
    struct code_line *line = *at;

    if (!line->wide && after > UINT16_MAX) {
        *at = new_line(line->base, true);
        for (unsigned k = 0; k < LINE_PARCELS; k++)
            set_after(at, k, line->after[k]);
        free(line);
        line = *at;
    }
    if (line->wide)
        memcpy(line->after + 2 * i, &after, sizeof after);
    else
        line->after[i] = (uint16_t)after;
}

static void rebase(struct code_line **at, uint64_t base)
{
    uint64_t old_base = (*at)->base;

    for (unsigned i = 0; i < LINE_PARCELS; i++) {
        uint32_t after = stamp_after(*at, i);
        uint64_t stamp = old_base + after;

        if (after)
            set_after(at, i,
                      stamp <= base               ? 1
                      : stamp - base > UINT32_MAX ? UINT32_MAX
                                                  : (uint32_t)(stamp - base));
    }
    (*at)->base = base & (UINT64_MAX >> 1);
}

/* Makes the line one that can hold the stamp. */
static void make_room(struct code_line **line, uint64_t stamp)
{
    if (!*line)
        *line = new_line(stamp - 1, false);
    if (stamp <= (*line)->base)
        rebase(line, stamp - 1);
    /* From now on stamps older than half of the range are rounded up. */
    if (stamp - (*line)->base > UINT32_MAX)
        rebase(line, stamp - UINT32_MAX / 2);
}

static void set_stamp(struct code_page *page, unsigned parcel, uint64_t stamp)
{
    struct code_line **line = &page->lines[parcel / LINE_PARCELS];

    if (UNLIKELY(!*line || stamp - (*line)->base - 1 >= UINT32_MAX))
        make_room(line, stamp);
    if (LIKELY(!(*line)->wide && stamp - (*line)->base <= UINT16_MAX))
        (*line)->after[parcel % LINE_PARCELS] = (uint16_t)(stamp - (*line)->base);
    else
        set_after(line, parcel % LINE_PARCELS, (uint32_t)(stamp - (*line)->base));
}

/* Makes the parcel one that was not written since the page became code. */
static void clear_stamp(struct code_page *page, unsigned parcel)
{
    struct code_line **line = &page->lines[parcel / LINE_PARCELS];

    if (*line)
        set_after(line, parcel % LINE_PARCELS, 0);
}

static uint64_t own_stamp(const struct code_page *page, unsigned parcel)
{
    const struct code_line *line = page->lines[parcel / LINE_PARCELS];
    uint32_t after = line ? stamp_after(line, parcel % LINE_PARCELS) : 0;

    return after ? line->base + after : 0;
}

uint64_t codemap_stamp(const struct code_page *page, uint64_t pa)
{
    uint64_t stamp = own_stamp(page, parcel_in_page(pa));

    return stamp > page->base_stamp ? stamp : page->base_stamp;
}

/*
 * Stamps the parcels of a page that becomes code, each by the newest copy of the page from which it
 * differs: it was written after that copy was made.
 */
static void stamp_by_copies(const struct cluster *c, struct code_page *page)
{
    const struct ram_page *meta = ram_page_at(c->ram, page->pa);
    const uint8_t *now = ram_host(c->ram, page->pa);
    const struct page_copy *copy = ram_copy(c->ram, meta->copy);

    for (; copy; copy = ram_copy(c->ram, copy->older))
        for (unsigned parcel = 0; parcel < PARCELS_PER_PAGE; parcel++)
            if (memcmp(now + 2 * parcel, copy->bytes + 2 * parcel, 2) != 0 &&
                !own_stamp(page, parcel))
                set_stamp(page, parcel, copy->stamp);
    page->base_stamp = meta->uncopied;
}

struct code_page *codemap_make_page(struct cluster *c, uint64_t pa)
{
    struct code_page *page = codemap_page(c, pa);

    if (page)
        return page;
    page = xcalloc(1, sizeof *page);
    page->pa = align_down(pa, PAGE_BYTES);
    codemap_keep_page(c, page);
    stamp_by_copies(c, page);
    map_put_ptr(&c->code_pages, page_key(pa), page);
    fetch_views_attach(c, page);
    ram_flag_page(c->ram, pa, RAM_PAGE_CODE);
    /* The hart that is running may hold a store translation for the page, too. */
    for (size_t i = 0; i < c->harts.len; i++)
        hart_flush_stores(c->harts.at[i]);
    return page;
}

static void free_page(struct code_page *page)
{
    for (unsigned line = 0; line < LINES_PER_PAGE; line++)
        free(page->lines[line]);
    free(page);
}

static void free_pages(struct cluster *c)
{
    for (size_t i = 0; i < c->code_pages.cap; i++)
        if (c->code_pages.slots[i].key != UINT64_MAX)
            free_page((struct code_page *)(uintptr_t)c->code_pages.slots[i].value);
    map_free(&c->code_pages);
}

void codemap_free(struct cluster *c)
{
    free_pages(c);
    VEC_FREE(&c->writes);
    free(c->writes_kept);
    versions_free(c->code_versions);
}

/* ---- records of writes ---- */

static struct write_record *record_at(const struct cluster *c, size_t n)
{
    return &c->writes.at[(c->oldest_write + n) % c->writes.len];
}

/* Must be called before a record changes: versions keep a copy of its chunk. */
static void keep_chunk(struct cluster *c, size_t record)
{
    size_t chunk = record / WRITE_CHUNK;

    if (c->writes_kept[chunk] == c->code_generation)
        return;
    versions_keep(c->code_versions, CHUNKS + chunk);
    c->writes_kept[chunk] = c->code_generation;
}

static void keep_record(struct cluster *c, const struct code_write *w)
{
    struct write_record r = {.stamp = w->stamp, .pa = w->pa, .who = w->who, .size = w->size};

    memcpy(r.old_bytes, w->old_bytes, sizeof r.old_bytes);
    if (c->writes.len < c->config.code_writes_max) {
        keep_chunk(c, c->writes.len);
        VEC_PUSH(&c->writes, r);
        return;
    }
    keep_chunk(c, c->oldest_write);
    c->writes_left_out += c->writes.at[c->oldest_write].stamp > hart_oldest_sync_stamp(c);
    c->writes.at[c->oldest_write] = r;
    c->oldest_write = (c->oldest_write + 1) % c->config.code_writes_max;
}

/* The record with the stamp; stamps ascend. NULL: it was dropped, or the store was not to code. */
static const struct write_record *find_record(const struct cluster *c, uint64_t stamp)
{
    size_t at = PARTITION_POINT(i, c->writes.len, record_at(c, i)->stamp < stamp);
    const struct write_record *r = at < c->writes.len ? record_at(c, at) : NULL;

    return r && r->stamp == stamp ? r : NULL;
}

/* Describes the write; bytes of the parcel that it did not change are the present ones. */
static void describe_by_record(const struct write_record *r, uint64_t pa, struct parcel_write *w)
{
    for (uint64_t at = pa; at < pa + 2; at++)
        if (at >= r->pa && at < r->pa + r->size)
            memcpy((uint8_t *)&w->old_bytes + (at - pa), r->old_bytes + (at - r->pa), 1);
    w->who = r->who;
    w->old_known = w->writer_known = w->agent_known = true;
}

/* Describes a write to an open page; the hart is known only if all stores were by one hart. */
static void describe_by_copy(const struct ram_page *page, const struct page_copy *copy, uint64_t pa,
                             struct parcel_write *w)
{
    bool is_newest = copy->stamp == page->stamp;
    struct writer opener = is_newest ? page->opener : copy->opener;

    memcpy(&w->old_bytes, copy->bytes + (pa & (PAGE_BYTES - 1)), 2);
    w->old_known = true;
    w->agent_known = !(is_newest ? page->shared : copy->shared);
    w->writer_known = w->agent_known && opener.kind != WRITER_HART;
    if (w->writer_known)
        w->who = opener;
    else if (w->agent_known)
        w->who = (struct writer){.kind = opener.kind, .hart = opener.hart};
    w->opener = opener;
}

struct parcel_write codemap_last_write(const struct cluster *c, const struct code_page *page,
                                       uint64_t pa, uint64_t since)
{
    const struct ram_page *meta = ram_page_at(c->ram, pa);
    const struct write_record *record;
    const struct page_copy *copy = ram_copy(c->ram, meta->copy);
    struct parcel_write w = {.stamp = own_stamp(page, parcel_in_page(pa))};

    memcpy(&w.old_bytes, ram_host(c->ram, pa), 2);
    w.parcel_known = w.stamp > since;
    if (!w.parcel_known) {
        w.stamp = page->base_stamp;
        if (meta->stamp == w.stamp)
            w.opener = meta->opener;
        return w;
    }
    record = find_record(c, w.stamp);
    while (copy && copy->stamp != w.stamp)
        copy = ram_copy(c->ram, copy->older);
    if (record)
        describe_by_record(record, pa, &w);
    else if (copy)
        describe_by_copy(meta, copy, pa, &w);
    return w;
}

unsigned codemap_versions(const struct cluster *c, uint64_t pa, uint64_t since,
                          struct code_version versions[CODE_VERSIONS_MAX])
{
    unsigned count = 1;

    memcpy(&versions[0].bytes, ram_host(c->ram, pa), 4);
    for (size_t n = c->writes.len; n-- && count < CODE_VERSIONS_MAX;) {
        const struct write_record *r = record_at(c, n);
        uint32_t bytes = versions[count - 1].bytes;

        if (r->stamp <= since)
            break;
        if (r->pa >= pa + 4 || r->pa + r->size <= pa)
            continue;
        for (unsigned i = 0; i < 4; i++)
            if (pa + i >= r->pa && pa + i < r->pa + r->size)
                memcpy((uint8_t *)&bytes + i, r->old_bytes + (pa + i - r->pa), 1);
        versions[count - 1].stamp = r->stamp;
        versions[count++].bytes = bytes;
    }
    versions[count - 1].stamp = since;
    return count;
}

static bool is_known(const struct code_page *page, uint64_t pa, unsigned size)
{
    for (uint64_t at = align_down(pa, 2); at < pa + size; at += 2) {
        unsigned parcel = parcel_in_page(at);

        if (codemap_parcel_set(page->known, parcel))
            return true;
    }
    return false;
}

/* ---- the blocks in a page ---- */

/* The maximum number of lines between the begin and the end of a block part. */
enum { PART_LINES = (BLOCK_INSNS_MAX * 4 + LINE_BYTES - 3) / LINE_BYTES };

static unsigned line_in_page(uint64_t pa)
{
    return (unsigned)(pa & (PAGE_BYTES - 1)) / LINE_BYTES;
}

static void enlist(struct cluster *c, struct block *b, unsigned which, uint64_t pa)
{
    struct block_part *p = &b->part[which];
    struct block_part **list = &codemap_make_page(c, pa)->parts[line_in_page(pa)];
    uint16_t from = (uint16_t)(pa % PAGE_BYTES);

    *p = (struct block_part){.block = b,
                             .next = *list,
                             .pprev = list,
                             .from = from,
                             .to = (uint16_t)(from + (b->pa_second ? 2 : b->size))};
    if (p->next)
        p->next->pprev = &p->next;
    *list = p;
}

void codemap_add_block(struct cluster *c, struct block *b)
{
    enlist(c, b, 0, b->pa);
    if (b->pa_second)
        enlist(c, b, 1, b->pa_second);
}

static void delist(struct block_part *p)
{
    if (!p->pprev)
        return;
    *p->pprev = p->next;
    if (p->next)
        p->next->pprev = p->pprev;
    p->pprev = NULL;
}

void codemap_remove_block(struct block *b)
{
    delist(&b->part[0]);
    delist(&b->part[1]);
}

static void drop_counters(struct block *b)
{
    for (unsigned i = 0; i < b->counter_count; i++)
        if (!hpm_is_own(b->hart, b->counters[i]))
            b->counters[i] = b->hart->cache.uncounted;
    for (unsigned i = 0; i < b->charge_count; i++)
        b->charges[i].tally = b->hart->cache.uncounted;
}

/*
 * Makes the blocks that hold one of these bytes be decoded again at their next entry.
 * `counters_end`: they must not use their counters any more.
 */
static void invalidate(struct cluster *c, const struct code_page *page, uint64_t pa, unsigned size,
                       bool counters_end)
{
    unsigned last = line_in_page(pa + size - 1), first = line_in_page(pa);
    unsigned from = (unsigned)(pa % PAGE_BYTES), to = from + size;

    first -= first < PART_LINES ? first : PART_LINES;
    for (unsigned line = first; line <= last; line++)
        for (struct block_part *p = page->parts[line]; p; p = p->next) {
            if (p->to <= from || to <= p->from)
                continue;
            if (counters_end)
                drop_counters(p->block);
            block_suspect(p->block);
        }
    for (size_t i = 0; i < c->harts.len; i++)
        hart_forget_cut_in(c->harts.at[i], pa, size);
}

void codemap_invalidate(struct cluster *c, uint64_t pa, bool counters_end)
{
    const struct code_page *page = codemap_page(c, pa);

    if (page)
        invalidate(c, page, pa, 2, counters_end);
}

/* ---- stores ---- */

/* Makes the store, and stamps the parcels that it changes. */
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
            set_stamp(page, parcel_in_page(from + 2 * i), w->stamp);
    keep_record(c, w);
}

/* ---- pages that are no longer code ---- */

/*
 * Whether the page was filled with one byte: kernels clear memory, or fill it with another byte
 * when it is freed. Begins at the word that had another byte last time, so filling a page byte by
 * byte costs one pass over it in all.
 */
static bool is_blank(const struct cluster *c, struct code_page *page)
{
    const uint8_t *bytes = ram_host(c->ram, page->pa);
    const uint64_t filled = bytes[0] * UINT64_C(0x0101010101010101);

    for (unsigned n = 0; n < PAGE_BYTES / 8; n++) {
        if (memcmp(bytes + 8 * page->word, &filled, sizeof filled) != 0)
            return false;
        page->word = (page->word + 1) % (PAGE_BYTES / 8);
    }
    return true;
}

/* Removes the block from the page's lists; it is decoded again at its next entry. */
static void let_go(struct block_part *p)
{
    drop_counters(p->block);
    block_suspect(p->block);
    delist(p);
}

static bool is_run_from(const struct cluster *c, const struct code_page *page)
{
    for (size_t i = 0; i < c->harts.len; i++) {
        const struct hart *h = c->harts.at[i];

        if (h->cache.uop && h->cache.block &&
            (align_down(h->cache.block->pa, PAGE_BYTES) == page->pa ||
             h->cache.block->pa_second == page->pa))
            return true;
    }
    return false;
}

static void retire_page(struct cluster *c, struct code_page *page, const struct code_write *last)
{
    if (is_run_from(c, page))
        return;
    for (unsigned line = 0; line < LINES_PER_PAGE; line++)
        while (page->parts[line])
            let_go(page->parts[line]);
    for (size_t i = 0; i < c->harts.len; i++)
        hart_forget_cut_in(c->harts.at[i], page->pa, PAGE_BYTES);
    fetch_views_detach(c, page);
    ram_retire_code(c->ram, page->pa, last->stamp, &last->who);
    map_remove(&c->code_pages, page_key(page->pa));
    free_page(page);
}

static void tell_listeners(const struct cluster *c, enum event_kind kind,
                           const struct code_write *w)
{
    const struct event e = {.kind = kind, .code_write = *w};

    cluster_emit(c, &e);
}

/*
 * Makes a store after which no hart has old bytes of these parcels (WRITER_DEBUGGER_FENCED); the
 * views have been refreshed. It has an effect also if it does not change the bytes.
 */
static void store_fenced(struct cluster *c, struct code_page *page, const struct code_write *w)
{
    uint64_t from = align_down(w->pa, 2), end = align_up(w->pa + w->size, 2);

    invalidate(c, page, from, (unsigned)(end - from), false);
    memcpy(ram_host(c->ram, w->pa), w->new_bytes, w->size);
    for (uint64_t pa = from; pa < end; pa += 2)
        clear_stamp(page, parcel_in_page(pa));
}

static void store_code(struct cluster *c, struct code_page *page, const struct code_write *w)
{
    uint64_t from = align_down(w->pa, 4), end = align_up(w->pa + w->size, 4);

    if (fetch_views_keep_old(c, page, w->pa, w->size))
        invalidate(c, page, w->pa, w->size, false);
    else
        invalidate(c, page, from, (unsigned)(end - from), false);
    stamp_parcels(c, page, w);
}

void codemap_store(void *cluster, uint64_t pa, const uint8_t *bytes, unsigned size,
                   const struct writer *who)
{
    struct cluster *c = cluster;
    struct code_page *page = codemap_page(c, pa);
    struct code_write w = {.who = *who, .pa = pa, .size = size};
    bool fenced = who->kind == WRITER_DEBUGGER_FENCED, changes;

    assert(page && size <= 8 && (pa & (PAGE_BYTES - 1)) + size <= PAGE_BYTES);
    memcpy(w.old_bytes, ram_host(c->ram, pa), size);
    memcpy(w.new_bytes, bytes, size);
    changes = memcmp(w.old_bytes, w.new_bytes, size) != 0;
    /* Bytes that do not change cannot be stale for any hart. */
    if (!changes && !fenced) {
        w.stamp = c->ram->stamp;
        if (cluster_wants(c, EVENT_CODE_SAME) && is_known(page, pa, size))
            tell_listeners(c, EVENT_CODE_SAME, &w);
        return;
    }
    ram_keep_page(c->ram, pa);
    codemap_keep_page(c, page);
    w.stamp = changes ? ++c->ram->stamp : c->ram->stamp;
    if (fenced)
        store_fenced(c, page, &w);
    else
        store_code(c, page, &w);
    if (changes && is_known(page, pa, size))
        tell_listeners(c, EVENT_CODE_WRITE, &w);
    if (!fenced && is_blank(c, page))
        retire_page(c, page, &w);
}

/* [pa, pa + size) is within the page. */
static void mark_known(struct code_page *page, uint64_t pa, uint64_t size)
{
    unsigned parcel = parcel_in_page(pa), last = parcel_in_page(pa + size - 1);

    while (parcel <= last) {
        bool whole = parcel % 64 == 0 && last - parcel >= 63;

        if (whole)
            page->known[parcel / 64] = UINT64_MAX;
        else
            codemap_set_parcel(page->known, parcel);
        parcel += whole ? 64 : 1;
    }
}

void cluster_declare_code(struct cluster *c, uint64_t pa, uint64_t size)
{
    uint64_t end = pa + size;

    while (pa < end) {
        uint64_t page_end = align_down(pa, PAGE_BYTES) + PAGE_BYTES;
        uint64_t piece = (end < page_end ? end : page_end) - pa;

        if (ram_has(c->ram, pa, piece)) {
            struct code_page *page = codemap_make_page(c, pa);

            codemap_keep_page(c, page);
            mark_known(page, pa, piece);
        }
        pa += piece;
    }
}

/* ---- state ---- */

static bool any_is_wide(const uint32_t after[LINE_PARCELS])
{
    uint32_t all = 0;

    for (unsigned i = 0; i < LINE_PARCELS; i++)
        all |= after[i];
    return all > UINT16_MAX;
}

/* Saves or restores two bytes for each stamp, or four if `wide`. */
static void stamps_io(struct state_io *io, uint32_t after[LINE_PARCELS], bool wide)
{
    uint16_t narrow[LINE_PARCELS];

    if (wide) {
        state_io_bytes(io, after, LINE_PARCELS * sizeof *after);
        return;
    }
    for (unsigned i = 0; i < LINE_PARCELS; i++)
        narrow[i] = (uint16_t)after[i];
    state_io_bytes(io, narrow, sizeof narrow);
    for (unsigned i = 0; i < LINE_PARCELS; i++)
        after[i] = narrow[i];
}

/* Saves or restores a line; equal stamps give equal bytes, in whichever form they are kept. */
static void line_io(struct state_io *io, struct code_line **line)
{
    bool there = *line != NULL, wide = false;
    uint32_t after[LINE_PARCELS] = {0};
    uint64_t base = 0;

    STATE_IO(io, there);
    if (!there)
        return;
    if (*line) {
        for (unsigned i = 0; i < LINE_PARCELS; i++)
            after[i] = stamp_after(*line, i);
        base = (*line)->base;
        wide = any_is_wide(after);
    }
    STATE_IO(io, base);
    STATE_IO(io, wide);
    stamps_io(io, after, wide);
    if (!io->loading)
        return;
    free(*line);
    *line = new_line(base, wide);
    if (wide)
        memcpy((*line)->after, after, sizeof after);
    for (unsigned i = 0; i < LINE_PARCELS && !wide; i++)
        (*line)->after[i] = (uint16_t)after[i];
}

static void page_io(struct state_io *io, struct code_page *page)
{
    STATE_IO(io, page->base_stamp);
    STATE_IO_BELOW(io, page->word, PAGE_BYTES / 8);
    STATE_IO(io, page->viewed);
    state_io_bytes(io, page->known, sizeof page->known);
    for (unsigned line = 0; line < LINES_PER_PAGE; line++)
        line_io(io, &page->lines[line]);
}

static void record_io(struct state_io *io, struct write_record *r)
{
    STATE_IO(io, r->stamp);
    STATE_IO(io, r->pa);
    writer_state_io(io, &r->who);
    STATE_IO_BELOW(io, r->size, sizeof r->old_bytes + 1);
    state_io_bytes(io, r->old_bytes, sizeof r->old_bytes);
}

static void save_pages(struct state_io *io, struct cluster *c)
{
    size_t count;
    uint64_t *keys = map_keys(&c->code_pages, &count);

    (void)state_io_count(io, count, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        STATE_IO(io, keys[i]);
        page_io(io, map_get_ptr(&c->code_pages, keys[i]));
    }
    free(keys);
}

static void load_page(struct state_io *io, struct cluster *c, uint64_t key)
{
    struct code_page *page = xcalloc(1, sizeof *page);

    page->pa = key << PAGE_SHIFT;
    if (page_key(page->pa) != key || !ram_has(c->ram, page->pa, PAGE_BYTES) ||
        codemap_page(c, page->pa))
        state_io_fail(io, STATE_OUT_OF_RANGE);
    page_io(io, page);
    if (io->error)
        free_page(page);
    else
        map_put_ptr(&c->code_pages, key, page);
}

/* Must be called before all pages and records change at once: versions keep copies of all. */
static void keep_all(struct cluster *c)
{
    size_t count;
    uint64_t *keys = map_keys(&c->code_pages, &count);

    for (size_t i = 0; i < count; i++)
        versions_keep(c->code_versions, keys[i]);
    free(keys);
    for (size_t i = 0; i < c->config.code_writes_max; i += WRITE_CHUNK)
        keep_chunk(c, i);
}

void codemap_state_io(struct state_io *io, struct cluster *c)
{
    bool keeps = io->loading && c->code_versions && versions_exist(c->code_versions);
    uint64_t key = 0;

    state_io_section(io, "codemap", 4);
    if (keeps)
        keep_all(c);
    STATE_IO_VEC(io, &c->writes, c->config.code_writes_max, record_io);
    if (!io->loading) {
        save_pages(io, c);
        return;
    }
    free_pages(c);
    for (size_t left = state_io_count(io, 0, SIZE_MAX); left && !io->error; left--) {
        STATE_IO(io, key);
        if (keeps && key < CHUNKS)
            versions_keep(c->code_versions, key);
        load_page(io, c, key);
    }
}

/* ---- versions ---- */

static void remove_page(struct cluster *c, uint64_t key)
{
    struct code_page *page = map_get_ptr(&c->code_pages, key);

    if (!page)
        return;
    map_remove(&c->code_pages, key);
    free_page(page);
}

static void version_page_io(struct state_io *io, struct cluster *c, uint64_t key)
{
    struct code_page *page = map_get_ptr(&c->code_pages, key);
    bool is_code = page != NULL;

    STATE_IO(io, is_code);
    if (io->loading) {
        remove_page(c, key);
        if (is_code)
            load_page(io, c, key);
    } else if (page) {
        page_io(io, page);
    }
}

/* Saves or restores the records of one chunk; their number is restored with the cluster. */
static void chunk_io(struct state_io *io, struct cluster *c, size_t chunk)
{
    size_t from = chunk * WRITE_CHUNK, left = c->writes.len > from ? c->writes.len - from : 0;
    size_t count = state_io_count(io, left < WRITE_CHUNK ? left : WRITE_CHUNK, WRITE_CHUNK);

    if (io->loading) {
        c->writes_kept[chunk] = 0;
        if (c->writes.len < from + count) {
            VEC_RESERVE(&c->writes, from + count - c->writes.len);
            c->writes.len = from + count;
        }
    }
    for (size_t i = from; i < from + count; i++)
        record_io(io, &c->writes.at[i]);
}

static bool version_io(void *cluster, uint64_t key, struct state_io *io)
{
    if (key >= CHUNKS)
        chunk_io(io, cluster, key - CHUNKS);
    else
        version_page_io(io, cluster, key);
    return true;
}

void codemap_keep_first(struct cluster *c, uint64_t pa)
{
    versions_keep(c->code_versions, page_key(pa));
}

struct version *codemap_take_version(struct cluster *c)
{
    struct page_store store = {c, sizeof(struct code_page), version_io};
    struct version *v;

    if (!c->code_versions)
        c->code_versions = versions_new(&store);
    v = versions_take(c->code_versions);
    c->code_generation = versions_generation(c->code_versions);
    return v;
}

void codemap_restore_version(struct cluster *c, const struct version *v)
{
    (void)!versions_restore(c->code_versions, v); /* cannot fail: the version is in memory */
    c->code_generation = versions_generation(c->code_versions);
}
