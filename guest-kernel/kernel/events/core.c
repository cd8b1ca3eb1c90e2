/*
 * core.c - contexts of events: scheduling them, counting, inheriting; perf_event_open(2) is in
 * syscall.c, what programs do with its descriptors in file.c.
 *
 * perf_event_mutex serialises what changes the set of events; ctx->lock guards the lists of a
 * context and is taken with interrupts off. What must be done on the hart where a context is active
 * is done there by event_function_call().
 *
 * Not instrumented: the tracers' probes come here.
 */
#include "core.h"
#include "internal.h"
#include <asm/barrier.h>
#include <asm/irqflags.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/trace_events.h>

DEFINE_MUTEX(perf_event_mutex);

/* Users: events of tasks, and those that sample by frequency or may have to be rotated. */
DEFINE_STATIC_KEY_FALSE(perf_sched_events);

static struct perf_event_context cpu_contexts[NR_CPUS];

static u64 next_id;

/* Number of the tick, and how often it throttled; each hart's own. */
static u64 throttled_seq[NR_CPUS];
static unsigned int throttled_count[NR_CPUS];

int sysctl_perf_event_sample_rate = 100000;

enum { MAX_INTERRUPTS = 0x7fffffff };

u64 perf_event_new_id(void)
{
    return __atomic_add_fetch(&next_id, 1, __ATOMIC_RELAXED);
}

/* ---- contexts ---- */

struct perf_event_context *perf_cpu_context(unsigned int cpu)
{
    return &cpu_contexts[cpu];
}

static void init_context(struct perf_event_context *ctx, struct task_struct *task, int cpu)
{
    spin_lock_init(&ctx->lock);
    INIT_LIST_HEAD(&ctx->pinned_groups);
    INIT_LIST_HEAD(&ctx->flexible_groups);
    INIT_LIST_HEAD(&ctx->event_list);
    ctx->task = task;
    ctx->cpu = cpu;
    atomic_set(&ctx->refcount, 1);
}

struct perf_event_context *perf_task_context(struct task_struct *task)
{
    struct perf_event_context *ctx = task->perf_event_ctxp;

    if (ctx)
        return ctx;
    ctx = kzalloc(sizeof(*ctx));
    if (!ctx)
        return NULL;
    init_context(ctx, task, -1);
    rcu_assign_pointer(task->perf_event_ctxp, ctx);
    return ctx;
}

void perf_put_context(struct perf_event_context *ctx)
{
    if (atomic_dec_and_test(&ctx->refcount))
        kfree(ctx);
}

void perf_lock_context(struct perf_event_context *ctx, unsigned long *flags)
{
    raw_local_irq_save(*flags);
    arch_spin_lock(&ctx->lock);
}

void perf_unlock_context(struct perf_event_context *ctx, unsigned long flags)
{
    arch_spin_unlock(&ctx->lock);
    raw_local_irq_restore(flags);
}

static void update_context_time(struct perf_event_context *ctx)
{
    u64 now = perf_clock();

    if (ctx->cpu >= 0)
        ctx->time += now - ctx->timestamp;
    ctx->timestamp = now;
}

/* ---- times and states of events; the context is locked and its time is up to date ---- */

static enum perf_event_state effective_state(const struct perf_event *event)
{
    return event->group_leader->state <= PERF_EVENT_STATE_OFF ? event->group_leader->state
                                                              : event->state;
}

static void update_event_time(struct perf_event *event)
{
    enum perf_event_state state = effective_state(event);
    u64 delta = event->ctx->time - event->tstamp;

    event->tstamp = event->ctx->time;
    if (state >= PERF_EVENT_STATE_INACTIVE)
        event->total_time_enabled += delta;
    if (state >= PERF_EVENT_STATE_ACTIVE)
        event->total_time_running += delta;
}

static void update_group_times(struct perf_event *leader)
{
    struct perf_event *sibling;

    update_event_time(leader);
    list_for_each_entry(sibling, &leader->sibling_list, sibling_entry)
        update_event_time(sibling);
}

/* A leader's state is that of its group. */
static void set_state(struct perf_event *event, enum perf_event_state state)
{
    if (event->state == state)
        return;
    if (event->group_leader == event)
        update_group_times(event);
    else
        update_event_time(event);
    event->state = state;
}

