/*
 * blktrace.c - traces what happens to the bios and requests of a disk, for the tracer `blk`.
 *
 * q->blk_trace says what is traced of a disk. Writing 1 to /sys/block/DISK/trace/enable sets it;
 * probes are attached while a disk has one. While `blk` is the current tracer, records are entries
 * of the trace.
 *
 * Not instrumented.
 */
#include "blktrace.h"
#include <linux/blktrace_api.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <trace/events/block.h>

static DEFINE_MUTEX(blk_trace_mutex); /* guards q->blk_trace and what follows from it */
static unsigned int blk_probes_ref;   /* under blk_trace_mutex: disks that are traced */

/* ---- records ---- */

/* The categories of an operation. */
static u32 act_of(blk_opf_t opf)
{
    u32 op = opf & REQ_OP_MASK, what = op_is_write(op) ? BLK_TC_WRITE : BLK_TC_READ;

    what |= opf & REQ_SYNC ? BLK_TC_SYNC : 0;
    what |= opf & REQ_RAHEAD ? BLK_TC_AHEAD : 0;
    what |= opf & REQ_META ? BLK_TC_META : 0;
    what |= opf & REQ_PREFLUSH || op == REQ_OP_FLUSH ? BLK_TC_FLUSH : 0;
    what |= opf & REQ_FUA ? BLK_TC_FUA : 0;
    what |= op == REQ_OP_DISCARD ? BLK_TC_DISCARD : 0;
    return BLK_TC_ACT(what);
}

static bool is_wanted(const struct blk_trace *bt, u32 what, u64 sector, u32 pid)
{
    if (!(BLK_TC_ACT(READ_ONCE(bt->act_mask)) & what))
        return false;
    if (sector && (sector < READ_ONCE(bt->start_lba) || sector > READ_ONCE(bt->end_lba)))
        return false;
    return !READ_ONCE(bt->pid) || pid == READ_ONCE(bt->pid);
}

/* The first two words of the record in the trace are those of each entry. */
static void record_entry(const struct blk_io_trace *record, const void *pdu)
{
    struct trace_buffer *buffer = trace_buffer_of(&global_trace);
    char *entry = trace_buffer_lock_reserve(buffer, TRACE_BLK, sizeof(*record) + record->pdu_len,
                                            tracing_gen_ctx_flags(0));
    enum { OWN = sizeof(struct trace_entry) };

    if (!entry)
        return;
    memcpy(entry + OWN, (const char *)record + OWN, sizeof(*record) - OWN);
    memcpy(entry + sizeof(*record), pdu, record->pdu_len);
    tracing_record_cmdline(current);
    trace_buffer_unlock_commit(&global_trace, buffer);
}

_Static_assert(sizeof(struct trace_entry) == offsetof(struct blk_io_trace, time),
               "an entry begins with what a record has before its time");

static void __blk_add_trace(struct blk_trace *bt, sector_t sector, u32 bytes, blk_opf_t opf,
                            u32 what, int error, u32 pdu_len, const void *pdu)
{
    struct blk_io_trace t = {.sector = sector,
                             .bytes = bytes,
                             .device = bt->dev,
                             .pid = current->pid,
                             .pdu_len = pdu_len};

    if (!READ_ONCE(blk_tracer_enabled))
        return;
    t.action = what | act_of(opf);
    t.error = error;
    t.cpu = smp_processor_id();
    if (is_wanted(bt, t.action, sector, t.pid))
        record_entry(&t, pdu);
}

/* ---- probes: called with preemption off ---- */

static void add_trace_bio(const struct request_queue *q, const struct bio *bio, u32 what)
{
    struct blk_trace *bt = rcu_dereference(q->blk_trace);

    if (bt)
        __blk_add_trace(bt, bio->bi_iter.bi_sector, bio->bi_iter.bi_size, bio->bi_opf, what,
                        bio->bi_status, 0, NULL);
}

