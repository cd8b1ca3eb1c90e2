/* trace_selftest.h - self-tests of the tracers. */
#ifndef KERNEL_TRACE_SELFTEST_H
#define KERNEL_TRACE_SELFTEST_H

#include "trace.h"

#define DYN_FTRACE_TEST_NAME  trace_selftest_dynamic_test_func
#define DYN_FTRACE_TEST_NAME2 trace_selftest_dynamic_test_func2

int DYN_FTRACE_TEST_NAME(void);
int DYN_FTRACE_TEST_NAME2(void);

/*
 * The selftest functions of the tracers: return 0, or -1 after a message. trace_types_lock is
 * held.
 */
int trace_selftest_startup_function(struct tracer *trace, struct trace_array *tr);
int trace_selftest_startup_function_graph(struct tracer *trace, struct trace_array *tr);
int trace_selftest_startup_nop(struct tracer *trace, struct trace_array *tr);

int trace_selftest_startup_wakeup(struct tracer *trace, struct trace_array *tr);
int trace_selftest_startup_irqsoff(struct tracer *trace, struct trace_array *tr);
int trace_selftest_startup_preemptoff(struct tracer *trace, struct trace_array *tr);
int trace_selftest_startup_preemptirqsoff(struct tracer *trace, struct trace_array *tr);

/* trace_selftest.c: consumes and counts the entries of the trace, or of its snapshot. 0 or -1. */
int trace_test_buffer(struct array_buffer *buf, unsigned long *count);

/* Runs all self-tests. -1: a tracer failed and was unregistered; -EBUSY: a tracer is active. */
int trace_run_selftests(void);

#endif
