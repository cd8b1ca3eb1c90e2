/*
 * ram_contents.c - all of memory, for a file (ram.h): what is known of each page that is not as at
 * power-on, the copies, and where the bytes of both are.
 */

#include "base/page_list.h"
#include "base/state_io.h"
#include "mem/ram.h"

_Static_assert((int)LISTED_PAGE_BYTES == (int)PAGE_BYTES, "pages of memory are listed");

/* Whether the page can differ from one at power-on without an image. */
static bool is_touched(const struct ram_page *page)
{
    return page->stamp || page->loaded || page->flags & RAM_PAGE_STATE;
}

/* Bytes that are not all zero are listed; others are zero after a restore. */
static void list_bytes(struct state_io *io, uint8_t *bytes, struct page_list *contents)
{
    bool zero = !io->loading && page_is_zero(bytes);

    STATE_IO(io, zero);
    if (!zero)
        VEC_PUSH(&contents->pages, bytes);
    else if (io->loading && !page_is_zero(bytes))
        memset(bytes, 0, PAGE_BYTES);
}

static void page_io(struct state_io *io, struct ram *r, uint64_t number, struct page_list *contents)
{
    struct ram_page *page = &r->pages[number];

    ram_page_state_io(io, page);
    page->loaded = true;
    if (!io->error)
        list_bytes(io, r->bytes + (number << PAGE_SHIFT), contents);
}

static void save_pages(struct state_io *io, struct ram *r, struct page_list *contents)
{
    uint64_t count = r->size >> PAGE_SHIFT, touched = 0;

    for (uint64_t number = 0; number < count; number++)
        touched += is_touched(&r->pages[number]);
    STATE_IO(io, touched);
    for (uint64_t number = 0; number < count; number++)
        if (is_touched(&r->pages[number])) {
            STATE_IO(io, number);
            page_io(io, r, number, contents);
        }
}

static void keep(struct ram *r, uint64_t number)
{
    ram_keep_page(r, r->base + (number << PAGE_SHIFT));
}

/* Makes the pages [from, to) as they are at power-on without an image. */
static void reset_pages(struct ram *r, uint64_t from, uint64_t to)
{
    for (uint64_t number = from; number < to; number++) {
        struct ram_page *page = &r->pages[number];

        if (!is_touched(page))
            continue;
        keep(r, number);
        *page = (struct ram_page){.flags = page->flags & ~(uint32_t)RAM_PAGE_STATE,
                                  .kept = page->kept,
                                  .table_uses = page->table_uses};
        memset(r->bytes + (number << PAGE_SHIFT), 0, PAGE_BYTES);
    }
}

static void load_pages(struct state_io *io, struct ram *r, struct page_list *contents)
{
    uint64_t count = r->size >> PAGE_SHIFT, next = 0, number = 0;

    for (uint64_t left = state_io_count(io, 0, count); left && !io->error; left--) {
        STATE_IO_BELOW(io, number, count);
        if (number < next)
            state_io_fail(io, STATE_OUT_OF_RANGE);
        if (io->error)
            return;
        reset_pages(r, next, number);
        keep(r, number);
        page_io(io, r, number, contents);
        next = number + 1;
    }
    if (!io->error)
        reset_pages(r, next, count);
}

static void copies_io(struct state_io *io, struct ram *r, struct page_list *contents)
{
    STATE_IO_SAME(io, r->copies_max);
    ram_copies_state_io(io, r);
    for (uint64_t n = r->first_copy; n < r->next_copy && !io->error; n++) {
        struct page_copy *copy = &r->copies[(n - r->copy_base) % r->copies_max];

        if (io->loading)
            ram_keep_copy(r, copy);
        ram_copy_state_io(io, copy);
        if (!ram_has(r, copy->pa, PAGE_BYTES))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        if (!io->error)
            list_bytes(io, copy->bytes, contents);
    }
}

void ram_contents_io(struct state_io *io, struct ram *r, struct page_list *contents)
{
    state_io_section(io, "memory", 1);
    STATE_IO_SAME(io, r->base);
    STATE_IO_SAME(io, r->size);
    if (io->loading) {
        r->epoch++; /* cached store translations must go */
        load_pages(io, r, contents);
    } else {
        save_pages(io, r, contents);
    }
    copies_io(io, r, contents);
}
