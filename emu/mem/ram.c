/*
 * ram.c - see ram.h.
 */
#include "mem/ram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/versions.h"

/* Zeroed memory that the host allocates page by page when it is written. NULL: the host refuses. */
static void *reserve(uint64_t size, bool huge)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    /* Fewer host TLB misses. Optional, so an error does not matter. */
    if (huge)
        (void)madvise(p, size, MADV_HUGEPAGE);
    return p;
}

struct ram *ram_new(uint64_t base, uint64_t size)
{
    struct ram *r = xcalloc(1, sizeof *r);
    uint64_t page_count = size >> PAGE_SHIFT;

    r->base = base;
    r->size = size;
    r->stamp = 1;
    r->first_copy = r->next_copy = r->copy_base = 1;
    r->bytes = reserve(size, true);
    r->pages = r->bytes ? reserve(page_count * sizeof *r->pages, true) : NULL;
    if (!r->pages) {
        ram_free(r);
        return NULL;
    }
    return r;
}

static void free_copies(struct ram *r)
{
    if (r->copies)
        munmap(r->copies, r->copies_max * sizeof *r->copies);
}

void ram_free(struct ram *r)
{
    if (!r)
        return;
    if (r->bytes)
        munmap(r->bytes, r->size);
    if (r->pages)
        munmap(r->pages, (r->size >> PAGE_SHIFT) * sizeof *r->pages);
    free_copies(r);
    versions_free(r->versions);
    free(r);
}

/* ---- copies ---- */

bool ram_reserve_copies(struct ram *r, size_t max)
{
    assert(r->next_copy == r->first_copy && max);
    free_copies(r);
    r->copies = reserve(max * sizeof *r->copies, false);
    r->copies_max = r->copies ? max : 0;
    return r->copies;
}

static struct page_copy *copy_slot(const struct ram *r, uint64_t n)
{
    return &r->copies[(n - r->copy_base) % r->copies_max];
}

const struct page_copy *ram_copy(const struct ram *r, uint64_t n)
{
    return n >= r->first_copy && n < r->next_copy ? copy_slot(r, n) : NULL;
}

static void forget_oldest_copy(struct ram *r)
{
    const struct page_copy *copy = copy_slot(r, r->first_copy);
    struct ram_page *page = ram_page_at(r, copy->pa);

    ram_keep_page(r, copy->pa);
    if (page->uncopied < copy->stamp)
        page->uncopied = copy->stamp;
    if (page->copy == r->first_copy)
        page->copy = 0;
    r->first_copy++;
}

void ram_forget_copies(struct ram *r, uint64_t stamp)
{
    while (r->first_copy < r->next_copy && copy_slot(r, r->first_copy)->stamp <= stamp)
        forget_oldest_copy(r);
}

static bool is_data(const struct ram *r, struct ram_page *page)
{
    bool rested = r->closings - page->last_open > STREAK_REST;

    page->last_open = r->closings;
    page->streak = rested ? 0 : page->streak + (page->streak < STREAK_MAX);
    return page->streak == STREAK_MAX;
}

void ram_refresh_copies(struct ram *r, uint64_t pa, uint64_t size)
{
    uint64_t from = align_down(pa, 2), end = align_up(pa + size, 2);

    for (uint64_t n = ram_page_at(r, pa)->copy; ram_copy(r, n); n = copy_slot(r, n)->older) {
        ram_keep_copy(r, copy_slot(r, n));
        memcpy(copy_slot(r, n)->bytes + from % PAGE_BYTES, ram_host(r, from), end - from);
    }
}

/* Copies the page, before the first store at page->stamp. */
static void keep_copy(struct ram *r, struct ram_page *page, uint64_t pa)
{
    struct page_copy *copy;
    size_t size = PAGE_BYTES;

    if (is_data(r, page) || !r->copies_max) {
        page->uncopied = page->stamp;
        return;
    }
    if (r->next_copy - r->first_copy == r->copies_max) {
        forget_oldest_copy(r);
        r->copies_left_out++;
    }
    if (r->next_copy == r->first_copy)
        r->copy_base = r->next_copy; /* reuses the first slots, which the host may have cached */
    copy = copy_slot(r, r->next_copy);
    ram_keep_copy(r, copy);
    copy->stamp = page->stamp;
    copy->pa = align_down(pa, PAGE_BYTES);
    copy->older = page->copy;
    __asm__("" : "+r"(size)); /* prevents an inline copy, which is slower than the library's */
    memcpy(copy->bytes, ram_host(r, copy->pa), size);
    page->copy = r->next_copy++;
}

/* ---- pages ---- */

static void open_at(struct ram *r, uint64_t pa, uint64_t stamp, const struct writer *by)
{
    struct ram_page *page = ram_page_at(r, pa);

    if (ram_copy(r, page->copy)) {
        struct page_copy *newest = copy_slot(r, page->copy);

        if (newest->stamp == page->stamp) {
            ram_keep_copy(r, newest);
            newest->opener = page->opener;
            newest->shared = page->shared;
        }
    }
    page->stamp = stamp;
    keep_copy(r, page, pa);
    page->opener = *by;
    page->shared = false;
}

void ram_open_page(struct ram *r, uint64_t pa, const struct writer *who)
{
    struct ram_page *page = ram_page_at(r, pa);

    ram_keep_page(r, pa);
    if (page->stamp > r->closed_stamp)
        page->shared |= who->kind != page->opener.kind || who->hart != page->opener.hart;
    else
        open_at(r, pa, ++r->stamp, who);
}

