/*
 * read_write.c - read, write and seek for all kinds of files, and their system calls.
 *
 * Filesystems use kernel buffers, so data of programs is copied through a page. Only reads of
 * regular files and block devices transfer more than one page per call: other files return what
 * is available.
 */
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

ssize_t kernel_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    if (!(file->f_mode & FMODE_READ))
        return -EBADF;
    if (S_ISDIR(file->f_inode->i_mode))
        return -EISDIR;
    return file->f_op->read ? file->f_op->read(file, buf, count, pos) : -EINVAL;
}

ssize_t kernel_write(struct file *file, const char *buf, size_t count, loff_t *pos)
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
    n = kernel_read(file, buf, count, &file->f_pos);
    unlock_position(file);
    return n;
}

ssize_t file_write(struct file *file, const char *buf, size_t count)
{
    ssize_t n;

    lock_position(file);
    n = kernel_write(file, buf, count, &file->f_pos);
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

/* ---- programs ---- */

ssize_t vfs_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
    umode_t mode = file->f_inode->i_mode;
    char *page = kmalloc(PAGE_SIZE);
    size_t done = 0, want = 0;
    ssize_t n = page ? 0 : -ENOMEM;

    while (n == (ssize_t)want && (!done || (done < count && (S_ISREG(mode) || S_ISBLK(mode))))) {
        want = min(count - done, (size_t)PAGE_SIZE);
        n = kernel_read(file, page, want, pos);
        if (n > 0 && copy_to_user(buf + done, page, n))
            n = -EFAULT;
        if (n <= 0)
            break;
        done += n;
    }
    kfree(page);
    return done ? (ssize_t)done : n;
}

ssize_t vfs_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
    char *page = kmalloc(PAGE_SIZE);
    size_t done = 0, want = 0;
    ssize_t n = page ? 0 : -ENOMEM;

    while (n == (ssize_t)want && (!done || done < count)) {
        want = min(count - done, (size_t)PAGE_SIZE);
        n = copy_from_user(page, buf + done, want) ? -EFAULT : kernel_write(file, page, want, pos);
        if (n <= 0)
            break;
        done += n;
    }
    kfree(page);
    return done ? (ssize_t)done : n;
}

ssize_t ksys_read(unsigned int fd, char __user *buf, size_t count)
{
    struct file *file = fget(fd);
    ssize_t n;

    if (!file)
        return -EBADF;
    lock_position(file);
    n = vfs_read(file, buf, count, &file->f_pos);
    unlock_position(file);
    fput(file);
    return n;
}

SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)
{
    return ksys_read(fd, buf, count);
}

ssize_t ksys_write(unsigned int fd, const char __user *buf, size_t count)
{
    struct file *file = fget(fd);
    ssize_t n;

    if (!file)
        return -EBADF;
    lock_position(file);
    n = vfs_write(file, buf, count, &file->f_pos);
    unlock_position(file);
    fput(file);
    return n;
}

SYSCALL_DEFINE3(write, unsigned int, fd, const char __user *, buf, size_t, count)
{
    return ksys_write(fd, buf, count);
}

/* Only files that can seek can be read or written at a position. */
static int check_seekable(const struct file *file, loff_t pos)
{
    if (pos < 0)
        return -EINVAL;
    return file->f_op->llseek ? 0 : -ESPIPE;
}

ssize_t ksys_pread64(unsigned int fd, char __user *buf, size_t count, loff_t pos)
{
    struct file *file = fget(fd);
    ssize_t n;

    if (!file)
        return -EBADF;
    n = check_seekable(file, pos);
    if (!n)
        n = vfs_read(file, buf, count, &pos);
    fput(file);
    return n;
}

SYSCALL_DEFINE4(pread64, unsigned int, fd, char __user *, buf, size_t, count, loff_t, pos)
{
    return ksys_pread64(fd, buf, count, pos);
}

ssize_t ksys_pwrite64(unsigned int fd, const char __user *buf, size_t count, loff_t pos)
{
    struct file *file = fget(fd);
    ssize_t n;

    if (!file)
        return -EBADF;
    n = check_seekable(file, pos);
    if (!n)
        n = vfs_write(file, buf, count, &pos);
    fput(file);
    return n;
}

