/*
 * trace_functions_graph.c - the function_graph tracer: records calls and returns, which
 * trace_graph_output.c prints.
 *
 * Not instrumented.
 */
#include "pid_list.h"
#include "trace_graph.h"
#include "trace_selftest.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/sched.h>

static const struct tracer_opt graph_opts[] = {
    {"funcgraph-overrun", TRACE_GRAPH_PRINT_OVERRUN},
    {"funcgraph-cpu", TRACE_GRAPH_PRINT_CPU},
    {"funcgraph-overhead", TRACE_GRAPH_PRINT_OVERHEAD},
    {"funcgraph-proc", TRACE_GRAPH_PRINT_PROC},
    {"funcgraph-duration", TRACE_GRAPH_PRINT_DURATION},
    {"funcgraph-abstime", TRACE_GRAPH_PRINT_ABS_TIME},
    {"funcgraph-irqs", TRACE_GRAPH_PRINT_IRQS},
    {"funcgraph-tail", TRACE_GRAPH_PRINT_TAIL},
    {"funcgraph-retval", TRACE_GRAPH_PRINT_RETVAL},
    {"funcgraph-retval-hex", TRACE_GRAPH_PRINT_RETVAL_HEX},
    {"sleep-time", TRACE_GRAPH_SLEEP_TIME},
    {"graph-time", TRACE_GRAPH_GRAPH_TIME},
    {NULL, 0},
};
struct tracer_flags graph_flags = {
    .val = TRACE_GRAPH_PRINT_CPU | TRACE_GRAPH_PRINT_OVERHEAD | TRACE_GRAPH_PRINT_DURATION |
           TRACE_GRAPH_PRINT_IRQS | TRACE_GRAPH_SLEEP_TIME | TRACE_GRAPH_GRAPH_TIME,
    .opts = graph_opts,
};

/* set_graph_function (NULL or empty: all) and set_graph_notrace. Readers have interrupts off. */
struct ftrace_hash *ftrace_graph_hash, *ftrace_graph_notrace_hash;
unsigned int fgraph_max_depth;

/* The task's marks hold depth + 1; 0: the task is not inside such a function. */
static bool graph_function_begins(const struct ftrace_graph_ent *trace)
{
    const struct ftrace_hash *hash = READ_ONCE(ftrace_graph_hash);

    if (ftrace_hash_empty(hash))
        return true;
    if (!ftrace_lookup_ip(hash, trace->func))
        return false;
    current->trace_graph_depth = trace->depth + 1;
    return true;
}

/* The call is followed, to get its return, but not recorded. */
bool ftrace_graph_notrace_begins(const struct ftrace_graph_ent *trace)
{
    const struct ftrace_hash *hash = READ_ONCE(ftrace_graph_notrace_hash);

    if (ftrace_hash_empty(hash) || !ftrace_lookup_ip(hash, trace->func))
        return false;
    current->trace_graph_notrace_depth = trace->depth + 1;
    return true;
}

static bool graph_ignore_irqs(void)
{
    return !(READ_ONCE(graph_flags.val) & TRACE_GRAPH_PRINT_IRQS) && in_hardirq();
}

bool ftrace_graph_ignore_func(const struct ftrace_graph_ent *trace)
{
    unsigned int max = READ_ONCE(fgraph_max_depth);

    if (!current->trace_graph_depth && !graph_function_begins(trace))
        return true;
    return trace->depth < 0 || (max && (unsigned int)trace->depth >= max);
}

bool __trace_graph_entry(struct trace_array *tr, const struct ftrace_graph_ent *trace,
                         unsigned int trace_ctx)
{
    struct trace_buffer *buffer = trace_buffer_of(tr);
    struct ftrace_graph_ent_entry *entry =
        trace_buffer_lock_reserve(buffer, TRACE_GRAPH_ENT, sizeof(*entry), trace_ctx);

    if (!entry)
        return false;
    entry->graph_ent = *trace;
    trace_buffer_unlock_commit(tr, buffer);
    return true;
}

/* Clears the mark set for a call that will not be followed, since its return will not be seen. */
static int do_not_follow(const struct ftrace_graph_ent *trace)
{
    if (current->trace_graph_depth == trace->depth + 1)
        current->trace_graph_depth = 0;
    return 0;
}

static int graph_entry(const struct ftrace_graph_ent *trace, unsigned int trace_ctx)
{
    if (current->trace_graph_notrace_depth)
        return 0;
    if (ftrace_graph_notrace_begins(trace))
        return 1;
    if (!ftrace_trace_task(&global_trace, current))
        return 0;
    if (ftrace_graph_ignore_func(trace) || graph_ignore_irqs() ||
        !__trace_graph_entry(&global_trace, trace, trace_ctx))
        return do_not_follow(trace);
    return 1;
}

int trace_graph_entry(struct ftrace_graph_ent *trace)
{
    unsigned long flags;
    int follow;

    raw_local_irq_save(flags);
    follow = graph_entry(trace, tracing_gen_ctx_flags(flags));
    raw_local_irq_restore(flags);
    return follow;
}

