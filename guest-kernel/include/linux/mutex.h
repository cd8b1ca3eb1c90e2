/* mutex.h - sleeping locks. */
#ifndef LINUX_MUTEX_H
#define LINUX_MUTEX_H

#include <linux/wait.h>

struct mutex {
    struct task_struct *owner; /* under wait.lock */
    struct wait_queue_head wait;
};

#define DEFINE_MUTEX(name) struct mutex name = {NULL, {{0, 0}, LIST_HEAD_INIT(name.wait.head)}}

static inline void mutex_init(struct mutex *lock)
{
    lock->owner = NULL;
    init_waitqueue_head(&lock->wait);
}

void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);

#endif
