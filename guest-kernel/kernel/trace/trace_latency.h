/*
 * trace_latency.h - what the latency tracers share: the functions that they trace meanwhile, the
 * trace's options that they change, and how they print.
 */
#ifndef KERNEL_TRACE_LATENCY_H
#define KERNEL_TRACE_LATENCY_H

#include "trace_graph.h"

/* The tracers of one file; one of them can be current. Changed under trace_types_lock. */
struct latency_tracer {
    ftrace_func_t call;                    /* for each function of the trace's filter, */
    struct fgraph_ops *graph_ops;          /* or, with the option display-graph, this */
    void (*clear)(struct trace_array *tr); /* what was recorded, because its form changes */
    bool enabled;                          /* tracing_on */
    bool function_enabled;                 /* the functions are registered */
    u32 saved_flags;                       /* the trace's options of before */
};

static inline bool is_graph(const struct trace_array *tr)
{
    return READ_ONCE(tr->trace_flags) & TRACE_ITER_DISPLAY_GRAPH;
}

/* Whether it takes longer than the longest so far, or than tracing_thresh if there is one. */
static inline bool report_latency(const struct trace_array *tr, u64 delta)
{
    unsigned long least = READ_ONCE(tracing_thresh);

    return least ? delta >= least : delta > READ_ONCE(tr->max_latency);
}

/* Records a place as the trace shows functions. */
void latency_record_place(struct trace_array *tr, unsigned long ip, unsigned long parent_ip);

/* Sets the options that the tracers want, flags, and what a latency begins with. */
void latency_save_flags(struct latency_tracer *t, struct trace_array *tr, u32 flags);
void latency_restore_flags(struct latency_tracer *t, struct trace_array *tr, u32 flags);
/* Registers the functions, and turns the tracer on if tracing is on. */
int latency_start(struct latency_tracer *t, struct trace_array *tr);
/* Turns the tracer off. */
void latency_stop(struct latency_tracer *t, struct trace_array *tr);

/* For struct tracer. */
int latency_flag_changed(struct latency_tracer *t, struct trace_array *tr, u32 mask, bool set);
int latency_open(struct trace_iterator *iter);
void latency_close(struct trace_iterator *iter);
void latency_print_header(struct seq_file *m, struct trace_iterator *iter);
enum print_line_t latency_print_line(struct trace_iterator *iter);

#endif
