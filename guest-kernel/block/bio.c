/* bio.c - bios: allocation, pieces, splitting and the end. */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <trace/events/block.h>

struct bio *bio_alloc(struct block_device *bdev, unsigned int nr_vecs, blk_opf_t opf)
{
    struct bio *bio;

    nr_vecs = min(nr_vecs, (unsigned int)BIO_MAX_VECS);
    bio = kzalloc(sizeof(*bio) + nr_vecs * sizeof(struct bio_vec));
    if (!bio)
        return NULL;
    bio->bi_bdev = bdev;
    bio->bi_opf = opf;
    bio->bi_max_vecs = nr_vecs;
    bio->bi_io_vec = (struct bio_vec *)(bio + 1);
    atomic_set(&bio->__bi_remaining, 1);
    return bio;
}

void bio_put(struct bio *bio)
{
    kfree(bio);
}

unsigned int bio_add_page(struct bio *bio, struct page *page, unsigned int len, unsigned int offset)
{
    struct bio_vec *last = bio->bi_vcnt ? &bio->bi_io_vec[bio->bi_vcnt - 1] : NULL;

    if (last && last->bv_page == page && last->bv_offset + last->bv_len == offset) {
        last->bv_len += len;
    } else {
        if (bio->bi_vcnt == bio->bi_max_vecs)
            return 0;
        bio->bi_io_vec[bio->bi_vcnt++] = (struct bio_vec){page, len, offset};
    }
    bio->bi_iter.bi_size += len;
    return len;
}

void bio_endio(struct bio *bio)
{
    if (bio->bi_flags & BIO_CHAIN && !atomic_dec_and_test(&bio->__bi_remaining))
        return;
    if (bio->bi_flags & BIO_TRACE_COMPLETION) {
        trace_block_bio_complete(bdev_get_queue(bio->bi_bdev), bio);
        bio->bi_flags &= ~BIO_TRACE_COMPLETION;
    }
    if (bio->bi_end_io)
        bio->bi_end_io(bio);
}

void bio_io_error(struct bio *bio)
{
    bio->bi_status = -EIO;
    bio_endio(bio);
}

/* The parent's end waits for the part's. */
static void end_part(struct bio *part)
{
    struct bio *parent = part->bi_private;

    if (part->bi_status && !parent->bi_status)
        parent->bi_status = part->bi_status;
    bio_put(part);
    bio_endio(parent);
}

struct bio *bio_split(struct bio *bio, unsigned int vecs)
{
    struct bio *part = bio_alloc(bio->bi_bdev, 0, bio->bi_opf);
    unsigned int i;

    BUG_ON(!vecs || vecs >= bio->bi_vcnt);
    if (!part)
        return NULL;
    part->bi_iter.bi_sector = bio->bi_iter.bi_sector;
    part->bi_io_vec = bio->bi_io_vec;
    part->bi_vcnt = vecs;
    part->bi_flags = bio->bi_flags;
    for (i = 0; i < vecs; i++)
        part->bi_iter.bi_size += bio->bi_io_vec[i].bv_len;
    part->bi_end_io = end_part;
    part->bi_private = bio;
    bio->bi_io_vec += vecs;
    bio->bi_vcnt -= vecs;
    bio->bi_iter.bi_size -= part->bi_iter.bi_size;
    bio->bi_iter.bi_sector = bio_end_sector(part);
    bio->bi_flags |= BIO_CHAIN;
    atomic_inc(&bio->__bi_remaining);
    return part;
}

static void submit_bio_wait_endio(struct bio *bio)
{
    complete(bio->bi_private);
}

int submit_bio_wait(struct bio *bio)
{
    DECLARE_COMPLETION_ONSTACK(done);

    bio->bi_private = &done;
    bio->bi_end_io = submit_bio_wait_endio;
    bio->bi_opf |= REQ_SYNC;
    submit_bio(bio);
    wait_for_completion(&done);
    return bio->bi_status;
}

int blkdev_issue_flush(struct block_device *bdev)
{
    struct bio *bio = bio_alloc(bdev, 0, REQ_OP_WRITE | REQ_PREFLUSH);
    int err;

    if (!bio)
        return -ENOMEM;
    err = submit_bio_wait(bio);
    bio_put(bio);
    return err;
}
