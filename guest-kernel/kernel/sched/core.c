/*
 * core.c - the scheduler: one run queue for each hart, ordered by scheduling classes.
 *
 * Lock order: pi_lock, then one queue's lock; a second queue's lock only by trylock.
 */
#include "sched.h"
#include <asm/barrier.h>
#include <asm/mmu_context.h>
#include <asm/page.h>
#include <asm/switch_to.h>
#include <asm/vector.h>
#include <linux/bitops.h>
#include <linux/blkdev.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/ftrace.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#define CREATE_TRACE_POINTS
#include <trace/events/sched.h>
#undef CREATE_TRACE_POINTS

EXPORT_TRACEPOINT_SYMBOL_GPL(sched_switch);
EXPORT_TRACEPOINT_SYMBOL_GPL(sched_waking);
EXPORT_TRACEPOINT_SYMBOL_GPL(sched_wakeup);
EXPORT_TRACEPOINT_SYMBOL_GPL(sched_wakeup_new);

enum {
    /* preempt_count of a task that does not run: one of schedule(), one of the queue's lock. */
    SWITCH_PREEMPT_COUNT = 2 * PREEMPT_OFFSET,
    BALANCE_TICKS = 4,
};

struct rq runqueues[NR_CPUS];

/* SYSTEM_RUNNING from the moment that tasks other than the first may run. */
enum system_states system_state = SYSTEM_BOOTING;

/* Harts on which a real-time or deadline task waits; a bit is changed with its queue locked. */
static unsigned long rt_overload_mask, dl_overload_mask;

static const struct sched_class *const sched_classes[] = {
    &stop_sched_class,
    &dl_sched_class,
    &rt_sched_class,
    &fair_sched_class,
};

/* The boot hart's stack from head.S on. */
char init_stack[THREAD_SIZE] __aligned(THREAD_SIZE);

struct task_struct init_task = {
    .preempt_count = PREEMPT_OFFSET, /* preemption stays disabled, in the idle loop too */
    .on_rq = TASK_ON_RQ_QUEUED,
    .on_cpu = 1,
    .cpus_allowed = 1,
    .files = &init_files,
    .fs = &init_fs,
    .comm = "swapper/0",
    .curr_ret_stack = -1,
    .curr_ret_depth = -1,
};

static struct rq *this_rq(void)
{
    return &runqueues[smp_processor_id()];
}

struct task_struct *first_allowed(struct list_head *queue, unsigned int cpu)
{
    struct task_struct *p;

    list_for_each_entry(p, queue, run_list)
        if (task_allowed_on(p, cpu))
            return p;
    return NULL;
}

static void note_waiting(const struct list_head *queue, unsigned long *mask, unsigned long bit)
{
    if (list_empty(queue) == !(READ_ONCE(*mask) & bit))
        return;
    (void)__atomic_fetch_xor(mask, bit, __ATOMIC_RELAXED);
}

void note_overload(struct rq *rq)
{
    note_waiting(&rq->rt, &rt_overload_mask, 1UL << rq->cpu);
    note_waiting(&rq->dl, &dl_overload_mask, 1UL << rq->cpu);
}

static void enqueue_task(struct rq *rq, struct task_struct *p, int why)
{
    p->sched_class->enqueue(rq, p, why);
    p->on_rq = TASK_ON_RQ_QUEUED;
    rq->nr_queued++;
    note_overload(rq);
}

static void dequeue_task(struct rq *rq, struct task_struct *p)
{
    p->sched_class->dequeue(rq, p);
    rq->nr_queued--;
    note_overload(rq);
}

/* Locks the queue p belongs to; p may be moved until it is locked. Interrupts off. */
struct rq *task_rq_lock(struct task_struct *p)
{
    for (;;) {
        struct rq *rq = &runqueues[READ_ONCE(p->cpu)];

        spin_lock(&rq->lock);
        if (rq == &runqueues[p->cpu])
            return rq;
        spin_unlock(&rq->lock);
    }
}

