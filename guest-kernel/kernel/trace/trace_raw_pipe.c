/*
 * trace_raw_pipe.c - per_cpu/cpuN/trace_pipe_raw: the pages of a ring in binary form.
 *
 * Tools write trace.dat files from it. Each page has 4096 bytes, zero beyond `commit`; a reader
 * may read it in pieces.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>

struct raw_reader {
    unsigned int given; /* bytes of page that were read; PAGE_SIZE: all */
    struct buffer_data_page page;
};

static int raw_open(struct inode *inode, struct file *file)
{
    struct raw_reader *reader = kzalloc(sizeof(*reader));

    if (!reader)
        return -ENOMEM;
    reader->given = PAGE_SIZE;
    file->private_data = reader;
    mutex_lock(&trace_types_lock);
    trace_array_of(inode)->trace_ref++;
    mutex_unlock(&trace_types_lock);
    return 0;
}

static int raw_release(struct inode *inode, struct file *file)
{
    mutex_lock(&trace_types_lock);
    trace_array_of(inode)->trace_ref--;
    mutex_unlock(&trace_types_lock);
    kfree(file->private_data);
    return 0;
}

static bool raw_is_ready(struct trace_buffer *buffer, unsigned int cpu)
{
    ring_buffer_expect_wakeup(buffer);
    return !ring_buffer_empty_cpu(buffer, cpu) || !buffer->record_on;
}

static bool read_page(struct raw_reader *reader, struct trace_buffer *buffer, unsigned int cpu)
{
    bool got;

    mutex_lock(&trace_access_lock);
    got = ring_buffer_read_page(buffer, cpu, &reader->page);
    mutex_unlock(&trace_access_lock);
    return got;
}

/* Returns 1: there is a page; 0: tracing is off and no page is left; or a negative error. */
static int next_page(struct raw_reader *reader, const struct file *file)
{
    const struct trace_array *tr = trace_array_of(file->f_inode);
    unsigned int cpu = tracing_cpu_of(file->f_inode);

    while (!read_page(reader, trace_buffer_of(tr), cpu)) {
        struct trace_buffer *buffer = trace_buffer_of(tr);
        int err;

        if (!buffer->record_on)
            return 0;
        if (file->f_flags & O_NONBLOCK)
            return -EAGAIN;
        err = wait_event_interruptible(buffer->waiters, raw_is_ready(buffer, cpu));
        if (err)
            return err;
    }
    reader->given = 0;
    return 1;
}

static ssize_t raw_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    struct raw_reader *reader = file->private_data;
    int ret = 1;
    size_t n;

    if (reader->given == PAGE_SIZE)
        ret = next_page(reader, file);
    if (ret <= 0)
        return ret;
    n = min(count, (size_t)(PAGE_SIZE - reader->given));
    memcpy(buf, (char *)&reader->page + reader->given, n);
    reader->given += n;
    *pos += n;
    return n;
}

static unsigned int raw_poll(struct file *file, struct poll_table *table)
{
    const struct raw_reader *reader = file->private_data;
    struct trace_buffer *buffer = trace_buffer_of(trace_array_of(file->f_inode));

    if (reader->given != PAGE_SIZE)
        return POLLIN | POLLRDNORM;
    poll_wait(file, &buffer->waiters, table);
    ring_buffer_expect_wakeup(buffer);
    return ring_buffer_empty_cpu(buffer, tracing_cpu_of(file->f_inode)) ? 0 : POLLIN | POLLRDNORM;
}

enum { SPLICE_F_NONBLOCK = 2 };

static bool page_is_ready(struct trace_buffer *buffer, unsigned int cpu)
{
    ring_buffer_expect_wakeup(buffer);
    return ring_buffer_has_full_page(buffer, cpu) || !buffer->record_on;
}

/* As in Linux, only pages that are full: the last ones are left for read(). */
static ssize_t raw_splice_page(struct file *file, char *page, size_t len, unsigned int flags)
{
    struct trace_buffer *buffer = trace_buffer_of(trace_array_of(file->f_inode));
    unsigned int cpu = tracing_cpu_of(file->f_inode);
    bool got = false;
    int err = 0;

    if (len < PAGE_SIZE)
        return -EINVAL;
    if (!ring_buffer_has_full_page(buffer, cpu)) {
        if (!buffer->record_on)
            return 0;
        if (flags & SPLICE_F_NONBLOCK || file->f_flags & O_NONBLOCK)
            return -EAGAIN;
        err = wait_event_interruptible(buffer->waiters, page_is_ready(buffer, cpu));
    }
    if (err)
        return err;
    mutex_lock(&trace_access_lock);
    if (ring_buffer_has_full_page(buffer, cpu))
        got = ring_buffer_read_page(buffer, cpu, (struct buffer_data_page *)page);
    mutex_unlock(&trace_access_lock);
    return got ? PAGE_SIZE : 0;
}

static const struct file_operations raw_fops = {
    .open = raw_open,
    .poll = raw_poll,
    .read = raw_read,
    .splice_page = raw_splice_page,
    .release = raw_release,
};

void trace_create_raw_file(struct dentry *dir, struct trace_cpu_file *file)
{
    tracefs_create_file("trace_pipe_raw", S_IRUGO, dir, file, &raw_fops);
}
