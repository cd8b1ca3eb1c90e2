/*
 * trace_nop.c - the tracer nop, which traces nothing; trace_marker still writes to the trace.
 *
 * Its two options are for tests: one is accepted, one refused.
 */
#include "trace_selftest.h"
#include <linux/errno.h>
#include <linux/printk.h>

enum { TRACE_NOP_OPT_ACCEPT = 1, TRACE_NOP_OPT_REFUSE = 2 };

static const struct tracer_opt nop_opts[] = {
    {"test_nop_accept", TRACE_NOP_OPT_ACCEPT},
    {"test_nop_refuse", TRACE_NOP_OPT_REFUSE},
    {NULL, 0},
};
static struct tracer_flags nop_flags = {.opts = nop_opts};

static int nop_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, bool set)
{
    (void)tr;
    (void)old_flags;
    (void)set;
    return bit == TRACE_NOP_OPT_REFUSE ? -EINVAL : 0;
}

static struct tracer nop_trace = {
    .name = "nop",
    .set_flag = nop_set_flag,
    .flags = &nop_flags,
    .allow_instances = true,
    .selftest = trace_selftest_startup_nop,
};

int init_nop_trace(void)
{
    global_trace.current_trace = &nop_trace;
    return register_tracer(&nop_trace);
}
