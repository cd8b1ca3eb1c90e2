/* inode.c - /sys/kernel/tracing, made when the first of its files is. */
#include <linux/tracefs.h>

static struct dentry *tracefs_root; /* boot only, as all of the tree */

static struct dentry *make_dir(struct dentry *parent, const char *path, const char *name)
{
    struct dentry *d = vfs_lookup(path);

    return d ? d : vfs_create_dir(parent, name);
}

static struct dentry *tracefs_dir(void)
{
    struct dentry *d;

    if (tracefs_root)
        return tracefs_root;
    d = make_dir(NULL, "/sys", "sys");
    d = make_dir(d, "/sys/kernel", "kernel");
    tracefs_root = make_dir(d, "/sys/kernel/tracing", "tracing");
    return tracefs_root;
}

struct dentry *tracefs_create_file(const char *name, unsigned int mode, struct dentry *parent,
                                   void *data, const struct file_operations *fops)
{
    struct dentry *dir = parent ? parent : tracefs_dir();

    return dir ? vfs_create_file(dir, name, mode, data, fops) : NULL;
}

struct dentry *tracefs_create_dir(const char *name, struct dentry *parent)
{
    struct dentry *dir = parent ? parent : tracefs_dir();

    return dir ? vfs_create_dir(dir, name) : NULL;
}