/* Charges curr for the time since the last call. */
static void update_curr(struct rq *rq)
{
    struct task_struct *curr = rq->curr;
    u64 now = sched_clock(), delta = now - curr->exec_start;

    curr->exec_start = now;
    curr->sum_exec_runtime += delta;
    if (curr != rq->idle)
        curr->sched_class->charge(rq, curr, delta);
}

u64 task_sched_runtime(struct task_struct *p)
{
    unsigned long flags;
    struct rq *rq;
    u64 ns;

    local_irq_save(flags);
    rq = task_rq_lock(p);
    if (rq->curr == p)
        update_curr(rq);
    ns = p->sum_exec_runtime;
    spin_unlock(&rq->lock);
    local_irq_restore(flags);
    return ns;
}

void resched_curr(struct rq *rq)
{
    struct task_struct *curr = rq->curr;

    if (curr->flags & (1UL << TIF_NEED_RESCHED))
        return;
    set_bit(TIF_NEED_RESCHED, &curr->flags);
    if (curr->cpu != smp_processor_id())
        smp_send_reschedule(curr->cpu);
}

void resched_cpu(unsigned int cpu)
{
    struct rq *rq = &runqueues[cpu];
    unsigned long flags;

    spin_lock_irqsave(&rq->lock, flags);
    resched_curr(rq);
    spin_unlock_irqrestore(&rq->lock, flags);
}

void check_preempt_curr(struct rq *rq, struct task_struct *p)
{
    struct task_struct *curr = rq->curr;

    if (curr == rq->idle || p->sched_class->rank < curr->sched_class->rank) {
        resched_curr(rq);
        return;
    }
    if (p->sched_class != curr->sched_class)
        return;
    update_curr(rq);
    if (p->sched_class->preempts(rq, p, curr))
        resched_curr(rq);
}

/* The online harts that p may use; all online harts if there is none. */
static unsigned long allowed_cpus(const struct task_struct *p)
{
    unsigned long online = READ_ONCE(cpu_online_mask);

    return p->cpus_allowed & online ? p->cpus_allowed & online : online;
}

static void set_task_cpu(struct task_struct *p, unsigned int cpu)
{
    if ((unsigned int)p->cpu != cpu)
        trace_sched_migrate_task(p, cpu);
    if ((unsigned int)p->cpu != cpu)
        perf_event_task_migrate(p);
    p->cpu = cpu;
}

/*
 * Queues p on the hart that it has. pi_lock is held; p is on no queue and has left its stack.
 * Returns the hart's queue, locked.
 */
static struct rq *activate_task(struct task_struct *p, int why)
{
    struct rq *rq = &runqueues[p->cpu];

    spin_lock(&rq->lock);
    enqueue_task(rq, p, why);
    return rq;
}

/* The same on a hart that it chooses. */
static struct rq *activate_elsewhere(struct task_struct *p, int why)
{
    set_task_cpu(p, p->sched_class->select_rq(p, allowed_cpus(p)));
    return activate_task(p, why);
}

/* Queues p, which does not sleep, on a hart that it may use. */
static void activate_moved_task(struct task_struct *p)
{
    struct rq *rq = activate_elsewhere(p, ENQUEUE_MOVED);

    check_preempt_curr(rq, p);
    spin_unlock(&rq->lock);
}

static void ttwu_do_activate(struct task_struct *p)
{
    struct rq *rq = activate_elsewhere(p, ENQUEUE_WAKEUP);

    check_preempt_curr(rq, p);
    trace_sched_wakeup(p);
    spin_unlock(&rq->lock);
}

/*
 * If p is still on a queue (about to sleep, or preempted before it did), makes it runnable
 * there.
 */
static bool ttwu_runnable(struct task_struct *p)
{
    struct rq *rq = task_rq_lock(p);
    bool on_rq = p->on_rq;

    if (on_rq) {
        p->state = TASK_RUNNING;
        trace_sched_wakeup(p);
    }
    spin_unlock(&rq->lock);
    return on_rq;
}

