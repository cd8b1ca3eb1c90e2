/*
 * filemap.c - the page cache: finding, locking, reading and writing pages.
 *
 * Pages are in their mapping's tree and in one list for all, by age (lru_lock). Locks are taken
 * one at a time: page, then mapping->lock or lru_lock.
 */
#include <linux/buffer_head.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/string.h>
#include <linux/wait.h>

static DEFINE_SPINLOCK(lru_lock);
static LIST_HEAD(lru_pages); /* under lru_lock; the oldest first */
static atomic_t file_pages, dirty_pages;
/* Pages and buffers have one queue: a wake-up makes each waiter look again. */
static DECLARE_WAIT_QUEUE_HEAD(page_wait);

void address_space_init(struct address_space *mapping, struct inode *host,
                        struct block_device *bdev, const struct address_space_operations *ops)
{
    mapping->host = host;
    mapping->bdev = bdev;
    mapping->a_ops = ops;
    spin_lock_init(&mapping->lock);
    INIT_LIST_HEAD(&mapping->wb_list);
}

/* ---- waiting ---- */

static void wake_page_waiters(void)
{
    smp_mb();
    if (waitqueue_active(&page_wait))
        wake_up_all(&page_wait);
}

bool trylock_page(struct page *page)
{
    return !page_test_set(page, PG_LOCKED);
}

void lock_page(struct page *page)
{
    if (!trylock_page(page))
        wait_event(page_wait, trylock_page(page));
}

void unlock_page(struct page *page)
{
    page_clear(page, PG_LOCKED);
    wake_page_waiters();
}

void wait_on_page_locked(struct page *page)
{
    wait_event(page_wait, !page_test(page, PG_LOCKED));
}

void set_page_writeback(struct page *page)
{
    page_set(page, PG_WRITEBACK);
}

void end_page_writeback(struct page *page)
{
    page_clear(page, PG_WRITEBACK);
    wake_page_waiters();
}

void wait_on_page_writeback(struct page *page)
{
    wait_event(page_wait, !page_test(page, PG_WRITEBACK));
}

/* ---- finding ---- */

struct page *find_get_page(struct address_space *mapping, unsigned long index)
{
    struct page *page;

    spin_lock(&mapping->lock);
    page = radix_tree_lookup(&mapping->i_pages, index);
    if (page)
        get_page(page);
    spin_unlock(&mapping->lock);
    return page;
}

struct page *find_next_page(struct address_space *mapping, unsigned long *index)
{
    struct page *page;

    spin_lock(&mapping->lock);
    page = radix_tree_next(&mapping->i_pages, index);
    if (page)
        get_page(page);
    spin_unlock(&mapping->lock);
    return page;
}

static void lru_add(struct page *page)
{
    spin_lock(&lru_lock);
    page->flags |= PG_LRU;
    list_add_tail(&page->lru, &lru_pages);
    spin_unlock(&lru_lock);
}

static void lru_del(struct page *page)
{
    spin_lock(&lru_lock);
    if (page_test_clear(page, PG_LRU))
        list_del_init(&page->lru);
    spin_unlock(&lru_lock);
}

/* Half of memory may be file pages, as long as some is free. */
static bool cache_is_too_large(void)
{
    return nr_file_pages() > totalram_pages() / 2 || nr_free_pages() < totalram_pages() / 16;
}

static struct page *page_cache_alloc(void)
{
    struct page *page;

    if (cache_is_too_large())
        shrink_page_cache(32);
    page = alloc_pages(0);
    if (!page)
        return NULL;
    page->flags = PG_LOCKED;
    page->buffers = NULL;
    atomic_set(&page->_refcount, 2); /* the cache's and the caller's */
    return page;
}

struct page *add_new_page(struct address_space *mapping, unsigned long index)
{
    struct page *page = page_cache_alloc();
    int err;

    if (!page)
        return NULL;
    page->mapping = mapping;
    page->index = index;
    spin_lock(&mapping->lock);
    err = radix_tree_insert(&mapping->i_pages, index, page);
    mapping->nrpages += !err;
    spin_unlock(&mapping->lock);
    if (err) {
        __free_pages(page, 0);
        return NULL;
    }
    atomic_inc(&file_pages);
    lru_add(page);
    return page;
}

/* Locks a page that was found; false: it has left the cache meanwhile. */
static bool lock_if_still_there(struct page *page, const struct address_space *mapping)
{
    lock_page(page);
    if (page->mapping == mapping)
        return true;
    unlock_page(page);
    put_page(page);
    return false;
}

struct page *find_or_create_page(struct address_space *mapping, unsigned long index)
{
    for (;;) {
        struct page *page = find_get_page(mapping, index);

        if (page && lock_if_still_there(page, mapping))
            return page;
        if (page)
            continue;
        page = add_new_page(mapping, index);
        if (page)
            return page;
        page = find_get_page(mapping, index); /* did another task add it? */
        if (!page)
            return NULL;
        put_page(page);
    }
}

/* ---- removing ---- */

/* Removes the page from its tree if it has no more than these references. */
static bool remove_mapping(struct page *page, int references)
{
    struct address_space *mapping = page->mapping;
    bool ok;

    spin_lock(&mapping->lock);
    ok = page_count(page) <= references;
    if (ok) {
        BUG_ON(radix_tree_delete(&mapping->i_pages, page->index) != page);
        mapping->nrpages--;
    }
    spin_unlock(&mapping->lock);
    if (!ok)
        return false;
    lru_del(page);
    page->mapping = NULL;
    atomic_dec(&file_pages);
    put_page(page);
    return true;
}

void delete_from_page_cache(struct page *page)
{
    if (page->buffers)
        drop_buffers(page);
    remove_mapping(page, 0x7fffffff);
}

