/*
 * procfs.c - /proc/workload: write "NAME [N]", then read the result from the same open file.
 *
 * A file that has not been written to lists the names.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workload.h>

enum { ANSWER_SIZE = 1024, COMMAND_SIZE = 64 };

/* The contents of an open file; changed only by this file's functions, one at a time. */
struct answer {
    size_t len;
    char text[ANSWER_SIZE];
};

static int add_text(const char *text, size_t len, void *to)
{
    struct answer *answer = to;

    len = min(len, sizeof(answer->text) - answer->len);
    memcpy(answer->text + answer->len, text, len);
    answer->len += len;
    return 0;
}

static void add_name(const char *name, void *to)
{
    add_text(name, strlen(name), to);
    add_text("\n", 1, to);
}

static int workload_open(struct inode *inode, struct file *file)
{
    struct answer *answer = kmalloc(sizeof(*answer));

    (void)inode;
    if (!answer)
        return -ENOMEM;
    answer->len = 0;
    workload_list(add_name, answer);
    file->private_data = answer;
    return 0;
}

static ssize_t workload_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    const struct answer *answer = file->private_data;

    return simple_read_from_buffer(buf, count, pos, answer->text, answer->len);
}

static ssize_t workload_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct answer *answer = file->private_data;
    unsigned long iterations = 0;
    char copy[COMMAND_SIZE], *rest, *name;
    int err;

    if (count >= sizeof(copy))
        return -EINVAL;
    memcpy(copy, buf, count);
    copy[count] = 0;
    rest = strstrip(copy);
    name = strsep(&rest, " ");
    if (rest && kstrtoul(rest, 10, &iterations))
        return -EINVAL;
    answer->len = 0;
    err = workload_command(name, iterations, add_text, answer);
    *pos = 0;
    return err ? err : (ssize_t)count;
}

static int workload_release(struct inode *inode, struct file *file)
{
    (void)inode;
    kfree(file->private_data);
    return 0;
}

static const struct file_operations workload_fops = {
    .open = workload_open,
    .read = workload_read,
    .write = workload_write,
    .release = workload_release,
};

void proc_workload_init(void)
{
    proc_create("workload", S_IRUGO | S_IWUSR, NULL, &workload_fops);
}
