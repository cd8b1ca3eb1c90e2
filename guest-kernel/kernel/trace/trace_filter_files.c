/*
 * trace_filter_files.c - files that hold sets of functions.
 *
 * Not instrumented.
 */
#include "ftrace_internal.h"
#include "trace.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

enum { FILTER_WORD_MAX = 256 };

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
    seq_printf(m, "%ps\n", (void *)((const struct dyn_ftrace *)v)->ip);
    return 0;
}

/*
 * Prints the number of ops and R (registers), I (IPMODIFY), D (direct; never here) or O (call
 * ops), and the ops that the site names.
 */
static int enabled_show(struct seq_file *m, void *v)
{
    const struct dyn_ftrace *rec = v;
    const struct ftrace_ops *op;

    if (!(rec->flags & FTRACE_FL_ENABLED))
        return 0;
    seq_printf(m, "%ps (%lu)%s%s%s%s", (void *)rec->ip, ftrace_rec_count(rec),
               rec->flags & FTRACE_FL_REGS ? " R" : "  ",
               rec->flags & FTRACE_FL_IPMODIFY ? " I" : "  ", "  ",
               rec->flags & FTRACE_FL_CALL_OPS ? " O" : "  ");
    if (rec->flags & FTRACE_FL_CALL_OPS_EN) {
        op = ftrace_find_unique_ops(rec);
        if (op)
            seq_printf(m, "\tops: %pS (%pS)", op, (void *)op->func);
        else
            seq_puts(m, "\tops: ERROR!"); /* after ftrace_kill() no ops is left */
    }
    seq_puts(m, "\n");
    return 0;
}

static const struct seq_operations avail_seq_ops = {rec_start, rec_stop, rec_next, avail_show};
static const struct seq_operations enabled_seq_ops = {rec_start, rec_stop, rec_next, enabled_show};

static int rec_open(struct inode *inode, struct file *file)
{
    return seq_open(file, inode->i_private);
}

static const struct file_operations rec_fops = {
    .open = rec_open,
    .read = seq_read,
    .release = seq_release,
};

/* ---- set_ftrace_filter, set_ftrace_notrace, set_graph_function, set_graph_notrace ---- */

/* Taken before ftrace_lock. */
static DEFINE_MUTEX(filter_lock);

void ftrace_filters_lock(void)
{
    mutex_lock(&filter_lock);
}

void ftrace_filters_unlock(void)
{
    mutex_unlock(&filter_lock);
}

/*
 * Readers of the old set have interrupts off, so kick_all_cpus_sync() waits for them;
 * ftrace_release_mod() reads it under ftrace_lock.
 */
static int replace_graph_hash(struct ftrace_hash **set, struct ftrace_hash *hash)
{
    struct ftrace_hash *old = *set;

    ftrace_rec_lock();
    WRITE_ONCE(*set, hash);
    ftrace_rec_unlock();
    kick_all_cpus_sync();
    free_ftrace_hash(old);
    return 0;
}

/*
 * A writer changes a copy, which replaces the set when the file is closed. A word ends at a
 * blank or at the end of the file, not at the end of a write.
 */
struct filter_writer {
    struct list_head list;
    struct ftrace_hash *hash; /* changed under ftrace_lock */
    unsigned int len;
    char word[FILTER_WORD_MAX];
};

static LIST_HEAD(filter_writers); /* under filter_lock */

void ftrace_files_forget(unsigned long ip)
{
    const struct filter_writer *w;

    list_for_each_entry(w, &filter_writers, list)
        ftrace_hash_forget(w->hash, ip);
    ftrace_hash_forget(ftrace_graph_hash, ip);
    ftrace_hash_forget(ftrace_graph_notrace_hash, ip);
    trace_stack_forget(ip);
}

static const char all_enabled[] = "#### all functions enabled ####\n";
static const char none_disabled[] = "#### no functions disabled ####\n";

static const struct filter_set graph_functions = {&ftrace_graph_hash, replace_graph_hash,
                                                  all_enabled, false, NULL};
static const struct filter_set graph_notrace = {&ftrace_graph_notrace_hash, replace_graph_hash,
                                                none_disabled, false, NULL};

static void show_set(struct seq_file *m, const struct ftrace_hash *hash)
{
    struct dyn_ftrace *rec;
    unsigned long i;

    ftrace_rec_lock();
    for (i = 0; (rec = ftrace_rec(i)); i++)
        if (ftrace_lookup_ip(hash, rec->ip))
            seq_printf(m, "%ps\n", (void *)rec->ip);
    ftrace_rec_unlock();
}

