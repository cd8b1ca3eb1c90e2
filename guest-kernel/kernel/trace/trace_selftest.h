/* trace_selftest.h - what the tracers' tests of themselves are made of. */
#ifndef KERNEL_TRACE_SELFTEST_H
#define KERNEL_TRACE_SELFTEST_H

#include "trace.h"

#define DYN_FTRACE_TEST_NAME  trace_selftest_dynamic_test_func
#define DYN_FTRACE_TEST_NAME2 trace_selftest_dynamic_test_func2

int DYN_FTRACE_TEST_NAME(void);
int DYN_FTRACE_TEST_NAME2(void);

/* A tracer's `selftest`: 0 or -1, with the reason on the console. Under trace_types_lock. */
int trace_selftest_startup_function(struct tracer *trace, struct trace_array *tr);
int trace_selftest_startup_function_graph(struct tracer *trace, struct trace_array *tr);
int trace_selftest_startup_nop(struct tracer *trace, struct trace_array *tr);

/* Runs all of them. -1: one fails, and leaves the list of tracers; -EBUSY: one is in use. */
int trace_run_selftests(void);

#endif