bool ftrace_graph_call_ends(const struct ftrace_graph_ret *trace)
{
    if (current->trace_graph_depth == trace->depth + 1)
        current->trace_graph_depth = 0;
    if (!current->trace_graph_notrace_depth)
        return false;
    current->trace_graph_notrace_depth = 0;
    return true;
}

void __trace_graph_return(struct trace_array *tr, const struct ftrace_graph_ret *trace,
                          unsigned int trace_ctx)
{
    struct trace_buffer *buffer = trace_buffer_of(tr);
    struct ftrace_graph_ret_entry *entry =
        trace_buffer_lock_reserve(buffer, TRACE_GRAPH_RET, sizeof(*entry), trace_ctx);

    if (!entry)
        return;
    entry->ret = *trace;
    trace_buffer_unlock_commit(tr, buffer);
}

void trace_graph_function(struct trace_array *tr, unsigned long ip, unsigned int trace_ctx)
{
    u64 now = trace_clock_now(tr);
    struct ftrace_graph_ent ent = {.func = ip, .depth = 0};
    struct ftrace_graph_ret ret = {.func = ip, .depth = 0, .calltime = now, .rettime = now};

    __trace_graph_entry(tr, &ent, trace_ctx);
    __trace_graph_return(tr, &ret, trace_ctx);
}

static void graph_return(const struct ftrace_graph_ret *trace, unsigned int trace_ctx)
{
    if (!ftrace_graph_call_ends(trace))
        __trace_graph_return(&global_trace, trace, trace_ctx);
}

void trace_graph_return(struct ftrace_graph_ret *trace)
{
    unsigned long flags;

    raw_local_irq_save(flags);
    graph_return(trace, tracing_gen_ctx_flags(flags));
    raw_local_irq_restore(flags);
}

static struct fgraph_ops funcgraph_ops = {
    .entryfunc = trace_graph_entry,
    .retfunc = trace_graph_return,
    .ops = {INIT_OPS_HASH(global_ops)},
};

/* With tracing_thresh, only the returns of functions that took as long are recorded. */
static int thresh_entry(struct ftrace_graph_ent *trace)
{
    if (current->trace_graph_notrace_depth)
        return 0;
    if (ftrace_graph_notrace_begins(trace))
        return 1;
    if (!ftrace_trace_task(&global_trace, current))
        return 0;
    return ftrace_graph_ignore_func(trace) || graph_ignore_irqs() ? do_not_follow(trace) : 1;
}

static int trace_graph_thresh_entry(struct ftrace_graph_ent *trace)
{
    unsigned long flags;
    int follow;

    raw_local_irq_save(flags);
    follow = thresh_entry(trace);
    raw_local_irq_restore(flags);
    return follow;
}

static void trace_graph_thresh_return(struct ftrace_graph_ret *trace)
{
    unsigned long flags;

    raw_local_irq_save(flags);
    if (!ftrace_graph_call_ends(trace) &&
        trace->rettime - trace->calltime >= READ_ONCE(tracing_thresh))
        __trace_graph_return(&global_trace, trace, tracing_gen_ctx_flags(flags));
    raw_local_irq_restore(flags);
}

static struct fgraph_ops funcgraph_thresh_ops = {
    .entryfunc = trace_graph_thresh_entry,
    .retfunc = trace_graph_thresh_return,
    .ops = {INIT_OPS_HASH(global_ops)},
};

static struct fgraph_ops *active_ops; /* under trace_types_lock */

static int graph_trace_init(struct trace_array *tr)
{
    (void)tr;
    active_ops = tracing_thresh ? &funcgraph_thresh_ops : &funcgraph_ops;
    return register_ftrace_graph(active_ops);
}

static void graph_trace_reset(struct trace_array *tr)
{
    (void)tr;
    unregister_ftrace_graph(active_ops);
}

static int graph_trace_update_thresh(struct trace_array *tr)
{
    graph_trace_reset(tr);
    return graph_trace_init(tr);
}

static int graph_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, bool set)
{
    (void)tr;
    (void)old_flags;
    if (bit == TRACE_GRAPH_SLEEP_TIME)
        ftrace_graph_sleep_time_control(set);
    if (bit == TRACE_GRAPH_GRAPH_TIME)
        ftrace_graph_graph_time_control(set);
    return 0;
}

static struct tracer graph_trace = {
    .name = "function_graph",
    .init = graph_trace_init,
    .reset = graph_trace_reset,
    .open = graph_trace_open,
    .close = graph_trace_close,
    .pipe_open = graph_trace_open,
    .pipe_close = graph_trace_close,
    .print_header = print_graph_headers,
    .print_line = print_graph_function,
    .set_flag = graph_set_flag,
    .update_thresh = graph_trace_update_thresh,
    .flags = &graph_flags,
    .selftest = trace_selftest_startup_function_graph,
};

int init_graph_trace(void)
{
    init_graph_events();
    return register_tracer(&graph_trace);
}
