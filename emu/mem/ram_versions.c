/*
 * ram_versions.c - earlier contents of memory: bytes, stamps and flags of its pages (ram.h).
 */
#include <string.h>

#include "base/state_io.h"
#include "base/versions.h"
#include "mem/ram.h"

/* A page of a version: what is known of it, then its bytes. */
struct page_copy {
    uint64_t stamp;
    uint32_t flags;
    bool shared;
    struct writer opener;
    uint8_t bytes[PAGE_BYTES];
};

static bool read_page(void *ram, uint64_t number, uint8_t *to)
{
    const struct ram *r = ram;
    const struct ram_page *page = &r->pages[number];
    struct page_copy *copy = (struct page_copy *)(void *)to;

    copy->stamp = page->stamp;
    copy->flags = page->flags;
    copy->shared = page->shared;
    copy->opener = page->opener;
    memcpy(copy->bytes, r->bytes + (number << PAGE_SHIFT), PAGE_BYTES);
    return true;
}

static bool write_page(void *ram, uint64_t number, const uint8_t *from)
{
    const struct ram *r = ram;
    const struct page_copy *copy = (const struct page_copy *)(const void *)from;

    struct ram_page *page = &r->pages[number];

    page->stamp = copy->stamp;
    page->flags = (copy->flags & RAM_PAGE_STATE) | (page->flags & ~(uint32_t)RAM_PAGE_STATE);
    page->shared = copy->shared;
    page->opener = copy->opener;
    page->kept = 0;
    memcpy(r->bytes + (number << PAGE_SHIFT), copy->bytes, PAGE_BYTES);
    return true;
}

void ram_keep_first(struct ram *r, uint64_t pa)
{
    versions_keep(r->versions, (pa - r->base) >> PAGE_SHIFT);
    ram_page_at(r, pa)->kept = r->generation;
}

/* The caches of harts may hold translations for pages that must be kept at the next store. */
static void begin_generation(struct ram *r)
{
    r->generation = versions_generation(r->versions);
    r->epoch++;
}

struct version *ram_take_version(struct ram *r)
{
    struct page_store store = {r, sizeof(struct page_copy), read_page, write_page};
    struct version *v;

    if (!r->versions)
        r->versions = versions_new(&store);
    v = versions_take(r->versions);
    begin_generation(r);
    return v;
}

void ram_restore_version(struct ram *r, const struct version *v)
{
    (void)!versions_restore(r->versions, v); /* memory can be read and written */
    begin_generation(r);
}

void ram_free_version(struct ram *r, struct version *v)
{
    version_free(r->versions, v);
}

size_t ram_version_bytes(const struct ram *r, const struct version *v)
{
    return version_bytes(r->versions, v);
}

void ram_state_io(struct state_io *io, struct ram *r)
{
    state_io_section(io, "ram", 1);
    STATE_IO_SAME(io, r->base);
    STATE_IO_SAME(io, r->size);
    STATE_IO(io, r->stamp);
    STATE_IO(io, r->closed_stamp);
}

void writer_state_io(struct state_io *io, struct writer *w)
{
    STATE_IO_BELOW(io, w->kind, WRITER_LOADER + 1);
    STATE_IO(io, w->hart);
    STATE_IO(io, w->pc);
    STATE_IO(io, w->cycle);
}
