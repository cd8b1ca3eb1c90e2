/*
 * readahead.c - reads pages before they are asked for.
 *
 * A file that is read from its start or without gaps gets a window of pages that doubles up to
 * the device's limit. Reaching a marked page within it starts reading the next window.
 */
#include <linux/blkdev.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>

enum { BATCH = 32, INITIAL_PAGES = 4 };

/* Reads the missing pages of [index, index + nr). The page `marked` gets PG_READAHEAD. */
static void do_page_cache_ra(struct address_space *mapping, unsigned long index, unsigned long nr,
                             unsigned long marked)
{
    unsigned long end = (READ_ONCE(mapping->host->i_size) + PAGE_SIZE - 1) >> PAGE_SHIFT;
    struct page *batch[BATCH];
    unsigned int n = 0;

    for (end = min(end, index + nr); index < end; index++) {
        struct page *page = add_new_page(mapping, index);

        if (page && index == marked)
            page_set(page, PG_READAHEAD);
        if (page)
            batch[n++] = page;
        if (n && (!page || n == BATCH)) {
            mapping->a_ops->readahead(batch, n);
            n = 0;
        }
    }
    if (n)
        mapping->a_ops->readahead(batch, n);
}

static void read_window(struct address_space *mapping, const struct file_ra_state *ra)
{
    struct blk_plug plug;

    blk_start_plug(&plug);
    do_page_cache_ra(mapping, ra->start, ra->size, ra->start + ra->size - ra->async_size);
    blk_finish_plug(&plug);
}

static unsigned long window_limit(const struct address_space *mapping)
{
    return bdev_get_queue(mapping->bdev)->ra_pages;
}

void page_cache_sync_readahead(struct address_space *mapping, struct file_ra_state *ra,
                               unsigned long index, unsigned long nr)
{
    unsigned long limit = window_limit(mapping);
    bool sequential = !index || index == ra->prev_index + 1;

    nr = min(nr, max(limit, 1ul));
    ra->start = index;
    ra->size = sequential ? min(max(nr * 2, (unsigned long)INITIAL_PAGES), limit) : nr;
    ra->size = max(ra->size, nr);
    ra->async_size = sequential ? ra->size - nr : 0;
    read_window(mapping, ra);
}

void page_cache_async_readahead(struct address_space *mapping, struct file_ra_state *ra,
                                struct page *page)
{
    unsigned long limit = window_limit(mapping);

    page_clear(page, PG_READAHEAD);
    if (!limit)
        return;
    ra->start = max(ra->start + ra->size, (unsigned long)page->index + 1);
    ra->size = min(max(ra->size * 2, (unsigned long)INITIAL_PAGES), limit);
    ra->async_size = ra->size;
    read_window(mapping, ra);
}
