/*
 * virtio_blk.c - disks of virtio machines (virtio 1.2, 5.2).
 *
 * A request is a header, the data and a byte of status.
 */
#include <linux/blkdev.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/virtio.h>

enum {
    VIRTIO_BLK_F_SIZE_MAX = 1,
    VIRTIO_BLK_F_SEG_MAX = 2,
    VIRTIO_BLK_F_RO = 5,
    VIRTIO_BLK_F_BLK_SIZE = 6,
    VIRTIO_BLK_F_FLUSH = 9,
};

enum { VIRTIO_BLK_T_IN = 0, VIRTIO_BLK_T_OUT = 1, VIRTIO_BLK_T_FLUSH = 4 };
enum { VIRTIO_BLK_S_OK = 0, VIRTIO_BLK_S_IOERR = 1, VIRTIO_BLK_S_UNSUPP = 2 };
enum { VIRTBLK_MAJOR = 254, MINORS_PER_DISK = 16, NR_REQUESTS = 64, MAX_SEGMENTS = 62 };

struct virtio_blk_config {
    u64 capacity; /* sectors of 512 bytes */
    u32 size_max, seg_max;
    u8 geometry[4];
    u32 blk_size;
} __packed;

struct virtio_blk {
    struct virtio_device *vdev;
    struct virtqueue *vq;
    spinlock_t vq_lock; /* taken with interrupts off */
    struct gendisk *disk;
};

struct virtblk_outhdr {
    u32 type, ioprio;
    u64 sector;
};

/* The driver's part of a request: the device reads out and writes status. */
struct virtblk_req {
    struct virtblk_outhdr out;
    u8 status;
    struct scatterlist sg[MAX_SEGMENTS + 2];
};

/* Lists the pieces of a request's data; pieces that adjoin in memory become one. */
static unsigned int map_data(const struct request *rq, struct scatterlist *sg)
{
    const struct bio *bio;
    unsigned int n = 0, i;

    for (bio = rq->bio; bio; bio = bio->bi_next)
        for (i = 0; i < bio->bi_vcnt; i++) {
            const struct bio_vec *v = &bio->bi_io_vec[i];
            unsigned long pa = __pa(page_address(v->bv_page)) + v->bv_offset;

            if (n && sg[n - 1].dma_address + sg[n - 1].length == pa)
                sg[n - 1].length += v->bv_len;
            else
                sg[n++] = (struct scatterlist){pa, v->bv_len};
        }
    return n;
}

static int add_request(struct virtio_blk *vblk, struct request *rq)
{
    struct virtblk_req *vbr = blk_mq_rq_to_pdu(rq);
    unsigned int n = map_data(rq, vbr->sg + 1), out = 1, in = 1;
    bool write = op_is_write(rq->cmd_flags);

    sg_set_buf(&vbr->sg[0], &vbr->out, sizeof(vbr->out));
    sg_set_buf(&vbr->sg[1 + n], &vbr->status, sizeof(vbr->status));
    out += write ? n : 0;
    in += write ? 0 : n;
    return virtqueue_add(vblk->vq, vbr->sg, out, in, rq);
}

static int virtio_queue_rq(struct request *rq, bool last)
{
    struct virtio_blk *vblk = rq->q->queuedata;
    struct virtblk_req *vbr = blk_mq_rq_to_pdu(rq);
    unsigned long flags;
    int err;

    vbr->out = (struct virtblk_outhdr){
        .type = req_op(rq) == REQ_OP_FLUSH   ? VIRTIO_BLK_T_FLUSH
                : op_is_write(rq->cmd_flags) ? VIRTIO_BLK_T_OUT
                                             : VIRTIO_BLK_T_IN,
        .sector = req_op(rq) == REQ_OP_FLUSH ? 0 : blk_rq_pos(rq),
    };
    vbr->status = VIRTIO_BLK_S_IOERR;
    blk_mq_start_request(rq);
    spin_lock_irqsave(&vblk->vq_lock, flags);
    err = add_request(vblk, rq);
    if (!err && last)
        virtqueue_kick(vblk->vq);
    spin_unlock_irqrestore(&vblk->vq_lock, flags);
    return err ? -EBUSY : 0;
}

static void virtio_commit_rqs(struct request_queue *q)
{
    struct virtio_blk *vblk = q->queuedata;
    unsigned long flags;

    spin_lock_irqsave(&vblk->vq_lock, flags);
    virtqueue_kick(vblk->vq);
    spin_unlock_irqrestore(&vblk->vq_lock, flags);
}

