/*
 * pagemap.h - the page cache: pages of files and of block devices.
 *
 * A page in the cache has a reference of the cache's. It is locked while its contents are read
 * in, changed as a whole, or taken out of the cache.
 */
#ifndef LINUX_PAGEMAP_H
#define LINUX_PAGEMAP_H

#include <asm/page.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/radix-tree.h>

struct block_device;

struct address_space_operations {
    /* Reads a locked page; it is unlocked at the end. 0 or an error, then it is unlocked, too. */
    int (*read_folio)(struct page *page);
    /* Starts reading locked pages with successive indices. */
    void (*readahead)(struct page **pages, unsigned int nr);
    /* Starts writing a locked page whose dirty flag was just cleared. Unlocks it. */
    int (*writepage)(struct page *page);
    /* Returns the page locked and ready to get len bytes at pos. 0 or an error. */
    int (*write_begin)(struct address_space *mapping, loff_t pos, unsigned int len,
                       struct page **page);
    /* After the bytes were stored: makes them dirty, unlocks the page, drops its reference. */
    int (*write_end)(struct address_space *mapping, loff_t pos, unsigned int len,
                     struct page *page);
};

struct address_space {
    struct inode *host;
    struct block_device *bdev; /* where the pages are stored */
    const struct address_space_operations *a_ops;
    spinlock_t lock; /* guards i_pages and nrpages */
    struct radix_tree_root i_pages;
    unsigned long nrpages;
    int wb_err;                 /* the first error of writing since the last report */
    struct list_head wb_list;   /* has dirty pages: fs/fs-writeback.c, under its lock */
    unsigned long dirtied_when; /* jiffies */
};

void address_space_init(struct address_space *mapping, struct inode *host,
                        struct block_device *bdev, const struct address_space_operations *ops);

static inline loff_t page_offset(const struct page *page)
{
    return (loff_t)page->index << PAGE_SHIFT;
}

static inline bool page_test(const struct page *page, unsigned int flag)
{
    return READ_ONCE(page->flags) & flag;
}

static inline void page_set(struct page *page, unsigned int flag)
{
    (void)__atomic_fetch_or(&page->flags, flag, __ATOMIC_SEQ_CST);
}

static inline void page_clear(struct page *page, unsigned int flag)
{
    (void)__atomic_fetch_and(&page->flags, ~flag, __ATOMIC_SEQ_CST);
}

/* Returns whether it was set. */
static inline bool page_test_set(struct page *page, unsigned int flag)
{
    return __atomic_fetch_or(&page->flags, flag, __ATOMIC_SEQ_CST) & flag;
}

static inline bool page_test_clear(struct page *page, unsigned int flag)
{
    return __atomic_fetch_and(&page->flags, ~flag, __ATOMIC_SEQ_CST) & flag;
}

/* mm/filemap.c */
bool trylock_page(struct page *page);
void lock_page(struct page *page);
void unlock_page(struct page *page); /* from any context */
void wait_on_page_locked(struct page *page);
void set_page_writeback(struct page *page);
void end_page_writeback(struct page *page); /* from any context */
void wait_on_page_writeback(struct page *page);
/* With a reference, or NULL. */
struct page *find_get_page(struct address_space *mapping, unsigned long index);
/* The first page at *index or above, with a reference; its index is stored. NULL: none. */
struct page *find_next_page(struct address_space *mapping, unsigned long *index);
/* Locked and with a reference; a new page if there was none. NULL: no memory. */
struct page *find_or_create_page(struct address_space *mapping, unsigned long index);
/* Allocates a locked page and adds it. NULL: no memory, or there is one. */
struct page *add_new_page(struct address_space *mapping, unsigned long index);
/* Removes a locked page, which is not dirty. The caller has a reference. */
void delete_from_page_cache(struct page *page);
/* Returns the page with its contents and a reference, or ERR_PTR. */
struct page *read_mapping_page(struct address_space *mapping, unsigned long index);
ssize_t generic_file_read(struct file *file, char *buf, size_t count, loff_t *pos);
ssize_t generic_file_write(struct file *file, const char *buf, size_t count, loff_t *pos);
/* Makes a page dirty; returns whether it was clean. */
bool set_page_dirty(struct page *page);
bool clear_page_dirty(struct page *page); /* returns whether it was dirty */
unsigned long nr_file_pages(void);
/* Frees clean pages that were not used for long, until n are freed or all were looked at. */
unsigned long shrink_page_cache(unsigned long n);

/* mm/truncate.c */
/* Drops pages that are clean and not in use. */
void invalidate_mapping_pages(struct address_space *mapping);

/* mm/readahead.c: a page was missing; a page with PG_READAHEAD was reached. */
void page_cache_sync_readahead(struct address_space *mapping, struct file_ra_state *ra,
                               unsigned long index, unsigned long nr);
void page_cache_async_readahead(struct address_space *mapping, struct file_ra_state *ra,
                                struct page *page);

/* mm/page-writeback.c. wait: also for pages that are being written. 0 or the first error. */
int filemap_write_and_wait(struct address_space *mapping);
void filemap_fdatawrite(struct address_space *mapping);
int filemap_fdatawait(struct address_space *mapping);
unsigned long nr_dirty_pages(void);
/* Called after a page was dirtied: writes if there are too many. */
void balance_dirty_pages(struct address_space *mapping);

/* fs/fs-writeback.c */
void mapping_becomes_dirty(struct address_space *mapping);

#endif
