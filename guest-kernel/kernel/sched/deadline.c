/*
 * deadline.c - SCHED_DEADLINE: the task with the earliest deadline runs.
 *
 * In each period a task may run for its runtime, and has to have it before its deadline. What it
 * runs is taken from its budget; when that is used up it is throttled until the next period, when
 * a timer gives it a new budget and a new deadline. A throttled task that could run is in
 * rq->dl_throttled, and does not count as queued.
 *
 * A task is admitted if the tasks of all harts together need at most 95 % of them.
 */
#include "sched.h"
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>

enum {
    DL_SCALE = 10, /* the shortest runtime is 1 << DL_SCALE ns */
    BW_SHIFT = 20,
    BW_MAX = (95 << BW_SHIFT) / 100, /* of each hart */
    PERIOD_MIN_US = 100,
    PERIOD_MAX_US = 1 << 22,
};

/* The bandwidth of all tasks of the class, and its lock, which is taken last. */
static spinlock_t dl_bw_lock; /* arch_spin_* only, with interrupts off */
static u64 dl_total_bw;

static struct task_struct *dl_task_of(struct sched_dl_entity *dl)
{
    return container_of(dl, struct task_struct, dl);
}

/* ---- budgets and deadlines; rq->lock is held ---- */

static void start_period(struct sched_dl_entity *dl, u64 now)
{
    dl->deadline = now + dl->dl_deadline;
    dl->runtime = dl->dl_runtime;
}

/* What the task has used too much is taken from the next periods. */
static void replenish(struct sched_dl_entity *dl, u64 now)
{
    if (dl->yielded && dl->runtime > 0)
        dl->runtime = 0;
    while (dl->runtime <= 0) {
        dl->deadline += dl->dl_period;
        dl->runtime += dl->dl_runtime;
    }
    if (dl->deadline < now) /* it has missed some */
        start_period(dl, now);
    dl->yielded = dl->throttled = false;
}

/* When the period after that of the current deadline begins. */
static u64 next_period(const struct sched_dl_entity *dl)
{
    return dl->deadline - dl->dl_deadline + dl->dl_period;
}

/* The task may run again when the next period begins; if that is now, it has a new budget. */
static void throttle(struct sched_dl_entity *dl, u64 now)
{
    if (next_period(dl) <= now) {
        replenish(dl, now);
        return;
    }
    dl->throttled = true;
    hrtimer_start(&dl->timer, next_period(dl), HRTIMER_MODE_ABS);
}

/* With what is left of its budget, the task would use more than its share until the deadline. */
static bool overflows(const struct sched_dl_entity *dl, u64 now)
{
    u64 left = (dl->deadline - now) >> DL_SCALE, runtime = (u64)dl->runtime >> DL_SCALE;

    return (dl->dl_deadline >> DL_SCALE) * runtime > left * (dl->dl_runtime >> DL_SCALE);
}

/* It wakes up: keeps its deadline if its budget fits. */
static void update_at_wakeup(struct sched_dl_entity *dl, u64 now)
{
    if (dl->throttled)
        return;
    if (dl->dl_deadline < dl->dl_period && dl->deadline < now && now < next_period(dl)) {
        if (dl->runtime > 0)
            dl->runtime = 0;
        throttle(dl, now);
    } else if (dl->deadline < now || overflows(dl, now)) {
        start_period(dl, now);
    }
}

/* ---- the class ---- */

static void add_by_deadline(struct rq *rq, struct task_struct *p)
{
    struct task_struct *pos;

    list_for_each_entry(pos, &rq->dl, run_list)
        if (p->dl.deadline < pos->dl.deadline)
            break;
    list_add_tail(&p->run_list, &pos->run_list);
}

static void enqueue_dl(struct rq *rq, struct task_struct *p, int why)
{
    if (why == ENQUEUE_WAKEUP)
        update_at_wakeup(&p->dl, sched_clock());
    p->dl.parked = p->dl.throttled;
    if (!p->dl.parked) {
        add_by_deadline(rq, p);
        return;
    }
    list_add_tail(&p->run_list, &rq->dl_throttled);
    rq->nr_queued--; /* the caller adds it */
}

static void dequeue_dl(struct rq *rq, struct task_struct *p)
{
    list_del_init(&p->run_list);
    if (p->dl.parked)
        rq->nr_queued++;
    p->dl.parked = false;
}

static void leave_dl(struct rq *rq, struct task_struct *p)
{
    (void)rq;
    (void)p;
}

static struct task_struct *first_dl(struct rq *rq, unsigned int cpu)
{
    return first_allowed(&rq->dl, cpu);
}

static void charge_dl(struct rq *rq, struct task_struct *curr, u64 delta)
{
    struct sched_dl_entity *dl = &curr->dl;

    dl->runtime -= delta;
    if (dl->throttled || (dl->runtime > 0 && !dl->yielded))
        return;
    throttle(dl, curr->exec_start);
    resched_curr(rq);
}

static bool tick_dl(struct rq *rq, struct task_struct *curr)
{
    (void)rq;
    return curr->dl.throttled;
}

