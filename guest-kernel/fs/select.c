/*
 * select.c - ppoll(): waits until one of several files is ready.
 *
 * A file's poll() says what is ready, and queues the caller at what will wake it. A file without
 * poll() is always ready.
 */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

enum { MAX_POLL_FDS = 64, QUEUES_PER_FILE = 2, MAX_QUEUES = MAX_POLL_FDS * QUEUES_PER_FILE };

struct pollfd {
    int fd;
    short events, revents;
};

struct poll_table_entry {
    struct wait_queue_entry wait;
    struct wait_queue_head *queue;
};

struct poll_table {
    unsigned int nr; /* entries that this round has used */
    struct poll_table_entry entry[MAX_QUEUES];
};

struct poll_wqueues {
    struct pollfd fds[MAX_POLL_FDS];
    struct poll_table table;
};

/* Each round comes here in the same order, so an entry is queued again where it was. */
void poll_wait(struct file *file, struct wait_queue_head *queue, struct poll_table *table)
{
    struct poll_table_entry *entry;

    (void)file;
    if (!table || table->nr == MAX_QUEUES)
        return;
    entry = &table->entry[table->nr++];
    if (!entry->queue) {
        entry->queue = queue;
        entry->wait.task = current;
        INIT_LIST_HEAD(&entry->wait.entry);
    }
    prepare_to_wait(queue, &entry->wait, TASK_INTERRUPTIBLE);
}

static unsigned int poll_file(struct file *file, struct poll_table *table)
{
    return file->f_op->poll ? file->f_op->poll(file, table)
                            : POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;
}

static unsigned int poll_fd(const struct pollfd *p, struct poll_table *table)
{
    struct file *file;
    unsigned int mask;

    if (p->fd < 0)
        return 0;
    file = fget(p->fd);
    if (!file)
        return POLLNVAL;
    mask = poll_file(file, table) & ((unsigned short)p->events | POLLERR | POLLHUP);
    fput(file);
    return mask;
}

static int poll_round(struct poll_wqueues *w, unsigned int nfds)
{
    unsigned int i;
    int ready = 0;

    w->table.nr = 0;
    for (i = 0; i < nfds; i++) {
        w->fds[i].revents = poll_fd(&w->fds[i], &w->table);
        ready += w->fds[i].revents != 0;
    }
    return ready;
}

/* Returns how many are ready, 0 when the time is up, or -EINTR. */
static int do_poll(struct poll_wqueues *w, unsigned int nfds, u64 end)
{
    unsigned int i;
    int ready;

    for (;;) {
        set_current_state(TASK_INTERRUPTIBLE);
        ready = poll_round(w, nfds);
        if (ready || sched_clock() >= end)
            break;
        if (signal_pending(current)) {
            ready = -EINTR;
            break;
        }
        (void)schedule_hrtimeout(end, HRTIMER_MODE_ABS);
    }
    set_current_state(TASK_RUNNING);
    for (i = 0; i < MAX_QUEUES && w->table.entry[i].queue; i++)
        finish_wait(w->table.entry[i].queue, &w->table.entry[i].wait);
    return ready;
}

static int poll_fds(struct pollfd __user *ufds, unsigned int nfds, u64 end)
{
    struct poll_wqueues *w = kzalloc(sizeof(*w));
    int ready = w ? 0 : -ENOMEM;

    if (!ready && copy_from_user(w->fds, ufds, nfds * sizeof(*ufds)))
        ready = -EFAULT;
    if (!ready) {
        ready = do_poll(w, nfds, end);
        if (ready >= 0 && copy_to_user(ufds, w->fds, nfds * sizeof(*ufds)))
            ready = -EFAULT;
    }
    kfree(w);
    return ready;
}

SYSCALL_DEFINE5(ppoll, struct pollfd __user *, ufds, unsigned int, nfds,
                struct __kernel_timespec __user *, tsp, const u64 __user *, sigmask, size_t,
                sigsetsize)
{
    u64 ns = 0, end = KTIME_MAX, mask;
    int err = tsp ? get_timespec64(&ns, tsp) : 0;

    if (err)
        return err;
    if (nfds > MAX_POLL_FDS || (sigmask && sigsetsize != sizeof(mask)))
        return -EINVAL;
    if (tsp)
        end = sched_clock() + ns;
    if (sigmask && get_user(mask, sigmask))
        return -EFAULT;
    if (sigmask)
        set_restore_sigmask(mask);
    err = poll_fds(ufds, nfds, end);
    if (sigmask && err != -EINTR)
        restore_saved_sigmask();
    return err;
}
