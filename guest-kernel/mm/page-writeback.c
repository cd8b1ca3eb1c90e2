/* page-writeback.c - writes dirty pages of a mapping. */
#include <linux/blkdev.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>

/* Starts writing a page, if it is still dirty; then it is unlocked by writepage(). */
static void write_one(struct address_space *mapping, struct page *page)
{
    int err;

    lock_page(page);
    if (page->mapping != mapping || !page_test(page, PG_DIRTY)) {
        unlock_page(page);
        return;
    }
    wait_on_page_writeback(page);
    if (!clear_page_dirty(page)) {
        unlock_page(page);
        return;
    }
    err = mapping->a_ops->writepage(page);
    if (err)
        WRITE_ONCE(mapping->wb_err, err);
}

void filemap_fdatawrite(struct address_space *mapping)
{
    struct blk_plug plug;
    unsigned long index = 0;
    struct page *page;

    blk_start_plug(&plug);
    while ((page = find_next_page(mapping, &index))) {
        index++;
        if (page_test(page, PG_DIRTY))
            write_one(mapping, page);
        put_page(page);
        cond_resched();
    }
    blk_finish_plug(&plug);
}

int filemap_fdatawait(struct address_space *mapping)
{
    unsigned long index = 0;
    struct page *page;

    while ((page = find_next_page(mapping, &index))) {
        index++;
        wait_on_page_writeback(page);
        put_page(page);
    }
    return __atomic_exchange_n(&mapping->wb_err, 0, __ATOMIC_SEQ_CST);
}

int filemap_write_and_wait(struct address_space *mapping)
{
    filemap_fdatawrite(mapping);
    return filemap_fdatawait(mapping);
}

/* As Linux's default: a fifth of memory may be dirty. */
void balance_dirty_pages(struct address_space *mapping)
{
    if (nr_dirty_pages() > totalram_pages() / 5)
        filemap_fdatawrite(mapping);
}
