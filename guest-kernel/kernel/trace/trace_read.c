/*
 * trace_read.c - the files trace, a non-consuming read, and trace_pipe, a consuming one.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/wait.h>

/* Returns the rings that a file shows: of a latency tracer, its longest section. */
static struct array_buffer *shown_buffer(struct trace_array *tr, bool snapshot)
{
    return snapshot || tr->current_trace->print_max ? &tr->max_buffer : &tr->array_buffer;
}

static struct trace_iterator *new_iterator(const struct inode *inode)
{
    struct trace_iterator *iter = kzalloc(sizeof(*iter));
    unsigned long total, entries;

    if (!iter)
        return NULL;
    iter->tr = trace_array_of(inode);
    iter->array_buffer = &iter->tr->array_buffer;
    iter->trace = iter->tr->current_trace;
    iter->cpu_file = tracing_cpu_of(inode);
    trace_buffer_entries(iter->array_buffer, &total, &entries);
    iter->annotate = total != entries;
    trace_seq_init(&iter->seq);
    return iter;
}

/* ---- trace ---- */

/*
 * Option pause-on-trace pauses recording while the file is open for reading. Position 0 is the
 * header; position n is the n-th entry, whose text is in iter->seq, so that showing it twice
 * gives the same text.
 */
static void *trace_start(struct seq_file *m, loff_t *pos)
{
    struct trace_iterator *iter = m->private;

    if (iter->snapshot && iter->trace->use_max_tr)
        return ERR_PTR(-EBUSY);
    return *pos == 0 || iter->ent ? iter : NULL;
}

static void *trace_next(struct seq_file *m, void *v, loff_t *pos)
{
    struct trace_iterator *iter = m->private;

    (void)v;
    ++*pos;
    if (!trace_find_next_entry_inc(iter))
        return NULL;
    print_trace_line(iter);
    return iter;
}

static void trace_stop(struct seq_file *m, void *v)
{
    (void)m;
    (void)v;
}

static int trace_show(struct seq_file *m, void *v)
{
    struct trace_iterator *iter = v;

    if (iter->ent)
        seq_write(m, iter->seq.buffer, iter->seq.len);
    else
        trace_print_header(m, iter);
    return 0;
}

static const struct seq_operations trace_seq_ops = {trace_start, trace_stop, trace_next,
                                                    trace_show};

/* Skips the entries from before the section, or the last reset. */
static void skip_older(struct trace_iterator *iter, unsigned int cpu)
{
    struct trace_array_cpu *data = &iter->array_buffer->data[cpu];
    unsigned long skipped = 0;
    u64 ts;

    while (ring_buffer_iter_peek(iter->buffer_iter[cpu], &ts) &&
           ts < iter->array_buffer->time_start) {
        ring_buffer_iter_advance(iter->buffer_iter[cpu]);
        skipped++;
    }
    data->skipped_entries = skipped;
}

static int start_rings(struct trace_iterator *iter)
{
    unsigned int cpu;

    for_each_possible_cpu(cpu) {
        if (iter->cpu_file != RING_BUFFER_ALL_CPUS && (unsigned int)iter->cpu_file != cpu)
            continue;
        iter->buffer_iter[cpu] = ring_buffer_read_start(iter->array_buffer->buffer, cpu);
        if (!iter->buffer_iter[cpu])
            return -ENOMEM;
        skip_older(iter, cpu);
    }
    return 0;
}

/* No rings are exchanged meanwhile. */
static void pause_recording(struct trace_array *tr)
{
    mutex_lock(&tr->stop_lock);
    WRITE_ONCE(tr->stop_count, tr->stop_count + 1);
    kick_all_cpus_sync();
    ring_buffer_record_disable(tr->array_buffer.buffer);
    ring_buffer_record_disable(tr->max_buffer.buffer);
    mutex_unlock(&tr->stop_lock);
}

static void resume_recording(struct trace_array *tr)
{
    mutex_lock(&tr->stop_lock);
    ring_buffer_record_enable(tr->array_buffer.buffer);
    ring_buffer_record_enable(tr->max_buffer.buffer);
    WRITE_ONCE(tr->stop_count, tr->stop_count - 1);
    mutex_unlock(&tr->stop_lock);
}

