/* blk-core.c - submitting bios, and plugs. */
#include <linux/blkdev.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#define CREATE_TRACE_POINTS
#include <trace/events/block.h>
#undef CREATE_TRACE_POINTS

/* An access beyond the end of the device is an error of its user, reported as in Linux. */
static bool bio_check_eod(struct bio *bio)
{
    const struct block_device *bdev = bio->bi_bdev;
    unsigned int sectors = bio_sectors(bio);

    if (!sectors ||
        (sectors <= bdev->bd_nr_sectors && bio->bi_iter.bi_sector <= bdev->bd_nr_sectors - sectors))
        return true;
    pr_info("%s: attempt to access beyond end of device\n", bdev->bd_disk->disk_name);
    return false;
}

void submit_bio(struct bio *bio)
{
    const struct request_queue *q = bdev_get_queue(bio->bi_bdev);

    might_sleep();
    if (!bio_check_eod(bio) || (op_is_write(bio->bi_opf) && bio->bi_bdev->bd_disk->read_only)) {
        bio_io_error(bio);
        return;
    }
    if (bio->bi_opf & (REQ_PREFLUSH | REQ_FUA) && !q->limits.write_cache) {
        bio->bi_opf &= ~(REQ_PREFLUSH | REQ_FUA);
        if (!bio_sectors(bio)) {
            bio_endio(bio);
            return;
        }
    }
    /* Not again for the rest of a bio that was split. */
    if (!(bio->bi_flags & BIO_TRACE_COMPLETION)) {
        trace_block_bio_queue(bio);
        bio->bi_flags |= BIO_TRACE_COMPLETION;
    }
    blk_mq_submit_bio(bio);
}
EXPORT_SYMBOL(submit_bio);

void blk_start_plug(struct blk_plug *plug)
{
    INIT_LIST_HEAD(&plug->mq_list);
    plug->rq_count = 0;
    if (!current->plug)
        current->plug = plug;
}

void blk_finish_plug(struct blk_plug *plug)
{
    if (current->plug != plug)
        return;
    __blk_flush_plug(plug, false);
    current->plug = NULL;
}
