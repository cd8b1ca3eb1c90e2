/* wait.h - queues of tasks that wait for something. */
#ifndef LINUX_WAIT_H
#define LINUX_WAIT_H

#include <linux/errno.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include <linux/sched/signal.h>

struct wait_queue_head {
    spinlock_t lock;
    struct list_head head;
};

struct wait_queue_entry {
    struct task_struct *task;
    struct list_head entry;
};

#define DEFINE_WAIT(name) \
    struct wait_queue_entry name = {.task = current, .entry = LIST_HEAD_INIT(name.entry)}

void init_waitqueue_head(struct wait_queue_head *wq);
/* On the queue and in that state; the waiter then looks once more whether it has to sleep. */
void prepare_to_wait(struct wait_queue_head *wq, struct wait_queue_entry *wait, unsigned int state);
void finish_wait(struct wait_queue_head *wq, struct wait_queue_entry *wait);
/* Wakes all who wait in one of these states. */
void wake_up_all_in(struct wait_queue_head *wq, unsigned int state);
#define wake_up_all(wq)           wake_up_all_in((wq), TASK_NORMAL)
#define wake_up_interruptible(wq) wake_up_all_in((wq), TASK_INTERRUPTIBLE)

/* Sleeps until the condition holds (0) or a signal comes (-EINTR). */
#define wait_event_interruptible(wq, condition)                     \
    ({                                                              \
        int wait_err = 0;                                           \
        DEFINE_WAIT(wait_self);                                     \
        for (;;) {                                                  \
            prepare_to_wait(&(wq), &wait_self, TASK_INTERRUPTIBLE); \
            if (condition)                                          \
                break;                                              \
            if (signal_pending(current)) {                          \
                wait_err = -EINTR;                                  \
                break;                                              \
            }                                                       \
            schedule();                                             \
        }                                                           \
        finish_wait(&(wq), &wait_self);                             \
        wait_err;                                                   \
    })
/* Caller holds wq->lock. Takes the longest waiter off and wakes it. */
void wake_up_locked(struct wait_queue_head *wq);

#endif
