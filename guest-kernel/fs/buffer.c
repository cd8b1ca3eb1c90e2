/*
 * buffer.c - blocks in the page cache.
 *
 * A page's buffers are changed under its lock. Those of a device's pages may be dirtied by who
 * holds a reference; writing the page clears that before the contents are sent.
 */
#include <linux/bio.h>
#include <linux/buffer_head.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>
#include <trace/events/block.h>

static DECLARE_WAIT_QUEUE_HEAD(buffer_wait);
static DEFINE_SPINLOCK(end_lock); /* of a page's last buffer; taken with interrupts off */

/* ---- the buffers of a page ---- */

static bool create_empty_buffers(struct page *page, unsigned int size)
{
    struct buffer_head *first = NULL, *bh, **link = &first;
    unsigned int offset;

    for (offset = 0; offset < PAGE_SIZE; offset += size) {
        bh = kzalloc(sizeof(*bh));
        if (!bh)
            break;
        bh->b_page = page;
        bh->b_size = size;
        bh->b_data = (char *)page_address(page) + offset;
        bh->b_state = page_test(page, PG_UPTODATE) ? BH_Uptodate : 0;
        *link = bh;
        link = &bh->b_this_page;
    }
    if (offset < PAGE_SIZE) {
        for (; first; first = bh) {
            bh = first->b_this_page;
            kfree(first);
        }
        return false;
    }
    *link = first;
    page->buffers = first;
    return true;
}

static bool ensure_buffers(struct page *page, unsigned int size)
{
    return page->buffers || create_empty_buffers(page, size);
}

void drop_buffers(struct page *page)
{
    struct buffer_head *first = page->buffers, *bh = first, *next;

    page->buffers = NULL;
    do {
        next = bh->b_this_page;
        BUG_ON(buffer_test(bh, BH_Lock));
        kfree(bh);
        bh = next;
    } while (bh != first);
}

bool try_to_free_buffers(struct page *page)
{
    struct buffer_head *bh = page->buffers;

    if (!bh)
        return true;
    do {
        if (buffer_test(bh, BH_Lock | BH_Dirty))
            return false;
        bh = bh->b_this_page;
    } while (bh != page->buffers);
    drop_buffers(page);
    return true;
}

static void lock_buffer(struct buffer_head *bh)
{
    wait_event(buffer_wait,
               !(__atomic_fetch_or(&bh->b_state, BH_Lock, __ATOMIC_SEQ_CST) & BH_Lock));
}

static void unlock_buffer(struct buffer_head *bh)
{
    buffer_clear(bh, BH_Lock);
    smp_mb();
    if (waitqueue_active(&buffer_wait))
        wake_up_all(&buffer_wait);
}

static void wait_on_buffer(struct buffer_head *bh)
{
    wait_event(buffer_wait, !buffer_test(bh, BH_Lock));
}

/* ---- transfers of one block ---- */

static void end_bio_bh(struct bio *bio)
{
    struct buffer_head *bh = bio->bi_private;
    bool ok = !bio->bi_status;

    bio_put(bio);
    bh->b_end_io(bh, ok);
}

static void submit_bh(blk_opf_t opf, struct buffer_head *bh)
{
    struct bio *bio = bio_alloc(bh->b_bdev, 1, opf);

    if (!bio) {
        bh->b_end_io(bh, false);
        return;
    }
    bio->bi_iter.bi_sector = bh->b_blocknr * (bh->b_size >> SECTOR_SHIFT);
    bio_add_page(bio, bh->b_page, bh->b_size, bh->b_data - (char *)page_address(bh->b_page));
    bio->bi_end_io = end_bio_bh;
    bio->bi_private = bh;
    submit_bio(bio);
}

static void end_buffer_read_sync(struct buffer_head *bh, bool uptodate)
{
    if (uptodate)
        buffer_set(bh, BH_Uptodate);
    unlock_buffer(bh);
}

