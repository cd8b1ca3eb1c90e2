/* mount.c - sysfs, which contains mount points for other file systems. */
#include <linux/kernel.h>
#include <linux/sysfs.h>

static struct dentry *sysfs_root, *kernel_dir; /* set once at boot */

static struct file_system_type sysfs_fs_type = {
    .name = "sysfs",
    .magic = 0x62656572,
    .fs_flags = FS_SINGLE,
    .root_mode = S_IRUGO | S_IXUGO,
    .fill_super = simple_fill_super,
};

void sysfs_create_mount_point(const char *name)
{
    if (!simple_create_dir(kernel_dir, name, NULL))
        panic("no memory for %s in sysfs", name);
}

struct dentry *sysfs_create_dir(struct dentry *parent, const char *name)
{
    struct dentry *dir = simple_create_dir(parent ? parent : sysfs_root, name, NULL);

    if (!dir)
        panic("no memory for %s in sysfs", name);
    return dir;
}

void sysfs_init(void)
{
    sysfs_root = simple_pin_fs(&sysfs_fs_type);
    kernel_dir = sysfs_create_dir(NULL, "kernel");
}
