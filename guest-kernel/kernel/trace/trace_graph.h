/* trace_graph.h - shared by recording and output of the function graph. */
#ifndef KERNEL_TRACE_GRAPH_H
#define KERNEL_TRACE_GRAPH_H

#include "trace.h"

enum {
    TRACE_GRAPH_PRINT_OVERRUN = 0x1,
    TRACE_GRAPH_PRINT_CPU = 0x2,
    TRACE_GRAPH_PRINT_OVERHEAD = 0x4,
    TRACE_GRAPH_PRINT_PROC = 0x8,
    TRACE_GRAPH_PRINT_DURATION = 0x10,
    TRACE_GRAPH_PRINT_ABS_TIME = 0x20,
    TRACE_GRAPH_PRINT_IRQS = 0x80,
    TRACE_GRAPH_PRINT_TAIL = 0x100,
    TRACE_GRAPH_SLEEP_TIME = 0x200,
    TRACE_GRAPH_GRAPH_TIME = 0x400,
    TRACE_GRAPH_PRINT_RETVAL = 0x800,
    TRACE_GRAPH_PRINT_RETVAL_HEX = 0x1000,
};

extern struct tracer_flags graph_flags;

/* The state of the output is kept in iter->private. */
int graph_trace_open(struct trace_iterator *iter);
void graph_trace_close(struct trace_iterator *iter);
void print_graph_headers(struct seq_file *m, struct trace_iterator *iter);
enum print_line_t print_graph_function(struct trace_iterator *iter);
void init_graph_events(void);
void trace_print_graph_duration(u64 ns, struct trace_seq *s);

/* ftrace_profile.c: whether a function's time includes its calls. Option graph-time. */
void ftrace_graph_graph_time_control(bool enable);

#endif
