/*
 * workqueue.c - work queues: one worker thread for each queue and hart.
 *
 * A worker takes the first work off its list, clears its pending bit and runs it; from then on
 * the work may be queued again, also by itself. The function may free the work, so the worker
 * does not access it afterwards.
 */
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#define CREATE_TRACE_POINTS
#include <trace/events/workqueue.h>
#undef CREATE_TRACE_POINTS

struct worker {
    spinlock_t lock;
    struct list_head worklist;   /* under lock */
    struct work_struct *current; /* under lock; the work that runs */
    struct wait_queue_head more; /* the worker waits here for work */
    struct wait_queue_head done; /* flushing and cancelling tasks wait here for current to end */
    struct task_struct *task;
};

struct workqueue_struct {
    char name[24];      /* for its events */
    unsigned long cpus; /* harts that have a worker */
    struct worker workers[NR_CPUS];
};

struct workqueue_struct *system_wq;

enum { WORK_PENDING_BIT = 0 };

void init_work(struct work_struct *work, work_func_t func)
{
    work->pending = 0;
    work->func = func;
    work->worker = NULL;
    INIT_LIST_HEAD(&work->entry);
}
EXPORT_SYMBOL(init_work);

/* ---- the worker ---- */

static struct work_struct *take_work(struct worker *worker)
{
    struct work_struct *work = NULL;
    unsigned long flags;

    spin_lock_irqsave(&worker->lock, flags);
    if (!list_empty(&worker->worklist)) {
        work = list_first_entry(&worker->worklist, struct work_struct, entry);
        list_del_init(&work->entry);
        worker->current = work;
        clear_bit(WORK_PENDING_BIT, &work->pending);
    }
    spin_unlock_irqrestore(&worker->lock, flags);
    return work;
}

static void end_work(struct worker *worker)
{
    unsigned long flags;

    spin_lock_irqsave(&worker->lock, flags);
    worker->current = NULL;
    spin_unlock_irqrestore(&worker->lock, flags);
    wake_up_all(&worker->done);
}

static bool has_work(struct worker *worker)
{
    return !list_empty(&worker->worklist);
}

static int worker_thread(void *data)
{
    struct worker *worker = data;
    struct work_struct *work;
    work_func_t func;

    for (;;) {
        wait_event(worker->more, has_work(worker) || kthread_should_stop());
        work = take_work(worker);
        if (!work)
            return 0; /* stopped, and the list is empty */
        func = work->func;
        trace_workqueue_execute_start(work);
        func(work);
        trace_workqueue_execute_end(work, func);
        end_work(worker);
    }
}

static bool start_worker(struct worker *worker, const char *name, unsigned int cpu)
{
    spin_lock_init(&worker->lock);
    INIT_LIST_HEAD(&worker->worklist);
    init_waitqueue_head(&worker->more);
    init_waitqueue_head(&worker->done);
    worker->task = kthread_create(worker_thread, worker, "%s/%u", name, cpu);
    if (IS_ERR(worker->task))
        return false;
    kthread_bind(worker->task, cpu);
    wake_up_new_task(worker->task);
    return true;
}

struct workqueue_struct *alloc_workqueue(const char *name)
{
    struct workqueue_struct *wq = kzalloc(sizeof(*wq));
    unsigned int cpu;

    if (!wq)
        return NULL;
    strscpy(wq->name, name, sizeof(wq->name));
    for_each_online_cpu(cpu) {
        if (!start_worker(&wq->workers[cpu], name, cpu)) {
            destroy_workqueue(wq);
            return NULL;
        }
        wq->cpus |= 1UL << cpu;
    }
    return wq;
}
EXPORT_SYMBOL(alloc_workqueue);

void destroy_workqueue(struct workqueue_struct *wq)
{
    unsigned int cpu;

    for_each_cpu_in(cpu, wq->cpus) {
        struct worker *worker = &wq->workers[cpu];

        get_task_struct(worker->task);
        kthread_stop(worker->task);
        put_task_struct(worker->task);
    }
    kfree(wq);
}
EXPORT_SYMBOL(destroy_workqueue);

/* ---- queueing ---- */

/*
 * Chooses the worker. Work that is running stays with its worker, so that it never runs twice
 * at the same time.
 */
static struct worker *worker_for(struct workqueue_struct *wq, struct work_struct *work,
                                 unsigned int cpu)
{
    struct worker *last = READ_ONCE(work->worker);
    bool runs =
        last >= wq->workers && last < wq->workers + NR_CPUS && READ_ONCE(last->current) == work;

    return runs ? last : &wq->workers[cpu];
}

