/*
 * core.c - the scheduler: one run queue a hart, two classes, round robin in each.
 *
 * A task that runs is on its hart's queue in the sense of on_rq, but not in
 * its list.  The queue's lock is held across the switch, so whoever takes it
 * sees the last task already off its stack.  Lock order: pi_lock, then one
 * queue; a second queue only by trylock.
 */
#include <asm/barrier.h>
#include <asm/mmu_context.h>
#include <asm/page.h>
#include <asm/switch_to.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>

struct rq {
    spinlock_t lock;
    struct task_struct *curr; /* all of these under lock */
    struct task_struct *idle;
    struct list_head queue[SCHED_CLASSES];
    unsigned int nr_queued; /* in the fair list */
    unsigned int slice_left;
};

enum {
    SLICE_TICKS = 2,
    /* What a task that does not run has in preempt_count: schedule()'s one and the lock's. */
    SWITCH_PREEMPT_COUNT = 2 * PREEMPT_OFFSET,
};

static struct rq runqueues[NR_CPUS];

/* The boot hart runs on it from head.S on. */
char init_stack[THREAD_SIZE] __aligned(16);

struct task_struct init_task = {
    .preempt_count = PREEMPT_OFFSET, /* until the idle loop, which runs so too */
    .on_rq = 1,
    .on_cpu = 1,
    .cpus_allowed = 1,
    .comm = "swapper/0",
    .curr_ret_stack = -1,
    .curr_ret_depth = -1,
};

static struct rq *this_rq(void)
{
    return &runqueues[smp_processor_id()];
}

static void enqueue_task(struct rq *rq, struct task_struct *p)
{
    list_add_tail(&p->run_list, &rq->queue[p->sched_class]);
    rq->nr_queued += p->sched_class == SCHED_CLASS_FAIR;
}

static void dequeue_task(struct rq *rq, struct task_struct *p)
{
    list_del_init(&p->run_list);
    rq->nr_queued -= p->sched_class == SCHED_CLASS_FAIR;
}

/* Locks the queue p belongs to; p may be moved until it is locked. */
static struct rq *task_rq_lock(struct task_struct *p)
{
    for (;;) {
        struct rq *rq = &runqueues[READ_ONCE(p->cpu)];

        spin_lock(&rq->lock);
        if (rq == &runqueues[p->cpu])
            return rq;
        spin_unlock(&rq->lock);
    }
}

static void resched_curr(struct rq *rq)
{
    struct task_struct *curr = rq->curr;

    if (curr->flags & (1UL << TIF_NEED_RESCHED))
        return;
    set_bit(TIF_NEED_RESCHED, &curr->flags);
    if (curr->cpu != smp_processor_id())
        smp_send_reschedule(curr->cpu);
}

static void check_preempt_curr(struct rq *rq, struct task_struct *p)
{
    if (rq->curr == rq->idle || p->sched_class < rq->curr->sched_class)
        resched_curr(rq);
}

static bool available_idle_cpu(unsigned int cpu)
{
    struct rq *rq = &runqueues[cpu];

    return READ_ONCE(rq->curr) == rq->idle && !READ_ONCE(rq->nr_queued);
}

/* Where p was if that is idle, else any idle hart it may run on, else where it was. */
static unsigned int select_task_rq(struct task_struct *p)
{
    unsigned int cpu;

    if ((p->cpus_allowed >> p->cpu & 1) && available_idle_cpu(p->cpu))
        return p->cpu;
    for_each_cpu_in(cpu, p->cpus_allowed &
                             READ_ONCE(cpu_online_mask)) if (available_idle_cpu(cpu)) return cpu;
    if (p->cpus_allowed >> p->cpu & 1)
        return p->cpu;
    return __ffs(p->cpus_allowed);
}

