/*
 * trace_files.c - the files of /sys/kernel/tracing.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

enum { TRACE_WRITE_MAX = 512 };

/* A written text as a string, blanks cut off both ends; NULL if too long. */
static char *take_string(char *into, const char *from, size_t count)
{
    if (count >= TRACE_WRITE_MAX)
        return NULL;
    memcpy(into, from, count);
    into[count] = 0;
    return strstrip(into);
}

/* ---- available_tracers, current_tracer ---- */

static int available_tracers_show(struct seq_file *m, void *data)
{
    const struct tracer *t;

    (void)data;
    mutex_lock(&trace_types_lock);
    for (t = trace_types; t; t = t->next)
        seq_printf(m, "%s%c", t->name, t->next ? ' ' : '\n');
    mutex_unlock(&trace_types_lock);
    return 0;
}

static int available_tracers_open(struct inode *inode, struct file *file)
{
    return single_open(file, available_tracers_show, inode->i_private);
}

static const struct file_operations available_tracers_fops = {
    .open = available_tracers_open,
    .read = seq_read,
    .release = single_release,
};

static int current_tracer_show(struct seq_file *m, void *data)
{
    (void)data;
    seq_printf(m, "%s\n", global_trace.current_trace->name);
    return 0;
}

static int current_tracer_open(struct inode *inode, struct file *file)
{
    return single_open(file, current_tracer_show, inode->i_private);
}

static ssize_t current_tracer_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    char text[TRACE_WRITE_MAX], *name = take_string(text, buf, count);
    int err = name ? tracing_set_tracer(&global_trace, name) : -EINVAL;

    (void)file;
    *pos += count;
    return err ? err : (ssize_t)count;
}

static const struct file_operations current_tracer_fops = {
    .open = current_tracer_open,
    .read = seq_read,
    .write = current_tracer_write,
    .release = single_release,
};

/* ---- available_filter_functions ---- */

static void *rec_start(struct seq_file *m, loff_t *pos)
{
    (void)m;
    return ftrace_rec(*pos);
}

static void *rec_next(struct seq_file *m, void *v, loff_t *pos)
{
    (void)m;
    (void)v;
    return ftrace_rec(++*pos);
}

static void rec_stop(struct seq_file *m, void *v)
{
    (void)m;
    (void)v;
}

static int rec_show(struct seq_file *m, void *v)
{
    seq_printf(m, "%s\n", ftrace_rec_name(v));
    return 0;
}

static const struct seq_operations rec_seq_ops = {rec_start, rec_stop, rec_next, rec_show};

static int avail_open(struct inode *inode, struct file *file)
{
    (void)inode;
    return seq_open(file, &rec_seq_ops);
}

static const struct file_operations avail_fops = {
    .open = avail_open,
    .read = seq_read,
    .release = seq_release,
};

/* ---- set_ftrace_filter, set_graph_function: sets of functions by name ---- */

/* Which set a file is about. */
struct filter_set {
    struct ftrace_hash *(*get)(void);
    int (*put)(struct ftrace_hash *hash); /* takes it over */
};

static struct ftrace_hash *get_ftrace_filter(void)
{
    return global_ops.func_hash->filter_hash;
}

static int put_ftrace_filter(struct ftrace_hash *hash)
{
    return ftrace_hash_move_and_update_ops(&global_ops.func_hash->filter_hash, hash);
}

static struct ftrace_hash *get_graph_functions(void)
{
    return ftrace_graph_hash;
}

/* Who looks at the old set has interrupts off, and so is done when all harts have answered. */
static int put_graph_functions(struct ftrace_hash *hash)
{
    struct ftrace_hash *old = ftrace_graph_hash;

    WRITE_ONCE(ftrace_graph_hash, hash);
    kick_all_cpus_sync();
    free_ftrace_hash(old);
    return 0;
}

static const struct filter_set ftrace_filter = {get_ftrace_filter, put_ftrace_filter};
static const struct filter_set graph_functions = {get_graph_functions, put_graph_functions};

static int filter_show(struct seq_file *m, void *data)
{
    const struct filter_set *set = data;
    const struct ftrace_hash *hash = set->get();
    unsigned long i;

    if (ftrace_hash_empty(hash)) {
        seq_puts(m, "#### all functions enabled ####\n");
        return 0;
    }
    for (i = 0; ftrace_rec(i); i++)
        if (ftrace_lookup_ip(hash, ftrace_rec(i)->ip))
            seq_printf(m, "%s\n", ftrace_rec_name(ftrace_rec(i)));
    return 0;
}

/* A writer changes a copy, which takes effect when the file is closed. */
static int filter_open(struct inode *inode, struct file *file)
{
    const struct filter_set *set = inode->i_private;

    if ((file->f_flags & O_ACCMODE) == O_RDONLY)
        return single_open(file, filter_show, inode->i_private);
    file->private_data = copy_ftrace_hash(file->f_flags & O_TRUNC ? NULL : set->get());
    return file->private_data ? 0 : -ENOMEM;
}

static ssize_t filter_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    char text[TRACE_WRITE_MAX], *rest = take_string(text, buf, count), *word;

    if (!rest)
        return -EINVAL;
    while ((word = strsep(&rest, " \t\n"))) {
        int err = *word ? ftrace_match_records(file->private_data, word) : 0;

        if (err)
            return err;
    }
    *pos += count;
    return count;
}

static int filter_release(struct inode *inode, struct file *file)
{
    const struct filter_set *set = inode->i_private;

    if ((file->f_flags & O_ACCMODE) == O_RDONLY)
        return single_release(inode, file);
    return set->put(file->private_data);
}

