/*
 * inode.c - tracefs, which is mounted at /sys/kernel/tracing.
 *
 * Only the kernel creates and removes its files.
 */
#include <linux/sysfs.h>
#include <linux/tracefs.h>

static struct dentry *tracefs_root; /* set once at boot */

static struct file_system_type trace_fs_type = {
    .name = "tracefs",
    .fs_flags = FS_SINGLE | FS_MODE_OPTION,
    .root_mode = S_IRWXU,
    .fill_super = simple_fill_super,
};

void tracefs_init(void)
{
    tracefs_root = simple_pin_fs(&trace_fs_type);
    sysfs_create_mount_point("tracing");
}

struct dentry *tracefs_create_file(const char *name, umode_t mode, struct dentry *parent,
                                   void *data, const struct file_operations *fops)
{
    return simple_create_file(parent ? parent : tracefs_root, name, mode, data, fops);
}

struct dentry *tracefs_create_dir(const char *name, struct dentry *parent)
{
    return simple_create_dir(parent ? parent : tracefs_root, name, NULL);
}

void tracefs_remove(struct dentry *dentry)
{
    if (dentry)
        simple_recursive_removal(dentry);
}