/* Unlocks the buffer, and returns whether it was the last locked one of the page. */
static bool unlock_last(struct buffer_head *bh)
{
    struct buffer_head *other;
    unsigned long flags;
    bool last = true;

    spin_lock_irqsave(&end_lock, flags);
    buffer_clear(bh, BH_Lock);
    for (other = bh->b_this_page; other != bh; other = other->b_this_page)
        last = last && !buffer_test(other, BH_Lock);
    spin_unlock_irqrestore(&end_lock, flags);
    return last;
}

static bool all_uptodate(const struct page *page)
{
    const struct buffer_head *bh = page->buffers;

    do {
        if (!buffer_test(bh, BH_Uptodate))
            return false;
        bh = bh->b_this_page;
    } while (bh != page->buffers);
    return true;
}

/* The page is locked, so no buffer is locked by others. */
static void end_buffer_async_read(struct buffer_head *bh, bool uptodate)
{
    struct page *page = bh->b_page;

    if (uptodate)
        buffer_set(bh, BH_Uptodate);
    if (!unlock_last(bh))
        return;
    if (all_uptodate(page))
        page_set(page, PG_UPTODATE);
    unlock_page(page);
}

static void end_buffer_async_write(struct buffer_head *bh, bool uptodate)
{
    struct page *page = bh->b_page;

    if (!uptodate)
        WRITE_ONCE(page->mapping->wb_err, -EIO);
    if (unlock_last(bh))
        end_page_writeback(page);
    wake_up_all(&buffer_wait);
}

static void mark_buffer_dirty(struct buffer_head *bh)
{
    trace_block_dirty_buffer(bh);
    if (buffer_test(bh, BH_Dirty) && page_test(bh->b_page, PG_DIRTY))
        return;
    buffer_set(bh, BH_Dirty);
    set_page_dirty(bh->b_page);
}

/* ---- pages of files ---- */

static unsigned int block_size(const struct page *page)
{
    return page->buffers ? page->buffers->b_size : page->mapping->host->i_blksize;
}

static int map_block(struct page *page, struct buffer_head *bh, get_block_t get_block, bool create)
{
    sector_t iblock = (page_offset(page) + (bh->b_data - (char *)page_address(page))) / bh->b_size;

    return buffer_test(bh, BH_Mapped) ? 0 : get_block(page->mapping->host, iblock, bh, create);
}

/* Maps all buffers for reading; those that are to be read are locked. Returns how many, or an
 * error. */
static int lock_for_read(struct page *page, get_block_t get_block)
{
    struct buffer_head *bh = page->buffers;
    int n = 0, err = 0;

    do {
        if (!buffer_test(bh, BH_Uptodate))
            err = map_block(page, bh, get_block, false);
        if (err)
            return err;
        if (!buffer_test(bh, BH_Uptodate) && !buffer_test(bh, BH_Mapped)) {
            memset(bh->b_data, 0, bh->b_size);
            buffer_set(bh, BH_Uptodate);
        }
        bh = bh->b_this_page;
    } while (bh != page->buffers);
    do {
        if (!buffer_test(bh, BH_Uptodate)) {
            lock_buffer(bh);
            bh->b_end_io = end_buffer_async_read;
            n++;
        }
        bh = bh->b_this_page;
    } while (bh != page->buffers);
    return n;
}

/* Submits the buffers that were locked. The last one's end unlocks the page. */
static void submit_locked(struct page *page, blk_opf_t opf, int n)
{
    struct buffer_head *bh = page->buffers, *next;

    for (; n; bh = next) {
        next = bh->b_this_page;
        if (!buffer_test(bh, BH_Lock) || (opf == REQ_OP_READ && buffer_test(bh, BH_Uptodate)))
            continue;
        n--;
        submit_bh(opf, bh);
    }
}

