/*
 * blkdev.h - disks and their request queues.
 *
 * A bio is merged with a request that it continues, or becomes a request. Requests are collected
 * in the task's plug, if it has one, then in the queue, and go to the driver from there. The
 * driver ends each one by blk_mq_end_request(), from its interrupt.
 */
#ifndef LINUX_BLKDEV_H
#define LINUX_BLKDEV_H

#include <linux/bio.h>
#include <linux/blk_types.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

struct blk_trace;
struct file_operations;
struct request_queue;

enum { BLK_MAX_REQUEST_COUNT = 32, BLK_PLUG_FLUSH_SIZE = 128 * 1024, DISK_NAME_LEN = 32 };

struct request {
    struct request_queue *q;
    blk_opf_t cmd_flags;
    sector_t __sector;
    unsigned int __data_len;
    unsigned int nr_segments;
    int tag;
    struct bio *bio, *biotail;
    struct list_head queuelist; /* free, in a plug or in the queue */
    u64 start_time_ns;
};

struct blk_mq_ops {
    /*
     * Starts a request; last: no other follows at once. 0, or -EBUSY: it is offered again when
     * one has ended. Not to sleep.
     */
    int (*queue_rq)(struct request *rq, bool last);
    /* The last request that was started was not the last: -EBUSY came in between. */
    void (*commit_rqs)(struct request_queue *q);
};

struct queue_limits {
    unsigned int max_segments, max_sectors, logical_block_size;
    bool write_cache; /* needs flushes */
};

struct request_queue {
    const struct blk_mq_ops *mq_ops;
    void *queuedata; /* of the driver */
    struct gendisk *disk;
    struct queue_limits limits;
    unsigned int nr_requests;
    unsigned int ra_pages; /* read-ahead */
    unsigned int nomerges; /* 0: merges; 2: none */

    spinlock_t queue_lock;          /* guards the members below; taken with interrupts off */
    struct list_head queue_head;    /* requests that the driver did not take yet */
    struct list_head free_requests; /* allocated at boot, with the driver's part after each */
    unsigned int in_flight;
    struct wait_queue_head rq_wait;

    struct blk_trace *blk_trace; /* kernel/trace/blktrace.c; NULL: off */
};

struct gendisk {
    int major, first_minor;
    char disk_name[DISK_NAME_LEN];
    struct block_device part0;
    struct request_queue *queue;
    bool read_only;
    void *private_data;
    struct list_head list;
    struct dentry *sysfs_dir; /* /sys/block/NAME */
};

/* Requests that a task collects before the driver gets them. */
struct blk_plug {
    struct list_head mq_list;
    unsigned int rq_count;
};

static inline dev_t disk_devt(const struct gendisk *disk)
{
    return disk->part0.bd_dev;
}

static inline sector_t blk_rq_pos(const struct request *rq)
{
    return rq->__sector;
}

static inline unsigned int blk_rq_bytes(const struct request *rq)
{
    return rq->__data_len;
}

static inline unsigned int blk_rq_sectors(const struct request *rq)
{
    return rq->__data_len >> SECTOR_SHIFT;
}

static inline enum req_op req_op(const struct request *rq)
{
    return rq->cmd_flags & REQ_OP_MASK;
}

/* The driver's part of the request. */
static inline void *blk_mq_rq_to_pdu(struct request *rq)
{
    return rq + 1;
}

static inline struct request_queue *bdev_get_queue(const struct block_device *bdev)
{
    return bdev->bd_disk->queue;
}

/* Collects requests until blk_finish_plug(), or until the task sleeps. Plugs do not nest: an
 * inner one has no effect. */
void blk_start_plug(struct blk_plug *plug);
void blk_finish_plug(struct blk_plug *plug);
/* from_schedule: the task goes to sleep. */
void __blk_flush_plug(struct blk_plug *plug, bool from_schedule);

static inline void blk_flush_plug(struct blk_plug *plug, bool from_schedule)
{
    if (plug)
        __blk_flush_plug(plug, from_schedule);
}

/* block/blk-mq.c. cmd_size: bytes of the driver's part of each request. NULL: no memory. */
struct request_queue *blk_mq_init_queue(const struct blk_mq_ops *ops, unsigned int nr_requests,
                                        unsigned int cmd_size, void *queuedata);
/* Called by queue_rq(). */
void blk_mq_start_request(struct request *rq);
/* error: 0 or negative. From any context. */
void blk_mq_end_request(struct request *rq, int error);
void blk_mq_submit_bio(struct bio *bio);

/* block/blk-merge.c. Tries to add a bio to a request of the list. */
bool blk_bio_list_merge(struct request_queue *q, struct list_head *list, struct bio *bio);
/* Merges into rq the request of the list that continues it; returns that one, now empty, or NULL.
 */
struct request *blk_attempt_req_merge(struct list_head *list, struct request *rq);
/* Splits what exceeds the limits; the rest is submitted. Returns the bio to go on with. */
struct bio *bio_split_to_limits(struct bio *bio);

/* block/genhd.c. alloc_disk() returns NULL if there is no memory; add_disk() makes it visible. */
struct gendisk *alloc_disk(void);
void set_capacity(struct gendisk *disk, sector_t sectors);
int add_disk(struct gendisk *disk);
/* Each disk once, in the order of add_disk(): NULL ends it. */
struct gendisk *next_disk(struct gendisk *disk);

void block_init(void); /* block/genhd.c: /sys/block, /proc/partitions, /proc/diskstats */

#endif
