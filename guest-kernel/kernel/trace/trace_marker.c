/*
 * trace_marker.c - the file trace_marker, for text from programs.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/string.h>

enum { TRACE_MARKER_MAX = 1024 };

/* Copies the text and adds a newline if it has none. */
static void fill_marker(struct print_entry *entry, const char *text, size_t len)
{
    memcpy(entry->buf, text, len);
    if (!len || text[len - 1] != '\n')
        entry->buf[len++] = '\n';
    entry->buf[len] = 0;
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
    struct print_entry *entry;

    if (!(tr->trace_flags & TRACE_ITER_MARKERS))
        return -EINVAL;
    entry =
        trace_buffer_lock_reserve(buffer, TRACE_PRINT, sizeof(*entry) + len + 2, tracing_gen_ctx());
    if (!entry)
        return -EBADF;
    entry->ip = (unsigned long)tracing_mark_write;
    fill_marker(entry, buf, len);
    trace_buffer_unlock_commit(tr, buffer);
    *pos += len;
    return len;
}

static const struct file_operations marker_fops = {
    .write = tracing_mark_write,
};

void trace_create_marker_file(void)
{
    tracefs_create_file("trace_marker", S_IWUSR, NULL, &global_trace, &marker_fops);
}
