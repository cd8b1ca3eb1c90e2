/* inode.c - debugfs: files of the kernel, and automount points of other file systems. */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/sysfs.h>

static struct dentry *debugfs_root; /* set once at boot */

static struct file_system_type debug_fs_type = {
    .name = "debugfs",
    .magic = 0x64626720,
    .fs_flags = FS_SINGLE | FS_MODE_OPTION,
    .root_mode = S_IRWXU,
    .fill_super = simple_fill_super,
};

static struct vfsmount *debugfs_automount(struct dentry *dentry)
{
    debugfs_automount_t mount = (debugfs_automount_t)dentry->d_inode->i_private;

    return mount(dentry);
}

static const struct dentry_operations debugfs_automount_ops = {.d_automount = debugfs_automount};

void debugfs_create_automount(const char *name, debugfs_automount_t mount)
{
    struct dentry *d = simple_create_dir(debugfs_root, name, NULL);

    if (!d)
        panic("no memory for %s in debugfs", name);
    d->d_inode->i_private = (void *)mount;
    d->d_op = &debugfs_automount_ops;
}

void debugfs_init(void)
{
    debugfs_root = simple_pin_fs(&debug_fs_type);
    sysfs_create_mount_point("debug");
}

struct dentry *debugfs_create_dir(const char *name, struct dentry *parent)
{
    return simple_create_dir(parent ? parent : debugfs_root, name, NULL);
}

struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent,
                                   void *data, const struct file_operations *fops)
{
    return simple_create_file(parent ? parent : debugfs_root, name, mode, data, fops);
}