int block_read_full_folio(struct page *page, get_block_t get_block)
{
    int n = ensure_buffers(page, block_size(page)) ? lock_for_read(page, get_block) : -ENOMEM;

    if (n <= 0) {
        if (!n)
            page_set(page, PG_UPTODATE);
        unlock_page(page);
        return n;
    }
    submit_locked(page, REQ_OP_READ, n);
    return 0;
}

/* Locks the dirty buffers, which become clean. Returns how many, or an error. */
static int lock_for_write(struct page *page, get_block_t get_block)
{
    struct buffer_head *bh = page->buffers;
    int n = 0, err = 0;

    do {
        if (buffer_test(bh, BH_Dirty))
            err = map_block(page, bh, get_block, true);
        if (err)
            return err;
        bh = bh->b_this_page;
    } while (bh != page->buffers);
    do {
        if (buffer_test(bh, BH_Dirty)) {
            lock_buffer(bh);
            buffer_clear(bh, BH_Dirty);
            bh->b_end_io = end_buffer_async_write;
            n++;
        }
        bh = bh->b_this_page;
    } while (bh != page->buffers);
    return n;
}

int block_write_full_page(struct page *page, get_block_t get_block)
{
    int n = ensure_buffers(page, block_size(page)) ? lock_for_write(page, get_block) : -ENOMEM;

    if (n > 0)
        set_page_writeback(page);
    get_page(page); /* until all buffers are submitted */
    unlock_page(page);
    if (n > 0)
        submit_locked(page, REQ_OP_WRITE, n);
    put_page(page);
    return n < 0 ? n : 0;
}

/* Prepares a block that the bytes [from, to) of the page touch. */
static int prepare_block(struct page *page, struct buffer_head *bh, unsigned int from,
                         unsigned int to, get_block_t get_block)
{
    unsigned int start = bh->b_data - (char *)page_address(page);
    int err = map_block(page, bh, get_block, true);

    if (err)
        return err;
    if (buffer_test(bh, BH_Uptodate) || (from <= start && start + bh->b_size <= to))
        return 0;
    lock_buffer(bh);
    bh->b_end_io = end_buffer_read_sync;
    submit_bh(REQ_OP_READ, bh);
    wait_on_buffer(bh);
    return buffer_test(bh, BH_Uptodate) ? 0 : -EIO;
}

int block_write_begin(struct address_space *mapping, loff_t pos, unsigned int len,
                      struct page **pagep, get_block_t get_block)
{
    struct page *page = find_or_create_page(mapping, pos >> PAGE_SHIFT);
    unsigned int from = pos & ~PAGE_MASK, to = from + len, start = 0;
    struct buffer_head *bh;
    int err = 0;

    if (!page)
        return -ENOMEM;
    wait_on_page_writeback(page);
    if (!ensure_buffers(page, block_size(page)))
        err = -ENOMEM;
    for (bh = page->buffers; !err && start < PAGE_SIZE; bh = bh->b_this_page) {
        if (start < to && start + bh->b_size > from)
            err = prepare_block(page, bh, from, to, get_block);
        start += bh->b_size;
    }
    if (err) {
        unlock_page(page);
        put_page(page);
        return err;
    }
    *pagep = page;
    return 0;
}

int generic_write_end(struct address_space *mapping, loff_t pos, unsigned int len,
                      struct page *page)
{
    unsigned int from = pos & ~PAGE_MASK, start = 0;
    struct buffer_head *bh;

    for (bh = page->buffers; start < PAGE_SIZE; bh = bh->b_this_page) {
        if (start < from + len && start + bh->b_size > from) {
            buffer_set(bh, BH_Uptodate);
            mark_buffer_dirty(bh);
        }
        start += bh->b_size;
    }
    if (all_uptodate(page))
        page_set(page, PG_UPTODATE);
    if (pos + len > mapping->host->i_size)
        WRITE_ONCE(mapping->host->i_size, pos + len);
    unlock_page(page);
    put_page(page);
    return 0;
}
