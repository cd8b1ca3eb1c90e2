/*
 * blk-mq.c - requests: from bios to the driver, and their end.
 *
 * Each queue has a fixed number of requests, so its driver needs no memory to do its work; a
 * task that finds none waits.
 */
#include <asm/page.h>
#include <linux/blkdev.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <trace/events/block.h>

/* ---- requests ---- */

static struct request *try_alloc_request(struct request_queue *q)
{
    struct request *rq = NULL;
    unsigned long flags;

    spin_lock_irqsave(&q->queue_lock, flags);
    if (!list_empty(&q->free_requests)) {
        rq = list_first_entry(&q->free_requests, struct request, queuelist);
        list_del_init(&rq->queuelist);
    }
    spin_unlock_irqrestore(&q->queue_lock, flags);
    return rq;
}

static struct request *alloc_request(struct request_queue *q)
{
    struct request *rq;

    wait_event(q->rq_wait, (rq = try_alloc_request(q)));
    return rq;
}

static void free_request(struct request *rq)
{
    struct request_queue *q = rq->q;
    unsigned long flags;

    spin_lock_irqsave(&q->queue_lock, flags);
    list_add_tail(&rq->queuelist, &q->free_requests);
    spin_unlock_irqrestore(&q->queue_lock, flags);
    wake_up(&q->rq_wait);
}

static void bio_to_request(struct request *rq, struct bio *bio)
{
    bool flush = bio->bi_opf & REQ_PREFLUSH && !bio_sectors(bio);

    rq->cmd_flags = flush ? REQ_OP_FLUSH | REQ_PREFLUSH : bio->bi_opf;
    rq->__sector = bio->bi_iter.bi_sector;
    rq->__data_len = bio->bi_iter.bi_size;
    rq->nr_segments = bio->bi_vcnt;
    rq->bio = rq->biotail = bio;
    bio->bi_next = NULL;
    rq->start_time_ns = sched_clock();
}

/* ---- to the driver ---- */

static struct request *next_request(struct request_queue *q)
{
    struct request *rq = NULL;
    unsigned long flags;

    spin_lock_irqsave(&q->queue_lock, flags);
    if (!list_empty(&q->queue_head)) {
        rq = list_first_entry(&q->queue_head, struct request, queuelist);
        list_del_init(&rq->queuelist);
        q->in_flight++;
    }
    spin_unlock_irqrestore(&q->queue_lock, flags);
    return rq;
}

static void requeue_request(struct request *rq)
{
    struct request_queue *q = rq->q;
    unsigned long flags;

    trace_block_rq_requeue(rq);
    spin_lock_irqsave(&q->queue_lock, flags);
    q->in_flight--;
    list_add(&rq->queuelist, &q->queue_head);
    spin_unlock_irqrestore(&q->queue_lock, flags);
}

/* Gives the driver requests until it has enough. The end of one calls this again. */
static void blk_mq_run_hw_queue(struct request_queue *q)
{
    struct request *rq;
    bool last = true;

    while ((rq = next_request(q))) {
        last = list_empty(&q->queue_head);
        if (!q->mq_ops->queue_rq(rq, last))
            continue;
        requeue_request(rq);
        break;
    }
    if (!last || rq)
        q->mq_ops->commit_rqs(q);
}

void blk_mq_start_request(struct request *rq)
{
    trace_block_rq_issue(rq);
}
EXPORT_SYMBOL(blk_mq_start_request);

/* Adds a request to the queue, where it may absorb another, or be absorbed. */
static void blk_mq_insert_request(struct request *rq)
{
    struct request_queue *q = rq->q;
    struct request *absorbed;
    unsigned long flags;

    spin_lock_irqsave(&q->queue_lock, flags);
    absorbed = blk_attempt_req_merge(&q->queue_head, rq);
    trace_block_rq_insert(rq);
    list_add_tail(&rq->queuelist, &q->queue_head);
    spin_unlock_irqrestore(&q->queue_lock, flags);
    if (absorbed)
        free_request(absorbed);
}

void __blk_flush_plug(struct blk_plug *plug, bool from_schedule)
{
    struct request_queue *q;

    while (!list_empty(&plug->mq_list)) {
        struct request *rq, *next;
        unsigned int depth = 0;

        q = list_first_entry(&plug->mq_list, struct request, queuelist)->q;
        list_for_each_entry_safe(rq, next, &plug->mq_list, queuelist) {
            if (rq->q != q)
                continue;
            list_del_init(&rq->queuelist);
            plug->rq_count--;
            depth++;
            blk_mq_insert_request(rq);
        }
        trace_block_unplug(q, depth, !from_schedule);
        blk_mq_run_hw_queue(q);
    }
}

