/*
 * hrtimer.c - high-resolution timers: one list for each hart, earliest first.
 *
 * A timer belongs to the hart it was started on, and its function runs there in the timer
 * interrupt. While it runs the timer is on no list and base->running points to it;
 * hrtimer_cancel() waits for that to end.
 */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <trace/events/timer.h>

struct hrtimer_cpu_base {
    spinlock_t lock;
    struct list_head active; /* under lock, like running */
    struct hrtimer *running; /* the timer whose function is being called */
};

static struct hrtimer_cpu_base hrtimer_bases[NR_CPUS];

void hrtimers_init(void)
{
    unsigned int cpu;

    for (cpu = 0; cpu < NR_CPUS; cpu++)
        INIT_LIST_HEAD(&hrtimer_bases[cpu].active);
}

void hrtimer_init(struct hrtimer *timer, clockid_t which_clock, enum hrtimer_mode mode)
{
    trace_hrtimer_init(timer, which_clock, mode);
    INIT_LIST_HEAD(&timer->node);
    timer->base = &hrtimer_bases[raw_smp_processor_id()];
    timer->function = NULL;
}
EXPORT_SYMBOL(hrtimer_init);

/* Locks the timer's base, which may change until it is locked and is NULL during the change. */
static struct hrtimer_cpu_base *lock_hrtimer_base(struct hrtimer *timer, unsigned long *flags)
{
    for (;;) {
        struct hrtimer_cpu_base *base = READ_ONCE(timer->base);

        if (!base)
            continue;
        spin_lock_irqsave(&base->lock, *flags);
        if (base == READ_ONCE(timer->base))
            return base;
        spin_unlock_irqrestore(&base->lock, *flags);
    }
}

static void enqueue_hrtimer(struct hrtimer_cpu_base *base, struct hrtimer *timer,
                            enum hrtimer_mode mode, bool was_armed)
{
    struct hrtimer *pos;

    trace_hrtimer_start(timer, mode, was_armed);
    list_for_each_entry(pos, &base->active, node)
        if (pos->expires > timer->expires)
            break;
    list_add_tail(&timer->node, &pos->node);
}

static bool remove_hrtimer(struct hrtimer *timer)
{
    bool queued = !list_empty(&timer->node);

    if (queued) {
        trace_hrtimer_cancel(timer);
        list_del_init(&timer->node);
    }
    return queued;
}

static ktime_t first_expiry(const struct hrtimer_cpu_base *base)
{
    return list_empty(&base->active)
               ? KTIME_MAX
               : list_first_entry(&base->active, struct hrtimer, node)->expires;
}

ktime_t hrtimer_next_event(void)
{
    struct hrtimer_cpu_base *base = &hrtimer_bases[smp_processor_id()];
    ktime_t next;

    spin_lock(&base->lock);
    next = first_expiry(base);
    spin_unlock(&base->lock);
    return next;
}

/*
 * Moves the timer to this hart's base, unless its function is running on another hart: there it
 * may be queued again when the function returns.
 */
static struct hrtimer_cpu_base *move_to_this_cpu(struct hrtimer *timer,
                                                 struct hrtimer_cpu_base *base)
{
    struct hrtimer_cpu_base *here = &hrtimer_bases[smp_processor_id()];

    if (base == here || base->running == timer)
        return base;
    WRITE_ONCE(timer->base, NULL);
    spin_unlock(&base->lock);
    spin_lock(&here->lock);
    WRITE_ONCE(timer->base, here);
    return here;
}

bool hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode)
{
    unsigned long flags;
    struct hrtimer_cpu_base *base = lock_hrtimer_base(timer, &flags);
    bool queued = remove_hrtimer(timer), first;

    base = move_to_this_cpu(timer, base);
    timer->expires = mode == HRTIMER_MODE_REL ? ktime_add_safe(ktime_get(), time) : time;
    enqueue_hrtimer(base, timer, mode, queued);
    first = base->active.next == &timer->node && base == &hrtimer_bases[smp_processor_id()];
    spin_unlock(&base->lock);
    if (first)
        tick_program_event();
    local_irq_restore(flags);
    return queued;
}
EXPORT_SYMBOL(hrtimer_start);