bool try_to_wake_up(struct task_struct *p, unsigned int state)
{
    unsigned long flags;
    bool success = false;

    spin_lock_irqsave(&p->pi_lock, flags);
    smp_mb(); /* the waker's condition is visible before it looks at the sleeper's state */
    if (p->state & state) {
        success = true;
        trace_sched_waking(p);
        if (!ttwu_runnable(p)) {
            while (smp_load_acquire(&p->on_cpu))
                cpu_relax();
            p->state = TASK_RUNNING;
            ttwu_do_activate(p);
        }
    }
    spin_unlock_irqrestore(&p->pi_lock, flags);
    return success;
}

bool wake_up_process(struct task_struct *p)
{
    return try_to_wake_up(p, TASK_NORMAL);
}
EXPORT_SYMBOL(wake_up_process);

bool wake_up_state(struct task_struct *p, unsigned int state)
{
    return try_to_wake_up(p, state);
}

void wake_up_new_task(struct task_struct *p)
{
    unsigned long flags;
    struct rq *rq;

    spin_lock_irqsave(&p->pi_lock, flags);
    p->state = TASK_RUNNING;
    p->cpu = p->sched_class->select_rq(p, allowed_cpus(p));
    rq = activate_task(p, ENQUEUE_WAKEUP);
    trace_sched_wakeup_new(p);
    check_preempt_curr(rq, p);
    spin_unlock(&rq->lock);
    spin_unlock_irqrestore(&p->pi_lock, flags);
}

/*
 * Moves a waiting task of the class from the queue busy to rq, which is this hart's and locked.
 * Returns NULL if there is none, or busy is locked.
 */
static struct task_struct *pull_task_from(struct rq *rq, struct rq *busy,
                                          const struct sched_class *class)
{
    struct task_struct *p;

    if (!READ_ONCE(busy->nr_queued) || !arch_spin_trylock(&busy->lock))
        return NULL;
    p = class->first(busy, rq->cpu);
    if (p) {
        dequeue_task(busy, p);
        class->leave(busy, p);
        set_task_cpu(p, rq->cpu);
        enqueue_task(rq, p, ENQUEUE_MOVED);
    }
    arch_spin_unlock(&busy->lock);
    return p;
}

static void pull_task(struct rq *rq, unsigned long cpus, const struct sched_class *class)
{
    unsigned int cpu;

    for_each_cpu_in(cpu, cpus & ~(1UL << rq->cpu))
        if (pull_task_from(rq, &runqueues[cpu], class))
            return;
}

/* Pulls a task from another hart if this one has nothing more important to run. */
static void balance_before_pick(struct rq *rq)
{
    if (!list_empty(&rq->stop) || !list_empty(&rq->dl))
        return;
    if (READ_ONCE(dl_overload_mask))
        pull_task(rq, READ_ONCE(dl_overload_mask), &dl_sched_class);
    if (!list_empty(&rq->dl) || !list_empty(&rq->rt))
        return;
    if (READ_ONCE(rt_overload_mask))
        pull_task(rq, READ_ONCE(rt_overload_mask), &rt_sched_class);
    if (!rq->nr_queued)
        pull_task(rq, READ_ONCE(cpu_online_mask), &fair_sched_class);
}

/* Pulls one fair task from the longest queue, if that is longer than this hart's. */
static void load_balance(struct rq *rq)
{
    unsigned int cpu, most = rq->nr_fair + (rq->curr != rq->idle);
    struct rq *busiest = NULL;

    for_each_online_cpu(cpu) {
        /* A running task of a higher class could keep them waiting endlessly: count it, too. */
        unsigned int n = READ_ONCE(runqueues[cpu].nr_fair) +
                         (READ_ONCE(runqueues[cpu].curr)->prio < MAX_RT_PRIO);

        if (cpu == rq->cpu || n <= most)
            continue;
        most = n;
        busiest = &runqueues[cpu];
    }
    if (busiest)
        pull_task_from(rq, busiest, &fair_sched_class);
}

static struct task_struct *pick_next_task(struct rq *rq)
{
    unsigned int i;

    balance_before_pick(rq);
    for (i = 0; i < ARRAY_SIZE(sched_classes); i++) {
        struct task_struct *next = sched_classes[i]->first(rq, rq->cpu);

        if (!next)
            continue;
        dequeue_task(rq, next);
        return next;
    }
    return rq->idle;
}