static int filter_show(struct seq_file *m, void *data)
{
    const struct filter_set *set = data;

    mutex_lock(&filter_lock);
    if (ftrace_hash_empty(*set->hash))
        seq_puts(m, set->empty);
    else
        show_set(m, *set->hash);
    if (set->waits)
        ftrace_show_mods(m, set->hash);
    if (set->tr)
        ftrace_show_probes(m, set->tr);
    mutex_unlock(&filter_lock);
    return 0;
}

static struct filter_writer *new_writer(const struct filter_set *set, bool empty)
{
    struct filter_writer *w = kzalloc(sizeof(*w));

    if (!w)
        return NULL;
    mutex_lock(&filter_lock);
    w->hash = copy_ftrace_hash(empty ? NULL : *set->hash);
    if (w->hash)
        list_add(&w->list, &filter_writers);
    mutex_unlock(&filter_lock);
    if (w->hash)
        return w;
    kfree(w);
    return NULL;
}

static int filter_open(struct inode *inode, struct file *file)
{
    const struct filter_set *set = inode->i_private;

    if ((file->f_flags & O_ACCMODE) == O_RDONLY)
        return single_open(file, filter_show, inode->i_private);
    if (set->waits && (file->f_flags & O_TRUNC))
        ftrace_clear_mods(set->hash);
    file->private_data = new_writer(set, file->f_flags & O_TRUNC);
    return file->private_data ? 0 : -ENOMEM;
}

static int take_word(const struct filter_set *set, struct filter_writer *w)
{
    unsigned int len = w->len;

    w->word[len] = 0;
    w->len = 0;
    if (!len)
        return 0;
    if (set->tr && ftrace_is_command(w->word))
        return ftrace_process_command(set->tr, w->word);
    return set->waits ? ftrace_process_word(set->hash, w->hash, w->word)
                      : ftrace_match_records(w->hash, w->word);
}

static int take_char(const struct filter_set *set, struct filter_writer *w, char c)
{
    if (c == ' ' || c == '\t' || c == '\n')
        return take_word(set, w);
    if (w->len + 1 == sizeof(w->word))
        return -EINVAL;
    w->word[w->len++] = c;
    return 0;
}

static ssize_t filter_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    const struct filter_set *set = file->f_inode->i_private;
    size_t i;

    for (i = 0; i < count; i++) {
        int err = take_char(set, file->private_data, buf[i]);

        if (err)
            return err;
    }
    *pos += count;
    return count;
}

static int filter_release(struct inode *inode, struct file *file)
{
    const struct filter_set *set = inode->i_private;
    struct filter_writer *w = file->private_data;
    int err, ret;

    if ((file->f_flags & O_ACCMODE) == O_RDONLY)
        return single_release(inode, file);
    err = take_word(set, w);
    mutex_lock(&filter_lock);
    list_del_init(&w->list);
    ret = set->put(set->hash, w->hash);
    mutex_unlock(&filter_lock);
    kfree(w);
    return err ? err : ret;
}

static const struct file_operations filter_fops = {
    .open = filter_open,
    .read = seq_read,
    .write = filter_write,
    .release = filter_release,
};

void trace_create_filter_file(const char *name, struct ftrace_hash **hash)
{
    struct filter_set *set = kzalloc(sizeof(*set));

    if (!set)
        return;
    *set = (struct filter_set){hash, ftrace_hash_move_and_update_ops, all_enabled, false, NULL};
    tracefs_create_file(name, S_IRUGO | S_IWUSR, NULL, set, &filter_fops);
}

void trace_create_array_filter_files(struct trace_array *tr, struct dentry *dir)
{
    struct ftrace_ops_hash *hash = &tr->ops->local_hash;

    tr->filter_set = (struct filter_set){&hash->filter_hash, ftrace_hash_move_and_update_ops,
                                         all_enabled, true, tr};
    tr->notrace_set = (struct filter_set){&hash->notrace_hash, ftrace_hash_move_and_update_ops,
                                          none_disabled, true, NULL};
    tracefs_create_file("set_ftrace_filter", S_IRUGO | S_IWUSR, dir, &tr->filter_set, &filter_fops);
    tracefs_create_file("set_ftrace_notrace", S_IRUGO | S_IWUSR, dir, &tr->notrace_set,
                        &filter_fops);
}

void trace_create_filter_files(void)
{
    enum { RO = S_IRUGO, RW = S_IRUGO | S_IWUSR };

    tracefs_create_file("available_filter_functions", RO, NULL, (void *)&avail_seq_ops, &rec_fops);
    tracefs_create_file("enabled_functions", RO, NULL, (void *)&enabled_seq_ops, &rec_fops);
    tracefs_create_file("set_graph_function", RW, NULL, (void *)&graph_functions, &filter_fops);
    tracefs_create_file("set_graph_notrace", RW, NULL, (void *)&graph_notrace, &filter_fops);
}
