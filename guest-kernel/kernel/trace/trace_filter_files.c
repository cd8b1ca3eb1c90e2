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

/* ---- available_filter_functions, enabled_functions ---- */

static void *rec_start(struct seq_file *m, loff_t *pos)
{
    (void)m;
    ftrace_rec_lock();
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
    ftrace_rec_unlock();
}

static int avail_show(struct seq_file *m, void *v)
{
    seq_printf(m, "%s\n", ftrace_rec_name(v));
    return 0;
}

/* How many want it, and which of R(egs), I(pmodify), D(irect) and (call) O(ps) it has. */
static int enabled_show(struct seq_file *m, void *v)
{
    const struct dyn_ftrace *rec = v;

    if (!(rec->flags & FTRACE_FL_ENABLED))
        return 0;
    seq_printf(m, "%s (%lu)%s%s%s%s\n", ftrace_rec_name(rec), ftrace_rec_count(rec),
               rec->flags & FTRACE_FL_REGS ? " R" : "  ",
               rec->flags & FTRACE_FL_IPMODIFY ? " I" : "  ", "  ",
               rec->flags & FTRACE_FL_CALL_OPS ? " O" : "  ");
    return 0;
}

static const struct seq_operations avail_seq_ops = {rec_start, rec_stop, rec_next, avail_show};
static const struct seq_operations enabled_seq_ops = {rec_start, rec_stop, rec_next,
                                                      enabled_show};

static int rec_open(struct inode *inode, struct file *file)
{
    return seq_open(file, inode->i_private);
}

static const struct file_operations rec_fops = {
    .open = rec_open,
    .read = seq_read,
    .release = seq_release,
};

/* ---- sets: set_ftrace_filter, set_graph_function and their opposites ---- */

/* A set that a file is about, changed under filter_lock. */
struct filter_set {
    struct ftrace_hash *(*get)(void);
    int (*put)(struct ftrace_hash *hash); /* takes it over */
    const char *empty;                    /* what an empty set reads as */
};

/* Taken before ftrace_lock. */
static DEFINE_MUTEX(filter_lock);

static struct ftrace_hash *get_ftrace_filter(void)
{
    return global_ops.func_hash->filter_hash;
}

static int put_ftrace_filter(struct ftrace_hash *hash)
{
    return ftrace_hash_move_and_update_ops(&global_ops.func_hash->filter_hash, hash);
}

static struct ftrace_hash *get_ftrace_notrace(void)
{
    return global_ops.func_hash->notrace_hash;
}

static int put_ftrace_notrace(struct ftrace_hash *hash)
{
    return ftrace_hash_move_and_update_ops(&global_ops.func_hash->notrace_hash, hash);
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
static const struct filter_set ftrace_notrace = {get_ftrace_notrace, put_ftrace_notrace,
                                                 none_disabled};
static const struct filter_set graph_functions = {get_graph_functions, put_graph_functions,
                                                  all_enabled};
static const struct filter_set graph_notrace = {get_graph_notrace, put_graph_notrace,
                                                none_disabled};

static void show_set(struct seq_file *m, const struct ftrace_hash *hash)
{
    struct dyn_ftrace *rec;
    unsigned long i;

    ftrace_rec_lock();
    for (i = 0; (rec = ftrace_rec(i)); i++)
        if (ftrace_lookup_ip(hash, rec->ip))
            seq_printf(m, "%s\n", ftrace_rec_name(rec));
    ftrace_rec_unlock();
}

static int filter_show(struct seq_file *m, void *data)
{
    const struct filter_set *set = data;

    mutex_lock(&filter_lock);
    if (ftrace_hash_empty(set->get()))
        seq_puts(m, set->empty);
    else
        show_set(m, set->get());
    mutex_unlock(&filter_lock);
    return 0;
}

/* A writer changes a copy, which takes effect when the file is closed. */
static int filter_open(struct inode *inode, struct file *file)
{
    const struct filter_set *set = inode->i_private;

    if ((file->f_flags & O_ACCMODE) == O_RDONLY)
        return single_open(file, filter_show, inode->i_private);
    mutex_lock(&filter_lock);
    file->private_data = copy_ftrace_hash(file->f_flags & O_TRUNC ? NULL : set->get());
    mutex_unlock(&filter_lock);
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
    int ret;

    if ((file->f_flags & O_ACCMODE) == O_RDONLY)
        return single_release(inode, file);
    mutex_lock(&filter_lock);
    ret = set->put(file->private_data);
    mutex_unlock(&filter_lock);
    return ret;
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

    tracefs_create_file("available_filter_functions", RO, NULL, (void *)&avail_seq_ops, &rec_fops);
    tracefs_create_file("enabled_functions", RO, NULL, (void *)&enabled_seq_ops, &rec_fops);
    tracefs_create_file("set_ftrace_filter", RW, NULL, (void *)&ftrace_filter, &filter_fops);
    tracefs_create_file("set_ftrace_notrace", RW, NULL, (void *)&ftrace_notrace, &filter_fops);
    tracefs_create_file("set_graph_function", RW, NULL, (void *)&graph_functions, &filter_fops);
    tracefs_create_file("set_graph_notrace", RW, NULL, (void *)&graph_notrace, &filter_fops);
}
