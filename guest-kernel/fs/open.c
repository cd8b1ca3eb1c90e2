/* open.c - opening and closing. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/slab.h>

struct file *dentry_open(struct dentry *dentry, struct inode *inode, int flags)
{
    struct file *file = alloc_empty_file(flags);
    int err;

    if (!file)
        return ERR_PTR(-ENOMEM);
    file->f_op = inode->i_fop;
    file->f_inode = inode;
    err = file->f_op->open ? file->f_op->open(inode, file) : 0;
    if (err) {
        kfree(file);
        return ERR_PTR(err);
    }
    ihold(inode);
    file->f_dentry = dentry ? dget(dentry) : NULL;
    file->f_flags &= ~(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC);
    return file;
}

struct file *filp_open(const char *name, int flags, umode_t mode)
{
    return do_filp_open(AT_FDCWD, name, flags, mode);
}

int filp_close(struct file *file)
{
    return fput(file);
}

int do_truncate(struct inode *inode, loff_t size)
{
    int err;

    if (size < 0)
        return -EINVAL;
    if (!inode->i_op || !inode->i_op->truncate)
        return 0; /* its contents are made up as they are read */
    inode_lock(inode);
    err = inode->i_op->truncate(inode, size);
    inode_unlock(inode);
    return err;
}
