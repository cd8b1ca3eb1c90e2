/*
 * ram.c - see ram.h.
 */
#include "mem/ram.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/versions.h"

static void *reserve(uint64_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    /* Fewer host TLB misses; a wish only, so the answer does not matter. */
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
    r->bytes = reserve(size);
    r->pages = r->bytes ? reserve(page_count * sizeof *r->pages) : NULL;
    if (!r->pages) {
        ram_free(r);
        return NULL;
    }
    return r;
}

void ram_free(struct ram *r)
{
    if (!r)
        return;
    if (r->bytes)
        munmap(r->bytes, r->size);
    if (r->pages)
        munmap(r->pages, (r->size >> PAGE_SHIFT) * sizeof *r->pages);
    versions_free(r->versions);
    free(r);
}

void ram_open_page(struct ram *r, uint64_t pa, const struct writer *who)
{
    struct ram_page *page = ram_page_at(r, pa);

    ram_keep_page(r, pa);
    if (page->stamp > r->closed_stamp) {
        page->shared |= who->kind != page->opener.kind || who->hart != page->opener.hart;
        return;
    }
    page->stamp = ++r->stamp;
    page->opener = *who;
    page->shared = false;
}

void ram_close_pages(struct ram *r)
{
    r->closed_stamp = ++r->stamp;
    r->epoch++;
}

void ram_flag_page(struct ram *r, uint64_t pa, enum ram_page_flag flag)
{
    struct ram_page *page = ram_page_at(r, pa);

    if (page->flags & flag)
        return;
    ram_keep_page(r, pa);
    page->flags |= flag;
    r->epoch++;
}

void ram_unflag_page(struct ram *r, uint64_t pa, enum ram_page_flag flag, uint64_t stamp,
                     const struct writer *who)
{
    struct ram_page *page = ram_page_at(r, pa);

    ram_keep_page(r, pa);
    page->flags &= ~(uint32_t)flag;
    page->stamp = stamp;
    page->opener = *who;
    page->shared = false;
}
