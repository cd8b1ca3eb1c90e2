/*
 * rt.c - SCHED_FIFO and SCHED_RR: the task with the highest priority runs.
 *
 * A preempted task stays first among those of its priority; one that has used up its slice
 * (SCHED_RR) or yields goes after them.
 */
#include "sched.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sysctl.h>

enum { RR_TIMESLICE = HZ / 10 };

static void enqueue_rt(struct rq *rq, struct task_struct *p, int why)
{
    bool last = why != ENQUEUE_BACK || !p->rt_time_slice;
    struct task_struct *pos;

    if (!p->rt_time_slice)
        p->rt_time_slice = RR_TIMESLICE;
    list_for_each_entry(pos, &rq->rt, run_list)
        if (pos->prio > p->prio || (!last && pos->prio == p->prio))
            break;
    list_add_tail(&p->run_list, &pos->run_list);
}

static void dequeue_rt(struct rq *rq, struct task_struct *p)
{
    (void)rq;
    list_del_init(&p->run_list);
}

static void leave_rt(struct rq *rq, struct task_struct *p)
{
    (void)rq;
    (void)p;
}

static struct task_struct *first_rt(struct rq *rq, unsigned int cpu)
{
    return first_allowed(&rq->rt, cpu);
}

static void charge_rt(struct rq *rq, struct task_struct *curr, u64 delta)
{
    (void)rq;
    (void)curr;
    (void)delta;
}

static bool tick_rt(struct rq *rq, struct task_struct *curr)
{
    struct task_struct *first = first_rt(rq, rq->cpu);

    if (curr->policy != SCHED_RR || --curr->rt_time_slice)
        return false;
    if (first && first->prio == curr->prio)
        return true;
    curr->rt_time_slice = RR_TIMESLICE; /* no other task to yield to */
    return false;
}

static bool preempts_rt(struct rq *rq, struct task_struct *p, struct task_struct *curr)
{
    (void)rq;
    return p->prio < curr->prio;
}

static void yield_rt(struct rq *rq, struct task_struct *curr)
{
    (void)rq;
    curr->rt_time_slice = 0;
}

static void switched_to_rt(struct rq *rq, struct task_struct *p)
{
    (void)rq;
    p->rt_time_slice = RR_TIMESLICE;
}

/* What a hart runs, as a priority: a hart that idles runs less than any task. */
static int cpu_prio(unsigned int cpu)
{
    const struct task_struct *curr = READ_ONCE(runqueues[cpu].curr);

    return curr == runqueues[cpu].idle ? MAX_PRIO : curr->prio;
}

/*
 * The hart p ran on last if p can run there at once, else the hart that runs the task with the
 * lowest priority.
 */
static unsigned int select_rt_rq(struct task_struct *p, unsigned long allowed)
{
    unsigned int cpu, best = p->cpu;
    int lowest = p->prio;

    if ((allowed >> p->cpu & 1) && cpu_prio(p->cpu) > p->prio)
        return p->cpu;
    for_each_cpu_in(cpu, allowed) {
        int prio = cpu_prio(cpu);

        if (prio <= lowest && (allowed >> best & 1))
            continue;
        best = cpu;
        lowest = prio;
    }
    return best;
}

const struct sched_class rt_sched_class = {
    .rank = 2,
    .enqueue = enqueue_rt,
    .dequeue = dequeue_rt,
    .leave = leave_rt,
    .first = first_rt,
    .charge = charge_rt,
    .tick = tick_rt,
    .preempts = preempts_rt,
    .yield = yield_rt,
    .switched_to = switched_to_rt,
    .select_rq = select_rt_rq,
};

/* Real-time tasks may use all of the time: the only value. */
static int sched_rt_runtime = -1;

static int set_rt_runtime(const struct ctl_table *table, int value)
{
    return value == *table->data ? 0 : -EINVAL;
}

static const struct ctl_table sched_rt_sysctls[] = {
    {"sched_rt_runtime_us", &sched_rt_runtime, set_rt_runtime},
};

void sched_rt_sysctl_init(void)
{
    register_sysctl("kernel", sched_rt_sysctls, ARRAY_SIZE(sched_rt_sysctls));
}
