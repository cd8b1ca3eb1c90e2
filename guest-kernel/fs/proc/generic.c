/* generic.c - /proc, made when the first of its files is. */
#include <linux/export.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static struct dentry *proc_root; /* set once at boot, before there are two threads here */

static struct dentry *proc_dir(struct dentry *parent)
{
    if (parent)
        return parent;
    if (!proc_root)
        proc_root = simple_create_dir(NULL, "proc", NULL);
    return proc_root;
}

struct dentry *proc_mkdir(const char *name, struct dentry *parent)
{
    struct dentry *dir = proc_dir(parent);

    return dir ? simple_create_dir(dir, name, NULL) : NULL;
}
EXPORT_SYMBOL(proc_mkdir);

struct dentry *proc_create(const char *name, umode_t mode, struct dentry *parent,
                           const struct file_operations *fops)
{
    struct dentry *dir = proc_dir(parent);

    return dir ? simple_create_file(dir, name, mode, NULL, fops) : NULL;
}
EXPORT_SYMBOL(proc_create);

static int proc_single_open(struct inode *inode, struct file *file)
{
    return single_open(file, (int (*)(struct seq_file *, void *))inode->i_private, NULL);
}

static const struct file_operations proc_single_fops = {
    .open = proc_single_open,
    .read = seq_read,
    .release = single_release,
};

struct dentry *proc_create_single(const char *name, umode_t mode, struct dentry *parent,
                                  int (*show)(struct seq_file *m, void *unused))
{
    struct dentry *dir = proc_dir(parent);

    return dir ? simple_create_file(dir, name, mode, (void *)show, &proc_single_fops) : NULL;
}
EXPORT_SYMBOL(proc_create_single);

void proc_remove(struct dentry *dentry)
{
    if (dentry)
        simple_recursive_removal(dentry);
}
EXPORT_SYMBOL(proc_remove);