/* ---- scheduling; on the context's hart, with the context locked and its time up to date ---- */

static bool may_run_here(const struct perf_event *event)
{
    return event->cpu == -1 || event->cpu == smp_processor_id();
}

static void event_sched_out(struct perf_event *event)
{
    if (event->state != PERF_EVENT_STATE_ACTIVE)
        return;
    event->pmu->del(event, 0);
    event->oncpu = -1;
    set_state(event, __atomic_exchange_n(&event->pending_disable, 0, __ATOMIC_SEQ_CST)
                         ? PERF_EVENT_STATE_OFF
                         : PERF_EVENT_STATE_INACTIVE);
    perf_event_update_userpage(event);
}

static int event_sched_in(struct perf_event *event)
{
    if (event->state != PERF_EVENT_STATE_INACTIVE)
        return 0;
    set_state(event, PERF_EVENT_STATE_ACTIVE);
    event->oncpu = smp_processor_id();
    if (event->hw.interrupts == MAX_INTERRUPTS) {
        perf_log_throttle(event, true);
        event->hw.interrupts = 0;
    }
    if (!event->pmu->add(event, PERF_EF_START)) {
        perf_event_update_userpage(event);
        return 0;
    }
    set_state(event, PERF_EVENT_STATE_INACTIVE);
    event->oncpu = -1;
    return -EAGAIN;
}

static void group_sched_out(struct perf_event *leader)
{
    struct perf_event *sibling;

    if (leader->state != PERF_EVENT_STATE_ACTIVE)
        return;
    list_for_each_entry(sibling, &leader->sibling_list, sibling_entry)
        event_sched_out(sibling);
    event_sched_out(leader);
}

/* All of the group or nothing. */
static int group_sched_in(struct perf_event *leader)
{
    struct perf_event *sibling;
    int err;

    if (leader->state == PERF_EVENT_STATE_ACTIVE || !may_run_here(leader))
        return 0;
    err = event_sched_in(leader);
    if (err || leader->state != PERF_EVENT_STATE_ACTIVE)
        return err;
    list_for_each_entry(sibling, &leader->sibling_list, sibling_entry) {
        err = event_sched_in(sibling);
        if (err) {
            group_sched_out(leader);
            return err;
        }
    }
    return 0;
}

static void context_sched_in(struct perf_event_context *ctx)
{
    struct perf_event *leader;

    ctx->rotate = false;
    list_for_each_entry(leader, &ctx->pinned_groups, group_entry) {
        if (leader->state <= PERF_EVENT_STATE_OFF || !group_sched_in(leader))
            continue;
        set_state(leader, PERF_EVENT_STATE_ERROR);
        WRITE_ONCE(leader->pending_wakeup, 1); /* the run queue may be locked */
        irq_work_queue(&leader->pending_irq);
    }
    list_for_each_entry(leader, &ctx->flexible_groups, group_entry) {
        if (leader->state > PERF_EVENT_STATE_OFF && group_sched_in(leader))
            ctx->rotate = true;
    }
}

static void groups_sched_out(struct list_head *groups)
{
    struct perf_event *leader;

    list_for_each_entry(leader, groups, group_entry)
        group_sched_out(leader);
}

static void context_sched_out(struct perf_event_context *ctx)
{
    update_context_time(ctx);
    groups_sched_out(&ctx->flexible_groups);
    groups_sched_out(&ctx->pinned_groups);
}

void __perf_event_task_sched_out(struct task_struct *prev)
{
    struct perf_event_context *ctx = prev->perf_event_ctxp;

    if (!ctx)
        return;
    arch_spin_lock(&ctx->lock);
    context_sched_out(ctx);
    ctx->cpu = -1;
    arch_spin_unlock(&ctx->lock);
}

/* A task's context without events is never active: the hooks may be off. */
static void activate(struct perf_event_context *ctx)
{
    if (!ctx->nr_events)
        return;
    ctx->timestamp = perf_clock();
    ctx->cpu = smp_processor_id();
    context_sched_in(ctx);
}

void __perf_event_task_sched_in(struct task_struct *task)
{
    struct perf_event_context *ctx = task->perf_event_ctxp;

    if (ctx) {
        arch_spin_lock(&ctx->lock);
        activate(ctx);
        arch_spin_unlock(&ctx->lock);
    }
}

