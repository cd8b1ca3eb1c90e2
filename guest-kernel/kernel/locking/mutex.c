/* mutex.c - sleeping locks; mutex_unlock() hands the lock to the task that has waited longest. */
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/sched/task.h>

void mutex_init(struct mutex *lock)
{
    lock->owner = NULL;
    init_waitqueue_head(&lock->wait);
}
EXPORT_SYMBOL(mutex_init);

/* wait.lock held. */
static bool take_if_free(struct mutex *lock)
{
    BUG_ON(lock->owner == current); /* it would wait for itself endlessly */
    if (lock->owner)
        return false;
    lock->owner = current;
    return true;
}

bool mutex_trylock(struct mutex *lock)
{
    unsigned long flags;
    bool free;

    spin_lock_irqsave(&lock->wait.lock, flags);
    free = !lock->owner;
    if (free)
        lock->owner = current;
    spin_unlock_irqrestore(&lock->wait.lock, flags);
    return free;
}
EXPORT_SYMBOL(mutex_trylock);

/*
 * Ends the wait after a signal. Returns 0 if the lock was handed to current in the meantime,
 * else -EINTR.
 */
static int give_up(struct mutex *lock, struct wait_queue_entry *self)
{
    unsigned long flags;
    int err;

    spin_lock_irqsave(&lock->wait.lock, flags);
    list_del_init(&self->entry);
    err = lock->owner == current ? 0 : -EINTR;
    spin_unlock_irqrestore(&lock->wait.lock, flags);
    return err;
}

static int mutex_lock_common(struct mutex *lock, unsigned int state)
{
    DEFINE_WAIT(self);
    unsigned long flags;
    int err = 0;

    might_sleep();
    spin_lock_irqsave(&lock->wait.lock, flags);
    if (take_if_free(lock)) {
        spin_unlock_irqrestore(&lock->wait.lock, flags);
        return 0;
    }
    list_add_tail(&self.entry, &lock->wait.head);
    set_current_state(state);
    spin_unlock_irqrestore(&lock->wait.lock, flags);
    while (!err && smp_load_acquire(&lock->owner) != current) {
        if (signal_pending_state(state, current)) {
            err = give_up(lock, &self);
            continue;
        }
        schedule();
        set_current_state(state);
    }
    set_current_state(TASK_RUNNING);
    return err;
}

void mutex_lock(struct mutex *lock)
{
    mutex_lock_common(lock, TASK_UNINTERRUPTIBLE);
}
EXPORT_SYMBOL(mutex_lock);

/*
 * Sets the new owner before it is woken, so that no other task can take the lock in between.
 * The entry leaves the list before that, because it is on the waiter's stack. The reference
 * keeps the task: if it is awake already, it may exit before wake_up_process().
 */
static void hand_over(struct mutex *lock)
{
    struct wait_queue_entry *first =
        list_first_entry(&lock->wait.head, struct wait_queue_entry, entry);
    struct task_struct *next = first->task;

    get_task_struct(next);
    list_del_init(&first->entry);
    smp_store_release(&lock->owner, next);
    wake_up_process(next);
    put_task_struct(next);
}

void mutex_unlock(struct mutex *lock)
{
    unsigned long flags;

    spin_lock_irqsave(&lock->wait.lock, flags);
    BUG_ON(lock->owner != current);
    if (list_empty(&lock->wait.head))
        lock->owner = NULL;
    else
        hand_over(lock);
    spin_unlock_irqrestore(&lock->wait.lock, flags);
}
EXPORT_SYMBOL(mutex_unlock);
