/*
 * splice.c - splice() and tee(): data go between a pipe and a file in the kernel.
 *
 * They are copied once, a page at a time, while the pipe is locked, so that no byte is lost if the
 * file takes fewer.
 */
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

enum { SPLICE_F_MOVE = 1, SPLICE_F_NONBLOCK = 2, SPLICE_F_MORE = 4, SPLICE_F_GIFT = 8 };
enum { SPLICE_F_ALL = 15 };

struct splice {
    struct file *in, *out;
    loff_t *in_pos, *out_pos; /* NULL: the files' own positions */
    size_t len;
    unsigned int flags;
    char *page;
};

static struct pipe_inode_info *pipe_of(const struct file *file)
{
    return file->f_inode->i_pipe;
}

static bool may_not_wait(const struct splice *s, const struct file *pipe, size_t done)
{
    return done || s->flags & SPLICE_F_NONBLOCK || pipe->f_flags & O_NONBLOCK;
}

/* A file whose pages are taken whole needs room for one. */
static ssize_t read_chunk(struct splice *s, size_t room)
{
    if (s->in->f_op->splice_page)
        return s->in->f_op->splice_page(s->in, s->page, min(room, s->len), s->flags);
    room = min(min(room, s->len), (size_t)PAGE_SIZE);
    return s->in_pos ? kernel_read(s->in, s->page, room, s->in_pos)
                     : file_read(s->in, s->page, room);
}

static ssize_t file_to_pipe(struct splice *s)
{
    struct pipe_inode_info *pipe = pipe_of(s->out);
    size_t need = s->in->f_op->splice_page ? PAGE_SIZE : 1, done = 0;
    ssize_t n = 1;

    for (; s->len && n > 0; s->len -= n > 0 ? n : 0) {
        n = pipe_lock_with_room(pipe, need, may_not_wait(s, s->out, done));
        if (n <= 0)
            break;
        n = read_chunk(s, n);
        if (n > 0)
            done += pipe_put(pipe, s->page, n);
        pipe_unlock_written(pipe);
    }
    return done ? (ssize_t)done : n;
}

static ssize_t write_chunk(struct splice *s, size_t n)
{
    return s->out_pos ? kernel_write(s->out, s->page, n, s->out_pos)
                      : file_write(s->out, s->page, n);
}

static ssize_t pipe_to_file(struct splice *s)
{
    struct pipe_inode_info *pipe = pipe_of(s->in);
    size_t done = 0;
    ssize_t n = 1;

    for (; s->len && n > 0; s->len -= n > 0 ? n : 0) {
        n = pipe_lock_with_data(pipe, may_not_wait(s, s->in, done));
        if (n <= 0)
            break;
        n = write_chunk(s, pipe_peek(pipe, s->page, min(s->len, (size_t)PAGE_SIZE)));
        if (n > 0) {
            pipe_drop(pipe, n);
            done += n;
        }
        pipe_unlock_read(pipe);
    }
    return done ? (ssize_t)done : n;
}

/* From pipe to pipe: what is there, at most a page; copies it if keep is set. */
static ssize_t pipe_to_pipe(struct splice *s, bool keep)
{
    struct pipe_inode_info *from = pipe_of(s->in), *to = pipe_of(s->out);
    ssize_t n = pipe_lock_with_data(from, may_not_wait(s, s->in, 0));
    size_t got;

    if (n <= 0)
        return n;
    got = pipe_peek(from, s->page, min(s->len, (size_t)PAGE_SIZE));
    pipe_unlock_read(from);
    n = pipe_lock_with_room(to, 1, may_not_wait(s, s->out, 0));
    if (n <= 0)
        return n;
    n = pipe_put(to, s->page, got);
    pipe_unlock_written(to);
    if (keep)
        return n;
    got = pipe_lock_with_data(from, true) > 0;
    if (got) {
        pipe_drop(from, n);
        pipe_unlock_read(from);
    }
    return n;
}

static ssize_t do_splice(struct splice *s)
{
    if (!(s->in->f_mode & FMODE_READ) || !(s->out->f_mode & FMODE_WRITE))
        return -EBADF;
    if ((pipe_of(s->in) && s->in_pos) || (pipe_of(s->out) && s->out_pos))
        return -ESPIPE;
    if (pipe_of(s->in) && pipe_of(s->out))
        return pipe_of(s->in) == pipe_of(s->out) ? -EINVAL : pipe_to_pipe(s, false);
    if (pipe_of(s->in))
        return s->out->f_op->write && !(s->out->f_flags & O_APPEND) ? pipe_to_file(s) : -EINVAL;
    if (!pipe_of(s->out) || (!s->in->f_op->read && !s->in->f_op->splice_page))
        return -EINVAL;
    return file_to_pipe(s);
}

static ssize_t do_tee(struct splice *s)
{
    if (!(s->in->f_mode & FMODE_READ) || !(s->out->f_mode & FMODE_WRITE))
        return -EBADF;
    if (!pipe_of(s->in) || !pipe_of(s->out) || pipe_of(s->in) == pipe_of(s->out))
        return -EINVAL;
    return pipe_to_pipe(s, true);
}

/* Calls one of them with both files open and a page. */
static ssize_t with_files(struct splice *s, int fd_in, int fd_out, ssize_t (*fn)(struct splice *s))
{
    ssize_t ret = -EBADF;

    if (s->flags & ~SPLICE_F_ALL)
        return -EINVAL;
    if (!s->len)
        return 0;
    s->in = fget(fd_in);
    s->out = fget(fd_out);
    s->page = __get_free_pages(0);
    if (s->in && s->out)
        ret = s->page ? fn(s) : -ENOMEM;
    if (s->page)
        free_pages(s->page, 0);
    if (s->in)
        fput(s->in);
    if (s->out)
        fput(s->out);
    return ret;
}

SYSCALL_DEFINE6(splice, int, fd_in, loff_t __user *, off_in, int, fd_out, loff_t __user *, off_out,
                size_t, len, unsigned int, flags)
{
    loff_t in_pos, out_pos;
    struct splice s = {.in_pos = off_in ? &in_pos : NULL,
                       .out_pos = off_out ? &out_pos : NULL,
                       .len = len,
                       .flags = flags};
    ssize_t ret;

    if ((off_in && get_user(in_pos, off_in)) || (off_out && get_user(out_pos, off_out)))
        return -EFAULT;
    ret = with_files(&s, fd_in, fd_out, do_splice);
    if (ret > 0 &&
        ((off_in && put_user(in_pos, off_in)) || (off_out && put_user(out_pos, off_out))))
        return -EFAULT;
    return ret;
}

SYSCALL_DEFINE4(tee, int, fdin, int, fdout, size_t, len, unsigned int, flags)
{
    struct splice s = {.len = len, .flags = flags};

    return with_files(&s, fdin, fdout, do_tee);
}