/* ---- on the hart of a context ---- */

struct remote_call {
    struct perf_event_context *ctx;
    struct perf_event *event;
    perf_event_function fn;
    void *data;
    bool done;
};

/* The context is locked. Returns whether fn could be called: here, or because it is active nowhere.
 */
static bool call_if_here(struct remote_call *call)
{
    struct perf_event_context *ctx = call->ctx;

    if (ctx->cpu >= 0 && ctx->cpu != smp_processor_id())
        return false;
    update_context_time(ctx);
    call->fn(call->event, ctx, call->data);
    return true;
}

static void remote_function(void *info)
{
    struct remote_call *call = info;
    unsigned long flags;

    perf_lock_context(call->ctx, &flags);
    if (!call->done)
        call->done = call_if_here(call);
    perf_unlock_context(call->ctx, flags);
}

/* A task may move while the harts look for it: then they look again. */
void perf_event_function_call(struct perf_event *event, struct perf_event_context *ctx,
                              perf_event_function fn, void *data)
{
    struct remote_call call = {ctx, event, fn, data, false};

    do {
        unsigned long flags;

        perf_lock_context(ctx, &flags);
        call.done = call_if_here(&call);
        perf_unlock_context(ctx, flags);
        if (!call.done)
            on_each_cpu(remote_function, &call);
    } while (!call.done);
}

/* ---- what is done there ---- */

static void list_add_event(struct perf_event *event, struct perf_event_context *ctx)
{
    struct perf_event *leader = event->group_leader;

    list_add_tail(&event->event_entry, &ctx->event_list);
    if (leader == event) {
        list_add_tail(&event->group_entry,
                      event->attr.pinned ? &ctx->pinned_groups : &ctx->flexible_groups);
    } else {
        list_add_tail(&event->sibling_entry, &leader->sibling_list);
        leader->nr_siblings++;
    }
    ctx->nr_events++;
    ctx->nr_freq += event->attr.freq;
    event->tstamp = ctx->time;
}

/* The siblings of a leader that goes away are groups of their own from now on. */
static void list_del_event(struct perf_event *event, struct perf_event_context *ctx)
{
    struct perf_event *sibling, *next;

    if (list_empty(&event->event_entry))
        return;
    list_del_init(&event->event_entry);
    ctx->nr_events--;
    ctx->nr_freq -= event->attr.freq;
    if (!ctx->nr_events && ctx->task)
        ctx->cpu = -1;
    if (event->group_leader != event) {
        list_del_init(&event->sibling_entry);
        event->group_leader->nr_siblings--;
        event->group_leader = event;
        return;
    }
    list_del_init(&event->group_entry);
    list_for_each_entry_safe(sibling, next, &event->sibling_list, sibling_entry) {
        list_del_init(&sibling->sibling_entry);
        sibling->group_leader = sibling;
        list_add_tail(&sibling->group_entry,
                      sibling->attr.pinned ? &ctx->pinned_groups : &ctx->flexible_groups);
    }
    event->nr_siblings = 0;
}

/* The event's group begins again, and what had no counter may have one now. */
static void resched(struct perf_event *event, struct perf_event_context *ctx)
{
    if (ctx->cpu < 0)
        return;
    group_sched_out(event->group_leader);
    context_sched_in(ctx);
}

static void install_event(struct perf_event *event, struct perf_event_context *ctx, void *unused)
{
    (void)unused;
    list_add_event(event, ctx);
    if (event->state >= PERF_EVENT_STATE_INACTIVE)
        resched(event, ctx);
}

/* A hart that runs the task makes its context active. */
static void activate_if_current(void *info)
{
    struct perf_event_context *ctx = info;
    unsigned long flags;

    perf_lock_context(ctx, &flags);
    if (current->perf_event_ctxp == ctx && ctx->cpu < 0)
        activate(ctx);
    perf_unlock_context(ctx, flags);
}