static void add_trace_rq(const struct request *rq, int error, unsigned int nr_bytes, u32 what)
{
    struct blk_trace *bt = rcu_dereference(rq->q->blk_trace);

    if (bt)
        __blk_add_trace(bt, blk_rq_pos(rq), nr_bytes, rq->cmd_flags, what | BLK_TC_ACT(BLK_TC_FS),
                        error, 0, NULL);
}

static void blk_add_trace_bio_queue(void *data, struct bio *bio)
{
    (void)data;
    add_trace_bio(bdev_get_queue(bio->bi_bdev), bio, BLK_TA_QUEUE);
}

static void blk_add_trace_bio_backmerge(void *data, struct bio *bio)
{
    (void)data;
    add_trace_bio(bdev_get_queue(bio->bi_bdev), bio, BLK_TA_BACKMERGE);
}

static void blk_add_trace_bio_frontmerge(void *data, struct bio *bio)
{
    (void)data;
    add_trace_bio(bdev_get_queue(bio->bi_bdev), bio, BLK_TA_FRONTMERGE);
}

static void blk_add_trace_getrq(void *data, struct bio *bio)
{
    (void)data;
    add_trace_bio(bdev_get_queue(bio->bi_bdev), bio, BLK_TA_GETRQ);
}

static void blk_add_trace_bio_complete(void *data, struct request_queue *q, struct bio *bio)
{
    (void)data;
    add_trace_bio(q, bio, BLK_TA_COMPLETE);
}

static void blk_add_trace_rq_insert(void *data, struct request *rq)
{
    (void)data;
    add_trace_rq(rq, 0, blk_rq_bytes(rq), BLK_TA_INSERT);
}

static void blk_add_trace_rq_issue(void *data, struct request *rq)
{
    (void)data;
    add_trace_rq(rq, 0, blk_rq_bytes(rq), BLK_TA_ISSUE);
}

static void blk_add_trace_rq_merge(void *data, struct request *rq)
{
    (void)data;
    add_trace_rq(rq, 0, blk_rq_bytes(rq), BLK_TA_BACKMERGE);
}

static void blk_add_trace_rq_requeue(void *data, struct request *rq)
{
    (void)data;
    add_trace_rq(rq, 0, blk_rq_bytes(rq), BLK_TA_REQUEUE);
}

static void blk_add_trace_rq_complete(void *data, struct request *rq, int error,
                                      unsigned int nr_bytes)
{
    (void)data;
    add_trace_rq(rq, error, nr_bytes, BLK_TA_COMPLETE);
}

static void blk_add_trace_plug(void *data, struct request_queue *q)
{
    struct blk_trace *bt = rcu_dereference(q->blk_trace);

    (void)data;
    if (bt)
        __blk_add_trace(bt, 0, 0, 0, BLK_TA_PLUG, 0, 0, NULL);
}

static void blk_add_trace_unplug(void *data, struct request_queue *q, unsigned int depth,
                                 bool explicit)
{
    struct blk_trace *bt = rcu_dereference(q->blk_trace);
    u64 pdu = cpu_to_be64(depth);

    (void)data;
    if (bt)
        __blk_add_trace(bt, 0, 0, 0, explicit ? BLK_TA_UNPLUG_IO : BLK_TA_UNPLUG_TIMER, 0,
                        sizeof(pdu), &pdu);
}

static void blk_add_trace_split(void *data, struct bio *bio, sector_t new_sector)
{
    struct blk_trace *bt = rcu_dereference(bdev_get_queue(bio->bi_bdev)->blk_trace);
    u64 pdu = cpu_to_be64(new_sector);

    (void)data;
    if (bt)
        __blk_add_trace(bt, bio->bi_iter.bi_sector, bio->bi_iter.bi_size, bio->bi_opf, BLK_TA_SPLIT,
                        bio->bi_status, sizeof(pdu), &pdu);
}

