/* timer.c - timers and sleeps in ticks, both based on hrtimers. */
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timer.h>
#define CREATE_TRACE_POINTS
#include <trace/events/timer.h>
#undef CREATE_TRACE_POINTS

static ktime_t jiffies_to_ktime(unsigned long j)
{
    return j > KTIME_MAX / TICK_NSEC ? KTIME_MAX : (ktime_t)(j * TICK_NSEC);
}

static enum hrtimer_restart call_timer_fn(struct hrtimer *hrtimer)
{
    struct timer_list *timer = container_of(hrtimer, struct timer_list, timer);

    trace_timer_cancel(timer);
    trace_timer_expire_entry(timer, timer->expires);
    timer->function(timer);
    trace_timer_expire_exit(timer);
    return HRTIMER_NORESTART;
}

void timer_setup(struct timer_list *timer, void (*function)(struct timer_list *))
{
    trace_timer_init(timer);
    hrtimer_init(&timer->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
    timer->timer.function = call_timer_fn;
    timer->function = function;
}
EXPORT_SYMBOL(timer_setup);

bool mod_timer(struct timer_list *timer, unsigned long expires)
{
    if (trace_timer_cancel_enabled() && timer_pending(timer))
        trace_timer_cancel(timer);
    timer->expires = expires;
    trace_timer_start(timer, expires, raw_smp_processor_id());
    return hrtimer_start(&timer->timer, jiffies_to_ktime(expires), HRTIMER_MODE_ABS);
}
EXPORT_SYMBOL(mod_timer);

bool timer_pending(const struct timer_list *timer)
{
    return !list_empty(&timer->timer.node);
}

static bool deleted(struct timer_list *timer, bool was_pending)
{
    if (was_pending)
        trace_timer_cancel(timer);
    return was_pending;
}

bool del_timer_sync(struct timer_list *timer)
{
    return deleted(timer, hrtimer_cancel(&timer->timer));
}
EXPORT_SYMBOL(del_timer_sync);

long schedule_timeout(long timeout)
{
    unsigned long expires = jiffies + timeout;
    long left;

    if (timeout == MAX_SCHEDULE_TIMEOUT) {
        schedule();
        return timeout;
    }
    if (!schedule_hrtimeout(jiffies_to_ktime(expires), HRTIMER_MODE_ABS))
        return 0;
    left = expires - jiffies;
    return max(left, 0L);
}
EXPORT_SYMBOL(schedule_timeout);

long schedule_timeout_interruptible(long timeout)
{
    set_current_state(TASK_INTERRUPTIBLE);
    return schedule_timeout(timeout);
}

long schedule_timeout_uninterruptible(long timeout)
{
    set_current_state(TASK_UNINTERRUPTIBLE);
    return schedule_timeout(timeout);
}

static void sleep_until(ktime_t end)
{
    do {
        set_current_state(TASK_UNINTERRUPTIBLE);
    } while (schedule_hrtimeout(end, HRTIMER_MODE_ABS));
}

void msleep(unsigned int msecs)
{
    sleep_until(ktime_get() + ms_to_ktime(msecs));
}
EXPORT_SYMBOL(msleep);

void usleep_range(unsigned long min_usecs, unsigned long max_usecs)
{
    (void)max_usecs; /* a tolerance for coarse timers, which these are not */
    sleep_until(ktime_get() + us_to_ktime(min_usecs));
}
EXPORT_SYMBOL(usleep_range);

void udelay(unsigned long usecs)
{
    ktime_t end = ktime_get() + us_to_ktime(usecs);

    while (ktime_get() < end)
        cpu_relax();
}
EXPORT_SYMBOL(udelay);
