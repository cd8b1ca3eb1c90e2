/* proc_sysctl.c - /proc/sys: a file with a decimal number for each struct ctl_table. */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/sysctl.h>

enum { NUMBER_MAX = 24, DIR_NAME_MAX = 24 }; /* a number as text; one name of a path */

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

/* The directory of this name, which is created at its first use. */
static struct dentry *subdirectory(struct dentry *parent, const char *name, size_t len)
{
    struct dentry *dir = d_lookup(parent, name, len);
    char text[DIR_NAME_MAX];

    if (dir) {
        dput(dir); /* the tree has a reference */
        return dir;
    }
    BUG_ON(len >= sizeof(text));
    memcpy(text, name, len);
    text[len] = 0;
    return proc_mkdir(text, parent);
}

/* Returns a directory below /proc/sys by its path; at boot. */
static struct dentry *directory(const char *path)
{
    struct dentry *dir = sys_dir();
    const char *slash;

    for (; dir && (slash = strchr(path, '/')); path = slash + 1)
        dir = subdirectory(dir, path, slash - path);
    return dir ? subdirectory(dir, path, strlen(path)) : NULL;
}

void register_sysctl(const char *dir, const struct ctl_table *table, unsigned int count)
{
    struct dentry *parent = directory(dir);
    unsigned int i;

    BUG_ON(!parent);
    for (i = 0; i < count; i++)
        BUG_ON(!simple_create_file(parent, table[i].procname, S_IRUGO | S_IWUSR, (void *)&table[i],
                                   &sysctl_fops));
}