static const struct {
    struct tracepoint *tp;
    void *probe;
} probes[] = {
    {&__tracepoint_block_bio_queue, (void *)blk_add_trace_bio_queue},
    {&__tracepoint_block_bio_backmerge, (void *)blk_add_trace_bio_backmerge},
    {&__tracepoint_block_bio_frontmerge, (void *)blk_add_trace_bio_frontmerge},
    {&__tracepoint_block_bio_complete, (void *)blk_add_trace_bio_complete},
    {&__tracepoint_block_getrq, (void *)blk_add_trace_getrq},
    {&__tracepoint_block_rq_insert, (void *)blk_add_trace_rq_insert},
    {&__tracepoint_block_rq_issue, (void *)blk_add_trace_rq_issue},
    {&__tracepoint_block_rq_merge, (void *)blk_add_trace_rq_merge},
    {&__tracepoint_block_rq_requeue, (void *)blk_add_trace_rq_requeue},
    {&__tracepoint_block_rq_complete, (void *)blk_add_trace_rq_complete},
    {&__tracepoint_block_plug, (void *)blk_add_trace_plug},
    {&__tracepoint_block_unplug, (void *)blk_add_trace_unplug},
    {&__tracepoint_block_split, (void *)blk_add_trace_split},
};

static void get_probe_ref(void)
{
    unsigned int i;

    if (blk_probes_ref++)
        return;
    for (i = 0; i < ARRAY_SIZE(probes); i++)
        WARN_ON(tracepoint_probe_register(probes[i].tp, probes[i].probe, NULL));
}

static void put_probe_ref(void)
{
    unsigned int i;

    if (--blk_probes_ref)
        return;
    for (i = 0; i < ARRAY_SIZE(probes); i++)
        WARN_ON(tracepoint_probe_unregister(probes[i].tp, probes[i].probe, NULL));
}

/* ---- setting up; under blk_trace_mutex ---- */

static int blk_trace_setup_queue(struct gendisk *disk)
{
    struct blk_trace *bt = kzalloc(sizeof(*bt));

    if (!bt)
        return -ENOMEM;
    bt->dev = disk->part0.bd_dev;
    bt->act_mask = (u16)-1;
    bt->end_lba = disk->part0.bd_nr_sectors;
    rcu_assign_pointer(disk->queue->blk_trace, bt);
    get_probe_ref();
    return 0;
}

static int blk_trace_remove_queue(struct gendisk *disk)
{
    struct blk_trace *bt = disk->queue->blk_trace;

    if (!bt)
        return -EINVAL;
    rcu_assign_pointer(disk->queue->blk_trace, NULL);
    put_probe_ref();
    tracepoint_synchronize_unregister();
    kfree(bt);
    return 0;
}

/* ---- /sys/block/DISK/trace ---- */

/* Names of categories, by bit. */
static const char *const mask_names[16] = {
    "read", "write", "flush",  "sync",  "queue", "requeue", "issue",    "complete",
    "fs",   "pc",    "notify", "ahead", "meta",  "discard", "drv_data", "fua"};

static bool is_name(const char *word, const char *name)
{
    for (; *word && *name; word++, name++)
        if ((*word >= 'A' && *word <= 'Z' ? *word | 32 : *word) != *name)
            return false;
    return *word == *name;
}

/* `read,issue`; -EINVAL: an unknown name. */
static int blk_trace_str2mask(char *str)
{
    char *word;
    int mask = 0;

    while ((word = strsep(&str, ","))) {
        unsigned int i;

        word = strstrip(word);
        if (!*word)
            continue;
        for (i = 0; i < ARRAY_SIZE(mask_names) && !is_name(word, mask_names[i]); i++)
            ;
        if (i == ARRAY_SIZE(mask_names))
            return -EINVAL;
        mask |= 1 << i;
    }
    return mask;
}

static void show_mask(struct seq_file *m, unsigned int mask)
{
    const char *before = "";
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(mask_names); i++) {
        if (!(mask >> i & 1))
            continue;
        seq_printf(m, "%s%s", before, mask_names[i]);
        before = ",";
    }
    seq_puts(m, "\n");
}