void perf_install_in_context(struct perf_event *event, struct perf_event_context *ctx)
{
    event->ctx = ctx;
    atomic_inc(&ctx->refcount);
    perf_event_function_call(event, ctx, install_event, NULL);
    if (!ctx->task || READ_ONCE(ctx->cpu) >= 0 || READ_ONCE(ctx->task->state) == TASK_NEW)
        return;
    if (ctx->task == current)
        activate_if_current(ctx);
    else
        on_each_cpu(activate_if_current, ctx);
}

/* data: the state that it has from now on. */
void perf_remove_event(struct perf_event *event, struct perf_event_context *ctx, void *data)
{
    enum perf_event_state state = *(const enum perf_event_state *)data;

    if (event->group_leader == event)
        group_sched_out(event);
    event_sched_out(event);
    if (event->state > state)
        set_state(event, state);
    list_del_event(event, ctx);
    if (ctx->cpu >= 0)
        context_sched_in(ctx); /* its siblings go on */
}

void perf_enable_event(struct perf_event *event, struct perf_event_context *ctx, void *unused)
{
    (void)unused;
    if (event->state >= PERF_EVENT_STATE_INACTIVE || event->state < PERF_EVENT_STATE_ERROR)
        return;
    set_state(event, PERF_EVENT_STATE_INACTIVE);
    if (event->group_leader == event || event->group_leader->state >= PERF_EVENT_STATE_INACTIVE)
        resched(event, ctx);
}

void perf_disable_event(struct perf_event *event, struct perf_event_context *ctx, void *unused)
{
    (void)ctx;
    (void)unused;
    if (event->state < PERF_EVENT_STATE_INACTIVE)
        return;
    if (event->group_leader == event)
        group_sched_out(event);
    else
        event_sched_out(event);
    set_state(event, PERF_EVENT_STATE_OFF);
}

static void read_active(struct perf_event *event)
{
    update_event_time(event);
    if (event->state == PERF_EVENT_STATE_ACTIVE)
        event->pmu->read(event);
}

/* Brings the counts and times of the group up to date. */
void perf_read_event(struct perf_event *event, struct perf_event_context *ctx, void *unused)
{
    struct perf_event *sibling, *leader = event->group_leader;

    (void)ctx;
    (void)unused;
    read_active(leader);
    list_for_each_entry(sibling, &leader->sibling_list, sibling_entry)
        read_active(sibling);
}

void perf_reset_event(struct perf_event *event, struct perf_event_context *ctx, void *unused)
{
    (void)ctx;
    (void)unused;
    read_active(event);
    __atomic_store_n(&event->count, 0, __ATOMIC_RELAXED);
    perf_event_update_userpage(event);
}

/* data: the new period, or frequency. */
void perf_period_event(struct perf_event *event, struct perf_event_context *ctx, void *data)
{
    u64 value = *(const u64 *)data;
    bool active = event->state == PERF_EVENT_STATE_ACTIVE;

    (void)ctx;
    if (event->attr.freq) {
        event->attr.sample_freq = value;
    } else {
        event->attr.sample_period = value;
        event->hw.sample_period = value;
    }
    if (active) {
        if (event->hw.interrupts == MAX_INTERRUPTS) {
            event->hw.interrupts = 0;
            perf_log_throttle(event, true);
        }
        event->pmu->stop(event, PERF_EF_UPDATE);
    }
    event->hw.period_left = 0;
    if (active)
        event->pmu->start(event, PERF_EF_RELOAD);
}

/* Waits for its irq_work to do it: the event is in the middle of counting. */
void perf_event_disable_inatomic(struct perf_event *event)
{
    WRITE_ONCE(event->pending_disable, 1);
    irq_work_queue(&event->pending_irq);
}

static void disable_here(struct perf_event *event)
{
    struct perf_event_context *ctx = event->ctx;
    unsigned long flags;

    perf_lock_context(ctx, &flags);
    update_context_time(ctx);
    if (ctx->cpu < 0 || ctx->cpu == smp_processor_id())
        perf_disable_event(event, ctx, NULL);
    perf_unlock_context(ctx, flags);
}

/* In the interrupt of the hart where it was queued. */
void perf_pending_irq(struct irq_work *work)
{
    struct perf_event *event = container_of(work, struct perf_event, pending_irq);

    if (__atomic_exchange_n(&event->pending_disable, 0, __ATOMIC_SEQ_CST))
        disable_here(event);
    if (__atomic_exchange_n(&event->pending_wakeup, 0, __ATOMIC_SEQ_CST))
        perf_event_wakeup(event);
}

