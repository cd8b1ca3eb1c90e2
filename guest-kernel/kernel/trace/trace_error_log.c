/*
 * trace_error_log.c - the file error_log: the last mistakes in what was written to the tracer's
 * files, each with a mark at its place.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_clock.h>

enum { TRACING_LOG_ERRS_MAX = 8, TRACING_LOG_LOC_MAX = 128 };

#define CMD_PREFIX "  Command: "

struct tracing_log_err {
    char loc[TRACING_LOG_LOC_MAX];
    const char *text;
    char *cmd; /* NULL: there was no memory for it */
    u64 ts;
    unsigned int pos;
};

/* Of a trace. */
struct tracing_err_log {
    struct tracing_log_err errors[TRACING_LOG_ERRS_MAX]; /* a ring */
    unsigned int logged; /* the number of errors since the file was cleared */
};

static DEFINE_MUTEX(tracing_err_log_lock);

void tracing_log_err(struct trace_array *tr, const char *loc, const char *cmd,
                     const char *const *errs, u8 type, u16 pos)
{
    struct tracing_log_err *err;

    if (!tr)
        tr = &global_trace;
    mutex_lock(&tracing_err_log_lock);
    err = &tr->err_log->errors[tr->err_log->logged++ % TRACING_LOG_ERRS_MAX];
    snprintf(err->loc, sizeof(err->loc), "%s: error: ", loc);
    kfree(err->cmd);
    err->cmd = kstrdup(cmd);
    err->text = errs[type];
    err->pos = pos;
    err->ts = trace_clock_local();
    mutex_unlock(&tracing_err_log_lock);
}

static void show_error(struct seq_file *m, const struct tracing_log_err *err)
{
    seq_printf(m, "[%5lu.%06u] %s%s\n" CMD_PREFIX "%s\n", (unsigned long)(err->ts / 1000000000),
               (unsigned int)(err->ts % 1000000000 / 1000), err->loc, err->text,
               err->cmd ? err->cmd : "");
    seq_printf(m, "%*s\n", (int)(sizeof(CMD_PREFIX) + err->pos), "^");
}

static int error_log_show(struct seq_file *m, void *data)
{
    const struct tracing_err_log *log = ((const struct trace_array *)data)->err_log;
    unsigned int i;

    mutex_lock(&tracing_err_log_lock);
    i = log->logged > TRACING_LOG_ERRS_MAX ? log->logged - TRACING_LOG_ERRS_MAX : 0;
    for (; i < log->logged; i++)
        show_error(m, &log->errors[i % TRACING_LOG_ERRS_MAX]);
    mutex_unlock(&tracing_err_log_lock);
    return 0;
}

/* Opening the file with O_TRUNC clears it. */
static int error_log_open(struct inode *inode, struct file *file)
{
    if ((file->f_flags & O_ACCMODE) != O_RDONLY && (file->f_flags & O_TRUNC)) {
        mutex_lock(&tracing_err_log_lock);
        ((struct trace_array *)inode->i_private)->err_log->logged = 0;
        mutex_unlock(&tracing_err_log_lock);
    }
    return single_open(file, error_log_show, inode->i_private);
}

static ssize_t error_log_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    (void)buf;
    *pos += count;
    return count;
}

static const struct file_operations error_log_fops = {
    .open = error_log_open,
    .read = seq_read,
    .write = error_log_write,
    .release = single_release,
};

int trace_create_error_log(struct trace_array *tr, struct dentry *dir)
{
    tr->err_log = kzalloc(sizeof(*tr->err_log));
    if (!tr->err_log)
        return -ENOMEM;
    tracefs_create_file("error_log", S_IRUGO | S_IWUSR, dir, tr, &error_log_fops);
    return 0;
}

void trace_free_error_log(struct trace_array *tr)
{
    unsigned int i;

    for (i = 0; tr->err_log && i < TRACING_LOG_ERRS_MAX; i++)
        kfree(tr->err_log->errors[i].cmd);
    kfree(tr->err_log);
}
