/* open.c - opens, closes and truncates files. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/slab.h>

/* A regular file or directory that is open for writing keeps its mount writable. */
static int want_write(struct file *file, const struct path *path)
{
    umode_t mode = file->f_inode->i_mode;
    int err = 0;

    if (path && file->f_mode & FMODE_WRITE && !S_ISCHR(mode) && !S_ISBLK(mode) && !S_ISFIFO(mode)) {
        err = mnt_want_write(path->mnt);
        file->f_mode |= err ? 0 : FMODE_WRITER;
    }
    return err;
}

/* path NULL: a file without a name. */
static int do_dentry_open(struct file *file, struct inode *inode, const struct path *path)
{
    int err;

    file->f_op = inode->i_fop;
    file->f_inode = inode;
    err = want_write(file, path);
    if (!err && file->f_op->open)
        err = file->f_op->open(inode, file);
    if (err) {
        if (file->f_mode & FMODE_WRITER)
            mnt_drop_write(path->mnt);
        return err;
    }
    ihold(inode);
    file->f_flags &= ~(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_CLOEXEC);
    return 0;
}

int vfs_open(const struct path *path, struct file *file)
{
    int err = do_dentry_open(file, path->dentry->d_inode, path);

    if (!err) {
        path_get(path);
        file->f_path = *path;
    }
    return err;
}

struct file *dentry_open(const struct path *path, struct inode *inode, int flags)
{
    struct file *file = alloc_empty_file(flags);
    int err;

    if (!file)
        return ERR_PTR(-ENOMEM);
    err = path ? vfs_open(path, file) : do_dentry_open(file, inode, NULL);
    if (!err)
        return file;
    kfree(file);
    return ERR_PTR(err);
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
        return 0; /* its contents are generated when read */
    inode_lock(inode);
    err = inode->i_op->truncate(inode, size);
    inode_unlock(inode);
    return err;
}
