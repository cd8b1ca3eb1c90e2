/* mutex.h - sleeping locks. */
#ifndef LINUX_MUTEX_H
#define LINUX_MUTEX_H

#include <linux/wait.h>

struct mutex {
    struct task_struct *owner; /* under wait.lock */
    struct wait_queue_head wait;
};

#define __MUTEX_INITIALIZER(name)               \
    {                                           \
        NULL, WAIT_QUEUE_HEAD_INIT((name).wait) \
    }
#define DEFINE_MUTEX(name) struct mutex name = __MUTEX_INITIALIZER(name)

void mutex_init(struct mutex *lock);
void mutex_lock(struct mutex *lock);
bool mutex_trylock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);

#endif
