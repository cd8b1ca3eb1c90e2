/*
 * tree.c - RCU grace periods.
 *
 * A reader cannot be preempted, so a hart that switches tasks has left its read-side sections.
 * gp_cpus has a bit for each hart that still has to switch; a hart clears its bit after the
 * switch in __schedule(), and the last one wakes the waiter.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/export.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#define CREATE_TRACE_POINTS
#include <trace/events/rcu.h>
#undef CREATE_TRACE_POINTS

static DEFINE_MUTEX(gp_mutex);    /* one grace period at a time */
static struct completion gp_done; /* of the current grace period */
static unsigned long gp_cpus;     /* harts that still have to switch; changed by atomics only */

void rcu_note_context_switch(void)
{
    unsigned long bit = 1UL << smp_processor_id();

    trace_rcu_utilization(tracepoint_string("Start context switch"));
    if (READ_ONCE(gp_cpus) & bit && __atomic_fetch_and(&gp_cpus, ~bit, __ATOMIC_SEQ_CST) == bit)
        complete(&gp_done);
    trace_rcu_utilization(tracepoint_string("End context switch"));
}

/* This hart has no reader: it runs the caller. */
void synchronize_rcu(void)
{
    unsigned long others;
    unsigned int cpu;

    mutex_lock(&gp_mutex);
    init_completion(&gp_done);
    preempt_disable();
    others = READ_ONCE(cpu_online_mask) & ~(1UL << smp_processor_id());
    __atomic_store_n(&gp_cpus, others, __ATOMIC_SEQ_CST);
    for_each_cpu_in(cpu, others)
        resched_cpu(cpu);
    preempt_enable();
    if (others)
        wait_for_completion(&gp_done);
    mutex_unlock(&gp_mutex);
}
EXPORT_SYMBOL(synchronize_rcu);
