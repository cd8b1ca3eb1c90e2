/* mutex.c - a lock handed from owner to the longest waiter. */
#include <linux/bug.h>
#include <linux/mutex.h>
#include <linux/sched.h>

void mutex_lock(struct mutex *lock)
{
    struct wait_queue_entry self = {.task = current};
    unsigned long flags;

    spin_lock_irqsave(&lock->wait.lock, flags);
    if (!lock->owner) {
        lock->owner = current;
        spin_unlock_irqrestore(&lock->wait.lock, flags);
        return;
    }
    list_add_tail(&self.entry, &lock->wait.head);
    set_current_state(TASK_UNINTERRUPTIBLE);
    spin_unlock_irqrestore(&lock->wait.lock, flags);
    while (smp_load_acquire(&lock->owner) != current) {
        schedule();
        set_current_state(TASK_UNINTERRUPTIBLE);
    }
    set_current_state(TASK_RUNNING);
}

/*
 * The next owner is named before it is woken, so nobody can slip in between;
 * and its entry leaves the list before that, as the entry lives on its stack.
 */
static void hand_over(struct mutex *lock)
{
    struct wait_queue_entry *first =
        list_first_entry(&lock->wait.head, struct wait_queue_entry, entry);
    struct task_struct *next = first->task;

    list_del_init(&first->entry);
    smp_store_release(&lock->owner, next);
    wake_up_process(next);
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
