/* truncate.c - takes pages out of the page cache. */
#include <linux/buffer_head.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/string.h>

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
