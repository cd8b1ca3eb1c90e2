/*
 * pipe.c - pipes.
 *
 * The files of both ends have the same inode, and the pipe is freed with it. A write without
 * readers is SIGPIPE and EPIPE, a read without writers returns end of file.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/pipe_fs_i.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

static unsigned int pipe_occupancy(const struct pipe_inode_info *pipe)
{
    return pipe->head - pipe->tail;
}

static unsigned int pipe_room(const struct pipe_inode_info *pipe)
{
    return PIPE_SIZE - pipe_occupancy(pipe);
}

/* The buffer is a ring, so data may be copied in two parts. */
static size_t take_bytes(struct pipe_inode_info *pipe, char *buf, size_t count)
{
    size_t n = min(count, (size_t)pipe_occupancy(pipe)), at = pipe->tail % PIPE_SIZE;
    size_t first = min(n, PIPE_SIZE - at);

    memcpy(buf, pipe->buf + at, first);
    memcpy(buf + first, pipe->buf, n - first);
    pipe->tail += n;
    return n;
}

static size_t put_bytes(struct pipe_inode_info *pipe, const char *buf, size_t count)
{
    size_t n = min(count, (size_t)pipe_room(pipe)), at = pipe->head % PIPE_SIZE;
    size_t first = min(n, PIPE_SIZE - at);

    memcpy(pipe->buf + at, buf, first);
    memcpy(pipe->buf, buf + first, n - first);
    pipe->head += n;
    return n;
}

static bool pipe_readable(const struct pipe_inode_info *pipe)
{
    return READ_ONCE(pipe->head) != READ_ONCE(pipe->tail) || !READ_ONCE(pipe->writers);
}

static bool pipe_writable(const struct pipe_inode_info *pipe, size_t room)
{
    return pipe_room(pipe) >= room || !READ_ONCE(pipe->readers);
}

static ssize_t pipe_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    struct pipe_inode_info *pipe = file->f_inode->i_pipe;
    size_t n;

    (void)pos;
    mutex_lock(&pipe->mutex);
    while (!pipe_readable(pipe) && count) {
        int err = 0;

        mutex_unlock(&pipe->mutex);
        if (file->f_flags & O_NONBLOCK)
            return -EAGAIN;
        err = wait_event_interruptible(pipe->rd_wait, pipe_readable(pipe));
        if (err)
            return err;
        mutex_lock(&pipe->mutex);
    }
    n = take_bytes(pipe, buf, count);
    mutex_unlock(&pipe->mutex);
    if (n)
        wake_up_interruptible(&pipe->wr_wait);
    return n;
}

/* Writes of up to PIPE_BUF bytes wait for room for all; longer ones write what fits. */
static size_t room_needed(size_t left, size_t count)
{
    return count <= PIPE_BUF ? left : 1;
}

static ssize_t no_reader(void)
{
    send_sig(SIGPIPE, current, 0);
    return -EPIPE;
}

static ssize_t pipe_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct pipe_inode_info *pipe = file->f_inode->i_pipe;
    size_t done = 0;
    ssize_t err = 0;

    (void)pos;
    while (done < count && !err) {
        size_t room = room_needed(count - done, count), n = 0;

        mutex_lock(&pipe->mutex);
        if (!pipe->readers)
            err = no_reader();
        else if (pipe_room(pipe) >= room)
            n = put_bytes(pipe, buf + done, count - done);
        else if (file->f_flags & O_NONBLOCK)
            err = -EAGAIN;
        mutex_unlock(&pipe->mutex);
        done += n;
        if (n)
            wake_up_interruptible(&pipe->rd_wait);
        else if (!err)
            err = wait_event_interruptible(pipe->wr_wait, pipe_writable(pipe, room));
    }
    return done ? (ssize_t)done : err;
}

/* ---- for splice() ---- */

ssize_t pipe_lock_with_room(struct pipe_inode_info *pipe, size_t room, bool nonblock)
{
    for (;;) {
        ssize_t ret = 0;

        mutex_lock(&pipe->mutex);
        if (!pipe->readers)
            ret = no_reader();
        else if (pipe_room(pipe) >= room)
            return pipe_room(pipe);
        else if (nonblock)
            ret = -EAGAIN;
        mutex_unlock(&pipe->mutex);
        if (!ret)
            ret = wait_event_interruptible(pipe->wr_wait, pipe_writable(pipe, room));
        if (ret)
            return ret;
    }
}

