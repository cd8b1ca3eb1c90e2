/*
 * software.c - events that the kernel counts itself: page faults, switches, clocks.
 *
 * Each hart has a list of its active events for each kind of event; only that hart uses it, with
 * interrupts or preemption off. Clocks sample by a timer.
 *
 * Not instrumented.
 */
#include "internal.h"
#include <asm/irq_regs.h>
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/smp.h>

struct static_key perf_swevent_enabled[PERF_COUNT_SW_MAX];

static struct swevent_hart {
    struct list_head events[PERF_COUNT_SW_MAX];
    bool recursion[PERF_NR_CONTEXTS];
} swevent_harts[NR_CPUS];

/* 0: a task, 2: an interrupt; Linux has also softirqs and NMIs. */
int perf_get_context_level(void)
{
    return in_nmi() ? 3 : in_hardirq() ? 2 : in_serving_softirq() ? 1 : 0;
}

int perf_swevent_get_recursion_context(void)
{
    int rctx = perf_get_context_level();
    bool *busy = &swevent_harts[smp_processor_id()].recursion[rctx];

    if (*busy)
        return -1;
    *busy = true;
    barrier();
    return rctx;
}
EXPORT_SYMBOL_GPL(perf_swevent_get_recursion_context);

void perf_swevent_put_recursion_context(int rctx)
{
    barrier();
    swevent_harts[smp_processor_id()].recursion[rctx] = false;
}
EXPORT_SYMBOL_GPL(perf_swevent_put_recursion_context);

/* ---- periods ---- */

/* period_left counts up to 0; the number of periods that have passed since. */
u64 perf_swevent_set_period(struct perf_event *event)
{
    struct hw_perf_event *hwc = &event->hw;
    u64 period = hwc->last_period, nr;

    hwc->last_period = hwc->sample_period;
    if (hwc->period_left < 0)
        return 0;
    nr = (period + hwc->period_left) / period;
    hwc->period_left -= nr * period;
    return nr;
}

/* overflow 0: as many as have passed. */
static void swevent_overflow(struct perf_event *event, u64 overflow, struct perf_sample_data *data,
                             struct pt_regs *regs)
{
    enum { THROTTLED = 0x7fffffff };

    data->period = event->hw.last_period;
    if (!overflow)
        overflow = perf_swevent_set_period(event);
    if (event->hw.interrupts == THROTTLED)
        return;
    while (overflow-- && !perf_event_overflow(event, data, regs)) {
    }
}

void perf_swevent_event(struct perf_event *event, u64 nr, struct perf_sample_data *data,
                        struct pt_regs *regs)
{
    struct hw_perf_event *hwc = &event->hw;

    (void)__atomic_fetch_add(&event->count, nr, __ATOMIC_RELAXED);
    if (!regs || !is_sampling_event(event))
        return;
    if (event->attr.sample_type & PERF_SAMPLE_PERIOD && !event->attr.freq) {
        data->period = nr;
        hwc->last_period = nr;
        swevent_overflow(event, 1, data, regs);
        return;
    }
    data->period = hwc->last_period;
    if (nr == 1 && hwc->sample_period == 1 && !event->attr.freq) {
        swevent_overflow(event, 1, data, regs);
        return;
    }
    hwc->period_left += nr;
    if (hwc->period_left >= 0)
        swevent_overflow(event, 0, data, regs);
}

/* ---- counting ---- */

static bool is_excluded(const struct perf_event *event, const struct pt_regs *regs)
{
    if (event->hw.state & PERF_HES_STOPPED)
        return true;
    return regs && (user_mode(regs) ? event->attr.exclude_user : event->attr.exclude_kernel);
}

static void count_event(u32 event_id, u64 nr, struct perf_sample_data *data, struct pt_regs *regs)
{
    struct list_head *head = &swevent_harts[smp_processor_id()].events[event_id];
    struct perf_event *event;

    list_for_each_entry_rcu(event, head, hw.link) {
        if (!is_excluded(event, regs))
            perf_swevent_event(event, nr, data, regs);
    }
}

void __perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
    struct perf_sample_data data;
    int rctx;

    preempt_disable_notrace();
    rctx = perf_swevent_get_recursion_context();
    if (rctx >= 0) {
        perf_sample_data_init(&data, addr, 0);
        count_event(event_id, nr, &data, regs);
        perf_swevent_put_recursion_context(rctx);
    }
    preempt_enable_notrace();
}

/* In the scheduler, with interrupts off. */
noinline void __perf_sw_event_sched(u32 event_id)
{
    struct perf_sample_data data;
    struct pt_regs regs;
    int rctx = perf_swevent_get_recursion_context();

    if (rctx < 0)
        return;
    perf_fetch_caller_regs(&regs);
    perf_sample_data_init(&data, 0, 0);
    count_event(event_id, 1, &data, &regs);
    perf_swevent_put_recursion_context(rctx);
}

/* ---- the pmu `software` ---- */

static int swevent_add(struct perf_event *event, int flags)
{
    struct hw_perf_event *hwc = &event->hw;

    if (is_sampling_event(event)) {
        hwc->last_period = hwc->sample_period;
        perf_swevent_set_period(event);
    }
    hwc->state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
    list_add_tail_rcu(&hwc->link, &swevent_harts[smp_processor_id()].events[event->attr.config]);
    return 0;
}

static void swevent_del(struct perf_event *event, int flags)
{
    (void)flags;
    list_del_rcu(&event->hw.link); /* an interrupt may come while the list is walked */
}

static void swevent_start(struct perf_event *event, int flags)
{
    (void)flags;
    event->hw.state = 0;
}

static void swevent_stop(struct perf_event *event, int flags)
{
    (void)flags;
    event->hw.state = PERF_HES_STOPPED;
}

