/*
 * workqueue.h - functions run later, in a thread.
 *
 * Work queued on a hart runs on that hart, in the order in which it was
 * queued, one at a time.  The same work is queued once until it begins.
 */
#ifndef LINUX_WORKQUEUE_H
#define LINUX_WORKQUEUE_H

#include <linux/list.h>
#include <linux/timer.h>

struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
    unsigned long pending; /* bit 0; atomically */
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

static inline bool work_pending(const struct work_struct *work)
{
    return READ_ONCE(work->pending);
}

/* A thread for each hart. NULL: no memory. */
struct workqueue_struct *alloc_workqueue(const char *name);
/* Everything queued has run when it returns. */
void destroy_workqueue(struct workqueue_struct *wq);

/* False: it is queued already. From any context. */
bool queue_work(struct workqueue_struct *wq, struct work_struct *work);
bool queue_work_on(unsigned int cpu, struct workqueue_struct *wq, struct work_struct *work);
bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *dwork,
                        unsigned long delay);

/* Until what was queued of it has run. */
void flush_work(struct work_struct *work);
void flush_workqueue(struct workqueue_struct *wq);
/* True: it was queued, and will not run. It is not running any more, either. */
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

/* func on each hart in turn, in a thread there. 0 or -ENOMEM. */
int schedule_on_each_cpu(work_func_t func);

void workqueue_init(void);

#endif
