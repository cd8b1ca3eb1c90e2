/* bio.h - building and submitting bios. */
#ifndef LINUX_BIO_H
#define LINUX_BIO_H

#include <linux/blk_types.h>

enum { BIO_MAX_VECS = 256 };

static inline dev_t bio_dev(const struct bio *bio)
{
    return bio->bi_bdev->bd_dev;
}

/* NULL: no memory. */
struct bio *bio_alloc(struct block_device *bdev, unsigned int nr_vecs, blk_opf_t opf);
void bio_put(struct bio *bio);
/* Appends a piece of a page. Returns len, or 0 if the bio is full. */
unsigned int bio_add_page(struct bio *bio, struct page *page, unsigned int len,
                          unsigned int offset);
/* Reports the end of one part of a bio; the last one calls bi_end_io. */
void bio_endio(struct bio *bio);
/* Ends it with an error. */
void bio_io_error(struct bio *bio);
/* Separates the first sectors at the boundary of a piece; the returned bio ends with its parent. */
struct bio *bio_split(struct bio *bio, unsigned int vecs);

/* The first piece of a bio from bio_alloc(), also of one that was split since. */
static inline const struct bio_vec *bio_first_vec(const struct bio *bio)
{
    return (const struct bio_vec *)(bio + 1);
}

/* Hands over the bio; its bi_end_io is called when it is done, maybe before this returns. */
void submit_bio(struct bio *bio);
/* Submits and waits. 0 or an error; the bio stays the caller's. */
int submit_bio_wait(struct bio *bio);
/* Waits until what the device has reported as written is on its medium. */
int blkdev_issue_flush(struct block_device *bdev);

#endif
