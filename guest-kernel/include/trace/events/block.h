/*
 * block.h - events of the block layer: bios, requests, plugs, and buffers.
 *
 * rwbs says what is done, as letters: see blk_fill_rwbs(). cmd is always empty: no request here
 * is a command of the device's own.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM block

#if !defined(TRACE_EVENTS_BLOCK_H) || defined(TRACE_HEADER_MULTI_READ)
#define TRACE_EVENTS_BLOCK_H

#include <linux/blkdev.h>
#include <linux/blktrace_api.h>
#include <linux/buffer_head.h>
#include <linux/kdev_t.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#define RWBS_LEN 8

/* clang-format off */

DECLARE_EVENT_CLASS(block_buffer,
    TP_PROTO(struct buffer_head *bh),
    TP_ARGS(bh),
    TP_STRUCT__entry(
        __field(dev_t, dev)
        __field(sector_t, sector)
        __field(size_t, size)
    ),
    TP_fast_assign(
        __entry->dev = bh->b_bdev->bd_dev;
        __entry->sector = bh->b_blocknr;
        __entry->size = bh->b_size;
    ),
    TP_printk("%d,%d sector=%llu size=%zu", MAJOR(__entry->dev), MINOR(__entry->dev),
              (unsigned long long)__entry->sector, __entry->size)
);

/* A block's buffer was written to. */
DEFINE_EVENT(block_buffer, block_dirty_buffer, TP_PROTO(struct buffer_head *bh), TP_ARGS(bh));

/* The driver could not take the request. */
TRACE_EVENT(block_rq_requeue,
    TP_PROTO(struct request *rq),
    TP_ARGS(rq),
    TP_STRUCT__entry(
        __field(dev_t, dev)
        __field(sector_t, sector)
        __field(unsigned int, nr_sector)
        __array(char, rwbs, RWBS_LEN)
        __dynamic_array(char, cmd, 1)
    ),
    TP_fast_assign(
        __entry->dev = disk_devt(rq->q->disk);
        __entry->sector = blk_rq_pos(rq);
        __entry->nr_sector = blk_rq_sectors(rq);
        blk_fill_rwbs(__entry->rwbs, rq->cmd_flags);
        __get_str(cmd)[0] = 0;
    ),
    TP_printk("%d,%d %s (%s) %llu + %u [%d]", MAJOR(__entry->dev), MINOR(__entry->dev),
              __entry->rwbs, __get_str(cmd), (unsigned long long)__entry->sector,
              __entry->nr_sector, 0)
);

DECLARE_EVENT_CLASS(block_rq_completion,
    TP_PROTO(struct request *rq, int error, unsigned int nr_bytes),
    TP_ARGS(rq, error, nr_bytes),
    TP_STRUCT__entry(
        __field(dev_t, dev)
        __field(sector_t, sector)
        __field(unsigned int, nr_sector)
        __field(int, error)
        __array(char, rwbs, RWBS_LEN)
        __dynamic_array(char, cmd, 1)
    ),
    TP_fast_assign(
        __entry->dev = disk_devt(rq->q->disk);
        __entry->sector = blk_rq_pos(rq);
        __entry->nr_sector = nr_bytes >> SECTOR_SHIFT;
        __entry->error = error;
        blk_fill_rwbs(__entry->rwbs, rq->cmd_flags);
        __get_str(cmd)[0] = 0;
    ),
    TP_printk("%d,%d %s (%s) %llu + %u [%d]", MAJOR(__entry->dev), MINOR(__entry->dev),
              __entry->rwbs, __get_str(cmd), (unsigned long long)__entry->sector,
              __entry->nr_sector, __entry->error)
);

DEFINE_EVENT(block_rq_completion, block_rq_complete,
             TP_PROTO(struct request *rq, int error, unsigned int nr_bytes),
             TP_ARGS(rq, error, nr_bytes));
DEFINE_EVENT(block_rq_completion, block_rq_error,
             TP_PROTO(struct request *rq, int error, unsigned int nr_bytes),
             TP_ARGS(rq, error, nr_bytes));

DECLARE_EVENT_CLASS(block_rq,
    TP_PROTO(struct request *rq),
    TP_ARGS(rq),
    TP_STRUCT__entry(
        __field(dev_t, dev)
        __field(sector_t, sector)
        __field(unsigned int, nr_sector)
        __field(unsigned int, bytes)
        __array(char, rwbs, RWBS_LEN)
        __array(char, comm, TASK_COMM_LEN)
        __dynamic_array(char, cmd, 1)
    ),
    TP_fast_assign(
        __entry->dev = disk_devt(rq->q->disk);
        __entry->sector = blk_rq_pos(rq);
        __entry->nr_sector = blk_rq_sectors(rq);
        __entry->bytes = blk_rq_bytes(rq);
        blk_fill_rwbs(__entry->rwbs, rq->cmd_flags);
        __get_str(cmd)[0] = 0;
        memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
    ),
    TP_printk("%d,%d %s %u (%s) %llu + %u [%s]", MAJOR(__entry->dev), MINOR(__entry->dev),
              __entry->rwbs, __entry->bytes, __get_str(cmd), (unsigned long long)__entry->sector,
              __entry->nr_sector, __entry->comm)
);

