/* proc_sysctl.c - /proc/sys: a file with a decimal number for each struct ctl_table. */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/sysctl.h>

enum { NUMBER_MAX = 24 }; /* longest number as text */

static int sysctl_show(struct seq_file *m, void *data)
{
    const struct ctl_table *table = data;

    seq_printf(m, "%d\n", READ_ONCE(*table->data));
    return 0;
}

static int parse_int(const char *text, int *value)
{
    bool negative = *text == '-';
    unsigned long n;
    int err = kstrtoul(text + negative, 0, &n);

    if (err || n > 0x7ffffffful + negative)
        return -EINVAL;
    *value = negative ? (int)-(long)n : (int)n;
    return 0;
}

static ssize_t sysctl_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    const struct ctl_table *table = file->f_inode->i_private;
    char text[NUMBER_MAX];
    int value, err;

    if (count >= sizeof(text))
        return -EINVAL;
    memcpy(text, buf, count);
    text[count] = 0;
    err = parse_int(strstrip(text), &value);
    if (!err && table->changed)
        err = table->changed(table, value);
    else if (!err)
        WRITE_ONCE(*table->data, value);
    if (err)
        return err;
    *pos += count;
    return count;
}

DEFINE_SHOW_STORE_ATTRIBUTE(sysctl);

static struct dentry *sys_dir(void)
{
    static struct dentry *dir; /* created once, at boot */

    if (!dir)
        dir = proc_mkdir("sys", NULL);
    return dir;
}

/* Returns a directory below /proc/sys; creates it at the first use, at boot. */
static struct dentry *subdirectory(const char *name)
{
    struct dentry *parent = sys_dir(), *dir = parent ? d_lookup(parent, name, strlen(name)) : NULL;

    if (dir)
        dput(dir); /* the tree has a reference */
    return dir || !parent ? dir : proc_mkdir(name, parent);
}

void register_sysctl(const char *dir, const struct ctl_table *table, unsigned int count)
{
    struct dentry *parent = subdirectory(dir);
    unsigned int i;

    BUG_ON(!parent);
    for (i = 0; i < count; i++)
        BUG_ON(!simple_create_file(parent, table[i].procname, S_IRUGO | S_IWUSR, (void *)&table[i],
                                   &sysctl_fops));
}
