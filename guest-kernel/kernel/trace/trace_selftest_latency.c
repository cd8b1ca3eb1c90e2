/*
 * trace_selftest_latency.c - self-tests of the tracers of sections: one section of 100 us must be
 * in the snapshot.
 *
 * Not instrumented.
 */
#include "trace_selftest.h"
#include <asm/irqflags.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/timekeeping.h>

enum { SECTION_US = 100 };

static void section(bool irqs, bool preempt)
{
    if (preempt)
        preempt_disable();
    if (irqs)
        local_irq_disable();
    udelay(SECTION_US);
    if (irqs)
        local_irq_enable();
    if (preempt)
        preempt_enable();
}

static int check_section(struct trace_array *tr)
{
    unsigned long count, kept;
    int ret = trace_test_buffer(&tr->array_buffer, &count);

    if (!ret)
        ret = trace_test_buffer(&tr->max_buffer, &kept);
    if (!ret && !kept) {
        printk(".. no entries found ..");
        ret = -1;
    }
    if (!ret && tr->max_latency < SECTION_US * NSEC_PER_USEC) {
        printk(".. longest is %lu ns ..", tr->max_latency);
        ret = -1;
    }
    return ret;
}

static int test_tracer(struct tracer *trace, struct trace_array *tr, bool irqs, bool preempt)
{
    unsigned long old_max = tr->max_latency;
    int ret = tracing_alloc_snapshot_instance(tr);

    if (!ret)
        ret = trace->init(tr);
    if (ret) {
        printk("Failed to init %s tracer, init returned %d ", trace->name, ret);
        return ret;
    }
    section(irqs, preempt);
    trace->stop(tr);
    ret = check_section(tr);
    trace->reset(tr);
    tracing_free_snapshot_instance(tr);
    tr->max_latency = old_max;
    return ret;
}

int trace_selftest_startup_irqsoff(struct tracer *trace, struct trace_array *tr)
{
    return test_tracer(trace, tr, true, false);
}

int trace_selftest_startup_preemptoff(struct tracer *trace, struct trace_array *tr)
{
    return test_tracer(trace, tr, false, true);
}

int trace_selftest_startup_preemptirqsoff(struct tracer *trace, struct trace_array *tr)
{
    return test_tracer(trace, tr, true, true);
}
