/* mpage.c - reads successive pages whose blocks are successive, too, by one bio. */
#include <linux/bio.h>
#include <linux/buffer_head.h>
#include <linux/kernel.h>

static void mpage_end_io(struct bio *bio)
{
    const struct bio_vec *v;

    for (v = bio_first_vec(bio); v < bio->bi_io_vec + bio->bi_vcnt; v++) {
        if (!bio->bi_status)
            page_set(v->bv_page, PG_UPTODATE);
        unlock_page(v->bv_page);
    }
    bio_put(bio);
}

/* The sector where the whole page is, in one piece; false: it is not. */
static bool find_page(struct page *page, get_block_t get_block, struct block_device **bdev,
                      sector_t *sector)
{
    struct inode *inode = page->mapping->host;
    unsigned int size = inode->i_blksize, blocks = PAGE_SIZE / size, i;
    sector_t first = 0;

    for (i = 0; i < blocks; i++) {
        struct buffer_head bh = {.b_size = size};

        if (get_block(inode, page_offset(page) / size + i, &bh, false) ||
            !(bh.b_state & BH_Mapped) || (i && bh.b_blocknr != first + i))
            return false;
        if (!i)
            first = bh.b_blocknr;
        *bdev = bh.b_bdev;
    }
    *sector = first * (size >> SECTOR_SHIFT);
    return true;
}

static struct bio *begin_bio(struct block_device *bdev, sector_t sector, unsigned int nr)
{
    struct bio *bio = bio_alloc(bdev, nr, REQ_OP_READ | REQ_RAHEAD);

    if (!bio)
        return NULL;
    bio->bi_iter.bi_sector = sector;
    bio->bi_end_io = mpage_end_io;
    return bio;
}

static struct bio *flush_bio(struct bio *bio)
{
    if (bio)
        submit_bio(bio);
    return NULL;
}

void mpage_readahead(struct page **pages, unsigned int nr, get_block_t get_block)
{
    struct block_device *bdev = NULL;
    struct bio *bio = NULL;
    unsigned int i;

    for (i = 0; i < nr; i++) {
        struct page *page = pages[i];
        sector_t sector;

        if (page->buffers || !find_page(page, get_block, &bdev, &sector)) {
            bio = flush_bio(bio);
            block_read_full_folio(page, get_block);
            put_page(page);
            continue;
        }
        if (bio && bio_end_sector(bio) != sector)
            bio = flush_bio(bio);
        if (!bio)
            bio = begin_bio(bdev, sector, nr - i);
        if (!bio || !bio_add_page(bio, page, PAGE_SIZE, 0))
            unlock_page(page);
        put_page(page);
    }
    flush_bio(bio);
}
