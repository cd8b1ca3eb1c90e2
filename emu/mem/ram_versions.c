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

static void bytes_io(struct state_io *io, uint8_t *bytes)
{
    bool zero = !io->loading && is_zero(bytes);

    STATE_IO(io, zero);
    if (!zero)
        state_io_bytes(io, bytes, PAGE_BYTES);
    else if (io->loading)
        memset(bytes, 0, PAGE_BYTES);
}

void ram_copy_state_io(struct state_io *io, struct page_copy *copy)
{
    STATE_IO(io, copy->stamp);
    STATE_IO(io, copy->pa);
    STATE_IO(io, copy->older);
    writer_state_io(io, &copy->opener);
    STATE_IO(io, copy->shared);
}

static void copy_io(struct state_io *io, struct page_copy *copy)
{
    ram_copy_state_io(io, copy);
    bytes_io(io, copy->bytes);
    if (io->loading)
        copy->kept = 0;
}

void ram_page_state_io(struct state_io *io, struct ram_page *page)
{
    uint32_t flags = page->flags & RAM_PAGE_STATE;

    STATE_IO(io, page->stamp);
    STATE_IO(io, flags);
    page->flags = (page->flags & ~(uint32_t)RAM_PAGE_STATE) | flags;
    STATE_IO(io, page->shared);
    writer_state_io(io, &page->opener);
    STATE_IO(io, page->copy);
    STATE_IO(io, page->uncopied);
    STATE_IO(io, page->streak);
    STATE_IO(io, page->last_open);
    STATE_IO(io, page->loaded);
}

/* Saves or restores the state and the bytes of a page. */
static void page_io(struct state_io *io, struct ram *r, uint64_t number)
{
    struct ram_page *page = &r->pages[number];

    ram_page_state_io(io, page);
    bytes_io(io, r->bytes + (number << PAGE_SHIFT));
    if (io->loading)
        page->kept = 0;
}

/* Versions also hold the slots of the ring of copies, as pages with numbers from here on. */
static const uint64_t COPIES = UINT64_C(1) << 60;

static bool version_io(void *ram, uint64_t number, struct state_io *io)
{
    struct ram *r = ram;

    if (number >= COPIES)
        copy_io(io, &r->copies[number - COPIES]);
    else
        page_io(io, r, number);
    return true;
}

void ram_keep_first(struct ram *r, uint64_t pa)
{
    versions_keep(r->versions, (pa - r->base) >> PAGE_SHIFT);
    ram_page_at(r, pa)->kept = r->generation;
}

void ram_keep_copy(struct ram *r, struct page_copy *slot)
{
    if (slot->kept == r->generation)
        return;
    versions_keep(r->versions, COPIES + (uint64_t)(slot - r->copies));
    slot->kept = r->generation;
}

/* Drops cached store translations, because the next store to a page must keep its bytes first. */
static void begin_generation(struct ram *r)
{
    r->generation = versions_generation(r->versions);
    r->epoch++;
}

struct version *ram_take_version(struct ram *r)
{
    struct page_store store = {r, sizeof(struct page_copy), version_io};
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

void ram_copies_state_io(struct state_io *io, struct ram *r)
{
    STATE_IO(io, r->first_copy);
    STATE_IO(io, r->next_copy);
    STATE_IO(io, r->copy_base);
    if (!r->copy_base || r->copy_base > r->first_copy || r->first_copy > r->next_copy ||
        r->next_copy - r->first_copy > r->copies_max)
        state_io_fail(io, STATE_OUT_OF_RANGE);
}

void ram_state_io(struct state_io *io, struct ram *r)
{
    state_io_section(io, "ram", 3);
    STATE_IO_SAME(io, r->base);
    STATE_IO_SAME(io, r->size);
    STATE_IO_SAME(io, r->copies_max);
    STATE_IO(io, r->stamp);
    STATE_IO(io, r->closed_stamp);
    STATE_IO(io, r->closings);
    ram_copies_state_io(io, r);
    STATE_IO(io, r->copies_left_out);
}

void writer_state_io(struct state_io *io, struct writer *w)
{
    STATE_IO_BELOW(io, w->kind, WRITER_KINDS);
    STATE_IO(io, w->hart);
    STATE_IO(io, w->pc);
    STATE_IO(io, w->cycle);
    STATE_IO(io, w->step);
}
