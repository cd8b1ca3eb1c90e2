/*
 * stop_machine.c - runs a function on one hart while all other harts wait.
 *
 * Each hart has a stopper thread of the highest scheduling class. stop_machine() gives all of
 * them the same work, multi_stop_cpu(), a sequence of states: the last hart that acknowledges a
 * state sets the next one. The stoppers have preempted all other tasks, so no task is inside
 * code that cannot be preempted.
 *
 * Not instrumented: harts spin here while the sites of the kernel change.
 */
#include <asm/barrier.h>
#include <asm/irqflags.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>

enum multi_stop_state {
    MULTI_STOP_NONE,
    MULTI_STOP_PREPARE,
    MULTI_STOP_DISABLE_IRQ,
    MULTI_STOP_RUN,
    MULTI_STOP_EXIT,
};

struct multi_stop_data {
    cpu_stop_fn_t fn;
    void *data;
    int result; /* set by the active hart before it acknowledges RUN */
    unsigned int num_threads;
    int active_cpu;
    enum multi_stop_state state; /* set by the last hart to acknowledge, with release */
    atomic_t thread_ack;
    atomic_t running; /* harts that have not left multi_stop_cpu() */
    struct completion completion;
};

struct cpu_stopper {
    struct task_struct *thread;
    spinlock_t lock;
    struct multi_stop_data *work; /* under lock; NULL when there is none */
};

static struct cpu_stopper cpu_stopper[NR_CPUS];
static DEFINE_MUTEX(stop_cpus_mutex); /* one stop_machine at a time */
static bool stoppers_ready;           /* set once at boot */

static __always_inline void set_state(struct multi_stop_data *msdata,
                                      enum multi_stop_state newstate)
{
    atomic_set(&msdata->thread_ack, msdata->num_threads);
    smp_store_release(&msdata->state, newstate);
}

static __always_inline void ack_state(struct multi_stop_data *msdata)
{
    if (atomic_dec_and_test(&msdata->thread_ack))
        set_state(msdata, msdata->state + 1);
}

static void multi_stop_cpu(struct multi_stop_data *msdata)
{
    enum multi_stop_state curstate = MULTI_STOP_NONE, newstate;

    do {
        cpu_relax();
        newstate = smp_load_acquire(&msdata->state);
        if (newstate == curstate)
            continue;
        curstate = newstate;
        if (curstate == MULTI_STOP_DISABLE_IRQ)
            local_irq_disable();
        else if (curstate == MULTI_STOP_RUN && current->cpu == msdata->active_cpu)
            msdata->result = msdata->fn(msdata->data);
        ack_state(msdata);
    } while (curstate != MULTI_STOP_EXIT);
    local_irq_enable();
}

NOKPROBE_SYMBOL(multi_stop_cpu);

static struct multi_stop_data *take_work(struct cpu_stopper *stopper)
{
    struct multi_stop_data *work;
    unsigned long flags;

    local_irq_save(flags);
    arch_spin_lock(&stopper->lock);
    work = stopper->work;
    stopper->work = NULL;
    if (!work)
        set_current_state(TASK_UNINTERRUPTIBLE);
    arch_spin_unlock(&stopper->lock);
    local_irq_restore(flags);
    return work;
}

static int cpu_stopper_thread(void *data)
{
    struct cpu_stopper *stopper = data;

    for (;;) {
        struct multi_stop_data *work = take_work(stopper);

        if (!work) {
            schedule();
            continue;
        }
        multi_stop_cpu(work);
        if (atomic_dec_and_test(&work->running))
            complete(&work->completion);
    }
    return 0;
}

/*
 * Preemption is disabled until all stoppers have their work: otherwise this hart's stopper
 * could run and spin for stoppers that have none yet.
 */
static void queue_stop_cpus_work(struct multi_stop_data *msdata, unsigned long cpus)
{
    unsigned int cpu;

    preempt_disable();
    for_each_cpu_in(cpu, cpus) {
        struct cpu_stopper *stopper = &cpu_stopper[cpu];
        unsigned long flags;

        local_irq_save(flags);
        arch_spin_lock(&stopper->lock);
        stopper->work = msdata;
        arch_spin_unlock(&stopper->lock);
        local_irq_restore(flags);
        wake_up_process(stopper->thread);
    }
    preempt_enable();
}

static int stop_alone(cpu_stop_fn_t fn, void *data)
{
    unsigned long flags;
    int ret;

    local_irq_save(flags);
    ret = fn(data);
    local_irq_restore(flags);
    return ret;
}

int stop_machine(cpu_stop_fn_t fn, void *data)
{
    unsigned long cpus = READ_ONCE(cpu_online_mask);
    struct multi_stop_data msdata = {
        .fn = fn,
        .data = data,
        .num_threads = num_online_cpus(),
        .active_cpu = __ffs(cpus),
    };

    if (!stoppers_ready)
        return stop_alone(fn, data);
    mutex_lock(&stop_cpus_mutex);
    init_completion(&msdata.completion);
    atomic_set(&msdata.running, msdata.num_threads);
    set_state(&msdata, MULTI_STOP_PREPARE);
    queue_stop_cpus_work(&msdata, cpus);
    wait_for_completion(&msdata.completion);
    mutex_unlock(&stop_cpus_mutex);
    return msdata.result;
}

void cpu_stop_init(void)
{
    unsigned int cpu;

    for_each_online_cpu(cpu) {
        struct cpu_stopper *stopper = &cpu_stopper[cpu];

        spin_lock_init(&stopper->lock);
        stopper->thread = kthread_create(cpu_stopper_thread, stopper, "migration/%u", cpu);
        BUG_ON(IS_ERR(stopper->thread));
        sched_set_stop_task(cpu, stopper->thread);
        wake_up_new_task(stopper->thread);
    }
    stoppers_ready = true;
}