enum attr_kind { ATTR_ENABLE, ATTR_ACT_MASK, ATTR_PID, ATTR_START_LBA, ATTR_END_LBA, NR_ATTRS };

struct trace_attr {
    struct gendisk *disk;
    enum attr_kind kind;
};

static int trace_attr_show(struct seq_file *m, void *data)
{
    const struct trace_attr *attr = data;
    const struct blk_trace *bt;

    mutex_lock(&blk_trace_mutex);
    bt = attr->disk->queue->blk_trace;
    if (attr->kind == ATTR_ENABLE)
        seq_printf(m, "%u\n", bt != NULL);
    else if (!bt)
        seq_puts(m, "disabled\n");
    else if (attr->kind == ATTR_ACT_MASK)
        show_mask(m, bt->act_mask);
    else if (attr->kind == ATTR_PID)
        seq_printf(m, "%u\n", bt->pid);
    else
        seq_printf(m, "%llu\n", attr->kind == ATTR_START_LBA ? bt->start_lba : bt->end_lba);
    mutex_unlock(&blk_trace_mutex);
    return 0;
}

static int parse_attr(enum attr_kind kind, char *text, unsigned long *value)
{
    int mask;

    if (!kstrtoul(text, 0, value))
        return 0;
    mask = kind == ATTR_ACT_MASK ? blk_trace_str2mask(text) : -EINVAL;
    *value = mask;
    return min(mask, 0);
}

/* Setting any of them turns tracing of the disk on. */
static int set_attr(const struct trace_attr *attr, unsigned long value)
{
    struct blk_trace *bt = attr->disk->queue->blk_trace;
    int err;

    if (attr->kind == ATTR_ENABLE && !value == !bt)
        return 0;
    if (attr->kind == ATTR_ENABLE)
        return value ? blk_trace_setup_queue(attr->disk) : blk_trace_remove_queue(attr->disk);
    err = bt ? 0 : blk_trace_setup_queue(attr->disk);
    if (err)
        return err;
    bt = attr->disk->queue->blk_trace;
    switch (attr->kind) {
    case ATTR_ACT_MASK: WRITE_ONCE(bt->act_mask, (u16)value); break;
    case ATTR_PID: WRITE_ONCE(bt->pid, (u32)value); break;
    case ATTR_START_LBA: WRITE_ONCE(bt->start_lba, value); break;
    default: WRITE_ONCE(bt->end_lba, value); break;
    }
    return 0;
}

static ssize_t trace_attr_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    const struct trace_attr *attr = file->f_inode->i_private;
    unsigned long value = 0;
    char text[160];
    int err;

    if (!count || count >= sizeof(text))
        return -EINVAL;
    memcpy(text, buf, count);
    text[count] = 0;
    err = parse_attr(attr->kind, text, &value);
    if (err)
        return err;
    mutex_lock(&blk_trace_mutex);
    err = set_attr(attr, value);
    mutex_unlock(&blk_trace_mutex);
    if (err)
        return err;
    *pos += count;
    return count;
}

DEFINE_SHOW_STORE_ATTRIBUTE(trace_attr);

void blk_trace_init_sysfs(struct gendisk *disk)
{
    static const char *const names[NR_ATTRS] = {"enable", "act_mask", "pid", "start_lba",
                                                "end_lba"};
    struct dentry *dir = sysfs_create_dir(disk->sysfs_dir, "trace");
    struct trace_attr *attrs = kzalloc(NR_ATTRS * sizeof(*attrs));
    unsigned int i;

    BUG_ON(!attrs); /* at boot */
    for (i = 0; i < NR_ATTRS; i++) {
        attrs[i] = (struct trace_attr){disk, i};
        BUG_ON(!simple_create_file(dir, names[i], S_IRUGO | S_IWUSR, &attrs[i], &trace_attr_fops));
    }
}
