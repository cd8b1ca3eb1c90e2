/* mount.c - sysfs, which contains mount points for other file systems. */
#include <linux/kernel.h>
#include <linux/sysfs.h>

static struct dentry *kernel_dir; /* set once at boot */

static struct file_system_type sysfs_fs_type = {
    .name = "sysfs",
    .fs_flags = FS_SINGLE,
    .root_mode = S_IRUGO | S_IXUGO,
    .fill_super = simple_fill_super,
};

void sysfs_create_mount_point(const char *name)
{
    if (!simple_create_dir(kernel_dir, name, NULL))
        panic("no memory for %s in sysfs", name);
}

void sysfs_init(void)
{
    kernel_dir = simple_create_dir(simple_pin_fs(&sysfs_fs_type), "kernel", NULL);
    if (!kernel_dir)
        panic("no memory for sysfs");
}
