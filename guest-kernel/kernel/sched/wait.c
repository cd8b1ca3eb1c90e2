/* wait.c - wait queues, and completions made of them. */
#include <linux/completion.h>
#include <linux/sched.h>
#include <linux/wait.h>

void init_waitqueue_head(struct wait_queue_head *wq)
{
    spin_lock_init(&wq->lock);
    INIT_LIST_HEAD(&wq->head);
}

/* The entry lives on the waiter's stack: it is off the list before the waiter can go on. */
void wake_up_locked(struct wait_queue_head *wq)
{
    struct wait_queue_entry *first;
    struct task_struct *task;

    if (list_empty(&wq->head))
        return;
    first = list_first_entry(&wq->head, struct wait_queue_entry, entry);
    task = first->task;
    list_del_init(&first->entry);
    wake_up_process(task);
}

void prepare_to_wait(struct wait_queue_head *wq, struct wait_queue_entry *wait, unsigned int state)
{
    unsigned long flags;

    spin_lock_irqsave(&wq->lock, flags);
    if (list_empty(&wait->entry))
        list_add_tail(&wait->entry, &wq->head);
    set_current_state(state);
    spin_unlock_irqrestore(&wq->lock, flags);
}

/* Under the lock even if the entry is off the list: its waker may still be at it. */
void finish_wait(struct wait_queue_head *wq, struct wait_queue_entry *wait)
{
    unsigned long flags;

    set_current_state(TASK_RUNNING);
    spin_lock_irqsave(&wq->lock, flags);
    list_del_init(&wait->entry);
    spin_unlock_irqrestore(&wq->lock, flags);
}

void wake_up_all_in(struct wait_queue_head *wq, unsigned int state)
{
    struct wait_queue_entry *wait;
    unsigned long flags;

    spin_lock_irqsave(&wq->lock, flags);
    list_for_each_entry(wait, &wq->head, entry) wake_up_state(wait->task, state);
    spin_unlock_irqrestore(&wq->lock, flags);
}

void init_completion(struct completion *x)
{
    x->done = 0;
    init_waitqueue_head(&x->wait);
}

void complete(struct completion *x)
{
    unsigned long flags;

    spin_lock_irqsave(&x->wait.lock, flags);
    x->done++;
    wake_up_locked(&x->wait);
    spin_unlock_irqrestore(&x->wait.lock, flags);
}

void wait_for_completion(struct completion *x)
{
    struct wait_queue_entry self = {.task = current};
    unsigned long flags;

    spin_lock_irqsave(&x->wait.lock, flags);
    while (!x->done) {
        list_add_tail(&self.entry, &x->wait.head);
        set_current_state(TASK_UNINTERRUPTIBLE);
        spin_unlock_irqrestore(&x->wait.lock, flags);
        schedule();
        spin_lock_irqsave(&x->wait.lock, flags);
        if (!list_empty(&self.entry)) /* woken by somebody else */
            list_del_init(&self.entry);
    }
    x->done--;
    spin_unlock_irqrestore(&x->wait.lock, flags);
}