ssize_t pipe_lock_with_data(struct pipe_inode_info *pipe, bool nonblock)
{
    for (;;) {
        ssize_t ret;

        mutex_lock(&pipe->mutex);
        if (pipe_occupancy(pipe))
            return pipe_occupancy(pipe);
        ret = !pipe->writers || nonblock;
        nonblock &= pipe->writers != 0;
        mutex_unlock(&pipe->mutex);
        if (ret)
            return nonblock ? -EAGAIN : 0;
        ret = wait_event_interruptible(pipe->rd_wait, pipe_readable(pipe));
        if (ret)
            return ret;
    }
}

size_t pipe_put(struct pipe_inode_info *pipe, const char *buf, size_t count)
{
    return put_bytes(pipe, buf, count);
}

size_t pipe_peek(struct pipe_inode_info *pipe, char *buf, size_t count)
{
    unsigned int tail = pipe->tail;
    size_t n = take_bytes(pipe, buf, count);

    pipe->tail = tail;
    return n;
}

void pipe_drop(struct pipe_inode_info *pipe, size_t count)
{
    pipe->tail += min(count, (size_t)pipe_occupancy(pipe));
}

void pipe_unlock_written(struct pipe_inode_info *pipe)
{
    mutex_unlock(&pipe->mutex);
    wake_up_interruptible(&pipe->rd_wait);
}

void pipe_unlock_read(struct pipe_inode_info *pipe)
{
    mutex_unlock(&pipe->mutex);
    wake_up_interruptible(&pipe->wr_wait);
}

static int pipe_release(struct inode *inode, struct file *file)
{
    struct pipe_inode_info *pipe = inode->i_pipe;

    mutex_lock(&pipe->mutex);
    if (file->f_mode & FMODE_READ)
        pipe->readers--;
    else
        pipe->writers--;
    mutex_unlock(&pipe->mutex);
    wake_up_interruptible(&pipe->rd_wait);
    wake_up_interruptible(&pipe->wr_wait);
    return 0;
}

static unsigned int pipe_poll(struct file *file, struct poll_table *table)
{
    struct pipe_inode_info *pipe = file->f_inode->i_pipe;

    if (file->f_mode & FMODE_READ) {
        poll_wait(file, &pipe->rd_wait, table);
        return (pipe_occupancy(pipe) ? POLLIN | POLLRDNORM : 0) |
               (READ_ONCE(pipe->writers) ? 0 : POLLHUP);
    }
    poll_wait(file, &pipe->wr_wait, table);
    return (pipe_room(pipe) >= PIPE_BUF ? POLLOUT | POLLWRNORM : 0) |
           (READ_ONCE(pipe->readers) ? 0 : POLLERR);
}

static const struct file_operations pipefifo_fops = {
    .poll = pipe_poll,
    .read = pipe_read,
    .write = pipe_write,
    .release = pipe_release,
};

static void pipe_evict(struct inode *inode)
{
    kfree(inode->i_pipe->buf);
    kfree(inode->i_pipe);
}

static const struct inode_operations pipe_inode_operations = {
    .evict = pipe_evict,
};

static struct pipe_inode_info *alloc_pipe_info(void)
{
    struct pipe_inode_info *pipe = kzalloc(sizeof(*pipe));

    if (!pipe)
        return NULL;
    pipe->buf = kmalloc(PIPE_SIZE);
    if (!pipe->buf) {
        kfree(pipe);
        return NULL;
    }
    mutex_init(&pipe->mutex);
    init_waitqueue_head(&pipe->rd_wait);
    init_waitqueue_head(&pipe->wr_wait);
    pipe->readers = pipe->writers = 1;
    return pipe;
}

static struct inode *get_pipe_inode(void)
{
    struct pipe_inode_info *pipe = alloc_pipe_info();
    struct inode *inode = pipe ? new_inode(S_IFIFO | S_IRUSR | S_IWUSR) : NULL;

    if (!inode) {
        if (pipe)
            kfree(pipe->buf);
        kfree(pipe);
        return NULL;
    }
    inode->i_pipe = pipe;
    inode->i_op = &pipe_inode_operations;
    inode->i_fop = &pipefifo_fops;
    return inode;
}

/* Both ends count as open from the start. */
int create_pipe_files(struct file **res, int flags)
{
    struct inode *inode;
    int status = flags & O_NONBLOCK;

    if (flags & ~(O_CLOEXEC | O_NONBLOCK))
        return -EINVAL;
    inode = get_pipe_inode();
    if (!inode)
        return -ENFILE;
    res[0] = dentry_open(NULL, inode, O_RDONLY | status);
    res[1] = IS_ERR(res[0]) ? res[0] : dentry_open(NULL, inode, O_WRONLY | status);
    iput(inode);
    if (!IS_ERR(res[1]))
        return 0;
    if (!IS_ERR(res[0]))
        fput(res[0]);
    return PTR_ERR(res[1]);
}
