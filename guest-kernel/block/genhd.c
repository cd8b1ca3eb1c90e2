/* genhd.c - disks: /dev/NAME, /sys/block/NAME, /proc/partitions and /proc/diskstats. */
#include "blk.h"
#include <asm/page.h>
#include <linux/blkdev.h>
#include <linux/blktrace_api.h>
#include <linux/bug.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

static LIST_HEAD(disks); /* changed only at boot */
static struct dentry *block_dir;

struct gendisk *alloc_disk(void)
{
    struct gendisk *disk = kzalloc(sizeof(*disk));

    if (disk)
        disk->part0.bd_disk = disk;
    return disk;
}

void set_capacity(struct gendisk *disk, sector_t sectors)
{
    disk->part0.bd_nr_sectors = sectors;
}

struct gendisk *next_disk(struct gendisk *disk)
{
    struct list_head *next = disk ? disk->list.next : disks.next;

    return next == &disks ? NULL : list_entry(next, struct gendisk, list);
}

/* ---- files in /sys/block/NAME ---- */

static int size_show(struct seq_file *m, void *data)
{
    const struct gendisk *disk = data;

    seq_printf(m, "%llu\n", disk->part0.bd_nr_sectors);
    return 0;
}

static int ro_show(struct seq_file *m, void *data)
{
    const struct gendisk *disk = data;

    seq_printf(m, "%d\n", disk->read_only);
    return 0;
}

static int dev_show(struct seq_file *m, void *data)
{
    const struct gendisk *disk = data;

    seq_printf(m, "%d:%d\n", disk->major, disk->first_minor);
    return 0;
}

/* Linux's columns; merges and the time in the queue are not counted here, nor are discards. */
static void show_stat(struct seq_file *m, const struct gendisk *disk)
{
    const struct block_device *b = &disk->part0;
    unsigned int in_flight = READ_ONCE(disk->queue->in_flight);
    u64 ms[3];
    int i;

    for (i = 0; i < 3; i++)
        ms[i] = b->nsecs[i] / 1000000;
    seq_printf(m, "%8lu %8d %8lu %8llu %8lu %8d %8lu %8llu %8u %8llu %8llu", b->ios[0], 0,
               b->sectors[0], ms[0], b->ios[1], 0, b->sectors[1], ms[1], in_flight, ms[0] + ms[1],
               ms[0] + ms[1]);
    seq_printf(m, " %8d %8d %8d %8d %8lu %8llu\n", 0, 0, 0, 0, b->ios[2], ms[2]);
}

static int stat_show(struct seq_file *m, void *data)
{
    show_stat(m, data);
    return 0;
}

static int read_ahead_kb_show(struct seq_file *m, void *data)
{
    const struct gendisk *disk = data;

    seq_printf(m, "%lu\n", disk->queue->ra_pages * (PAGE_SIZE / 1024ul));
    return 0;
}

/* Reads a number that a program wrote to a file. */
static int parse_number(const char *buf, size_t count, unsigned long *value)
{
    char text[24];

    if (count >= sizeof(text))
        return -EINVAL;
    memcpy(text, buf, count);
    text[count] = 0;
    return kstrtoul(text, 10, value);
}

static ssize_t read_ahead_kb_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct gendisk *disk = file->f_inode->i_private;
    unsigned long kb;
    int err = parse_number(buf, count, &kb);

    if (err)
        return err;
    WRITE_ONCE(disk->queue->ra_pages, (unsigned int)(kb / (PAGE_SIZE / 1024)));
    *pos += count;
    return count;
}

static int nomerges_show(struct seq_file *m, void *data)
{
    const struct gendisk *disk = data;

    seq_printf(m, "%u\n", disk->queue->nomerges);
    return 0;
}

static ssize_t nomerges_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct gendisk *disk = file->f_inode->i_private;
    unsigned long value;
    int err = parse_number(buf, count, &value);

    if (err)
        return err;
    WRITE_ONCE(disk->queue->nomerges, value == 2 ? 2u : value != 0);
    *pos += count;
    return count;
}

static int nr_requests_show(struct seq_file *m, void *data)
{
    const struct gendisk *disk = data;

    seq_printf(m, "%u\n", disk->queue->nr_requests);
    return 0;
}