/* pi_lock held, p on no queue and off its stack. */
static void activate_task(struct task_struct *p)
{
    struct rq *rq;

    p->state = TASK_RUNNING;
    p->cpu = select_task_rq(p);
    rq = &runqueues[p->cpu];
    spin_lock(&rq->lock);
    p->on_rq = 1;
    enqueue_task(rq, p);
    check_preempt_curr(rq, p);
    spin_unlock(&rq->lock);
}

/* p was about to sleep, or was preempted on the way, and has not left its queue. */
static bool ttwu_runnable(struct task_struct *p)
{
    struct rq *rq = task_rq_lock(p);
    bool on_rq = p->on_rq;

    if (on_rq)
        p->state = TASK_RUNNING;
    spin_unlock(&rq->lock);
    return on_rq;
}

bool wake_up_state(struct task_struct *p, unsigned int state)
{
    unsigned long flags;
    bool success = false;

    spin_lock_irqsave(&p->pi_lock, flags);
    smp_mb(); /* the waker's condition is visible before it looks at the sleeper's state */
    if (p->state & state) {
        success = true;
        if (!ttwu_runnable(p)) {
            while (smp_load_acquire(&p->on_cpu))
                cpu_relax();
            activate_task(p);
        }
    }
    spin_unlock_irqrestore(&p->pi_lock, flags);
    return success;
}

bool wake_up_process(struct task_struct *p)
{
    return wake_up_state(p, TASK_NORMAL);
}

void wake_up_new_task(struct task_struct *p)
{
    unsigned long flags;

    spin_lock_irqsave(&p->pi_lock, flags);
    activate_task(p);
    spin_unlock_irqrestore(&p->pi_lock, flags);
}

/* A hart with nothing to do takes a waiting task from another; rq is ours and locked. */
static struct task_struct *pull_task_from(struct rq *rq, unsigned int this_cpu, struct rq *busy)
{
    struct task_struct *p, *found = NULL;

    if (!READ_ONCE(busy->nr_queued) || !arch_spin_trylock(&busy->lock))
        return NULL;
    list_for_each_entry(p, &busy->queue[SCHED_CLASS_FAIR], run_list)
    {
        if (p->cpus_allowed >> this_cpu & 1) {
            found = p;
            break;
        }
    }
    if (found) {
        dequeue_task(busy, found);
        found->cpu = this_cpu;
        enqueue_task(rq, found);
    }
    arch_spin_unlock(&busy->lock);
    return found;
}

static void newidle_balance(struct rq *rq)
{
    unsigned int cpu, this_cpu = smp_processor_id();

    for_each_online_cpu(cpu) if (cpu != this_cpu &&
                                 pull_task_from(rq, this_cpu, &runqueues[cpu])) return;
}

static struct task_struct *pick_next_task(struct rq *rq)
{
    struct task_struct *next;
    int class;

    if (list_empty(&rq->queue[SCHED_CLASS_STOP]) && !rq->nr_queued)
        newidle_balance(rq);
    for (class = 0; class < SCHED_CLASSES; class ++) {
        if (list_empty(&rq->queue[class]))
            continue;
        next = list_first_entry(&rq->queue[class], struct task_struct, run_list);
        dequeue_task(rq, next);
        return next;
    }
    return rq->idle;
}

/* First thing on the new stack. Drops the lock that __schedule() took on the old one. */
static void finish_task_switch(struct task_struct *prev)
{
    bool dead = prev->state == TASK_DEAD;

    smp_store_release(&prev->on_cpu, 0);
    arch_spin_unlock(&this_rq()->lock);
    preempt_enable_no_resched();
    if (dead)
        put_task_struct(prev);
}

void schedule_tail(struct task_struct *prev)
{
    finish_task_switch(prev);
    preempt_enable_no_resched();
    local_irq_enable();
}

static void context_switch(struct rq *rq, struct task_struct *prev, struct task_struct *next)
{
    rq->curr = next;
    rq->slice_left = SLICE_TICKS;
    next->on_cpu = 1;
    switch_mm(prev->mm, next->mm);
    __switch_to_fpu(prev, next);
    prev = __switch_to(prev, next);
    finish_task_switch(prev);
}

