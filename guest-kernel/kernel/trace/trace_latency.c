/*
 * trace_latency.c - what the latency tracers share (trace_irqsoff.c, trace_sched_wakeup.c).
 *
 * Not instrumented.
 */
#include "trace_latency.h"
#include <linux/errno.h>

void latency_record_place(struct trace_array *tr, unsigned long ip, unsigned long parent_ip)
{
    if (is_graph(tr))
        trace_graph_function(tr, ip, tracing_gen_ctx());
    else
        trace_function(tr, ip, parent_ip, tracing_gen_ctx());
}

/* ---- functions ---- */

static int register_functions(struct latency_tracer *t, struct trace_array *tr, bool graph)
{
    int ret;

    if (t->function_enabled || !(tr->trace_flags & TRACE_ITER_FUNCTION))
        return 0;
    if (!graph)
        tr->ops->func = t->call;
    ret = graph ? register_ftrace_graph(t->graph_ops) : register_ftrace_function(tr->ops);
    t->function_enabled = !ret;
    return ret;
}

static void unregister_functions(struct latency_tracer *t, struct trace_array *tr, bool graph)
{
    if (!t->function_enabled)
        return;
    if (graph)
        unregister_ftrace_graph(t->graph_ops);
    else
        unregister_ftrace_function(tr->ops);
    tr->ops->func = ftrace_stub;
    t->function_enabled = false;
}

static int start(struct latency_tracer *t, struct trace_array *tr, bool graph)
{
    int ret = register_functions(t, tr, graph);

    WRITE_ONCE(t->enabled, !ret && tr->array_buffer.buffer->record_on);
    return ret;
}

static void stop(struct latency_tracer *t, struct trace_array *tr, bool graph)
{
    WRITE_ONCE(t->enabled, false);
    unregister_functions(t, tr, graph);
}

int latency_start(struct latency_tracer *t, struct trace_array *tr)
{
    return start(t, tr, is_graph(tr));
}

void latency_stop(struct latency_tracer *t, struct trace_array *tr)
{
    stop(t, tr, is_graph(tr));
}

/* ---- options ---- */

void latency_save_flags(struct latency_tracer *t, struct trace_array *tr, u32 flags)
{
    u32 flag;

    t->saved_flags = tr->trace_flags;
    for (; flags; flags &= ~flag) {
        flag = flags & -flags;
        set_tracer_flag(tr, flag, true);
    }
    tr->max_latency = 0;
}

void latency_restore_flags(struct latency_tracer *t, struct trace_array *tr, u32 flags)
{
    u32 flag;

    if (flags & ~t->saved_flags & TRACE_ITER_OVERWRITE) { /* which the tracer would not let go */
        WRITE_ONCE(tr->trace_flags, tr->trace_flags & ~TRACE_ITER_OVERWRITE);
        WRITE_ONCE(tr->array_buffer.buffer->overwrite, false);
        WRITE_ONCE(tr->max_buffer.buffer->overwrite, false);
    }
    for (flags &= ~TRACE_ITER_OVERWRITE; flags; flags &= ~flag) {
        flag = flags & -flags;
        set_tracer_flag(tr, flag, t->saved_flags & flag);
    }
}

static int function_flag_changed(struct latency_tracer *t, struct trace_array *tr, bool set)
{
    int ret;

    if (!set) {
        unregister_functions(t, tr, is_graph(tr));
        return 0;
    }
    tr->trace_flags |= TRACE_ITER_FUNCTION; /* which is looked at; the caller sets it again */
    ret = register_functions(t, tr, is_graph(tr));
    tr->trace_flags &= ~TRACE_ITER_FUNCTION;
    return ret;
}

int latency_flag_changed(struct latency_tracer *t, struct trace_array *tr, u32 mask, bool set)
{
    if (mask == TRACE_ITER_FUNCTION)
        return function_flag_changed(t, tr, set);
    if (mask == TRACE_ITER_OVERWRITE)
        return set ? 0 : -EINVAL;
    if (mask != TRACE_ITER_DISPLAY_GRAPH)
        return 0;
    stop(t, tr, !set);
    tr->max_latency = 0;
    t->clear(tr);
    return start(t, tr, set);
}

/* ---- output ---- */

int latency_open(struct trace_iterator *iter)
{
    if (!is_graph(iter->tr))
        return 0;
    iter->graph_flags = TRACE_GRAPH_PRINT_CPU | TRACE_GRAPH_PRINT_PROC |
                        TRACE_GRAPH_PRINT_REL_TIME | TRACE_GRAPH_PRINT_DURATION;
    return graph_trace_open(iter);
}

void latency_close(struct trace_iterator *iter)
{
    if (iter->private)
        graph_trace_close(iter);
}

void latency_print_header(struct seq_file *m, struct trace_iterator *iter)
{
    if (iter->private)
        print_graph_headers(m, iter);
    else
        trace_default_header(m, iter);
}

enum print_line_t latency_print_line(struct trace_iterator *iter)
{
    return iter->private ? print_graph_function(iter) : TRACE_TYPE_UNHANDLED;
}