static void free_trace_iterator(struct trace_iterator *iter)
{
    unsigned int cpu;

    if (!iter)
        return;
    for (cpu = 0; cpu < NR_CPUS; cpu++)
        ring_buffer_read_finish(iter->buffer_iter[cpu]);
    if (iter->pauses)
        resume_recording(iter->tr);
    kfree(iter);
}

static int start_reading(struct trace_iterator *iter)
{
    int err;

    iter->pauses = iter->tr->trace_flags & TRACE_ITER_PAUSE_ON_TRACE;
    if (iter->pauses)
        pause_recording(iter->tr);
    err = start_rings(iter);
    if (!err && iter->trace->open)
        err = iter->trace->open(iter);
    return err;
}

static int open_for_reading(struct inode *inode, struct file *file, bool snapshot)
{
    struct trace_iterator *iter;
    int err = -ENOMEM;

    mutex_lock(&trace_types_lock);
    iter = new_iterator(inode);
    if (iter) {
        iter->snapshot = snapshot;
        iter->array_buffer = shown_buffer(iter->tr, snapshot);
        err = start_reading(iter);
    }
    if (!err) {
        err = seq_open(file, &trace_seq_ops);
        if (err && iter->trace->close)
            iter->trace->close(iter);
    }
    mutex_unlock(&trace_types_lock);
    if (err)
        free_trace_iterator(iter);
    else
        ((struct seq_file *)file->private_data)->private = iter;
    return err;
}

/* Opening the file with O_TRUNC clears the buffer. */
static int trace_open(struct inode *inode, struct file *file)
{
    unsigned int acc = file->f_flags & O_ACCMODE;

    if (acc != O_RDONLY && (file->f_flags & O_TRUNC)) {
        struct trace_array *tr = trace_array_of(inode);

        struct array_buffer *buf = shown_buffer(tr, false);

        if (tracing_cpu_of(inode) == RING_BUFFER_ALL_CPUS)
            tracing_reset_online_cpus(buf);
        else
            ring_buffer_reset_cpu(buf->buffer, tracing_cpu_of(inode));
    }
    return acc == O_WRONLY ? 0 : open_for_reading(inode, file, false);
}

/* What is written is ignored. */
static ssize_t trace_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    (void)buf;
    *pos += count;
    return count;
}

static int trace_release(struct inode *inode, struct file *file)
{
    struct seq_file *m = file->private_data;
    struct trace_iterator *iter = m ? m->private : NULL;

    if (!m)
        return 0;
    if (iter->trace->close)
        iter->trace->close(iter);
    free_trace_iterator(iter);
    return seq_release(inode, file);
}

static const struct file_operations trace_fops = {
    .open = trace_open,
    .read = seq_read,
    .write = trace_write,
    .release = trace_release,
};

/* ---- snapshot ---- */

static int snapshot_open(struct inode *inode, struct file *file)
{
    bool reads = (file->f_flags & O_ACCMODE) != O_WRONLY;

    return reads ? open_for_reading(inode, file, true) : 0;
}

static const struct file_operations snapshot_fops = {
    .open = snapshot_open,
    .read = seq_read,
    .write = trace_snapshot_write,
    .release = trace_release,
};

/* ---- trace_pipe ---- */

DEFINE_MUTEX(trace_access_lock);

static int pipe_open(struct inode *inode, struct file *file)
{
    struct trace_iterator *iter;
    int err = -ENOMEM;

    mutex_lock(&trace_types_lock);
    iter = new_iterator(inode);
    if (iter)
        err = iter->trace->pipe_open ? iter->trace->pipe_open(iter) : 0;
    if (!err)
        iter->tr->trace_ref++;
    mutex_unlock(&trace_types_lock);
    if (err)
        kfree(iter);
    else
        file->private_data = iter;
    return err;
}

