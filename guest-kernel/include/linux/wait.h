/* wait.h - queues of tasks that wait for something. */
#ifndef LINUX_WAIT_H
#define LINUX_WAIT_H

#include <linux/list.h>
#include <linux/spinlock.h>

struct task_struct;

struct wait_queue_head {
    spinlock_t lock;
    struct list_head head;
};

struct wait_queue_entry {
    struct task_struct *task;
    struct list_head entry;
};

void init_waitqueue_head(struct wait_queue_head *wq);
/* Caller holds wq->lock. Takes the longest waiter off and wakes it. */
void wake_up_locked(struct wait_queue_head *wq);

#endif
