/* poll.h - waiting for several files at a time. */
#ifndef LINUX_POLL_H
#define LINUX_POLL_H

#include <linux/wait.h>

enum {
    POLLIN = 1,
    POLLOUT = 4,
    POLLERR = 8,
    POLLHUP = 16,
    POLLNVAL = 32,
    POLLRDNORM = 64,
    POLLWRNORM = 256,
};

struct file;
struct poll_table;

/*
 * For a file's poll(), before it looks: a wake-up of the queue makes the caller look again. table
 * is NULL if it only looks.
 */
void poll_wait(struct file *file, struct wait_queue_head *queue, struct poll_table *table);

#endif