/* Queues p, which has left its stack, on another hart: it may not use the last one any more. */
static void migrate_task(struct task_struct *p)
{
    unsigned long flags;

    spin_lock_irqsave(&p->pi_lock, flags);
    activate_moved_task(p);
    spin_unlock_irqrestore(&p->pi_lock, flags);
}

/*
 * Drops the lock that __schedule() took. Only then RCU may count the switch: synchronize_rcu()
 * requests a switch under the lock, so it has requested either this one or, with need_resched
 * set again, another.
 */
static void end_switch(struct rq *rq)
{
    arch_spin_unlock(&rq->lock);
    rcu_note_context_switch();
    preempt_enable_no_resched();
}

/* Runs first on the new task's stack. */
static void finish_task_switch(struct task_struct *prev)
{
    bool dead = prev->state == TASK_DEAD, migrating = prev->on_rq == TASK_ON_RQ_MIGRATING;

    perf_event_task_sched_in(current);
    smp_store_release(&prev->on_cpu, 0);
    end_switch(this_rq());
    if (migrating)
        migrate_task(prev);
    if (dead) {
        sched_dl_dead(prev);
        put_task_struct(prev);
    }
}

void schedule_tail(struct task_struct *prev)
{
    finish_task_switch(prev);
    local_irq_enable();
    preempt_enable();
}

static void context_switch(struct rq *rq, struct task_struct *prev, struct task_struct *next)
{
    perf_event_task_sched_out(prev);
    rq->curr = next;
    next->on_cpu = 1;
    ftrace_graph_sched_switch(prev, next);
    switch_mm(prev->mm, next->mm);
    __switch_to_fpu(prev, next);
    __switch_to_vector(prev, next);
    prev = __switch_to(prev, next);
    finish_task_switch(prev);
}

/*
 * Decides what becomes of prev: it sleeps, moves to another hart, or is queued again. Idle
 * tasks are on no queue.
 */
static void put_prev_task(struct rq *rq, struct task_struct *prev, bool preempt)
{
    if (prev == rq->idle)
        return;
    if (!preempt && prev->state != TASK_RUNNING && !signal_pending_state(prev->state, prev)) {
        prev->on_rq = 0;
        prev->sched_class->leave(rq, prev);
        return;
    }
    if (!preempt)
        prev->state = TASK_RUNNING;
    if (task_allowed_on(prev, rq->cpu)) {
        enqueue_task(rq, prev, ENQUEUE_BACK);
    } else {
        prev->on_rq = TASK_ON_RQ_MIGRATING;
        prev->sched_class->leave(rq, prev);
    }
}

/*
 * The caller has disabled preemption once. A preempted task stays queued whatever its state: it
 * has not called schedule() yet.
 */
static void __schedule(bool preempt)
{
    struct task_struct *prev = current, *next;
    unsigned int prev_state;
    unsigned long flags;
    struct rq *rq;

    local_irq_save(flags);
    if (!preempt)
        rcu_tasks_qs();
    rq = this_rq();
    spin_lock(&rq->lock);
    update_curr(rq);
    clear_bit(TIF_NEED_RESCHED, &prev->flags);
    prev_state = prev->state;
    put_prev_task(rq, prev, preempt);
    next = pick_next_task(rq);
    next->exec_start = prev->exec_start;
    next->picked_at_runtime = next->sum_exec_runtime;
    if (next == prev) {
        end_switch(rq);
    } else {
        ++*(preempt ? &prev->nivcsw : &prev->nvcsw);
        trace_sched_switch(preempt, prev, next, prev_state);
        context_switch(rq, prev, next);
    }
    local_irq_restore(flags);
}

static void schedule_debug(void)
{
    if (unlikely(preempt_count() || irqs_disabled()))
        panic("BUG: scheduling while atomic: %s/%d/0x%08x", current->comm, current->pid,
              preempt_count());
}

/* Who goes to sleep may wait for the requests in its own plug. */
static inline void sched_submit_work(void)
{
    if (current->state != TASK_RUNNING)
        blk_flush_plug(current->plug, true);
}

