/* blk-merge.c - merging bios into requests and requests with each other; splitting bios. */
#include <linux/blkdev.h>
#include <linux/kernel.h>
#include <trace/events/block.h>

static bool mergeable(const struct request *rq, const struct bio *bio)
{
    const struct queue_limits *limits = &rq->q->limits;

    return req_op(rq) == bio_op(bio) &&
           !((rq->cmd_flags | bio->bi_opf) & (REQ_NOMERGE | REQ_PREFLUSH | REQ_FUA)) &&
           rq->nr_segments + bio->bi_vcnt <= limits->max_segments &&
           blk_rq_sectors(rq) + bio_sectors(bio) <= limits->max_sectors;
}

static void account_merge(struct request *rq, const struct bio *bio)
{
    rq->__data_len += bio->bi_iter.bi_size;
    rq->nr_segments += bio->bi_vcnt;
    rq->cmd_flags |= bio->bi_opf & ~(blk_opf_t)REQ_OP_MASK & ~(blk_opf_t)REQ_RAHEAD;
}

static bool bio_attempt_back_merge(struct request *rq, struct bio *bio)
{
    if (blk_rq_pos(rq) + blk_rq_sectors(rq) != bio->bi_iter.bi_sector || !mergeable(rq, bio))
        return false;
    trace_block_bio_backmerge(bio);
    rq->biotail->bi_next = bio;
    rq->biotail = bio;
    account_merge(rq, bio);
    return true;
}

static bool bio_attempt_front_merge(struct request *rq, struct bio *bio)
{
    if (bio_end_sector(bio) != blk_rq_pos(rq) || !mergeable(rq, bio))
        return false;
    trace_block_bio_frontmerge(bio);
    bio->bi_next = rq->bio;
    rq->bio = bio;
    rq->__sector = bio->bi_iter.bi_sector;
    account_merge(rq, bio);
    return true;
}

bool blk_bio_list_merge(struct request_queue *q, struct list_head *list, struct bio *bio)
{
    struct request *rq;
    int checked = 8; /* as in Linux: older ones rarely fit */

    if (q->nomerges || !bio_sectors(bio))
        return false;
    list_for_each_entry_reverse(rq, list, queuelist) {
        if (!checked--)
            break;
        if (rq->q == q && (bio_attempt_back_merge(rq, bio) || bio_attempt_front_merge(rq, bio)))
            return true;
    }
    return false;
}

static bool can_join(const struct request *rq, const struct request *next)
{
    const struct queue_limits *limits = &rq->q->limits;
    blk_opf_t flags = rq->cmd_flags | next->cmd_flags;

    return next != rq && next->q == rq->q && req_op(next) == req_op(rq) && blk_rq_bytes(rq) &&
           blk_rq_pos(rq) + blk_rq_sectors(rq) == blk_rq_pos(next) &&
           !(flags & (REQ_NOMERGE | REQ_PREFLUSH | REQ_FUA)) &&
           rq->nr_segments + next->nr_segments <= limits->max_segments &&
           blk_rq_sectors(rq) + blk_rq_sectors(next) <= limits->max_sectors;
}

struct request *blk_attempt_req_merge(struct list_head *list, struct request *rq)
{
    struct request *next;

    if (rq->q->nomerges)
        return NULL;
    list_for_each_entry(next, list, queuelist) {
        if (!can_join(rq, next))
            continue;
        rq->biotail->bi_next = next->bio;
        rq->biotail = next->biotail;
        rq->__data_len += blk_rq_bytes(next);
        rq->nr_segments += next->nr_segments;
        trace_block_rq_merge(next);
        next->bio = next->biotail = NULL;
        list_del_init(&next->queuelist);
        return next;
    }
    return NULL;
}

/* The number of pieces from the start that the limits allow in one request. */
static unsigned int pieces_that_fit(const struct bio *bio, const struct queue_limits *limits)
{
    unsigned int i, bytes = 0;

    for (i = 0; i < bio->bi_vcnt && i < limits->max_segments; i++) {
        bytes += bio->bi_io_vec[i].bv_len;
        if (bytes >> SECTOR_SHIFT > limits->max_sectors)
            break;
    }
    return max(i, 1u);
}

struct bio *bio_split_to_limits(struct bio *bio)
{
    struct request_queue *q = bdev_get_queue(bio->bi_bdev);
    unsigned int fit = pieces_that_fit(bio, &q->limits);
    struct bio *part;

    if (fit >= bio->bi_vcnt)
        return bio;
    part = bio_split(bio, fit);
    if (!part)
        return NULL;
    trace_block_split(part, bio->bi_iter.bi_sector);
    submit_bio(bio);
    return part;
}
