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
    TRACE_GRAPH_PRINT_REL_TIME = 0x40,
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

/*
 * trace_functions_graph.c, for tracers that show calls of their own choice. Interrupts are off.
 */
/* Whether the filters, or the depth, leave this call out. */
bool ftrace_graph_ignore_func(const struct ftrace_graph_ent *trace);
/* Whether set_graph_notrace has the function: then it is followed, but nothing in it is recorded.
 */
bool ftrace_graph_notrace_begins(const struct ftrace_graph_ent *trace);
/* The function returns: true if it is inside one that is not recorded. */
bool ftrace_graph_call_ends(const struct ftrace_graph_ret *trace);
bool __trace_graph_entry(struct trace_array *tr, const struct ftrace_graph_ent *trace,
                         unsigned int trace_ctx);
void __trace_graph_return(struct trace_array *tr, const struct ftrace_graph_ret *trace,
                          unsigned int trace_ctx);
/* Records a place as a call that returns at once. */
void trace_graph_function(struct trace_array *tr, unsigned long ip, unsigned int trace_ctx);

/* ftrace_profile.c: whether a function's time includes its calls. Option graph-time. */
void ftrace_graph_graph_time_control(bool enable);

#endif