static const struct file_operations filter_fops = {
    .open = filter_open,
    .read = seq_read,
    .write = filter_write,
    .release = filter_release,
};

/* ---- tracing_on, max_graph_depth: one number each ---- */

struct number_file {
    unsigned long (*get)(void);
    void (*set)(unsigned long value);
};

static unsigned long get_tracing_on(void)
{
    return global_trace.buffer.record_on;
}

static void set_tracing_on(unsigned long value)
{
    tracing_set_on(&global_trace, value);
}

static unsigned long get_max_graph_depth(void)
{
    return fgraph_max_depth;
}

static void set_max_graph_depth(unsigned long value)
{
    WRITE_ONCE(fgraph_max_depth, value);
}

static const struct number_file tracing_on_file = {get_tracing_on, set_tracing_on};
static const struct number_file max_graph_depth_file = {get_max_graph_depth, set_max_graph_depth};

static int number_show(struct seq_file *m, void *data)
{
    const struct number_file *number = data;

    seq_printf(m, "%lu\n", number->get());
    return 0;
}

static int number_open(struct inode *inode, struct file *file)
{
    return single_open(file, number_show, inode->i_private);
}

static ssize_t number_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    const struct number_file *number = file->f_inode->i_private;
    char text[TRACE_WRITE_MAX], *word = take_string(text, buf, count);
    unsigned long value;
    int err = word ? kstrtoul(word, 10, &value) : -EINVAL;

    if (err)
        return err;
    number->set(value);
    *pos += count;
    return count;
}

static const struct file_operations number_fops = {
    .open = number_open,
    .read = seq_read,
    .write = number_write,
    .release = single_release,
};

/* ---- trace_marker ---- */

static ssize_t marker_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    (void)pos;
    return trace_write_marker(&global_trace, buf, count);
}

static const struct file_operations marker_fops = {
    .write = marker_write,
};

/* ---- trace ---- */

/*
 * Recording pauses while the file is open for reading, as Linux's does with
 * the option pause-on-trace: so the rings stand still under the reader.
 * Position 0 is the header; position n is the n-th entry, already turned into
 * text in iter->seq, so that showing it twice changes nothing.
 */
static void *trace_start(struct seq_file *m, loff_t *pos)
{
    struct trace_iterator *iter = m->private;

    return *pos == 0 || iter->ent ? iter : NULL;
}

static void *trace_next(struct seq_file *m, void *v, loff_t *pos)
{
    struct trace_iterator *iter = m->private;

    (void)v;
    iter->pos = ++*pos;
    if (!trace_find_next_entry(iter))
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

    if (iter->pos == 0)
        trace_print_header(m, iter);
    else
        seq_puts(m, iter->seq.buffer);
    return 0;
}

static const struct seq_operations trace_seq_ops = {trace_start, trace_stop, trace_next,
                                                    trace_show};

static struct trace_iterator *new_iterator(void)
{
    struct trace_iterator *iter = kzalloc(sizeof(*iter));

    if (!iter)
        return NULL;
    iter->trace = global_trace.current_trace;
    if (iter->trace->open && iter->trace->open(iter)) {
        kfree(iter);
        return NULL;
    }
    return iter;
}

static void free_iterator(struct trace_iterator *iter)
{
    if (iter->trace->close)
        iter->trace->close(iter);
    kfree(iter);
}

static int open_for_reading(struct file *file)
{
    struct trace_iterator *iter = new_iterator();
    int err = iter ? seq_open(file, &trace_seq_ops) : -ENOMEM;

    if (err) {
        if (iter)
            free_iterator(iter);
        return err;
    }
    ((struct seq_file *)file->private_data)->private = iter;
    ring_buffer_record_disable(&global_trace.buffer);
    tracing_iter_start(iter, &global_trace);
    return 0;
}

static int trace_open(struct inode *inode, struct file *file)
{
    (void)inode;
    if ((file->f_flags & O_ACCMODE) != O_WRONLY)
        return open_for_reading(file);
    if (file->f_flags & O_TRUNC)
        tracing_reset_online_cpus(&global_trace);
    return 0;
}

/* Opening with truncation has emptied it; what is written makes no difference. */
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

    if (!m)
        return 0;
    ring_buffer_record_enable(&global_trace.buffer);
    free_iterator(m->private);
    return seq_release(inode, file);
}

static const struct file_operations trace_fops = {
    .open = trace_open,
    .read = seq_read,
    .write = trace_write,
    .release = trace_release,
};

void trace_create_files(void)
{
    enum { RO = S_IRUGO, RW = S_IRUGO | S_IWUSR };

    tracefs_create_file("available_filter_functions", RO, NULL, NULL, &avail_fops);
    tracefs_create_file("available_tracers", RO, NULL, NULL, &available_tracers_fops);
    tracefs_create_file("current_tracer", RW, NULL, NULL, &current_tracer_fops);
    tracefs_create_file("max_graph_depth", RW, NULL, (void *)&max_graph_depth_file, &number_fops);
    tracefs_create_file("set_ftrace_filter", RW, NULL, (void *)&ftrace_filter, &filter_fops);
    tracefs_create_file("set_graph_function", RW, NULL, (void *)&graph_functions, &filter_fops);
    tracefs_create_file("trace", RW, NULL, NULL, &trace_fops);
    tracefs_create_file("trace_marker", S_IWUSR, NULL, NULL, &marker_fops);
    tracefs_create_file("tracing_on", RW, NULL, (void *)&tracing_on_file, &number_fops);
}
