/*
 * trace_pid_files.c - the files set_ftrace_pid and set_ftrace_notrace_pid.
 *
 * Not instrumented.
 */
#include "pid_list.h"
#include "trace.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

static DEFINE_MUTEX(pid_files_lock); /* one change at a time */

static enum trace_pid_type type_of(const struct inode *inode)
{
    return (long)inode->i_private;
}

static int pids_show(struct seq_file *m, void *data)
{
    enum trace_pid_type type = (long)data;
    struct trace_pid_list *list;
    unsigned int pid;

    if (!ftrace_has_pids(type)) {
        seq_puts(m, "no pid\n");
        return 0;
    }
    list = ftrace_copy_pids(type);
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
    if ((file->f_flags & O_ACCMODE) == O_RDONLY)
        return single_open(file, pids_show, inode->i_private);
    if (file->f_flags & O_TRUNC) {
        mutex_lock(&pid_files_lock);
        ftrace_set_pids(type_of(inode), NULL);
        mutex_unlock(&pid_files_lock);
    }
    return 0;
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
            err = pid < PID_MAX ? trace_pid_list_set(list, pid) : -EINVAL;
        if (err)
            return err;
        n += *word != 0;
    }
    return n;
}

/* Adds what is written to the set; if a word is not a pid, the set does not change. */
static int change_pids(void *data, char *text)
{
    enum trace_pid_type type = (long)data;
    struct trace_pid_list *list;
    int n;

    mutex_lock(&pid_files_lock);
    list = ftrace_copy_pids(type);
    n = list ? add_pids(list, text) : -ENOMEM;
    if (n > 0)
        ftrace_set_pids(type, list);
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

void trace_create_pid_files(void)
{
    tracefs_create_file("set_ftrace_pid", S_IRUGO | S_IWUSR, NULL, (void *)TRACE_PIDS, &pids_fops);
    tracefs_create_file("set_ftrace_notrace_pid", S_IRUGO | S_IWUSR, NULL, (void *)TRACE_NO_PIDS,
                        &pids_fops);
}
