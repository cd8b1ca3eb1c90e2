/*
 * fair.c - SCHED_NORMAL: each task gets time in proportion to its weight.
 *
 * vruntime is a task's run time divided by its weight; the task with the least runs next. While
 * a task is on no queue, its vruntime is relative to the queue that it left, so that neither
 * sleep nor a move to another hart gives it an advantage.
 */
#include "sched.h"
#include <linux/bitops.h>
#include <trace/events/sched.h>

enum {
    NICE_0_LOAD = 1024,
    SCHED_LATENCY_MS = 20,         /* the period in which each waiting task runs once */
    SCHED_MIN_GRANULARITY_MS = 10, /* lower limit of a slice, if many tasks wait */
    SCHED_WAKEUP_GRANULARITY_MS = 4,
};

/* A step of nice changes the weight by a factor of 1.25. */
unsigned long nice_to_weight(int nice)
{
    unsigned long weight = NICE_0_LOAD << 20;

    for (; nice < 0; nice++)
        weight += weight / 4;
    for (; nice > 0; nice--)
        weight = weight / 5 * 4;
    return weight >> 20;
}

/* Positive when a is later than b; both may have wrapped. */
static s64 vruntime_diff(u64 a, u64 b)
{
    return (s64)(a - b);
}

static struct task_struct *leftmost(struct rq *rq)
{
    return list_empty(&rq->fair) ? NULL : list_first_entry(&rq->fair, struct task_struct, run_list);
}

/* Advances min_vruntime to the least vruntime here; it never decreases. */
static void update_min_vruntime(struct rq *rq)
{
    struct task_struct *first = leftmost(rq), *curr = rq->curr;
    bool curr_counts = curr->sched_class == &fair_sched_class && curr->on_rq;
    u64 vruntime;

    if (!first && !curr_counts)
        return;
    vruntime = first ? first->vruntime : curr->vruntime;
    if (curr_counts && vruntime_diff(vruntime, curr->vruntime) > 0)
        vruntime = curr->vruntime;
    if (vruntime_diff(vruntime, rq->min_vruntime) > 0)
        rq->min_vruntime = vruntime;
}

static u64 scaled(const struct task_struct *p, u64 delta)
{
    return delta * NICE_0_LOAD / p->weight;
}

static void charge_fair(struct rq *rq, struct task_struct *curr, u64 delta)
{
    curr->vruntime += scaled(curr, delta);
    update_min_vruntime(rq);
    trace_sched_stat_runtime(curr, delta, curr->vruntime);
}

/* A task that wakes is credited for its sleep, but with no more than one period. */
static void place_task(struct rq *rq, struct task_struct *p, int why)
{
    s64 ahead = SCHED_LATENCY_MS * NSEC_PER_MSEC;

    if (why == ENQUEUE_WAKEUP && (s64)p->vruntime < -ahead)
        p->vruntime = -ahead;
    p->vruntime += rq->min_vruntime;
}

static void enqueue_fair(struct rq *rq, struct task_struct *p, int why)
{
    struct task_struct *pos;

    if (why != ENQUEUE_BACK)
        place_task(rq, p, why);
    list_for_each_entry(pos, &rq->fair, run_list)
        if (vruntime_diff(pos->vruntime, p->vruntime) > 0)
            break;
    list_add_tail(&p->run_list, &pos->run_list);
    rq->nr_fair++;
    rq->fair_load += p->weight;
}

static void dequeue_fair(struct rq *rq, struct task_struct *p)
{
    list_del_init(&p->run_list);
    rq->nr_fair--;
    rq->fair_load -= p->weight;
}

static void leave_fair(struct rq *rq, struct task_struct *p)
{
    p->vruntime -= rq->min_vruntime;
}

static struct task_struct *first_fair(struct rq *rq, unsigned int cpu)
{
    return first_allowed(&rq->fair, cpu);
}

/* curr's share, in ns, of a period in which every task runs once. */
static u64 slice(struct rq *rq, struct task_struct *curr)
{
    u64 period = max(SCHED_LATENCY_MS, (int)(rq->nr_fair + 1) * SCHED_MIN_GRANULARITY_MS);

    return period * NSEC_PER_MSEC * curr->weight / (rq->fair_load + curr->weight);
}

static bool tick_fair(struct rq *rq, struct task_struct *curr)
{
    struct task_struct *first = leftmost(rq);

    return first && curr->sum_exec_runtime - curr->picked_at_runtime >= slice(rq, curr) &&
           vruntime_diff(curr->vruntime, first->vruntime) > 0;
}

static bool preempts_fair(struct rq *rq, struct task_struct *p, struct task_struct *curr)
{
    u64 granularity = scaled(p, SCHED_WAKEUP_GRANULARITY_MS * NSEC_PER_MSEC);

    (void)rq;
    return vruntime_diff(curr->vruntime, p->vruntime + granularity) > 0;
}

/* Moves curr after all tasks that wait now. */
static void yield_fair(struct rq *rq, struct task_struct *curr)
{
    struct task_struct *p;

    list_for_each_entry(p, &rq->fair, run_list)
        if (vruntime_diff(p->vruntime, curr->vruntime) >= 0)
            curr->vruntime = p->vruntime;
}

static void switched_to_fair(struct rq *rq, struct task_struct *p)
{
    p->vruntime = p->on_rq == TASK_ON_RQ_QUEUED ? rq->min_vruntime : 0;
}

/* How many tasks a new one would wait for; a running real-time task counts as 1000. */
static unsigned int cpu_load(unsigned int cpu)
{
    struct rq *rq = &runqueues[cpu];
    const struct task_struct *curr = READ_ONCE(rq->curr);

    if (curr == rq->idle)
        return READ_ONCE(rq->nr_queued);
    return READ_ONCE(rq->nr_queued) + (curr->prio < MAX_RT_PRIO ? 1000 : 1);
}

/* The hart p ran on last, unless others have less load: then the first with the least. */
static unsigned int select_fair_rq(struct task_struct *p, unsigned long allowed)
{
    unsigned int cpu, best = allowed >> p->cpu & 1 ? (unsigned int)p->cpu : __ffs(allowed);

    for_each_cpu_in(cpu, allowed)
        if (cpu_load(cpu) < cpu_load(best))
            best = cpu;
    return best;
}

const struct sched_class fair_sched_class = {
    .rank = 3,
    .enqueue = enqueue_fair,
    .dequeue = dequeue_fair,
    .leave = leave_fair,
    .first = first_fair,
    .charge = charge_fair,
    .tick = tick_fair,
    .preempts = preempts_fair,
    .yield = yield_fair,
    .switched_to = switched_to_fair,
    .select_rq = select_fair_rq,
};