static const struct blk_mq_ops virtio_mq_ops = {
    .queue_rq = virtio_queue_rq,
    .commit_rqs = virtio_commit_rqs,
};

static struct request *next_done(struct virtio_blk *vblk)
{
    struct request *rq;
    unsigned long flags;
    unsigned int len;

    spin_lock_irqsave(&vblk->vq_lock, flags);
    do {
        virtqueue_disable_cb(vblk->vq);
        rq = virtqueue_get_buf(vblk->vq, &len);
    } while (!rq && !virtqueue_enable_cb(vblk->vq));
    spin_unlock_irqrestore(&vblk->vq_lock, flags);
    return rq;
}

/* In the interrupt: ends all requests that the device has done. */
static void virtblk_done(struct virtqueue *vq)
{
    struct virtio_blk *vblk = vq->vdev->priv;
    struct request *rq;

    while ((rq = next_done(vblk))) {
        const struct virtblk_req *vbr = blk_mq_rq_to_pdu(rq);
        int err = vbr->status == VIRTIO_BLK_S_OK       ? 0
                  : vbr->status == VIRTIO_BLK_S_UNSUPP ? -EOPNOTSUPP
                                                       : -EIO;

        if (err)
            pr_err("I/O error, dev %s, sector %llu\n", vblk->disk->disk_name, blk_rq_pos(rq));
        blk_mq_end_request(rq, err);
    }
}

static void set_limits(const struct virtio_blk *vblk)
{
    struct queue_limits *limits = &vblk->disk->queue->limits;
    struct virtio_device *vdev = vblk->vdev;
    u32 seg_max = 1, blk_size = SECTOR_SIZE;

    if (virtio_has_feature(vdev, VIRTIO_BLK_F_SEG_MAX))
        virtio_cread(vdev, struct virtio_blk_config, seg_max, &seg_max);
    if (virtio_has_feature(vdev, VIRTIO_BLK_F_BLK_SIZE))
        virtio_cread(vdev, struct virtio_blk_config, blk_size, &blk_size);
    limits->max_segments = min(min(seg_max, (u32)MAX_SEGMENTS), vblk->vq->num_max - 2);
    limits->logical_block_size = blk_size;
    limits->write_cache = virtio_has_feature(vdev, VIRTIO_BLK_F_FLUSH);
}

static void name_disk(struct gendisk *disk)
{
    static unsigned int nr; /* at boot only */

    snprintf(disk->disk_name, sizeof(disk->disk_name), "vd%c", 'a' + nr);
    disk->major = VIRTBLK_MAJOR;
    disk->first_minor = nr++ * MINORS_PER_DISK;
}

static int add_virtio_disk(struct virtio_blk *vblk)
{
    struct gendisk *disk = alloc_disk();
    u64 capacity;

    if (!disk)
        return -ENOMEM;
    disk->queue = blk_mq_init_queue(&virtio_mq_ops, NR_REQUESTS, sizeof(struct virtblk_req), vblk);
    if (!disk->queue)
        return -ENOMEM;
    disk->queue->disk = disk;
    vblk->disk = disk;
    name_disk(disk);
    disk->read_only = virtio_has_feature(vblk->vdev, VIRTIO_BLK_F_RO);
    set_limits(vblk);
    virtio_cread(vblk->vdev, struct virtio_blk_config, capacity, &capacity);
    set_capacity(disk, capacity);
    virtio_device_ready(vblk->vdev);
    return add_disk(disk);
}

/* Called at boot only: on failure the machine goes on without the disk, and its memory is lost. */
static int virtblk_probe(struct virtio_device *vdev)
{
    static const vq_callback_t callback = virtblk_done;
    static const char *const name = "virtio-blk";
    struct virtio_blk *vblk = kzalloc(sizeof(*vblk));
    int err;

    if (!vblk)
        return -ENOMEM;
    vblk->vdev = vdev;
    vdev->priv = vblk;
    err = vdev->config->find_vqs(vdev, 1, &vblk->vq, &callback, &name);
    return err ? err : add_virtio_disk(vblk);
}

static const unsigned int features[] = {VIRTIO_BLK_F_SEG_MAX, VIRTIO_BLK_F_RO,
                                        VIRTIO_BLK_F_BLK_SIZE, VIRTIO_BLK_F_FLUSH};

const struct virtio_driver virtio_blk_driver = {
    .name = "virtio_blk",
    .id = VIRTIO_ID_BLOCK,
    .feature_table = features,
    .feature_table_size = ARRAY_SIZE(features),
    .probe = virtblk_probe,
};
