/*
 * inode.c - /sys/kernel/tracing, made when the first of its files is.
 *
 * Only the kernel makes and removes names here.
 */
#include <linux/tracefs.h>

static struct dentry *tracefs_root; /* set once at boot, before there are two threads here */

static struct dentry *tracefs_dir(void)
{
    struct dentry *d;

    if (tracefs_root)
        return tracefs_root;
    d = simple_create_dir(NULL, "sys", NULL);
    if (d)
        d = simple_create_dir(d, "kernel", NULL);
    if (d)
        d = simple_create_dir(d, "tracing", NULL);
    tracefs_root = d;
    return d;
}

struct dentry *tracefs_create_file(const char *name, umode_t mode, struct dentry *parent,
                                   void *data, const struct file_operations *fops)
{
    struct dentry *dir = parent ? parent : tracefs_dir();

    return dir ? simple_create_file(dir, name, mode, data, fops) : NULL;
}

struct dentry *tracefs_create_dir(const char *name, struct dentry *parent)
{
    struct dentry *dir = parent ? parent : tracefs_dir();

    return dir ? simple_create_dir(dir, name, NULL) : NULL;
}

void tracefs_remove(struct dentry *dentry)
{
    if (dentry)
        simple_recursive_removal(dentry);
}