static void swevent_read(struct perf_event *event)
{
    (void)event;
}

static void swevent_destroy(struct perf_event *event)
{
    static_key_slow_dec(&perf_swevent_enabled[event->attr.config]);
}

static int swevent_init(struct perf_event *event)
{
    u64 id = event->attr.config;

    if (event->attr.type != PERF_TYPE_SOFTWARE)
        return -ENOENT;
    if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
        return -EOPNOTSUPP;
    if (id == PERF_COUNT_SW_CPU_CLOCK || id == PERF_COUNT_SW_TASK_CLOCK || id >= PERF_COUNT_SW_MAX)
        return -ENOENT;
    if (!event->parent) {
        static_key_slow_inc(&perf_swevent_enabled[id]);
        event->destroy = swevent_destroy;
    }
    return 0;
}

static struct pmu perf_swevent = {
    .capabilities = 0,
    .event_init = swevent_init,
    .add = swevent_add,
    .del = swevent_del,
    .start = swevent_start,
    .stop = swevent_stop,
    .read = swevent_read,
};

/* ---- clocks: of a hart, and of a task; they count nanoseconds while they are active ---- */

static enum hrtimer_restart clock_hrtimer(struct hrtimer *timer)
{
    struct perf_event *event = container_of(timer, struct perf_event, hw.hrtimer);
    struct pt_regs *regs = get_irq_regs();
    struct perf_sample_data data;
    int stop = 0;

    if (event->state != PERF_EVENT_STATE_ACTIVE)
        return HRTIMER_NORESTART;
    event->pmu->read(event);
    perf_sample_data_init(&data, 0, event->hw.last_period);
    if (regs && !is_excluded(event, regs) && !(event->attr.exclude_idle && is_idle_task(current)))
        stop = perf_event_overflow(event, &data, regs);
    if (stop)
        return HRTIMER_NORESTART;
    hrtimer_forward_now(timer, max((ktime_t)10000, (ktime_t)event->hw.sample_period));
    return HRTIMER_RESTART;
}

static void start_hrtimer(struct perf_event *event)
{
    struct hw_perf_event *hwc = &event->hw;
    s64 period = hwc->period_left;

    if (!is_sampling_event(event))
        return;
    if (period)
        hwc->period_left = 0;
    else
        period = hwc->sample_period;
    hrtimer_start(&hwc->hrtimer, max(period, 10000), HRTIMER_MODE_REL);
}

/* What is left of the period is for the next time. */
static void cancel_hrtimer(struct perf_event *event)
{
    struct hw_perf_event *hwc = &event->hw;

    if (!is_sampling_event(event))
        return;
    hwc->period_left = max(hwc->hrtimer.expires - (s64)perf_clock(), 1);
    hrtimer_cancel(&hwc->hrtimer);
}

/* Clocks sample after a time: a frequency is a period. */
static void init_hrtimer(struct perf_event *event)
{
    struct hw_perf_event *hwc = &event->hw;

    if (!is_sampling_event(event))
        return;
    hrtimer_init(&hwc->hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
    hwc->hrtimer.function = clock_hrtimer;
    if (event->attr.freq) {
        event->attr.sample_period = NSEC_PER_SEC / event->attr.sample_freq;
        hwc->sample_period = event->attr.sample_period;
        hwc->period_left = hwc->sample_period;
        hwc->last_period = hwc->sample_period;
        event->attr.freq = 0;
    }
}

static void clock_read(struct perf_event *event)
{
    u64 now = perf_clock(),
        prev = __atomic_exchange_n(&event->hw.prev_count, now, __ATOMIC_RELAXED);

    (void)__atomic_fetch_add(&event->count, now - prev, __ATOMIC_RELAXED);
}

static void clock_start(struct perf_event *event, int flags)
{
    (void)flags;
    event->hw.state = 0;
    event->hw.prev_count = perf_clock();
    start_hrtimer(event);
}

static void clock_stop(struct perf_event *event, int flags)
{
    (void)flags;
    if (event->hw.state & PERF_HES_STOPPED)
        return;
    event->hw.state = PERF_HES_STOPPED;
    cancel_hrtimer(event);
    clock_read(event);
}

static int clock_add(struct perf_event *event, int flags)
{
    event->hw.state = PERF_HES_STOPPED;
    if (flags & PERF_EF_START)
        clock_start(event, flags);
    return 0;
}

static void clock_del(struct perf_event *event, int flags)
{
    clock_stop(event, flags);
}

/* A stopped clock stands still. */
static void clock_update(struct perf_event *event)
{
    if (!(event->hw.state & PERF_HES_STOPPED))
        clock_read(event);
}

static int clock_init(struct perf_event *event)
{
    u64 id = event->attr.config;

    if (event->attr.type != PERF_TYPE_SOFTWARE ||
        (id != PERF_COUNT_SW_CPU_CLOCK && id != PERF_COUNT_SW_TASK_CLOCK))
        return -ENOENT;
    if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
        return -EOPNOTSUPP;
    init_hrtimer(event);
    return 0;
}

static struct pmu perf_clocks = {
    .event_init = clock_init,
    .add = clock_add,
    .del = clock_del,
    .start = clock_start,
    .stop = clock_stop,
    .read = clock_update,
};

void perf_software_init(void)
{
    unsigned int cpu, id;

    for_each_possible_cpu(cpu) {
        for (id = 0; id < PERF_COUNT_SW_MAX; id++)
            INIT_LIST_HEAD(&swevent_harts[cpu].events[id]);
    }
    perf_pmu_register(&perf_swevent, "software", PERF_TYPE_SOFTWARE);
    perf_pmu_register(&perf_clocks, NULL, PERF_TYPE_SOFTWARE);
}