bool queue_work_on(unsigned int cpu, struct workqueue_struct *wq, struct work_struct *work)
{
    struct worker *worker;
    unsigned long flags;

    if (test_and_set_bit(WORK_PENDING_BIT, &work->pending))
        return false;
    worker = worker_for(wq, work, cpu);
    spin_lock_irqsave(&worker->lock, flags);
    WRITE_ONCE(work->worker, worker);
    trace_workqueue_queue_work(cpu, worker - wq->workers, wq->name, work);
    trace_workqueue_activate_work(work);
    list_add_tail(&work->entry, &worker->worklist);
    spin_unlock_irqrestore(&worker->lock, flags);
    wake_up(&worker->more);
    return true;
}
EXPORT_SYMBOL(queue_work_on);

bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
    return queue_work_on(raw_smp_processor_id(), wq, work);
}
EXPORT_SYMBOL(queue_work);

static void delayed_work_timer(struct timer_list *timer)
{
    struct delayed_work *dwork = from_timer(dwork, timer, timer);

    clear_bit(
        WORK_PENDING_BIT,
        &dwork->work.pending); /* set while the timer was pending; queue_work() sets it again */
    queue_work(dwork->wq, &dwork->work);
}

void init_delayed_work(struct delayed_work *dwork, work_func_t func)
{
    init_work(&dwork->work, func);
    timer_setup(&dwork->timer, delayed_work_timer);
}
EXPORT_SYMBOL(init_delayed_work);

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *dwork,
                        unsigned long delay)
{
    if (!delay)
        return queue_work(wq, &dwork->work);
    if (test_and_set_bit(WORK_PENDING_BIT, &dwork->work.pending))
        return false;
    dwork->wq = wq;
    mod_timer(&dwork->timer, jiffies + delay);
    return true;
}
EXPORT_SYMBOL(queue_delayed_work);

/* ---- waiting ---- */

static bool is_busy_with(struct worker *worker, struct work_struct *work)
{
    unsigned long flags;
    bool busy;

    spin_lock_irqsave(&worker->lock, flags);
    busy = worker->current == work || !list_empty(&work->entry);
    spin_unlock_irqrestore(&worker->lock, flags);
    return busy;
}

void flush_work(struct work_struct *work)
{
    struct worker *worker = READ_ONCE(work->worker);

    if (worker)
        wait_event(worker->done, !is_busy_with(worker, work));
}
EXPORT_SYMBOL(flush_work);

struct barrier_work {
    struct work_struct work;
    struct completion done;
};

static void end_barrier(struct work_struct *work)
{
    complete(&container_of(work, struct barrier_work, work)->done);
}

/* Queues a work on each hart and waits for it: all works queued earlier have run by then. */
void flush_workqueue(struct workqueue_struct *wq)
{
    unsigned int cpu;

    for_each_cpu_in(cpu, wq->cpus) {
        struct barrier_work barrier;

        init_work(&barrier.work, end_barrier);
        init_completion(&barrier.done);
        queue_work_on(cpu, wq, &barrier.work);
        wait_for_completion(&barrier.done);
        flush_work(&barrier.work); /* the work is on this stack */
    }
}
EXPORT_SYMBOL(flush_workqueue);

/* Takes the work off its list if it is on one; returns whether it was. */
static bool try_to_grab_pending(struct work_struct *work)
{
    struct worker *worker = READ_ONCE(work->worker);
    unsigned long flags;
    bool queued;

    if (!worker)
        return false;
    spin_lock_irqsave(&worker->lock, flags);
    queued = !list_empty(&work->entry);
    if (queued) {
        list_del_init(&work->entry);
        clear_bit(WORK_PENDING_BIT, &work->pending);
    }
    spin_unlock_irqrestore(&worker->lock, flags);
    return queued;
}

bool cancel_work_sync(struct work_struct *work)
{
    bool queued = try_to_grab_pending(work);

    flush_work(work);
    return queued;
}
EXPORT_SYMBOL(cancel_work_sync);

bool cancel_delayed_work_sync(struct delayed_work *dwork)
{
    if (!del_timer_sync(&dwork->timer))
        return cancel_work_sync(&dwork->work);
    clear_bit(WORK_PENDING_BIT, &dwork->work.pending);
    flush_work(&dwork->work);
    return true;
}
EXPORT_SYMBOL(cancel_delayed_work_sync);

int schedule_on_each_cpu(work_func_t func)
{
    struct work_struct *works = kmalloc(NR_CPUS * sizeof(*works));
    unsigned int cpu;

    if (!works)
        return -ENOMEM;
    for_each_cpu_in(cpu, system_wq->cpus) {
        init_work(&works[cpu], func);
        queue_work_on(cpu, system_wq, &works[cpu]);
    }
    for_each_cpu_in(cpu, system_wq->cpus)
        flush_work(&works[cpu]);
    kfree(works);
    return 0;
}

void workqueue_init(void)
{
    system_wq = alloc_workqueue("events");
    BUG_ON(!system_wq);
}
