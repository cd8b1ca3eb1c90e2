/* blk_types.h - block devices, and one transfer between memory and a device: struct bio. */
#ifndef LINUX_BLK_TYPES_H
#define LINUX_BLK_TYPES_H

#include <linux/atomic.h>
#include <linux/types.h>

typedef u64 sector_t; /* of 512 bytes, whatever the device's block size is */
typedef unsigned int blk_opf_t;

enum { SECTOR_SHIFT = 9, SECTOR_SIZE = 1 << SECTOR_SHIFT };

/* The low bits of blk_opf_t are the operation, the others are flags. Values are Linux's. */
enum req_op { REQ_OP_READ = 0, REQ_OP_WRITE = 1, REQ_OP_FLUSH = 2, REQ_OP_DISCARD = 3 };

enum {
    REQ_OP_MASK = 0xff,
    REQ_SYNC = 1 << 11,
    REQ_META = 1 << 12,
    REQ_NOMERGE = 1 << 14,
    REQ_FUA = 1 << 17,
    REQ_PREFLUSH = 1 << 18,
    REQ_RAHEAD = 1 << 19,
};

struct address_space;
struct bio;
struct dentry;
struct gendisk;
struct inode;
struct page;
struct super_block;

struct block_device {
    sector_t bd_nr_sectors;
    struct gendisk *bd_disk;
    dev_t bd_dev;
    struct inode *bd_inode;           /* its pages are the device's contents */
    unsigned long ios[3], sectors[3]; /* done, by STAT_*; under the queue's lock */
    u64 nsecs[3];
};

enum { STAT_READ, STAT_WRITE, STAT_FLUSH };

struct bio_vec {
    struct page *bv_page;
    unsigned int bv_len;
    unsigned int bv_offset;
};

struct bvec_iter {
    sector_t bi_sector;
    unsigned int bi_size; /* bytes */
};

/* TRACE_COMPLETION: the end has to be traced. */
enum { BIO_TRACE_COMPLETION = 1, BIO_CHAIN = 2 };

typedef void (*bio_end_io_t)(struct bio *bio);

struct bio {
    struct bio *bi_next; /* in its request */
    struct block_device *bi_bdev;
    blk_opf_t bi_opf;
    unsigned short bi_flags; /* BIO_* */
    int bi_status;           /* 0 or a negative error, for bi_end_io */
    atomic_t __bi_remaining; /* parts of a bio that was split */
    struct bvec_iter bi_iter;
    bio_end_io_t bi_end_io; /* in interrupt */
    void *bi_private;
    unsigned short bi_vcnt, bi_max_vecs;
    struct bio_vec *bi_io_vec; /* its own, or those of the bio that it was split from */
};

static inline enum req_op bio_op(const struct bio *bio)
{
    return bio->bi_opf & REQ_OP_MASK;
}

static inline bool op_is_write(blk_opf_t op)
{
    return op & 1;
}

static inline unsigned int bio_sectors(const struct bio *bio)
{
    return bio->bi_iter.bi_size >> SECTOR_SHIFT;
}

static inline sector_t bio_end_sector(const struct bio *bio)
{
    return bio->bi_iter.bi_sector + bio_sectors(bio);
}

#endif
