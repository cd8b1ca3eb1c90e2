/* wait.c - wait queues. */
#include <linux/export.h>
#include <linux/wait.h>

void init_waitqueue_head(struct wait_queue_head *wq)
{
    spin_lock_init(&wq->lock);
    INIT_LIST_HEAD(&wq->head);
}
EXPORT_SYMBOL(init_waitqueue_head);

void prepare_to_wait(struct wait_queue_head *wq, struct wait_queue_entry *wait, unsigned int state)
{
    unsigned long flags;

    spin_lock_irqsave(&wq->lock, flags);
    if (list_empty(&wait->entry)) {
        if (wait->exclusive)
            list_add_tail(&wait->entry, &wq->head);
        else
            list_add(&wait->entry, &wq->head);
    }
    set_current_state(state);
    spin_unlock_irqrestore(&wq->lock, flags);
}
EXPORT_SYMBOL(prepare_to_wait);

void finish_wait(struct wait_queue_head *wq, struct wait_queue_entry *wait)
{
    unsigned long flags;

    set_current_state(TASK_RUNNING);
    spin_lock_irqsave(&wq->lock, flags);
    list_del_init(&wait->entry);
    spin_unlock_irqrestore(&wq->lock, flags);
}
EXPORT_SYMBOL(finish_wait);

/* The entry is on the waiter's stack, so it leaves the list before the waiter can continue. */
void __wake_up_locked(struct wait_queue_head *wq, unsigned int mode, int nr)
{
    struct wait_queue_entry *wait, *next;

    list_for_each_entry_safe(wait, next, &wq->head, entry) {
        struct task_struct *task = wait->task;
        bool exclusive = wait->exclusive;

        if (!(READ_ONCE(task->state) & mode))
            continue;
        list_del_init(&wait->entry);
        if (try_to_wake_up(task, mode) && exclusive && !--nr)
            return;
    }
}

void __wake_up(struct wait_queue_head *wq, unsigned int mode, int nr)
{
    unsigned long flags;

    spin_lock_irqsave(&wq->lock, flags);
    __wake_up_locked(wq, mode, nr);
    spin_unlock_irqrestore(&wq->lock, flags);
}
EXPORT_SYMBOL(__wake_up);