/* The request is in the queue. */
DEFINE_EVENT(block_rq, block_rq_insert, TP_PROTO(struct request *rq), TP_ARGS(rq));
/* The driver has it. */
DEFINE_EVENT(block_rq, block_rq_issue, TP_PROTO(struct request *rq), TP_ARGS(rq));
/* It becomes a part of another request. */
DEFINE_EVENT(block_rq, block_rq_merge, TP_PROTO(struct request *rq), TP_ARGS(rq));

/* A bio that has ended without a request of its own. */
TRACE_EVENT(block_bio_complete,
    TP_PROTO(struct request_queue *q, struct bio *bio),
    TP_ARGS(q, bio),
    TP_STRUCT__entry(
        __field(dev_t, dev)
        __field(sector_t, sector)
        __field(unsigned, nr_sector)
        __field(int, error)
        __array(char, rwbs, RWBS_LEN)
    ),
    TP_fast_assign(
        __entry->dev = bio_dev(bio);
        __entry->sector = bio->bi_iter.bi_sector;
        __entry->nr_sector = bio_sectors(bio);
        __entry->error = bio->bi_status;
        blk_fill_rwbs(__entry->rwbs, bio->bi_opf);
    ),
    TP_printk("%d,%d %s %llu + %u [%d]", MAJOR(__entry->dev), MINOR(__entry->dev),
              __entry->rwbs, (unsigned long long)__entry->sector, __entry->nr_sector,
              __entry->error)
);

DECLARE_EVENT_CLASS(block_bio,
    TP_PROTO(struct bio *bio),
    TP_ARGS(bio),
    TP_STRUCT__entry(
        __field(dev_t, dev)
        __field(sector_t, sector)
        __field(unsigned int, nr_sector)
        __array(char, rwbs, RWBS_LEN)
        __array(char, comm, TASK_COMM_LEN)
    ),
    TP_fast_assign(
        __entry->dev = bio_dev(bio);
        __entry->sector = bio->bi_iter.bi_sector;
        __entry->nr_sector = bio_sectors(bio);
        blk_fill_rwbs(__entry->rwbs, bio->bi_opf);
        memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
    ),
    TP_printk("%d,%d %s %llu + %u [%s]", MAJOR(__entry->dev), MINOR(__entry->dev),
              __entry->rwbs, (unsigned long long)__entry->sector, __entry->nr_sector,
              __entry->comm)
);

/* The bio is added to the end of a request, or to its front. */
DEFINE_EVENT(block_bio, block_bio_backmerge, TP_PROTO(struct bio *bio), TP_ARGS(bio));
DEFINE_EVENT(block_bio, block_bio_frontmerge, TP_PROTO(struct bio *bio), TP_ARGS(bio));
/* It is submitted. */
DEFINE_EVENT(block_bio, block_bio_queue, TP_PROTO(struct bio *bio), TP_ARGS(bio));
/* It has got a request. */
DEFINE_EVENT(block_bio, block_getrq, TP_PROTO(struct bio *bio), TP_ARGS(bio));

/* A task begins to collect requests. */
TRACE_EVENT(block_plug,
    TP_PROTO(struct request_queue *q),
    TP_ARGS(q),
    TP_STRUCT__entry(
        __array(char, comm, TASK_COMM_LEN)
    ),
    TP_fast_assign(
        memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
    ),
    TP_printk("[%s]", __entry->comm)
);

/* It hands over those that it has collected. explicit: not because it goes to sleep. */
TRACE_EVENT(block_unplug,
    TP_PROTO(struct request_queue *q, unsigned int depth, bool explicit),
    TP_ARGS(q, depth, explicit),
    TP_STRUCT__entry(
        __field(int, nr_rq)
        __array(char, comm, TASK_COMM_LEN)
    ),
    TP_fast_assign(
        __entry->nr_rq = depth;
        memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
    ),
    TP_printk("[%s] %d", __entry->comm, __entry->nr_rq)
);

/* bio ends at new_sector; the rest is submitted as another one. */
TRACE_EVENT(block_split,
    TP_PROTO(struct bio *bio, sector_t new_sector),
    TP_ARGS(bio, new_sector),
    TP_STRUCT__entry(
        __field(dev_t, dev)
        __field(sector_t, sector)
        __field(sector_t, new_sector)
        __array(char, rwbs, RWBS_LEN)
        __array(char, comm, TASK_COMM_LEN)
    ),
    TP_fast_assign(
        __entry->dev = bio_dev(bio);
        __entry->sector = bio->bi_iter.bi_sector;
        __entry->new_sector = new_sector;
        blk_fill_rwbs(__entry->rwbs, bio->bi_opf);
        memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
    ),
    TP_printk("%d,%d %s %llu / %llu [%s]", MAJOR(__entry->dev), MINOR(__entry->dev),
              __entry->rwbs, (unsigned long long)__entry->sector,
              (unsigned long long)__entry->new_sector, __entry->comm)
);

/* clang-format on */

#endif

#include <trace/define_trace.h>