void schedule(void)
{
    schedule_debug();
    sched_submit_work();
    do {
        preempt_disable();
        __schedule(false);
        preempt_enable_no_resched();
    } while (need_resched());
}
EXPORT_SYMBOL(schedule);

void notrace preempt_schedule(void)
{
    if (preempt_count() || irqs_disabled())
        return;
    do {
        preempt_disable();
        __schedule(true);
        preempt_enable_no_resched();
    } while (need_resched());
}
EXPORT_SYMBOL(preempt_schedule);

/* Called at the end of an interrupt, with interrupts off. */
void preempt_schedule_irq(void)
{
    do {
        preempt_disable();
        __schedule(true);
        preempt_enable_no_resched();
    } while (need_resched());
}

/* Called from the timer interrupt. */
void scheduler_tick(void)
{
    struct rq *rq = this_rq();
    struct task_struct *curr = rq->curr;

    spin_lock(&rq->lock);
    update_curr(rq);
    if (++rq->balance_ticks == BALANCE_TICKS) {
        rq->balance_ticks = 0;
        load_balance(rq);
    }
    if (curr == rq->idle ? rq->nr_queued : curr->sched_class->tick(rq, curr))
        resched_curr(rq);
    else if (curr->prio >= MAX_RT_PRIO && READ_ONCE(rt_overload_mask))
        resched_curr(rq);
    else if (curr->prio >= MAX_DL_PRIO && READ_ONCE(dl_overload_mask))
        resched_curr(rq);
    spin_unlock(&rq->lock);
    perf_event_task_tick();
}

void yield(void)
{
    struct rq *rq;

    preempt_disable();
    local_irq_disable();
    rq = this_rq();
    spin_lock(&rq->lock);
    current->sched_class->yield(rq, current);
    spin_unlock(&rq->lock);
    local_irq_enable();
    preempt_enable_no_resched();
    schedule();
}
EXPORT_SYMBOL(yield);

bool cond_resched(void)
{
    might_sleep();
    rcu_tasks_qs();
    if (!need_resched())
        return false;
    schedule();
    return true;
}

void __might_sleep(const char *file, int line)
{
    if (system_state == SYSTEM_BOOTING || (!preempt_count() && !irqs_disabled()))
        return;
    panic("BUG: sleeping function called from invalid context at %s:%d, preempt_count %x, irqs %s",
          file, line, preempt_count(), irqs_disabled() ? "off" : "on");
}
EXPORT_SYMBOL(__might_sleep);

/* Takes p off its queue while change() alters what the queue is ordered by, and puts it back. */
static void change_task(struct task_struct *p, void (*change)(struct task_struct *, const void *),
                        const void *what)
{
    const struct sched_class *class;
    unsigned long flags;
    struct rq *rq;
    bool queued;

    spin_lock_irqsave(&p->pi_lock, flags);
    rq = task_rq_lock(p);
    class = p->sched_class;
    queued = p->on_rq == TASK_ON_RQ_QUEUED && rq->curr != p;
    if (rq->curr == p)
        update_curr(rq);
    if (queued)
        dequeue_task(rq, p);
    change(p, what);
    if (p->sched_class != class)
        p->sched_class->switched_to(rq, p);
    if (queued) {
        enqueue_task(rq, p, ENQUEUE_BACK);
        check_preempt_curr(rq, p);
    } else if (rq->curr == p) {
        resched_curr(rq);
    }
    spin_unlock(&rq->lock);
    spin_unlock_irqrestore(&p->pi_lock, flags);
}

static void change_nice(struct task_struct *p, const void *nice)
{
    p->static_prio = NICE_TO_PRIO(*(const int *)nice);
    p->weight = nice_to_weight(*(const int *)nice);
    if (p->sched_class == &fair_sched_class)
        p->prio = p->static_prio;
}

void set_user_nice(struct task_struct *p, int nice)
{
    nice = max(MIN_NICE, min(nice, MAX_NICE));
    change_task(p, change_nice, &nice);
}

