/* mem.c - devtmpfs, the file system of /dev; /dev/null and /dev/zero. */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ramfs.h>
#include <linux/string.h>

static struct dentry *dev_root; /* set once at boot */

static struct file_system_type dev_fs_type = {
    .name = "devtmpfs",
    .fs_flags = FS_SINGLE | FS_MODE_OPTION,
    .root_mode = 0755,
    .fill_super = ramfs_fill_super,
};

static struct inode *create(const char *name, umode_t type, dev_t devt, void *data,
                            const struct file_operations *fops)
{
    struct dentry *d = simple_create_file(dev_root, name, type | S_IRUGO | S_IWUSR, data, fops);

    if (!d)
        panic("no memory for /dev/%s", name);
    d->d_inode->i_rdev = devt;
    return d->d_inode;
}

void device_create(const char *name, dev_t devt, const struct file_operations *fops)
{
    create(name, S_IFCHR, devt, NULL, fops);
}

int device_create_data(const char *name, dev_t devt, void *data, const struct file_operations *fops)
{
    struct dentry *d = simple_create_file(dev_root, name, S_IFCHR | S_IRUSR | S_IWUSR, data, fops);

    if (!d)
        return -ENOMEM;
    d->d_inode->i_rdev = devt;
    return 0;
}

struct inode *device_create_block(const char *name, dev_t devt, void *data,
                                  const struct file_operations *fops)
{
    return create(name, S_IFBLK, devt, data, fops);
}

static ssize_t null_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    (void)file;
    (void)buf;
    (void)count;
    (void)pos;
    return 0;
}

static ssize_t null_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    (void)buf;
    *pos += count;
    return count;
}

static ssize_t zero_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    (void)file;
    memset(buf, 0, count);
    *pos += count;
    return count;
}

static const struct file_operations null_fops = {.read = null_read, .write = null_write};
static const struct file_operations zero_fops = {.read = zero_read, .write = null_write};

void chr_dev_init(void)
{
    dev_root = simple_pin_fs(&dev_fs_type);
    device_create("null", MKDEV(1, 3), &null_fops);
    device_create("zero", MKDEV(1, 5), &zero_fops);
}