/* As in Linux a plug is flushed when it has many requests, or when the last one is large. */
static void blk_add_rq_to_plug(struct blk_plug *plug, struct request *rq)
{
    if (!plug->rq_count) {
        trace_block_plug(rq->q);
    } else {
        const struct request *last = list_entry(plug->mq_list.prev, struct request, queuelist);

        if (plug->rq_count >= BLK_MAX_REQUEST_COUNT || blk_rq_bytes(last) >= BLK_PLUG_FLUSH_SIZE) {
            __blk_flush_plug(plug, false);
            trace_block_plug(rq->q);
        }
    }
    list_add_tail(&rq->queuelist, &plug->mq_list);
    plug->rq_count++;
}

static bool merge_with_queue(struct request_queue *q, struct bio *bio)
{
    unsigned long flags;
    bool merged;

    spin_lock_irqsave(&q->queue_lock, flags);
    merged = blk_bio_list_merge(q, &q->queue_head, bio);
    spin_unlock_irqrestore(&q->queue_lock, flags);
    return merged;
}

void blk_mq_submit_bio(struct bio *bio)
{
    struct request_queue *q = bdev_get_queue(bio->bi_bdev);
    struct blk_plug *plug = current->plug;
    struct bio *whole = bio;
    struct request *rq;

    bio = bio_split_to_limits(bio);
    if (!bio) {
        bio_io_error(whole);
        return;
    }
    if ((plug && blk_bio_list_merge(q, &plug->mq_list, bio)) || merge_with_queue(q, bio))
        return;
    rq = alloc_request(q);
    trace_block_getrq(bio);
    bio_to_request(rq, bio);
    if (plug && req_op(rq) != REQ_OP_FLUSH) {
        blk_add_rq_to_plug(plug, rq);
        return;
    }
    blk_mq_insert_request(rq);
    blk_mq_run_hw_queue(q);
}

/* ---- the end ---- */

static void account_done(const struct request *rq)
{
    struct block_device *bdev = &rq->q->disk->part0;
    int group = req_op(rq) == REQ_OP_FLUSH   ? STAT_FLUSH
                : op_is_write(rq->cmd_flags) ? STAT_WRITE
                                             : STAT_READ;

    bdev->ios[group]++;
    bdev->sectors[group] += blk_rq_sectors(rq);
    bdev->nsecs[group] += sched_clock() - rq->start_time_ns;
}

void blk_mq_end_request(struct request *rq, int error)
{
    struct request_queue *q = rq->q;
    struct bio *bio = rq->bio;
    unsigned long flags;

    trace_block_rq_complete(rq, error, blk_rq_bytes(rq));
    if (error)
        trace_block_rq_error(rq, error, blk_rq_bytes(rq));
    spin_lock_irqsave(&q->queue_lock, flags);
    account_done(rq);
    q->in_flight--;
    spin_unlock_irqrestore(&q->queue_lock, flags);
    while (bio) {
        struct bio *next = bio->bi_next;

        if (error)
            bio->bi_status = error;
        bio->bi_flags &= ~BIO_TRACE_COMPLETION; /* traced with the request */
        bio_endio(bio);
        bio = next;
    }
    free_request(rq);
    if (!list_empty(&q->queue_head))
        blk_mq_run_hw_queue(q);
}
EXPORT_SYMBOL(blk_mq_end_request);

struct request_queue *blk_mq_init_queue(const struct blk_mq_ops *ops, unsigned int nr_requests,
                                        unsigned int cmd_size, void *queuedata)
{
    struct request_queue *q = kzalloc(sizeof(*q));
    unsigned int i;

    if (!q)
        return NULL;
    q->mq_ops = ops;
    q->queuedata = queuedata;
    q->nr_requests = nr_requests;
    q->ra_pages = 128 * 1024 / PAGE_SIZE;
    q->limits = (struct queue_limits){
        .max_segments = 128, .max_sectors = 2560, .logical_block_size = SECTOR_SIZE};
    INIT_LIST_HEAD(&q->queue_head);
    INIT_LIST_HEAD(&q->free_requests);
    init_waitqueue_head(&q->rq_wait);
    for (i = 0; i < nr_requests; i++) {
        struct request *rq = kzalloc(sizeof(*rq) + cmd_size);

        BUG_ON(!rq); /* at boot */
        rq->q = q;
        rq->tag = i;
        list_add_tail(&rq->queuelist, &q->free_requests);
    }
    return q;
}
EXPORT_SYMBOL(blk_mq_init_queue);