void ram_close_pages(struct ram *r)
{
    r->closed_stamp = ++r->stamp;
    r->closings++;
    r->epoch++;
}

void ram_flag_page(struct ram *r, uint64_t pa, enum ram_page_flag flag)
{
    struct ram_page *page = ram_page_at(r, pa);

    if (page->flags & flag)
        return;
    ram_keep_page(r, pa);
    page->flags |= flag;
    r->watched_loads += flag == RAM_PAGE_WATCHED_LOADS;
    r->epoch++;
}

void ram_unflag_page(struct ram *r, uint64_t pa, enum ram_page_flag flag)
{
    struct ram_page *page = ram_page_at(r, pa);

    if (!(page->flags & flag))
        return;
    ram_keep_page(r, pa);
    page->flags &= ~(uint32_t)flag;
    r->watched_loads -= flag == RAM_PAGE_WATCHED_LOADS;
}

void ram_retire_code(struct ram *r, uint64_t pa, uint64_t stamp, const struct writer *by)
{
    ram_unflag_page(r, pa, RAM_PAGE_CODE);
    ram_keep_page(r, pa);
    ram_page_at(r, pa)->uncopied = stamp;
    open_at(r, pa, stamp, by);
}

/* ---- writes ---- */

void ram_set_hooks(struct ram *r, struct ram_hooks hooks)
{
    r->hooks = hooks;
}

void ram_tell_load(const struct ram *r, uint64_t pa, unsigned size, const struct writer *by)
{
    if (r->hooks.accessed)
        r->hooks.accessed(r->hooks.ctx, pa, NULL, size, by);
}

/* Returns how many bytes were stored as code: fewer than len if the page ceased to be code. */
static size_t write_code(struct ram *r, uint64_t pa, const uint8_t *from, size_t len,
                         const struct writer *by)
{
    size_t done = 0;

    while (done < len && ram_page_at(r, pa)->flags & RAM_PAGE_CODE) {
        unsigned piece = len - done < 8 ? (unsigned)(len - done) : 8;

        r->hooks.store_code(r->hooks.ctx, pa + done, from + done, piece, by);
        done += piece;
    }
    return done;
}

/*
 * Whether harts can fetch bytes from before the write. The loader writes before the harts start.
 */
static bool needs_stamp(const struct writer *by)
{
    return by->kind != WRITER_LOADER && by->kind != WRITER_DEBUGGER_FENCED;
}

static void write_in_page(struct ram *r, uint64_t pa, const uint8_t *from, size_t len,
                          const struct writer *by)
{
    const struct ram_page *page = ram_page_at(r, pa);
    size_t done = 0;

    if ((page->flags & RAM_PAGE_RESERVED || by->kind != WRITER_HART) && r->hooks.before_write)
        r->hooks.before_write(r->hooks.ctx, pa, len, by);
    if (page->flags & RAM_PAGE_CODE)
        done = write_code(r, pa, from, len, by);
    if (done == len)
        return;
    if (needs_stamp(by)) {
        ram_open_page(r, pa, by);
    } else {
        ram_keep_page(r, pa);
        ram_page_at(r, pa)->loaded = true;
    }
    memcpy(ram_host(r, pa + done), from + done, len - done);
    if (by->kind == WRITER_DEBUGGER_FENCED)
        ram_refresh_copies(r, pa + done, len - done);
}

/* Writes to a page whose old bytes a hook needs. */
static void write_and_tell(struct ram *r, uint64_t pa, const uint8_t *from, size_t len,
                           const struct writer *by)
{
    uint32_t flags = ram_page_at(r, pa)->flags;
    uint8_t old_bytes[PAGE_BYTES];

    memcpy(old_bytes, ram_host(r, pa), len);
    write_in_page(r, pa, from, len, by);
    if (flags & RAM_PAGE_TABLE && r->hooks.table_written)
        r->hooks.table_written(r->hooks.ctx, pa, old_bytes, (unsigned)len, by);
    if (flags & RAM_PAGE_WATCHED_STORES && r->hooks.accessed)
        r->hooks.accessed(r->hooks.ctx, pa, old_bytes, (unsigned)len, by);
}

/* Whether the store is a hart's, to a page without flags, as nearly all are. */
static bool is_plain(const struct ram *r, uint64_t pa, size_t len, const struct writer *by)
{
    return !ram_page_at(r, pa)->flags && by->kind == WRITER_HART &&
           (pa & (PAGE_BYTES - 1)) + len <= PAGE_BYTES;
}

void ram_write(struct ram *r, uint64_t pa, const void *from, size_t len, const struct writer *by)
{
    if (is_plain(r, pa, len, by)) {
        ram_open_page(r, pa, by);
        memcpy(ram_host(r, pa), from, len);
        return;
    }
    for (size_t done = 0; done < len;) {
        size_t room = PAGE_BYTES - ((pa + done) & (PAGE_BYTES - 1));
        size_t piece = len - done < room ? len - done : room;
        const uint8_t *bytes = (const uint8_t *)from + done;

        if (ram_page_at(r, pa + done)->flags & (RAM_PAGE_WATCHED_STORES | RAM_PAGE_TABLE))
            write_and_tell(r, pa + done, bytes, piece, by);
        else
            write_in_page(r, pa + done, bytes, piece, by);
        done += piece;
    }
}