/* ---- reading; the context is locked, or nothing changes it ---- */

static u64 event_count(const struct perf_event *event)
{
    return __atomic_load_n(&event->count, __ATOMIC_RELAXED) + event->child_count;
}

/* Without a lock, from the middle of a sample: the members change on this hart only. */
unsigned int perf_event_values(struct perf_event *event, u64 *values, unsigned int room)
{
    u64 format = event->attr.read_format;
    struct perf_event *leader = format & PERF_FORMAT_GROUP ? event->group_leader : event, *e;
    u64 now = event->ctx->time, enabled = leader->total_time_enabled,
        running = leader->total_time_running;
    unsigned int n = 0;

    if (leader->ctx->cpu >= 0)
        now += perf_clock() - event->ctx->timestamp;
    if (leader->state >= PERF_EVENT_STATE_INACTIVE)
        enabled += now - leader->tstamp;
    if (leader->state >= PERF_EVENT_STATE_ACTIVE)
        running += now - leader->tstamp;
    if (format & PERF_FORMAT_GROUP)
        values[n++] = 1 + leader->nr_siblings;
    else
        values[n++] = event_count(event);
    if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
        values[n++] = enabled + leader->child_total_time_enabled;
    if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
        values[n++] = running + leader->child_total_time_running;
    for (e = leader;;) {
        if (n + 3 > room)
            break;
        if (e != event && e->state == PERF_EVENT_STATE_ACTIVE)
            e->pmu->read(e);
        if (format & PERF_FORMAT_GROUP)
            values[n++] = event_count(e);
        if (format & PERF_FORMAT_ID)
            values[n++] = e->parent ? e->parent->id : e->id;
        if (format & PERF_FORMAT_LOST)
            values[n++] = __atomic_load_n(&e->lost_samples, __ATOMIC_RELAXED);
        if (!(format & PERF_FORMAT_GROUP))
            break;
        e = list_entry(e == leader ? leader->sibling_list.next : e->sibling_entry.next,
                       struct perf_event, sibling_entry);
        if (&e->sibling_entry == &leader->sibling_list)
            break;
    }
    return n;
}

/* ---- periods and rates ---- */

/* Counts per second as measured, to a period that gives sample_freq samples per second. */
static void adjust_period(struct perf_event *event, u64 ns, u64 count, bool stop)
{
    struct hw_perf_event *hwc = &event->hw;
    u64 rate = ns ? count * NSEC_PER_SEC / ns : 0;
    s64 period, delta;

    if (count > ~0ull / NSEC_PER_SEC)
        rate = count / max(ns / 1000, 1ull) * (NSEC_PER_SEC / 1000);
    period = rate / event->attr.sample_freq;
    delta = period - (s64)hwc->sample_period;
    delta = (delta + 7) / 8; /* approaches it */
    hwc->sample_period = max((s64)hwc->sample_period + delta, 1);
    if (hwc->period_left > 8 * (s64)hwc->sample_period) {
        if (stop)
            event->pmu->stop(event, PERF_EF_UPDATE);
        hwc->period_left = 0;
        if (stop)
            event->pmu->start(event, PERF_EF_RELOAD);
    }
}

static unsigned int max_samples_per_tick(void)
{
    return max((sysctl_perf_event_sample_rate + HZ - 1) / HZ, 1);
}

/* Returns whether the event has sampled too often in this tick. */
static bool account_interrupt(struct perf_event *event)
{
    struct hw_perf_event *hwc = &event->hw;
    unsigned int cpu = smp_processor_id();
    bool too_often = false;

    if (hwc->interrupts_seq != throttled_seq[cpu]) {
        hwc->interrupts_seq = throttled_seq[cpu];
        hwc->interrupts = 1;
    } else if (++hwc->interrupts > max_samples_per_tick()) {
        throttled_count[cpu]++;
        hwc->interrupts = MAX_INTERRUPTS;
        perf_log_throttle(event, false);
        too_often = true;
    }
    if (event->attr.freq) {
        u64 now = perf_clock();
        s64 delta = now - hwc->freq_time_stamp;

        hwc->freq_time_stamp = now;
        if (delta > 0 && delta < 2 * (s64)(NSEC_PER_SEC / HZ))
            adjust_period(event, delta, hwc->last_period, false);
    }
    return too_often;
}

