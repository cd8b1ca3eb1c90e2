/* stat.c - attributes of files. */
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>

/* dentry is NULL for files without a name, whose device number is 0. */
static void fill_stat(const struct dentry *dentry, const struct inode *inode, struct kstat *stat)
{
    *stat = (struct kstat){
        .dev = dentry ? dentry->d_sb->s_dev : 0,
        .ino = inode->i_ino,
        .mode = inode->i_mode,
        .nlink = inode->i_nlink,
        .rdev = inode->i_rdev,
        .size = inode->i_size,
        .blksize = PAGE_SIZE,
        .blocks = (u64)(inode->i_size + 511) / 512,
        .atime = inode->i_atime,
        .mtime = inode->i_mtime,
        .ctime = inode->i_ctime,
    };
}

int vfs_fstat(int fd, struct kstat *stat)
{
    struct file *file = fget(fd);

    if (!file)
        return -EBADF;
    fill_stat(file->f_path.dentry, file->f_inode, stat);
    fput(file);
    return 0;
}

int vfs_fstatat(int dfd, const char *name, unsigned int flags, struct kstat *stat)
{
    struct path path;
    int err = kern_path_at(dfd, name, flags, &path);

    if (err)
        return err;
    fill_stat(path.dentry, path.dentry->d_inode, stat);
    path_put(&path);
    return 0;
}