static int pipe_release(struct inode *inode, struct file *file)
{
    struct trace_iterator *iter = file->private_data;

    (void)inode;
    mutex_lock(&trace_types_lock);
    iter->tr->trace_ref--;
    if (iter->trace->pipe_close)
        iter->trace->pipe_close(iter);
    mutex_unlock(&trace_types_lock);
    kfree(iter);
    return 0;
}

static bool pipe_is_empty(const struct trace_iterator *iter)
{
    if (iter->cpu_file == RING_BUFFER_ALL_CPUS)
        return ring_buffer_empty(iter->array_buffer->buffer);
    return ring_buffer_empty_cpu(iter->array_buffer->buffer, iter->cpu_file);
}

/* Tracing is off, and this reader has read entries before. */
static bool pipe_is_at_end(const struct trace_iterator *iter)
{
    return !iter->array_buffer->buffer->record_on && iter->idx;
}

static bool pipe_is_ready(const struct trace_iterator *iter)
{
    ring_buffer_expect_wakeup(iter->array_buffer->buffer);
    return !pipe_is_empty(iter) || pipe_is_at_end(iter);
}

/* Returns 1: there is something to read; 0: end of file; or a negative error. */
static int wait_pipe(struct trace_iterator *iter, const struct file *file)
{
    int err;

    if (!pipe_is_empty(iter))
        return 1;
    if (file->f_flags & O_NONBLOCK)
        return -EAGAIN;
    err = wait_event_interruptible(iter->array_buffer->buffer->waiters, pipe_is_ready(iter));
    return err ? err : !pipe_is_empty(iter);
}

/* Copies from the current entry's text as much as fits. */
static size_t give_text(struct trace_iterator *iter, char *buf, size_t room)
{
    size_t n = min((size_t)(iter->seq.len - iter->given), room);

    memcpy(buf, iter->seq.buffer + iter->given, n);
    iter->given += n;
    return n;
}

static size_t give_entries(struct trace_iterator *iter, char *buf, size_t count)
{
    size_t n = give_text(iter, buf, count);

    while (n < count && trace_find_next_entry_inc(iter)) {
        print_trace_line(iter);
        iter->given = 0;
        n += give_text(iter, buf + n, count - n);
    }
    return n;
}

/* Another reader may have taken the entries: then waits again. */
static ssize_t pipe_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    struct trace_iterator *iter = file->private_data;
    ssize_t ret = 1;

    while (ret > 0) {
        if (iter->given == iter->seq.len && iter->trace->read) {
            mutex_lock(&trace_access_lock);
            trace_seq_init(&iter->seq);
            iter->given = 0;
            iter->trace->read(iter);
            mutex_unlock(&trace_access_lock);
        }
        if (iter->given == iter->seq.len)
            ret = wait_pipe(iter, file);
        if (ret <= 0)
            return ret;
        mutex_lock(&trace_access_lock);
        ret = give_entries(iter, buf, count);
        mutex_unlock(&trace_access_lock);
        if (ret)
            break;
        ret = 1;
    }
    *pos += ret;
    return ret;
}

static unsigned int pipe_poll(struct file *file, struct poll_table *table)
{
    const struct trace_iterator *iter = file->private_data;
    struct trace_buffer *buffer = iter->array_buffer->buffer;

    if (iter->given != iter->seq.len)
        return POLLIN | POLLRDNORM;
    poll_wait(file, &buffer->waiters, table);
    ring_buffer_expect_wakeup(buffer);
    return pipe_is_empty(iter) ? 0 : POLLIN | POLLRDNORM;
}

static const struct file_operations pipe_fops = {
    .open = pipe_open,
    .poll = pipe_poll,
    .read = pipe_read,
    .release = pipe_release,
};

void trace_create_read_files(struct dentry *parent, struct trace_cpu_file *file)
{
    tracefs_create_file("trace", S_IRUGO | S_IWUSR, parent, file, &trace_fops);
    tracefs_create_file("snapshot", S_IRUGO | S_IWUSR, parent, file, &snapshot_fops);
    tracefs_create_file("trace_pipe", S_IRUGO, parent, file, &pipe_fops);
}
