/*
 * completion.c - completions.
 *
 * All accesses are under the lock of the wait queue, so a waiter may free the completion as
 * soon as its wait returns: complete() does not touch it any more.
 */
#include <linux/completion.h>
#include <linux/export.h>

enum { COMPLETED_ALL = ~0u };

void init_completion(struct completion *x)
{
    x->done = 0;
    init_waitqueue_head(&x->wait);
}
EXPORT_SYMBOL(init_completion);

void complete(struct completion *x)
{
    unsigned long flags;

    spin_lock_irqsave(&x->wait.lock, flags);
    if (x->done != COMPLETED_ALL)
        x->done++;
    __wake_up_locked(&x->wait, TASK_NORMAL, 1);
    spin_unlock_irqrestore(&x->wait.lock, flags);
}
EXPORT_SYMBOL(complete);

void complete_all(struct completion *x)
{
    unsigned long flags;

    spin_lock_irqsave(&x->wait.lock, flags);
    x->done = COMPLETED_ALL;
    __wake_up_locked(&x->wait, TASK_NORMAL, 0);
    spin_unlock_irqrestore(&x->wait.lock, flags);
}
EXPORT_SYMBOL(complete_all);

bool try_wait_for_completion(struct completion *x)
{
    unsigned long flags;
    bool done;

    spin_lock_irqsave(&x->wait.lock, flags);
    done = x->done;
    if (done && x->done != COMPLETED_ALL)
        x->done--;
    spin_unlock_irqrestore(&x->wait.lock, flags);
    return done;
}

bool completion_done(struct completion *x)
{
    unsigned long flags;
    bool done;

    spin_lock_irqsave(&x->wait.lock, flags);
    done = x->done;
    spin_unlock_irqrestore(&x->wait.lock, flags);
    return done;
}

/* An exclusive wait: each complete() wakes one waiter. */
static long do_wait_for_completion(struct completion *x, long timeout, unsigned int state)
{
    bool done = false;
    long err;

    might_sleep();
    err = ___wait_event(x->wait, (done = try_wait_for_completion(x)) || !timeout, state, true,
                        timeout = schedule_timeout(timeout));
    if (err)
        return err;
    return done && !timeout ? 1 : timeout;
}

void wait_for_completion(struct completion *x)
{
    do_wait_for_completion(x, MAX_SCHEDULE_TIMEOUT, TASK_UNINTERRUPTIBLE);
}
EXPORT_SYMBOL(wait_for_completion);

unsigned long wait_for_completion_timeout(struct completion *x, unsigned long timeout)
{
    return do_wait_for_completion(x, timeout, TASK_UNINTERRUPTIBLE);
}
