/*
 * trace_selftest_wakeup.c - the self-test of the tracers wakeup, wakeup_rt and wakeup_dl: the
 * wake-up of a deadline thread must be in the snapshot.
 *
 * Not instrumented.
 */
#include "trace_selftest.h"
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/printk.h>
#include <linux/sched.h>

static struct completion is_ready, go;

static int wakeup_test_thread(void *data)
{
    static const struct sched_attr attr = {.sched_policy = SCHED_DEADLINE,
                                           .sched_runtime = 100000,
                                           .sched_deadline = 10000000,
                                           .sched_period = 10000000};

    (void)data;
    if (sched_setattr(current, &attr))
        printk("Failed to make a deadline task ");
    complete(&is_ready);
    wait_for_completion(&go);
    complete(&is_ready);
    while (!kthread_should_stop())
        msleep(1);
    return 0;
}

static int check_wakeup(struct trace_array *tr)
{
    unsigned long count, kept;
    int ret = trace_test_buffer(&tr->array_buffer, &count);

    if (!ret)
        ret = trace_test_buffer(&tr->max_buffer, &kept);
    if (!ret && (!kept || !tr->max_latency)) {
        printk(".. no entries found ..");
        ret = -1;
    }
    return ret;
}

/* The thread sleeps: no matter what else the tracer has seen, its wake-up is longer than 0. */
static int wake_traced(struct tracer *trace, struct trace_array *tr)
{
    int ret = trace->init(tr);

    if (ret) {
        printk("Failed to init %s tracer, init returned %d ", trace->name, ret);
        return ret;
    }
    tr->max_latency = 0;
    complete(&go);
    wait_for_completion(&is_ready);
    trace->stop(tr);
    ret = check_wakeup(tr);
    trace->reset(tr);
    return ret;
}

int trace_selftest_startup_wakeup(struct tracer *trace, struct trace_array *tr)
{
    unsigned long old_max = tr->max_latency;
    struct task_struct *p;
    int ret;

    init_completion(&is_ready);
    init_completion(&go);
    p = kthread_run(wakeup_test_thread, NULL, "ftrace-test");
    if (IS_ERR(p)) {
        printk("Failed to create ftrace wakeup test thread ");
        return -1;
    }
    wait_for_completion(&is_ready);
    while (READ_ONCE(p->on_rq)) /* it is on its way to sleep */
        msleep(1);
    ret = tracing_alloc_snapshot_instance(tr);
    if (!ret) {
        ret = wake_traced(trace, tr);
        tracing_free_snapshot_instance(tr);
    }
    complete_all(&go);
    kthread_stop(p);
    tr->max_latency = old_max;
    return ret;
}