int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
                        struct pt_regs *regs)
{
    int limit = atomic_read(&event->event_limit);
    int stop;

    if (!is_sampling_event(event))
        return 0;
    stop = account_interrupt(event);
    event->pending_kill = POLL_IN_EVENT;
    if (limit && atomic_dec_and_test(&event->event_limit)) {
        stop = 1;
        event->pending_kill = POLL_HUP_EVENT;
        perf_event_disable_inatomic(event);
    }
    READ_ONCE(event->overflow_handler)(event, data, regs);
    return stop;
}

static void adjust_freq_unthrottle(struct perf_event_context *ctx, bool unthrottle)
{
    struct perf_event *event;

    list_for_each_entry(event, &ctx->event_list, event_entry) {
        struct hw_perf_event *hwc = &event->hw;
        u64 now;
        s64 delta;

        if (event->state != PERF_EVENT_STATE_ACTIVE)
            continue;
        if (unthrottle && hwc->interrupts == MAX_INTERRUPTS) {
            hwc->interrupts = 0;
            perf_log_throttle(event, true);
            event->pmu->start(event, 0);
        }
        if (!event->attr.freq || !event->attr.sample_freq)
            continue;
        event->pmu->stop(event, PERF_EF_UPDATE);
        now = event->count;
        delta = now - hwc->freq_count_stamp;
        hwc->freq_count_stamp = now;
        if (delta > 0)
            adjust_period(event, NSEC_PER_SEC / HZ, delta, false);
        event->pmu->start(event, delta > 0 ? PERF_EF_RELOAD : 0);
    }
}

/* Groups for which there was no counter get their turn. */
static void rotate(struct perf_event_context *ctx)
{
    struct list_head *first = ctx->flexible_groups.next;

    update_context_time(ctx);
    groups_sched_out(&ctx->flexible_groups);
    list_del_init(first);
    list_add_tail(first, &ctx->flexible_groups);
    context_sched_in(ctx);
}

static void tick_context(struct perf_event_context *ctx, bool unthrottle)
{
    arch_spin_lock(&ctx->lock);
    if (ctx->nr_freq || unthrottle)
        adjust_freq_unthrottle(ctx, unthrottle);
    if (ctx->rotate)
        rotate(ctx);
    arch_spin_unlock(&ctx->lock);
}

/* In the timer interrupt. */
void __perf_event_task_tick(void)
{
    unsigned int cpu = smp_processor_id();
    bool unthrottle = throttled_count[cpu] != 0;

    throttled_seq[cpu]++;
    throttled_count[cpu] = 0;
    tick_context(&cpu_contexts[cpu], unthrottle);
    if (current->perf_event_ctxp)
        tick_context(current->perf_event_ctxp, unthrottle);
}

/* ---- records about tasks ---- */

static void iterate_context(struct perf_event_context *ctx,
                            void (*fn)(struct perf_event *event, void *data), void *data)
{
    struct perf_event *event;

    arch_spin_lock(&ctx->lock);
    list_for_each_entry(event, &ctx->event_list, event_entry) {
        if (event->state >= PERF_EVENT_STATE_INACTIVE && may_run_here(event))
            fn(event, data);
    }
    arch_spin_unlock(&ctx->lock);
}

void perf_iterate_sb(void (*fn)(struct perf_event *event, void *data), void *data)
{
    struct perf_event_context *ctx;
    unsigned long flags;

    raw_local_irq_save(flags);
    iterate_context(&cpu_contexts[smp_processor_id()], fn, data);
    ctx = current->perf_event_ctxp;
    if (ctx)
        iterate_context(ctx, fn, data);
    raw_local_irq_restore(flags);
}

void perf_event_init(void)
{
    unsigned int cpu;

    for_each_possible_cpu(cpu) {
        init_context(&cpu_contexts[cpu], NULL, cpu);
        cpu_contexts[cpu].timestamp = perf_clock();
    }
    perf_software_init();
    perf_tp_register();
    riscv_pmu_init();
    perf_pmu_files_init();
}
