/* read_write.c - read, write and seek for all kinds of files. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/slab.h>

ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    if (!(file->f_mode & FMODE_READ))
        return -EBADF;
    if (S_ISDIR(file->f_inode->i_mode))
        return -EISDIR;
    return file->f_op->read ? file->f_op->read(file, buf, count, pos) : -EINVAL;
}

ssize_t vfs_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    if (!(file->f_mode & FMODE_WRITE))
        return -EBADF;
    return file->f_op->write ? file->f_op->write(file, buf, count, pos) : -EINVAL;
}

/*
 * The position of an open file is locked during a transfer. Pipes and terminals have none, and
 * a reader of one may wait while another task writes.
 */
static bool has_position(const struct file *file)
{
    umode_t mode = file->f_inode->i_mode;

    return S_ISREG(mode) || S_ISDIR(mode) || S_ISBLK(mode);
}

static void lock_position(struct file *file)
{
    if (has_position(file))
        mutex_lock(&file->f_pos_lock);
}

static void unlock_position(struct file *file)
{
    if (has_position(file))
        mutex_unlock(&file->f_pos_lock);
}

ssize_t file_read(struct file *file, char *buf, size_t count)
{
    ssize_t n;

    lock_position(file);
    n = vfs_read(file, buf, count, &file->f_pos);
    unlock_position(file);
    return n;
}

ssize_t file_write(struct file *file, const char *buf, size_t count)
{
    ssize_t n;

    lock_position(file);
    n = vfs_write(file, buf, count, &file->f_pos);
    unlock_position(file);
    return n;
}

loff_t vfs_llseek(struct file *file, loff_t offset, int whence)
{
    loff_t pos;

    if (!file->f_op->llseek)
        return -ESPIPE;
    lock_position(file);
    pos = file->f_op->llseek(file, offset, whence);
    unlock_position(file);
    return pos;
}

loff_t generic_file_llseek(struct file *file, loff_t offset, int whence)
{
    switch (whence) {
    case SEEK_SET: break;
    case SEEK_CUR: offset += file->f_pos; break;
    case SEEK_END: offset += file->f_inode->i_size; break;
    default: return -EINVAL;
    }
    if (offset < 0)
        return -EINVAL;
    file->f_pos = offset;
    return offset;
}

/* Files with generated contents have no size, so this reads until a read returns 0. */
static ssize_t read_all(struct file *file, char *buf, size_t size)
{
    size_t done = 0;
    ssize_t n = 1;

    while (done < size && n > 0) {
        n = file_read(file, buf + done, size - done);
        if (n > 0)
            done += n;
    }
    return n < 0 ? n : (ssize_t)done;
}

int kernel_read_file(struct file *file, void **buf, size_t *size)
{
    ssize_t n = -EINVAL;

    *buf = NULL;
    if (S_ISREG(file->f_inode->i_mode) && file->f_inode->i_size) {
        *buf = kmalloc(file->f_inode->i_size);
        n = *buf ? read_all(file, *buf, file->f_inode->i_size) : -ENOMEM;
    }
    if (n < 0) {
        kfree(*buf);
        *buf = NULL;
        return n;
    }
    *size = n;
    return 0;
}