static int logical_block_size_show(struct seq_file *m, void *data)
{
    const struct gendisk *disk = data;

    seq_printf(m, "%u\n", disk->queue->limits.logical_block_size);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(size);
DEFINE_SHOW_ATTRIBUTE(ro);
DEFINE_SHOW_ATTRIBUTE(dev);
DEFINE_SHOW_ATTRIBUTE(stat);
DEFINE_SHOW_STORE_ATTRIBUTE(read_ahead_kb);
DEFINE_SHOW_STORE_ATTRIBUTE(nomerges);
DEFINE_SHOW_ATTRIBUTE(nr_requests);
DEFINE_SHOW_ATTRIBUTE(logical_block_size);

static const struct {
    const char *name;
    const struct file_operations *fops;
    bool of_queue, writable;
} attributes[] = {
    {"size", &size_fops, false, false},
    {"ro", &ro_fops, false, false},
    {"dev", &dev_fops, false, false},
    {"stat", &stat_fops, false, false},
    {"read_ahead_kb", &read_ahead_kb_fops, true, true},
    {"nomerges", &nomerges_fops, true, true},
    {"nr_requests", &nr_requests_fops, true, false},
    {"logical_block_size", &logical_block_size_fops, true, false},
};

static void create_sysfs(struct gendisk *disk)
{
    struct dentry *dir = sysfs_create_dir(block_dir, disk->disk_name);
    struct dentry *queue = sysfs_create_dir(dir, "queue");
    unsigned int i;

    disk->sysfs_dir = dir;
    for (i = 0; i < ARRAY_SIZE(attributes); i++)
        BUG_ON(!simple_create_file(attributes[i].of_queue ? queue : dir, attributes[i].name,
                                   S_IRUGO | (attributes[i].writable ? S_IWUSR : 0), disk,
                                   attributes[i].fops));
}

/* ---- adding and finding ---- */

/* The special file's own inode is the device's: it exists for ever, and holds the pages. */
static int create_pages(struct gendisk *disk, struct inode *inode)
{
    struct address_space *mapping = kzalloc(sizeof(*mapping));

    if (!mapping)
        return -ENOMEM;
    address_space_init(mapping, inode, &disk->part0, &def_blk_aops);
    inode->i_mapping = mapping;
    inode->i_size = disk->part0.bd_nr_sectors << SECTOR_SHIFT;
    inode->i_blksize = inode->i_size % PAGE_SIZE ? SECTOR_SIZE : PAGE_SIZE;
    disk->part0.bd_inode = inode;
    return 0;
}

int add_disk(struct gendisk *disk)
{
    struct inode *inode;
    int err;

    disk->part0.bd_dev = MKDEV(disk->major, disk->first_minor);
    inode = device_create_block(disk->disk_name, disk->part0.bd_dev, disk, &def_blk_fops);
    err = create_pages(disk, inode);
    if (err)
        return err;
    create_sysfs(disk);
    blk_trace_init_sysfs(disk);
    list_add_tail(&disk->list, &disks);
    pr_info("%s: %llu 512-byte logical blocks\n", disk->disk_name, disk->part0.bd_nr_sectors);
    return 0;
}

static int partitions_show(struct seq_file *m, void *unused)
{
    const struct gendisk *disk;

    (void)unused;
    seq_puts(m, "major minor  #blocks  name\n\n");
    list_for_each_entry(disk, &disks, list)
        seq_printf(m, "%4d  %7d %10llu %s\n", disk->major, disk->first_minor,
                   disk->part0.bd_nr_sectors / 2, disk->disk_name);
    return 0;
}

static int diskstats_show(struct seq_file *m, void *unused)
{
    const struct gendisk *disk;

    (void)unused;
    list_for_each_entry(disk, &disks, list) {
        seq_printf(m, "%4d %7d %s ", disk->major, disk->first_minor, disk->disk_name);
        show_stat(m, disk);
    }
    return 0;
}

void block_init(void)
{
    block_dir = sysfs_create_dir(NULL, "block");
    proc_create_single("partitions", S_IRUGO, NULL, partitions_show);
    proc_create_single("diskstats", S_IRUGO, NULL, diskstats_show);
    drop_caches_init();
}
