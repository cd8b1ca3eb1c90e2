/*
 * trace_pid_files.c - the files with sets of pids: set_ftrace_pid, set_event_pid, and those of the
 * tasks not to trace.
 *
 * Not instrumented.
 */
#include "pid_list.h"
#include "trace.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

static DEFINE_MUTEX(pid_files_lock); /* one change at a time */

static int pids_show(struct seq_file *m, void *data)
{
    const struct trace_pid_file *f = data;
    struct trace_pid_list *list;
    unsigned int pid;

    if (!f->ops->has(f->tr, f->type)) {
        seq_puts(m, f->ops->empty);
        return 0;
    }
    list = f->ops->copy(f->tr, f->type);
    if (!list)
        return -ENOMEM;
    for (pid = 0; !trace_pid_list_next(list, pid, &pid); pid++)
        seq_printf(m, "%u\n", pid);
    trace_pid_list_free(list);
    return 0;
}

/* Opening the file with O_TRUNC empties the set. */
static int pids_open(struct inode *inode, struct file *file)
{
    const struct trace_pid_file *f = inode->i_private;
    int err = 0;

    if ((file->f_flags & O_ACCMODE) == O_RDONLY)
        return single_open(file, pids_show, inode->i_private);
    if (file->f_flags & O_TRUNC) {
        mutex_lock(&pid_files_lock);
        err = f->ops->set(f->tr, f->type, NULL);
        mutex_unlock(&pid_files_lock);
    }
    return err;
}

/* Adds the pids in text; returns their number or a negative error. */
static int add_pids(struct trace_pid_list *list, char *text)
{
    char *word;
    int n = 0;

    while ((word = strsep(&text, " \t\n"))) {
        unsigned long pid;
        int err = *word ? kstrtoul(word, 0, &pid) : 0;

        if (*word && !err)
            err = pid < PID_LIST_MAX ? trace_pid_list_set(list, pid) : -EINVAL;
        if (err)
            return err;
        n += *word != 0;
    }
    return n;
}

/* Adds what is written to the set; if a word is not a pid, the set does not change. */
static int change_pids(void *data, char *text)
{
    const struct trace_pid_file *f = data;
    struct trace_pid_list *list;
    int n;

    mutex_lock(&pid_files_lock);
    list = f->ops->copy(f->tr, f->type);
    n = list ? add_pids(list, text) : -ENOMEM;
    if (n > 0)
        n = f->ops->set(f->tr, f->type, list);
    else
        trace_pid_list_free(list);
    mutex_unlock(&pid_files_lock);
    return min(n, 0);
}

static ssize_t pids_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    return trace_write_text(file, buf, count, pos, change_pids);
}

static int pids_release(struct inode *inode, struct file *file)
{
    return (file->f_flags & O_ACCMODE) == O_RDONLY ? single_release(inode, file) : 0;
}

static const struct file_operations pids_fops = {
    .open = pids_open,
    .read = seq_read,
    .write = pids_write,
    .release = pids_release,
};

static void create_files(struct trace_array *tr, struct dentry *dir, struct trace_pid_file *files,
                         const struct trace_pid_file_ops *ops, const char *const *names)
{
    unsigned int type;

    for (type = 0; type < TRACE_PID_TYPES; type++) {
        files[type] = (struct trace_pid_file){tr, type, ops};
        tracefs_create_file(names[type], S_IRUGO | S_IWUSR, dir, &files[type], &pids_fops);
    }
}

void trace_create_pid_files(struct trace_array *tr, struct dentry *dir)
{
    static const char *const function_names[] = {"set_ftrace_pid", "set_ftrace_notrace_pid"};
    static const char *const event_names[] = {"set_event_pid", "set_event_notrace_pid"};

    create_files(tr, dir, tr->function_pid_files, &function_pid_file_ops, function_names);
    create_files(tr, dir, tr->event_pid_files, &event_pid_file_ops, event_names);
}
