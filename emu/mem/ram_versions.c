/*
 * ram_versions.c - earlier contents of memory: bytes, stamps and flags of its pages (ram.h).
 */
#include <string.h>

#include "base/state_io.h"
#include "base/versions.h"
#include "mem/ram.h"

static bool is_zero(const uint8_t *bytes)
{
    return !bytes[0] && !memcmp(bytes, bytes + 1, PAGE_BYTES - 1);
}

/* What is known of a page, and its bytes unless they are zeroes, as those of new memory are. */
static bool page_io(void *ram, uint64_t number, struct state_io *io)
{
    const struct ram *r = ram;
    struct ram_page *page = &r->pages[number];
    uint8_t *bytes = r->bytes + (number << PAGE_SHIFT);
    uint32_t flags = page->flags & RAM_PAGE_STATE;
    bool zero = !io->loading && is_zero(bytes);

    STATE_IO(io, page->stamp);
    STATE_IO(io, flags);
    page->flags = (page->flags & ~(uint32_t)RAM_PAGE_STATE) | flags;
    STATE_IO(io, page->shared);
    writer_state_io(io, &page->opener);
    STATE_IO(io, zero);
    if (!zero)
        state_io_bytes(io, bytes, PAGE_BYTES);
    else if (io->loading)
        memset(bytes, 0, PAGE_BYTES);
    if (io->loading)
        page->kept = 0;
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
    struct page_store store = {r, PAGE_BYTES, page_io};
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