/*
 * Preemption disabled once by the caller.  A preempted task stays on the queue
 * whatever its state: it had not come to sleeping yet.
 */
static void __schedule(bool preempt)
{
    struct task_struct *prev = current, *next;
    unsigned long flags;
    struct rq *rq;

    local_irq_save(flags);
    rq = this_rq();
    spin_lock(&rq->lock);
    clear_bit(TIF_NEED_RESCHED, &prev->flags);
    if (!preempt && prev->state != TASK_RUNNING)
        prev->on_rq = 0;
    else if (prev != rq->idle)
        enqueue_task(rq, prev);
    next = pick_next_task(rq);
    if (next == prev) {
        rq->slice_left = SLICE_TICKS;
        arch_spin_unlock(&rq->lock);
        preempt_enable_no_resched();
    } else {
        context_switch(rq, prev, next);
    }
    local_irq_restore(flags);
}

void schedule(void)
{
    do {
        preempt_disable();
        __schedule(false);
        preempt_enable_no_resched();
    } while (need_resched());
}

void preempt_schedule(void)
{
    if (preempt_count() || irqs_disabled())
        return;
    do {
        preempt_disable();
        __schedule(true);
        preempt_enable_no_resched();
    } while (need_resched());
}

/* From the end of an interrupt, with interrupts off. */
void preempt_schedule_irq(void)
{
    do {
        preempt_disable();
        __schedule(true);
        preempt_enable_no_resched();
    } while (need_resched());
}

/* From the timer interrupt. */
void scheduler_tick(void)
{
    struct rq *rq = this_rq();

    spin_lock(&rq->lock);
    if (rq->slice_left)
        rq->slice_left--;
    if (!rq->slice_left && rq->nr_queued)
        resched_curr(rq);
    spin_unlock(&rq->lock);
}

void sched_set_stop_task(unsigned int cpu, struct task_struct *stop)
{
    stop->sched_class = SCHED_CLASS_STOP;
    stop->cpus_allowed = 1UL << cpu;
    stop->cpu = cpu;
}

static void set_idle(unsigned int cpu, struct task_struct *idle)
{
    runqueues[cpu].idle = runqueues[cpu].curr = idle;
}

/* A hart that starts: its idle task runs from the first instruction, not to be preempted. */
void init_idle(struct task_struct *idle, unsigned int cpu)
{
    idle->pid = 0;
    idle->cpu = cpu;
    idle->cpus_allowed = 1UL << cpu;
    idle->state = TASK_RUNNING;
    idle->on_rq = idle->on_cpu = 1;
    idle->preempt_count = PREEMPT_OFFSET;
    set_idle(cpu, idle);
}

void sched_init(void)
{
    unsigned int cpu;
    int class;

    for (cpu = 0; cpu < NR_CPUS; cpu++)
        for (class = 0; class < SCHED_CLASSES; class ++)
            INIT_LIST_HEAD(&runqueues[cpu].queue[class]);
    INIT_LIST_HEAD(&init_task.run_list);
    init_task.stack = init_stack;
    list_add_tail(&init_task.tasks, &task_list);
    set_idle(0, &init_task);
}

/* Interrupts are off while we look, so a wake-up cannot fall between look and wfi. */
static void do_idle(void)
{
    while (!need_resched()) {
        local_irq_disable();
        if (!need_resched())
            wait_for_interrupt();
        local_irq_enable();
    }
    __schedule(false);
}

void cpu_startup_entry(void)
{
    for (;;)
        do_idle();
}

/* The last switch: whoever runs next drops the scheduler's reference. */
void do_task_dead(void)
{
    preempt_disable();
    local_irq_disable();
    current->state = TASK_DEAD;
    __schedule(false);
    panic("a dead task ran again");
}