static bool preempts_dl(struct rq *rq, struct task_struct *p, struct task_struct *curr)
{
    (void)rq;
    return !p->dl.parked && p->dl.deadline < curr->dl.deadline;
}

/* It has done its work of this period. */
static void yield_dl(struct rq *rq, struct task_struct *curr)
{
    (void)rq;
    curr->dl.yielded = true;
}

static void switched_to_dl(struct rq *rq, struct task_struct *p)
{
    (void)rq;
    p->dl.throttled = p->dl.yielded = false;
    start_period(&p->dl, sched_clock());
}

/* The deadline of what a hart runs: the later, the sooner it can be preempted. */
static u64 cpu_deadline(unsigned int cpu)
{
    const struct task_struct *curr = READ_ONCE(runqueues[cpu].curr);

    if (curr == runqueues[cpu].idle)
        return ~0ull;
    return curr->sched_class == &dl_sched_class     ? curr->dl.deadline
           : curr->sched_class == &stop_sched_class ? 0
                                                    : ~0ull - 1;
}

/* The hart p ran on last if p preempts what runs there, else the one with the latest deadline. */
static unsigned int select_dl_rq(struct task_struct *p, unsigned long allowed)
{
    unsigned int cpu, best = p->cpu;
    u64 latest = 0;

    if ((allowed >> p->cpu & 1) && cpu_deadline(p->cpu) >= ~0ull - 1)
        return p->cpu;
    for_each_cpu_in(cpu, allowed) {
        u64 deadline = cpu_deadline(cpu);

        if (deadline <= latest && (allowed >> best & 1))
            continue;
        best = cpu;
        latest = deadline;
    }
    return best;
}

const struct sched_class dl_sched_class = {
    .rank = 1,
    .enqueue = enqueue_dl,
    .dequeue = dequeue_dl,
    .leave = leave_dl,
    .first = first_dl,
    .charge = charge_dl,
    .tick = tick_dl,
    .preempts = preempts_dl,
    .yield = yield_dl,
    .switched_to = switched_to_dl,
    .select_rq = select_dl_rq,
};

/* ---- the next period of a throttled task begins ---- */

static enum hrtimer_restart dl_task_timer(struct hrtimer *timer)
{
    struct task_struct *p = dl_task_of(container_of(timer, struct sched_dl_entity, timer));
    struct rq *rq = task_rq_lock(p);

    if (p->sched_class == &dl_sched_class && p->dl.throttled) {
        replenish(&p->dl, sched_clock());
        if (p->dl.parked) {
            p->dl.parked = false;
            list_del_init(&p->run_list);
            add_by_deadline(rq, p);
            rq->nr_queued++;
            note_overload(rq);
            check_preempt_curr(rq, p);
        }
    }
    spin_unlock(&rq->lock);
    return HRTIMER_NORESTART;
}

/* ---- admission, parameters ---- */

static u64 to_bw(u64 period, u64 runtime)
{
    return (runtime << BW_SHIFT) / period;
}

int sched_dl_check(const struct sched_attr *attr)
{
    u64 period = attr->sched_period ? attr->sched_period : attr->sched_deadline;

    if (!attr->sched_deadline || attr->sched_runtime < 1u << DL_SCALE ||
        attr->sched_deadline >> 63 || period >> 63)
        return -EINVAL;
    if (period < attr->sched_deadline || attr->sched_deadline < attr->sched_runtime)
        return -EINVAL;
    return period < PERIOD_MIN_US * NSEC_PER_USEC || period > PERIOD_MAX_US * NSEC_PER_USEC
               ? -EINVAL
               : 0;
}

/* Replaces the bandwidth of the task. rq->lock is held. 0 or -EBUSY. */
static int change_bandwidth(struct sched_dl_entity *dl, u64 bw)
{
    int err = 0;

    arch_spin_lock(&dl_bw_lock);
    if (bw > dl->dl_bw && dl_total_bw - dl->dl_bw + bw > (u64)BW_MAX * num_online_cpus())
        err = -EBUSY;
    else
        dl_total_bw += bw - dl->dl_bw;
    arch_spin_unlock(&dl_bw_lock);
    if (!err)
        dl->dl_bw = bw;
    return err;
}

int sched_dl_set(struct task_struct *p, const struct sched_attr *attr)
{
    u64 period = attr->sched_period ? attr->sched_period : attr->sched_deadline;
    int err = change_bandwidth(&p->dl, to_bw(period, attr->sched_runtime));

    if (err)
        return err;
    if (!p->dl.timer.function) {
        hrtimer_init(&p->dl.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
        p->dl.timer.function = dl_task_timer;
    }
    p->dl.dl_runtime = attr->sched_runtime;
    p->dl.dl_deadline = attr->sched_deadline;
    p->dl.dl_period = period;
    p->dl.flags = attr->sched_flags;
    return 0;
}

void sched_dl_leave(struct task_struct *p)
{
    change_bandwidth(&p->dl, 0);
    p->dl.throttled = false;
}

void sched_dl_dead(struct task_struct *p)
{
    if (!p->dl.timer.function)
        return;
    hrtimer_cancel(&p->dl.timer);
    change_bandwidth(&p->dl, 0);
}
