/*
 * trace_filter_files.c - files that are sets of functions.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#include <linux/string.h>

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

/* ---- set_ftrace_filter, set_graph_function and their opposites ---- */

/* Which set a file is about. */
struct filter_set {
    struct ftrace_hash *(*get)(void);
    int (*put)(struct ftrace_hash *hash); /* takes it over */
    const char *empty;                    /* what an empty set reads as */
};

static struct ftrace_hash *get_ftrace_filter(void)
{
    return ftrace_ops_filter(&global_ops);
}

static int put_ftrace_filter(struct ftrace_hash *hash)
{
    return ftrace_hash_move_and_update_ops(&global_ops, hash);
}

/* Who looks at the old set has interrupts off, and so is done when all harts have answered. */
static int replace_graph_hash(struct ftrace_hash **set, struct ftrace_hash *hash)
{
    struct ftrace_hash *old = *set;

    WRITE_ONCE(*set, hash);
    kick_all_cpus_sync();
    free_ftrace_hash(old);
    return 0;
}

static struct ftrace_hash *get_graph_functions(void)
{
    return ftrace_graph_hash;
}

static int put_graph_functions(struct ftrace_hash *hash)
{
    return replace_graph_hash(&ftrace_graph_hash, hash);
}

static struct ftrace_hash *get_graph_notrace(void)
{
    return ftrace_graph_notrace_hash;
}

static int put_graph_notrace(struct ftrace_hash *hash)
{
    return replace_graph_hash(&ftrace_graph_notrace_hash, hash);
}

static const char all_enabled[] = "#### all functions enabled ####\n";
static const char none_disabled[] = "#### no functions disabled ####\n";

static const struct filter_set ftrace_filter = {get_ftrace_filter, put_ftrace_filter, all_enabled};
static const struct filter_set graph_functions = {get_graph_functions, put_graph_functions,
                                                  all_enabled};
static const struct filter_set graph_notrace = {get_graph_notrace, put_graph_notrace,
                                                none_disabled};

static int filter_show(struct seq_file *m, void *data)
{
    const struct filter_set *set = data;
    const struct ftrace_hash *hash = set->get();
    unsigned long i;

    if (!hash || !hash->count) {
        seq_puts(m, set->empty);
        return 0;
    }
    for (i = 0; ftrace_rec(i); i++)
        if (ftrace_hash_test(hash, i))
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
    char text[TRACE_WRITE_MAX], *rest = trace_take_string(text, buf, count), *word;

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

void trace_create_filter_files(void)
{
    enum { RO = S_IRUGO, RW = S_IRUGO | S_IWUSR };

    tracefs_create_file("available_filter_functions", RO, NULL, NULL, &avail_fops);
    tracefs_create_file("set_ftrace_filter", RW, NULL, (void *)&ftrace_filter, &filter_fops);
    tracefs_create_file("set_graph_function", RW, NULL, (void *)&graph_functions, &filter_fops);
    tracefs_create_file("set_graph_notrace", RW, NULL, (void *)&graph_notrace, &filter_fops);
}