struct new_policy {
    int policy, rt_priority;
    const struct sched_attr *dl; /* of SCHED_DEADLINE */
    int err;
};

static const struct sched_class *class_of(const struct new_policy *new)
{
    if (new->dl)
        return &dl_sched_class;
    return new->rt_priority ? &rt_sched_class : &fair_sched_class;
}

static void change_policy(struct task_struct *p, const void *what)
{
    struct new_policy *new = (struct new_policy *)what;

    if (new->dl)
        new->err = sched_dl_set(p, new->dl);
    else if (p->sched_class == &dl_sched_class)
        sched_dl_leave(p);
    if (new->err)
        return;
    p->policy = new->policy;
    p->rt_priority = new->rt_priority;
    p->prio = new->dl            ? MAX_DL_PRIO - 1
              : new->rt_priority ? MAX_RT_PRIO - 1 - new->rt_priority
                                 : p->static_prio;
    p->sched_class = class_of(new);
}

static int set_deadline(struct task_struct *p, const struct sched_attr *attr)
{
    struct new_policy new = {.policy = SCHED_DEADLINE, .dl = attr};
    int err = attr->sched_priority ? -EINVAL : sched_dl_check(attr);

    if (err)
        return err;
    if (p->sched_class == &stop_sched_class ||
        READ_ONCE(cpu_online_mask) & ~READ_ONCE(p->cpus_allowed)) /* as the admission assumes */
        return -EPERM;
    change_task(p, change_policy, &new);
    return new.err;
}

int sched_setattr(struct task_struct *p, const struct sched_attr *attr)
{
    const struct sched_param param = {attr->sched_priority};
    int err;

    if (attr->sched_flags & ~SCHED_FLAG_ALL)
        return -EINVAL;
    if (attr->sched_policy == SCHED_DEADLINE)
        return set_deadline(p, attr);
    err = sched_setscheduler(p, attr->sched_policy, &param);
    if (!err && attr->sched_policy == SCHED_NORMAL)
        set_user_nice(p, attr->sched_nice);
    return err;
}

void sched_getattr(const struct task_struct *p, struct sched_attr *attr)
{
    *attr = (struct sched_attr){.size = sizeof(*attr), .sched_policy = p->policy};
    if (p->policy == SCHED_DEADLINE) {
        attr->sched_runtime = p->dl.dl_runtime;
        attr->sched_deadline = p->dl.dl_deadline;
        attr->sched_period = p->dl.dl_period;
        attr->sched_flags = p->dl.flags;
    } else if (p->rt_priority) {
        attr->sched_priority = p->rt_priority;
    } else {
        attr->sched_nice = PRIO_TO_NICE(p->static_prio);
    }
}

int sched_setscheduler(struct task_struct *p, int policy, const struct sched_param *param)
{
    struct new_policy new = {.policy = policy, .rt_priority = param->sched_priority};
    bool realtime = policy == SCHED_FIFO || policy == SCHED_RR;

    if (!realtime && policy != SCHED_NORMAL)
        return -EINVAL;
    if (new.rt_priority < 0 || new.rt_priority >= MAX_RT_PRIO || realtime != !!new.rt_priority)
        return -EINVAL;
    if (p->sched_class == &stop_sched_class)
        return -EPERM;
    change_task(p, change_policy, &new);
    return 0;
}

/*
 * Moves p off the queue of a hart that it may not use any more. p->pi_lock and rq->lock are
 * held; rq->lock is released.
 */
static void requeue_elsewhere(struct rq *rq, struct task_struct *p)
{
    dequeue_task(rq, p);
    p->on_rq = TASK_ON_RQ_MIGRATING;
    p->sched_class->leave(rq, p);
    spin_unlock(&rq->lock);
    activate_moved_task(p);
}

