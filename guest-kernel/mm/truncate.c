/* truncate.c - takes pages out of the page cache. */
#include <linux/buffer_head.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/string.h>

static void truncate_page(struct address_space *mapping, struct page *page)
{
    lock_page(page);
    if (page->mapping == mapping) {
        wait_on_page_writeback(page);
        clear_page_dirty(page);
        delete_from_page_cache(page);
    }
    unlock_page(page);
}

/* The part of the last page after the new end becomes zero, so that it is when the file grows. */
static void truncate_partial(struct address_space *mapping, loff_t from)
{
    unsigned long offset = from & ~PAGE_MASK;
    struct page *page = offset ? find_get_page(mapping, from >> PAGE_SHIFT) : NULL;

    if (!page)
        return;
    lock_page(page);
    if (page->mapping == mapping && page_test(page, PG_UPTODATE)) {
        wait_on_page_writeback(page);
        memset((char *)page_address(page) + offset, 0, PAGE_SIZE - offset);
    }
    unlock_page(page);
    put_page(page);
}

void truncate_inode_pages(struct address_space *mapping, loff_t from)
{
    unsigned long index = (from + PAGE_SIZE - 1) >> PAGE_SHIFT;
    struct page *page;

    truncate_partial(mapping, from);
    while ((page = find_next_page(mapping, &index))) {
        truncate_page(mapping, page);
        put_page(page);
        index++;
        cond_resched();
    }
}

void invalidate_mapping_pages(struct address_space *mapping)
{
    unsigned long index = 0;
    struct page *page;

    while ((page = find_next_page(mapping, &index))) {
        index++;
        if (page_count(page) == 2 && trylock_page(page)) {
            if (page->mapping == mapping && !page_test(page, PG_DIRTY | PG_WRITEBACK) &&
                try_to_free_buffers(page))
                delete_from_page_cache(page);
            unlock_page(page);
        }
        put_page(page);
        cond_resched();
    }
}