/* The oldest page that is not in use, locked and with a reference; NULL: none. */
static struct page *oldest_unused(unsigned long *to_scan)
{
    struct page *page, *next, *found = NULL;

    spin_lock(&lru_lock);
    list_for_each_entry_safe(page, next, &lru_pages, lru) {
        if (!*to_scan)
            break;
        --*to_scan;
        list_del_init(&page->lru);
        list_add_tail(&page->lru, &lru_pages);
        if (page_test_clear(page, PG_REFERENCED) || page_test(page, PG_DIRTY | PG_WRITEBACK) ||
            page_count(page) != 1 || !trylock_page(page))
            continue;
        get_page(page);
        found = page;
        break;
    }
    spin_unlock(&lru_lock);
    return found;
}

unsigned long shrink_page_cache(unsigned long n)
{
    unsigned long to_scan = nr_file_pages(), freed = 0;
    struct page *page;

    while (freed < n && (page = oldest_unused(&to_scan))) {
        if (page->mapping && !page_test(page, PG_DIRTY | PG_WRITEBACK) && try_to_free_buffers(page))
            freed += remove_mapping(page, 2);
        unlock_page(page);
        put_page(page);
    }
    return freed;
}

unsigned long nr_file_pages(void)
{
    return atomic_read(&file_pages);
}

/* ---- dirty pages ---- */

bool set_page_dirty(struct page *page)
{
    if (page_test_set(page, PG_DIRTY))
        return false;
    atomic_inc(&dirty_pages);
    mapping_becomes_dirty(page->mapping);
    return true;
}

bool clear_page_dirty(struct page *page)
{
    if (!page_test_clear(page, PG_DIRTY))
        return false;
    atomic_dec(&dirty_pages);
    return true;
}

unsigned long nr_dirty_pages(void)
{
    return atomic_read(&dirty_pages);
}

/* ---- reading ---- */

/* Makes sure that the page has its contents. Drops the reference on error. */
static struct page *wait_for_contents(struct address_space *mapping, struct page *page)
{
    int err = 0;

    wait_on_page_locked(page);
    if (page_test(page, PG_UPTODATE))
        return page;
    lock_page(page);
    if (page->mapping != mapping)
        err = -EAGAIN; /* truncated */
    if (err || page_test(page, PG_UPTODATE)) {
        unlock_page(page);
    } else {
        err = mapping->a_ops->read_folio(page);
        wait_on_page_locked(page);
        if (!err && !page_test(page, PG_UPTODATE))
            err = -EIO;
    }
    if (!err)
        return page;
    put_page(page);
    return ERR_PTR(err);
}

struct page *read_mapping_page(struct address_space *mapping, unsigned long index)
{
    struct page *page;

    do {
        page = find_or_create_page(mapping, index);
        if (!page)
            return ERR_PTR(-ENOMEM);
        unlock_page(page);
        page = wait_for_contents(mapping, page);
    } while (page == ERR_PTR(-EAGAIN));
    return page;
}

static struct page *page_to_read(struct file *file, unsigned long index, unsigned long nr)
{
    struct address_space *mapping = file->f_inode->i_mapping;
    struct page *page = find_get_page(mapping, index);

    if (!page) {
        page_cache_sync_readahead(mapping, &file->f_ra, index, nr);
        page = find_get_page(mapping, index);
    }
    if (!page)
        return read_mapping_page(mapping, index);
    if (page_test(page, PG_READAHEAD))
        page_cache_async_readahead(mapping, &file->f_ra, page);
    page = wait_for_contents(mapping, page);
    return page == ERR_PTR(-EAGAIN) ? read_mapping_page(mapping, index) : page;
}

ssize_t generic_file_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    loff_t size = READ_ONCE(file->f_inode->i_size);
    size_t done = 0;

    if (*pos < 0)
        return -EINVAL;
    count = *pos < size ? min(count, (size_t)(size - *pos)) : 0;
    while (done < count) {
        unsigned long index = *pos >> PAGE_SHIFT, offset = *pos & ~PAGE_MASK;
        size_t n = min(count - done, PAGE_SIZE - offset);
        struct page *page =
            page_to_read(file, index, (count - done + offset + PAGE_SIZE - 1) >> PAGE_SHIFT);

        if (IS_ERR(page))
            return done ? (ssize_t)done : PTR_ERR(page);
        memcpy(buf + done, (char *)page_address(page) + offset, n);
        page_set(page, PG_REFERENCED);
        put_page(page);
        file->f_ra.prev_index = index;
        done += n;
        *pos += n;
    }
    return done;
}

/* ---- writing ---- */

static ssize_t write_piece(struct address_space *mapping, const char *buf, size_t count, loff_t pos)
{
    unsigned long offset = pos & ~PAGE_MASK;
    unsigned int n = min(count, PAGE_SIZE - offset);
    struct page *page;
    int err = mapping->a_ops->write_begin(mapping, pos, n, &page);

    if (err)
        return err;
    memcpy((char *)page_address(page) + offset, buf, n);
    page_set(page, PG_REFERENCED);
    err = mapping->a_ops->write_end(mapping, pos, n, page);
    balance_dirty_pages(mapping);
    return err ? err : (ssize_t)n;
}

ssize_t generic_file_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct inode *inode = file->f_inode;
    size_t done = 0;
    ssize_t n = 0;

    inode_lock(inode);
    if (file->f_flags & O_APPEND)
        *pos = inode->i_size;
    if (*pos < 0)
        n = -EINVAL;
    while (done < count && n >= 0) {
        n = write_piece(inode->i_mapping, buf + done, count - done, *pos);
        if (n > 0) {
            done += n;
            *pos += n;
        }
    }
    inode_unlock(inode);
    return done ? (ssize_t)done : n;
}
