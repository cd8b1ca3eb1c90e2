/* stop_task.c - the class of the stopper threads: one for each hart, ahead of all other classes. */
#include "sched.h"

static void enqueue_stop(struct rq *rq, struct task_struct *p, int why)
{
    (void)why;
    list_add_tail(&p->run_list, &rq->stop);
}

static void dequeue_stop(struct rq *rq, struct task_struct *p)
{
    (void)rq;
    list_del_init(&p->run_list);
}

static void leave_stop(struct rq *rq, struct task_struct *p)
{
    (void)rq;
    (void)p;
}

static struct task_struct *first_stop(struct rq *rq, unsigned int cpu)
{
    return first_allowed(&rq->stop, cpu);
}

static void charge_stop(struct rq *rq, struct task_struct *curr, u64 delta)
{
    (void)rq;
    (void)curr;
    (void)delta;
}

static bool tick_stop(struct rq *rq, struct task_struct *curr)
{
    (void)rq;
    (void)curr;
    return false;
}

static bool preempts_stop(struct rq *rq, struct task_struct *p, struct task_struct *curr)
{
    (void)rq;
    (void)p;
    (void)curr;
    return false;
}

static void yield_stop(struct rq *rq, struct task_struct *curr)
{
    (void)rq;
    (void)curr;
}

static unsigned int select_stop_rq(struct task_struct *p, unsigned long allowed)
{
    (void)allowed;
    return p->cpu;
}

const struct sched_class stop_sched_class = {
    .rank = 0,
    .enqueue = enqueue_stop,
    .dequeue = dequeue_stop,
    .leave = leave_stop,
    .first = first_stop,
    .charge = charge_stop,
    .tick = tick_stop,
    .preempts = preempts_stop,
    .yield = yield_stop,
    .switched_to = leave_stop,
    .select_rq = select_stop_rq,
};
