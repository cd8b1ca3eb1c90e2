/*
 * wait.h - wait queues.
 *
 * A waiter adds an entry on its stack to the queue and then checks its condition; the waker
 * sets the condition and then wakes the queue. So no wake-up is lost.
 */
#ifndef LINUX_WAIT_H
#define LINUX_WAIT_H

#include <linux/errno.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

struct wait_queue_head {
    spinlock_t lock;
    struct list_head head; /* under lock */
};
typedef struct wait_queue_head wait_queue_head_t;

struct wait_queue_entry {
    struct task_struct *task;
    bool exclusive; /* a wake-up wakes a limited number of these; they are last */
    struct list_head entry;
};

#define WAIT_QUEUE_HEAD_INIT(name)          \
    {                                       \
        {0, 0}, LIST_HEAD_INIT((name).head) \
    }
#define DECLARE_WAIT_QUEUE_HEAD(name) struct wait_queue_head name = WAIT_QUEUE_HEAD_INIT(name)
#define DEFINE_WAIT(name) \
    struct wait_queue_entry name = {.task = current, .entry = LIST_HEAD_INIT((name).entry)}

void init_waitqueue_head(struct wait_queue_head *wq);

/* Queues the entry if it is not queued yet, and sets the state of current. */
void prepare_to_wait(struct wait_queue_head *wq, struct wait_queue_entry *wait, unsigned int state);
void finish_wait(struct wait_queue_head *wq, struct wait_queue_entry *wait);

/*
 * Wakes all waiters that are not exclusive, and nr that are; nr 0: all. Entries of woken tasks
 * leave the queue.
 */
void __wake_up(struct wait_queue_head *wq, unsigned int mode, int nr);
/* The same with wq->lock held. */
void __wake_up_locked(struct wait_queue_head *wq, unsigned int mode, int nr);

#define wake_up(wq)                   __wake_up(wq, TASK_NORMAL, 1)
#define wake_up_all(wq)               __wake_up(wq, TASK_NORMAL, 0)
#define wake_up_interruptible(wq)     __wake_up(wq, TASK_INTERRUPTIBLE, 1)
#define wake_up_interruptible_all(wq) __wake_up(wq, TASK_INTERRUPTIBLE, 0)

/* Checks without the lock: only after smp_mb(), or where a late result does no harm. */
static inline bool waitqueue_active(const struct wait_queue_head *wq)
{
    return !list_empty(&wq->head);
}

/*
 * The common part of wait_event*(): sleeps in state until the condition holds. `sleep` is the
 * expression that sleeps. 0, or -EINTR after a signal.
 */
#define ___wait_event(wq, condition, state, is_exclusive, sleep)            \
    ({                                                                      \
        DEFINE_WAIT(wait_entry_);                                           \
        int wait_ret_ = 0;                                                  \
                                                                            \
        wait_entry_.exclusive = (is_exclusive);                             \
        for (;;) {                                                          \
            prepare_to_wait(&(wq), &wait_entry_, state);                    \
            if (condition)                                                  \
                break;                                                      \
            if ((state) == TASK_INTERRUPTIBLE && signal_pending(current)) { \
                wait_ret_ = -EINTR;                                         \
                break;                                                      \
            }                                                               \
            sleep;                                                          \
        }                                                                   \
        finish_wait(&(wq), &wait_entry_);                                   \
        wait_ret_;                                                          \
    })

#define wait_event(wq, condition)                                                        \
    do {                                                                                 \
        might_sleep();                                                                   \
        if (!(condition))                                                                \
            (void)___wait_event(wq, condition, TASK_UNINTERRUPTIBLE, false, schedule()); \
    } while (0)

#define wait_event_interruptible(wq, condition)                                                \
    ({                                                                                         \
        might_sleep();                                                                         \
        (condition) ? 0 : ___wait_event(wq, condition, TASK_INTERRUPTIBLE, false, schedule()); \
    })

/* Returns the ticks left, at least 1, if the condition holds; 0 if the time is up. */
#define wait_event_timeout(wq, condition, timeout)                                              \
    ({                                                                                          \
        long wait_left_ = (timeout);                                                            \
        bool wait_met_ = false;                                                                 \
                                                                                                \
        might_sleep();                                                                          \
        (void)___wait_event(wq, (wait_met_ = (condition)) || !wait_left_, TASK_UNINTERRUPTIBLE, \
                            false, wait_left_ = schedule_timeout(wait_left_));                  \
        wait_met_ && !wait_left_ ? 1 : wait_left_;                                              \
    })

#endif