/*
 * Returns false if the timer's function is running. *queued: the timer was removed from its
 * list.
 */
static bool try_to_cancel(struct hrtimer *timer, bool *queued)
{
    unsigned long flags;
    struct hrtimer_cpu_base *base = lock_hrtimer_base(timer, &flags);
    bool idle = base->running != timer;

    *queued = remove_hrtimer(timer);
    spin_unlock_irqrestore(&base->lock, flags);
    return idle;
}

bool hrtimer_cancel(struct hrtimer *timer)
{
    bool queued = false, now;

    while (!try_to_cancel(timer, &now)) {
        queued |= now;
        cpu_relax();
    }
    return queued | now;
}
EXPORT_SYMBOL(hrtimer_cancel);

bool hrtimer_active(struct hrtimer *timer)
{
    unsigned long flags;
    struct hrtimer_cpu_base *base = lock_hrtimer_base(timer, &flags);
    bool active = !list_empty(&timer->node) || base->running == timer;

    spin_unlock_irqrestore(&base->lock, flags);
    return active;
}

u64 hrtimer_forward_now(struct hrtimer *timer, ktime_t interval)
{
    ktime_t late = ktime_get() - timer->expires;
    u64 intervals;

    if (late < 0)
        return 0;
    intervals = late / interval + 1;
    timer->expires += intervals * interval;
    return intervals;
}
EXPORT_SYMBOL(hrtimer_forward_now);

/*
 * Called and returns with base->lock held. The function may free the timer if it returns
 * HRTIMER_NORESTART.
 */
static void run_hrtimer(struct hrtimer_cpu_base *base, struct hrtimer *timer, ktime_t *now)
{
    enum hrtimer_restart restart;

    remove_hrtimer(timer);
    base->running = timer;
    spin_unlock(&base->lock);
    trace_hrtimer_expire_entry(timer, now);
    restart = timer->function(timer);
    trace_hrtimer_expire_exit(timer);
    spin_lock(&base->lock);
    if (restart == HRTIMER_RESTART && list_empty(&timer->node))
        enqueue_hrtimer(base, timer, HRTIMER_MODE_ABS, false);
    base->running = NULL;
}

void hrtimer_interrupt(void)
{
    struct hrtimer_cpu_base *base = &hrtimer_bases[smp_processor_id()];
    ktime_t now;

    spin_lock(&base->lock);
    while (first_expiry(base) <= (now = ktime_get()))
        run_hrtimer(base, list_first_entry(&base->active, struct hrtimer, node), &now);
    spin_unlock(&base->lock);
}

struct hrtimer_sleeper {
    struct hrtimer timer;
    struct task_struct *task; /* NULL: the timer has expired */
};

static enum hrtimer_restart hrtimer_wakeup(struct hrtimer *timer)
{
    struct hrtimer_sleeper *sleeper = container_of(timer, struct hrtimer_sleeper, timer);
    struct task_struct *task = sleeper->task;

    WRITE_ONCE(sleeper->task, NULL);
    wake_up_process(task);
    return HRTIMER_NORESTART;
}

int schedule_hrtimeout(ktime_t expires, enum hrtimer_mode mode)
{
    struct hrtimer_sleeper sleeper = {.task = current};

    hrtimer_init(&sleeper.timer, CLOCK_MONOTONIC, mode);
    sleeper.timer.function = hrtimer_wakeup;
    hrtimer_start(&sleeper.timer, expires, mode);
    if (READ_ONCE(sleeper.task))
        schedule();
    hrtimer_cancel(&sleeper.timer); /* the timer is on this stack */
    set_current_state(TASK_RUNNING);
    return READ_ONCE(sleeper.task) ? -EINTR : 0;
}