int set_cpus_allowed_ptr(struct task_struct *p, unsigned long mask)
{
    unsigned long flags;
    struct rq *rq;

    if (!(mask & READ_ONCE(cpu_online_mask)))
        return -EINVAL;
    if (p->sched_class == &dl_sched_class && READ_ONCE(cpu_online_mask) & ~mask)
        return -EBUSY;
    spin_lock_irqsave(&p->pi_lock, flags);
    rq = task_rq_lock(p);
    WRITE_ONCE(p->cpus_allowed, mask);
    if (p->on_rq == TASK_ON_RQ_QUEUED && rq->curr != p && !task_allowed_on(p, rq->cpu)) {
        requeue_elsewhere(rq, p);
    } else {
        if (rq->curr == p && !task_allowed_on(p, rq->cpu))
            resched_curr(rq);
        spin_unlock(&rq->lock);
    }
    spin_unlock_irqrestore(&p->pi_lock, flags);
    return 0;
}

/* Sets the scheduling defaults of a new task. */
void sched_fork(struct task_struct *p)
{
    INIT_LIST_HEAD(&p->run_list);
    p->state = TASK_NEW;
    p->preempt_count = SWITCH_PREEMPT_COUNT; /* schedule_tail() lowers it to 0 */
    p->cpu = raw_smp_processor_id();
    p->on_rq = p->on_cpu = 0;
    p->policy = SCHED_NORMAL;
    p->sched_class = &fair_sched_class;
    p->prio = p->static_prio = DEFAULT_PRIO;
    p->weight = nice_to_weight(0);
    p->vruntime = p->sum_exec_runtime = p->nvcsw = p->nivcsw = 0;
}

void sched_set_stop_task(unsigned int cpu, struct task_struct *stop)
{
    stop->sched_class = &stop_sched_class;
    stop->policy = SCHED_FIFO; /* as it is shown; its class goes before all others */
    stop->rt_priority = MAX_RT_PRIO - 1;
    stop->prio = 0;
    stop->cpus_allowed = 1UL << cpu;
    stop->cpu = cpu;
}

static void set_idle(unsigned int cpu, struct task_struct *idle)
{
    idle->prio = idle->static_prio = DEFAULT_PRIO;
    idle->sched_class = &fair_sched_class;
    runqueues[cpu].idle = runqueues[cpu].curr = idle;
}

/*
 * Prepares the idle task of a hart that is about to start: it counts as running from the start
 * and is not preemptible.
 */
void init_idle(struct task_struct *idle, unsigned int cpu)
{
    idle->pid = 0;
    idle->cpu = cpu;
    idle->cpus_allowed = 1UL << cpu;
    idle->state = TASK_RUNNING;
    idle->on_rq = TASK_ON_RQ_QUEUED;
    idle->on_cpu = 1;
    idle->preempt_count = PREEMPT_OFFSET;
    set_idle(cpu, idle);
}

void sched_init(void)
{
    unsigned int cpu;

    for (cpu = 0; cpu < NR_CPUS; cpu++) {
        runqueues[cpu].cpu = cpu;
        INIT_LIST_HEAD(&runqueues[cpu].stop);
        INIT_LIST_HEAD(&runqueues[cpu].dl);
        INIT_LIST_HEAD(&runqueues[cpu].dl_throttled);
        INIT_LIST_HEAD(&runqueues[cpu].rt);
        INIT_LIST_HEAD(&runqueues[cpu].fair);
    }
    INIT_LIST_HEAD(&init_task.run_list);
    INIT_LIST_HEAD(&init_task.children);
    INIT_LIST_HEAD(&init_task.sibling);
    init_task.stack = init_stack;
    INIT_LIST_HEAD(&init_task.tasks);
    set_idle(0, &init_task);
}

static void idle_wait(void)
{
    stop_critical_timings();
    wait_for_interrupt();
    start_critical_timings();
}

/* Interrupts are off during the check, so that no wake-up can come between the check and wfi. */
static void do_idle(void)
{
    while (!need_resched()) {
        local_irq_disable();
        if (!need_resched())
            idle_wait();
        local_irq_enable();
    }
    __schedule(false);
}

void cpu_startup_entry(void)
{
    for (;;)
        do_idle();
}

/* The task's last switch: the next task drops the scheduler's reference to it. */
void do_task_dead(void)
{
    preempt_disable();
    local_irq_disable();
    current->state = TASK_DEAD;
    __schedule(false);
    panic("a dead task ran again");
}
