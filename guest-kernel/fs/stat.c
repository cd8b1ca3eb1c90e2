/* stat.c - what is known of a file without opening it. */
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>

void generic_fillattr(const struct inode *inode, struct kstat *stat)
{
    *stat = (struct kstat){
        .ino = inode->i_ino,
        .mode = inode->i_mode,
        .nlink = inode->i_nlink,
        .rdev = inode->i_rdev,
        .size = inode->i_size,
        .blksize = PAGE_SIZE,
        .blocks = (inode->i_size + 511) / 512,
    };
}

int vfs_fstat(int fd, struct kstat *stat)
{
    struct file *file = fget(fd);

    if (!file)
        return -EBADF;
    generic_fillattr(file->f_inode, stat);
    fput(file);
    return 0;
}

int vfs_fstatat(int dfd, const char *name, struct kstat *stat)
{
    struct dentry *d;
    int err = kern_path_at(dfd, name, &d);

    if (err)
        return err;
    generic_fillattr(d->d_inode, stat);
    dput(d);
    return 0;
}
