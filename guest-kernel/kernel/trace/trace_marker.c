/*
 * trace_marker.c - the files trace_marker, for text from programs, and trace_marker_raw, for binary
 * data.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/string.h>

enum { TRACE_MARKER_MAX = 1024, RAW_DATA_MAX = 3 * 1024 };

/* Returns which triggers of events/ftrace/print act after the entry; they see it without a newline.
 */
static unsigned int call_triggers(const struct trace_array *tr, struct trace_buffer *buffer,
                                  const struct print_entry *entry, unsigned int len,
                                  unsigned int trace_ctx)
{
    unsigned int after;
    u64 ts = 0;

    preempt_disable_notrace();
    if (READ_ONCE(tr->no_filter_buffering_ref))
        ts = ring_buffer_event_time_stamp(buffer, entry, len);
    after = event_triggers_call(tr->trace_marker_file, entry, ts, trace_ctx);
    preempt_enable_notrace();
    return after;
}

/*
 * Returns how many bytes were written: at most TRACE_MARKER_MAX. Entries show this function's
 * name.
 */
static ssize_t tracing_mark_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct trace_array *tr = file->f_inode->i_private;
    struct trace_buffer *buffer = trace_buffer_of(tr);
    size_t len = min(count, (size_t)TRACE_MARKER_MAX);
    unsigned int trace_ctx = tracing_gen_ctx(), after = 0;
    struct print_entry *entry;

    if (!(tr->trace_flags & TRACE_ITER_MARKERS))
        return -EINVAL;
    entry = trace_buffer_lock_reserve(buffer, TRACE_PRINT, sizeof(*entry) + len + 2, trace_ctx);
    if (!entry)
        return -EBADF;
    entry->ip = (unsigned long)tracing_mark_write;
    memcpy(entry->buf, buf, len);
    entry->buf[len] = 0;
    if (tr->trace_marker_file && !list_empty(&tr->trace_marker_file->triggers))
        after = call_triggers(tr, buffer, entry, sizeof(*entry) + len + 2, trace_ctx);
    if (!len || buf[len - 1] != '\n')
        memcpy(entry->buf + len, "\n", 2);
    trace_buffer_unlock_commit(tr, buffer);
    if (after) {
        preempt_disable_notrace();
        event_triggers_post_call(tr->trace_marker_file, after, trace_ctx);
        preempt_enable_notrace();
    }
    *pos += len;
    return len;
}

static const struct file_operations marker_fops = {
    .write = tracing_mark_write,
};

/* The first four bytes are a number of the program's choice. */
static ssize_t raw_mark_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct trace_array *tr = file->f_inode->i_private;
    struct trace_buffer *buffer = trace_buffer_of(tr);
    struct raw_data_entry *entry;

    if (!(tr->trace_flags & TRACE_ITER_MARKERS) || count < sizeof(entry->id) ||
        count > RAW_DATA_MAX)
        return -EINVAL;
    entry = trace_buffer_lock_reserve(buffer, TRACE_RAW_DATA, sizeof(entry->ent) + count,
                                      tracing_gen_ctx());
    if (!entry)
        return -EBADF;
    memcpy(&entry->id, buf, count);
    memset((char *)&entry->id + count, 0, -count % 4); /* the ring's words are whole */
    trace_buffer_unlock_commit(tr, buffer);
    *pos += count;
    return count;
}

static const struct file_operations raw_marker_fops = {
    .write = raw_mark_write,
};

void trace_create_marker_files(struct trace_array *tr, struct dentry *dir)
{
    tracefs_create_file("trace_marker", S_IWUSR, dir, tr, &marker_fops);
    tracefs_create_file("trace_marker_raw", S_IWUSR, dir, tr, &raw_marker_fops);
}