SYSCALL_DEFINE4(pwrite64, unsigned int, fd, const char __user *, buf, size_t, count, loff_t, pos)
{
    return ksys_pwrite64(fd, buf, count, pos);
}

struct iovec {
    char __user *iov_base;
    size_t iov_len;
};

enum { UIO_MAXIOV = 1024 };

static ssize_t transfer(struct file *file, const struct iovec *iov, bool write)
{
    return write ? vfs_write(file, iov->iov_base, iov->iov_len, &file->f_pos)
                 : vfs_read(file, iov->iov_base, iov->iov_len, &file->f_pos);
}

/* Continues with the next part while each one is transferred in full. */
static ssize_t do_iov(int fd, const struct iovec __user *vec, int vlen, bool write)
{
    struct file *file;
    struct iovec iov;
    ssize_t done = 0, n = 0;
    int i;

    if (vlen < 0 || vlen > UIO_MAXIOV)
        return -EINVAL;
    file = fget(fd);
    if (!file)
        return -EBADF;
    lock_position(file);
    for (i = 0; i < vlen; i++) {
        n = copy_from_user(&iov, vec + i, sizeof(iov)) ? -EFAULT : 0;
        if (!n && iov.iov_len)
            n = transfer(file, &iov, write);
        if (n > 0)
            done += n;
        if (n < 0 || n < (ssize_t)iov.iov_len)
            break;
    }
    unlock_position(file);
    fput(file);
    return done ? done : n;
}

SYSCALL_DEFINE3(readv, unsigned long, fd, const struct iovec __user *, vec, unsigned long, vlen)
{
    return do_iov(fd, vec, vlen, false);
}

SYSCALL_DEFINE3(writev, unsigned long, fd, const struct iovec __user *, vec, unsigned long, vlen)
{
    return do_iov(fd, vec, vlen, true);
}

SYSCALL_DEFINE3(lseek, unsigned int, fd, off_t, offset, unsigned int, whence)
{
    struct file *file = fget(fd);
    loff_t pos;

    if (!file)
        return -EBADF;
    pos = vfs_llseek(file, offset, whence);
    fput(file);
    return pos;
}

/* At most as much as a pipe takes at once: in the middle of a transfer nothing is lost. */
static ssize_t do_sendfile(struct file *to, struct file *from, loff_t *pos, size_t count)
{
    char *page = kmalloc(PAGE_SIZE);
    size_t done = 0;
    ssize_t n = page ? 0 : -ENOMEM, written;

    while (!n && done < count) {
        n = kernel_read(from, page, min(count - done, (size_t)PAGE_SIZE), pos);
        if (n <= 0)
            break;
        written = file_write(to, page, n);
        if (written > 0)
            done += written;
        if (written < n)
            *pos -= n - max(written, (ssize_t)0);
        n = written < 0 ? written : written < n;
        if (signal_pending(current))
            break;
    }
    kfree(page);
    return done ? (ssize_t)done : min(n, (ssize_t)0);
}

static int check_sendfile(const struct file *to, const struct file *from, bool at)
{
    if (!(from->f_mode & FMODE_READ) || !(to->f_mode & FMODE_WRITE))
        return -EBADF;
    if (to->f_flags & O_APPEND || !from->f_op->llseek)
        return -EINVAL;
    return at && !from->f_op->llseek ? -ESPIPE : 0;
}

SYSCALL_DEFINE4(sendfile64, int, out_fd, int, in_fd, loff_t __user *, offset, size_t, count)
{
    struct file *to = fget(out_fd), *from = fget(in_fd);
    loff_t pos = 0;
    ssize_t n = to && from ? check_sendfile(to, from, offset) : -EBADF;

    if (!n && offset && get_user(pos, offset))
        n = -EFAULT;
    if (!n && pos < 0)
        n = -EINVAL;
    if (!n) {
        if (!offset) {
            mutex_lock(&from->f_pos_lock);
            n = do_sendfile(to, from, &from->f_pos, count);
            mutex_unlock(&from->f_pos_lock);
        } else {
            n = do_sendfile(to, from, &pos, count);
            if (put_user(pos, offset))
                n = -EFAULT;
        }
    }
    if (from)
        fput(from);
    if (to)
        fput(to);
    return n;
}
