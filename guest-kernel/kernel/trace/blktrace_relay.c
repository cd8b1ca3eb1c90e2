/*
 * blktrace_relay.c - /sys/kernel/debug/block/DISK/traceN: the records of each hart for the program
 * that has set up the trace.
 *
 * A hart writes its own buffer with interrupts off, and a reader takes bytes from it; neither
 * waits for the other. A record that does not fit is lost, and counted in the file `dropped`.
 *
 * Not instrumented.
 */
#include "blktrace.h"
#include <asm/barrier.h>
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

enum { BUFFER_MAX = 4 << 20 }; /* bytes of one hart */

static struct dentry *block_dir; /* under blk_trace_mutex; made for the first trace */

static void copy_in(struct blk_buffer *b, unsigned long at, const void *from, unsigned int len)
{
    unsigned int offset = at % b->size, first = min(len, b->size - offset);

    memcpy(b->data + offset, from, first);
    memcpy(b->data, (const char *)from + first, len - first);
}

void blk_relay_write(struct blk_trace *bt, struct blk_io_trace *t, const void *pdu)
{
    struct blk_buffer *b = bt->buffers[smp_processor_id()];
    unsigned int len = sizeof(*t) + t->pdu_len;

    if (!b || b->head - smp_load_acquire(&b->tail) + len > b->size) {
        atomic_inc(&bt->dropped);
        return;
    }
    t->sequence = ++b->sequence;
    copy_in(b, b->head, t, sizeof(*t));
    copy_in(b, b->head + sizeof(*t), pdu, t->pdu_len);
    smp_store_release(&b->head, b->head + len);
    smp_mb(); /* before the look for who polls; they do the reverse */
    if (READ_ONCE(b->waiting))
        irq_work_queue(&b->wake);
}

static void relay_wake(struct blk_buffer *b)
{
    WRITE_ONCE(b->waiting, false);
    wake_up_interruptible_all(&b->read_wait);
}

static void relay_wake_work(struct irq_work *work)
{
    relay_wake(container_of(work, struct blk_buffer, wake));
}

/* ---- files ---- */

/* The file's buffer; NULL: the trace has ended since the name was found. */
static int relay_open(struct inode *inode, struct file *file)
{
    struct blk_buffer *b;

    mutex_lock(&blk_trace_mutex);
    b = inode->i_private;
    if (b)
        atomic_inc(&b->bt->users);
    mutex_unlock(&blk_trace_mutex);
    file->private_data = b;
    return b ? 0 : -ENOENT;
}

static int relay_release(struct inode *inode, struct file *file)
{
    struct blk_buffer *b = file->private_data;

    (void)inode;
    blk_trace_put(b->bt);
    return 0;
}

/* Gives what there is; does not wait. */
static ssize_t relay_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    struct blk_buffer *b = file->private_data;
    unsigned long n;
    unsigned int offset, first;

    mutex_lock(&b->read_lock);
    n = min((unsigned long)count, smp_load_acquire(&b->head) - b->tail);
    offset = b->tail % b->size;
    first = min((unsigned int)n, b->size - offset);
    memcpy(buf, b->data + offset, first);
    memcpy(buf + first, b->data, n - first);
    smp_store_release(&b->tail, b->tail + n);
    mutex_unlock(&b->read_lock);
    *pos += n;
    return n;
}

static unsigned int relay_poll(struct file *file, struct poll_table *table)
{
    struct blk_buffer *b = file->private_data;

    poll_wait(file, &b->read_wait, table);
    WRITE_ONCE(b->waiting, true);
    smp_mb();
    if (READ_ONCE(b->finalized))
        return POLLERR;
    return READ_ONCE(b->head) == READ_ONCE(b->tail) ? 0 : POLLIN | POLLRDNORM;
}

static const struct file_operations relay_fops = {
    .open = relay_open,
    .poll = relay_poll,
    .read = relay_read,
    .release = relay_release,
};

static int dropped_show(struct seq_file *m, void *data)
{
    const struct gendisk *disk = data;
    const struct blk_trace *bt;

    mutex_lock(&blk_trace_mutex);
    bt = disk->queue->blk_trace;
    seq_printf(m, "%u\n", bt ? atomic_read(&bt->dropped) : 0);
    mutex_unlock(&blk_trace_mutex);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(dropped);

static struct gendisk *disk_named(const char *name)
{
    struct gendisk *disk = NULL;

    while ((disk = next_disk(disk)) && strcmp(disk->disk_name, name))
        ;
    return disk;
}

static int create_buffer(struct blk_trace *bt, unsigned int cpu, unsigned long size)
{
    struct blk_buffer *b = vmalloc(sizeof(*b) + size);
    char name[16];

    if (!b)
        return -ENOMEM;
    memset(b, 0, sizeof(*b));
    b->bt = bt;
    b->size = size;
    mutex_init(&b->read_lock);
    init_waitqueue_head(&b->read_wait);
    init_irq_work(&b->wake, relay_wake_work);
    bt->buffers[cpu] = b;
    snprintf(name, sizeof(name), "trace%u", cpu);
    b->file = debugfs_create_file(name, S_IRUSR, bt->dir, b, &relay_fops);
    return b->file ? 0 : -ENOMEM;
}

int blk_relay_create(struct blk_trace *bt, const struct blk_user_trace_setup *buts)
{
    u64 size = (u64)buts->buf_size * buts->buf_nr;
    unsigned int cpu;
    int err = 0;

    if (size > BUFFER_MAX)
        return -ENOMEM;
    if (!block_dir)
        block_dir = debugfs_create_dir("block", NULL);
    bt->dir = block_dir ? debugfs_create_dir(buts->name, block_dir) : NULL;
    if (!bt->dir ||
        !debugfs_create_file("dropped", S_IRUSR, bt->dir, disk_named(buts->name), &dropped_fops))
        return -ENOMEM;
    for_each_online_cpu(cpu) {
        if (!err)
            err = create_buffer(bt, cpu, size);
    }
    return err;
}

void blk_relay_remove_files(struct blk_trace *bt)
{
    unsigned int cpu;

    for_each_possible_cpu(cpu) {
        struct blk_buffer *b = bt->buffers[cpu];

        if (!b)
            continue;
        if (b->file)
            b->file->d_inode->i_private = NULL;
        WRITE_ONCE(b->finalized, true);
        irq_work_sync(&b->wake);
        relay_wake(b);
    }
    if (bt->dir)
        simple_recursive_removal(bt->dir);
    bt->dir = NULL;
}

void blk_trace_put(struct blk_trace *bt)
{
    unsigned int cpu;

    if (!atomic_dec_and_test(&bt->users))
        return;
    for_each_possible_cpu(cpu)
        vfree(bt->buffers[cpu]);
    kfree(bt);
}
