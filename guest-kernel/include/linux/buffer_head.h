/*
 * buffer_head.h - the blocks of a page in the page cache: where each is on its device, and
 * whether it is up to date and dirty.
 */
#ifndef LINUX_BUFFER_HEAD_H
#define LINUX_BUFFER_HEAD_H

#include <linux/blk_types.h>
#include <linux/fs.h>
#include <linux/pagemap.h>

enum {
    BH_Uptodate = 1,
    BH_Dirty = 2,
    BH_Lock = 4,
    BH_Mapped = 8, /* b_blocknr is valid */
};

struct buffer_head {
    unsigned int b_state;            /* BH_*; atomics only */
    struct buffer_head *b_this_page; /* the next one of the page, in a circle */
    struct page *b_page;
    sector_t b_blocknr; /* in blocks of b_size */
    unsigned int b_size;
    char *b_data;
    struct block_device *b_bdev;
    void (*b_end_io)(struct buffer_head *bh, bool uptodate);
};

/*
 * Finds the block of a file: sets b_bdev, b_blocknr and BH_Mapped, unless there is none and
 * create is not set.
 */
typedef int (*get_block_t)(struct inode *inode, sector_t iblock, struct buffer_head *bh,
                           bool create);

static inline bool buffer_test(const struct buffer_head *bh, unsigned int flag)
{
    return READ_ONCE(bh->b_state) & flag;
}

static inline void buffer_set(struct buffer_head *bh, unsigned int flag)
{
    (void)__atomic_fetch_or(&bh->b_state, flag, __ATOMIC_SEQ_CST);
}

static inline void buffer_clear(struct buffer_head *bh, unsigned int flag)
{
    (void)__atomic_fetch_and(&bh->b_state, ~flag, __ATOMIC_SEQ_CST);
}

/* The parts of address_space_operations for a file whose blocks get_block finds. */
int block_read_full_folio(struct page *page, get_block_t get_block);
int block_write_full_page(struct page *page, get_block_t get_block);
int block_write_begin(struct address_space *mapping, loff_t pos, unsigned int len,
                      struct page **page, get_block_t get_block);
int generic_write_end(struct address_space *mapping, loff_t pos, unsigned int len,
                      struct page *page);
void mpage_readahead(struct page **pages, unsigned int nr, get_block_t get_block);
/* For the page cache: frees the buffers of a locked page. */
bool try_to_free_buffers(struct page *page); /* false: some are in use or dirty */
void drop_buffers(struct page *page);        /* even then: the page goes away */

#endif
