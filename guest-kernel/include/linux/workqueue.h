/*
 * workqueue.h - functions that run later, in a thread.
 *
 * Work queued on a hart runs on that hart, in the order of queueing, one at a time. Work is
 * queued only once until it starts.
 */
#ifndef LINUX_WORKQUEUE_H
#define LINUX_WORKQUEUE_H

#include <linux/list.h>
#include <linux/timer.h>

struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
    unsigned long pending; /* bit 0; atomics only */
    struct list_head entry;
    work_func_t func;
    struct worker *worker; /* where it was last queued */
};

struct delayed_work {
    struct work_struct work;
    struct timer_list timer;
    struct workqueue_struct *wq;
};

struct workqueue_struct;

extern struct workqueue_struct *system_wq;

#define INIT_WORK(work, func)         init_work(work, func)
#define INIT_DELAYED_WORK(work, func) init_delayed_work(work, func)

void init_work(struct work_struct *work, work_func_t func);
void init_delayed_work(struct delayed_work *dwork, work_func_t func);

static inline struct delayed_work *to_delayed_work(struct work_struct *work)
{
    return container_of(work, struct delayed_work, work);
}

/* Creates a queue with a thread for each hart. NULL: no memory. */
struct workqueue_struct *alloc_workqueue(const char *name);
/* Runs all queued work first. */
void destroy_workqueue(struct workqueue_struct *wq);

/* Return false if the work is queued already. From any context. */
bool queue_work(struct workqueue_struct *wq, struct work_struct *work);
bool queue_work_on(unsigned int cpu, struct workqueue_struct *wq, struct work_struct *work);
bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *dwork,
                        unsigned long delay);

/* Wait until the work, or all work queued so far, has run. */
void flush_work(struct work_struct *work);
void flush_workqueue(struct workqueue_struct *wq);
/* Take the work off its queue, and wait if it is running. Return true if it was queued. */
bool cancel_work_sync(struct work_struct *work);
bool cancel_delayed_work_sync(struct delayed_work *dwork);

static inline bool schedule_work(struct work_struct *work)
{
    return queue_work(system_wq, work);
}

static inline bool schedule_delayed_work(struct delayed_work *dwork, unsigned long delay)
{
    return queue_delayed_work(system_wq, dwork, delay);
}

/* Runs func on each hart, in a thread there, and waits. 0 or -ENOMEM. */
int schedule_on_each_cpu(work_func_t func);

void workqueue_init(void);

#endif
