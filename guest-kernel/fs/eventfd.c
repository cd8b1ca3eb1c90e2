/*
 * eventfd.c - eventfd2(2): a number in a file. A write adds to it, a read takes it, or one of it.
 */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/stat.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/wait.h>

enum { EFD_SEMAPHORE = 1 };

struct eventfd_ctx {
    struct wait_queue_head wqh;
    u64 count;      /* under wqh.lock */
    bool semaphore; /* a read takes 1 */
};

/* What a read takes; 0: there is nothing. */
static u64 take(struct eventfd_ctx *ctx)
{
    unsigned long flags;
    u64 taken;

    spin_lock_irqsave(&ctx->wqh.lock, flags);
    taken = ctx->semaphore && ctx->count ? 1 : ctx->count;
    ctx->count -= taken;
    spin_unlock_irqrestore(&ctx->wqh.lock, flags);
    return taken;
}

/* The number never becomes ~0. */
static bool add(struct eventfd_ctx *ctx, u64 n)
{
    unsigned long flags;
    bool fits;

    spin_lock_irqsave(&ctx->wqh.lock, flags);
    fits = n < ~0ull - ctx->count;
    if (fits)
        ctx->count += n;
    spin_unlock_irqrestore(&ctx->wqh.lock, flags);
    return fits;
}

static ssize_t eventfd_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    struct eventfd_ctx *ctx = file->f_inode->i_private;
    u64 taken;
    int err;

    (void)pos;
    if (count < sizeof(taken))
        return -EINVAL;
    taken = take(ctx);
    if (!taken) {
        if (file->f_flags & O_NONBLOCK)
            return -EAGAIN;
        err = wait_event_interruptible(ctx->wqh, (taken = take(ctx)) != 0);
        if (err)
            return err;
    }
    wake_up_interruptible_all(&ctx->wqh);
    memcpy(buf, &taken, sizeof(taken));
    return sizeof(taken);
}

static ssize_t eventfd_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    struct eventfd_ctx *ctx = file->f_inode->i_private;
    int err;
    u64 n;

    (void)pos;
    if (count < sizeof(n))
        return -EINVAL;
    memcpy(&n, buf, sizeof(n));
    if (n == ~0ull)
        return -EINVAL;
    if (!add(ctx, n)) {
        if (file->f_flags & O_NONBLOCK)
            return -EAGAIN;
        err = wait_event_interruptible(ctx->wqh, add(ctx, n));
        if (err)
            return err;
    }
    wake_up_interruptible_all(&ctx->wqh);
    return sizeof(n);
}

static unsigned int eventfd_poll(struct file *file, struct poll_table *table)
{
    struct eventfd_ctx *ctx = file->f_inode->i_private;
    u64 count;

    poll_wait(file, &ctx->wqh, table);
    count = READ_ONCE(ctx->count);
    return (count ? POLLIN : 0) | (count < ~0ull - 1 ? POLLOUT : 0);
}

static int eventfd_release(struct inode *inode, struct file *file)
{
    (void)file;
    kfree(inode->i_private);
    return 0;
}

static const struct file_operations eventfd_fops = {
    .read = eventfd_read,
    .write = eventfd_write,
    .poll = eventfd_poll,
    .release = eventfd_release,
};

static struct file *eventfd_file(unsigned int count, int flags)
{
    struct inode *inode = new_inode(S_IRUSR | S_IWUSR);
    struct eventfd_ctx *ctx = kzalloc(sizeof(*ctx));
    struct file *file = ERR_PTR(-ENOMEM);

    if (inode && ctx) {
        init_waitqueue_head(&ctx->wqh);
        ctx->count = count;
        ctx->semaphore = flags & EFD_SEMAPHORE;
        inode->i_fop = &eventfd_fops;
        inode->i_private = ctx;
        file = dentry_open(NULL, inode, O_RDWR | (flags & O_NONBLOCK));
    }
    if (IS_ERR(file))
        kfree(ctx);
    if (inode)
        iput(inode);
    return file;
}

SYSCALL_DEFINE2(eventfd2, unsigned int, count, int, flags)
{
    struct file *file;
    int fd;

    if (flags & ~(EFD_SEMAPHORE | O_NONBLOCK | O_CLOEXEC))
        return -EINVAL;
    fd = get_unused_fd_flags(flags & O_CLOEXEC);
    if (fd < 0)
        return fd;
    file = eventfd_file(count, flags);
    if (IS_ERR(file)) {
        put_unused_fd(fd);
        return PTR_ERR(file);
    }
    fd_install(fd, file);
    return fd;
}
