/*
 * trace_irqsoff.c - the tracers irqsoff, preemptoff and preemptirqsoff: the longest section
 * without interrupts, without preemption, or without either.
 *
 * A section begins at the outermost preempt_disable(), or where interrupts are turned off; for
 * preemptirqsoff, at the first of the two. What its hart calls until the end is recorded; if it
 * was the longest so far, the hart's ring becomes the snapshot, which `trace` shows.
 *
 * Only in kernels that tell of these places (FLAVOUR=latency). Not instrumented.
 */
#include "trace_irqsoff.h"
#include "trace_graph.h"
#include "trace_selftest.h"
#include <asm/irqflags.h>
#include <asm/stacktrace.h>
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/smp.h>

enum { TRACER_IRQS_OFF = 1, TRACER_PREEMPT_OFF = 2 };

unsigned int irqsoff_type;

static struct trace_array *irqsoff_trace = &global_trace;
static bool tracer_enabled;   /* tracing_on */
static bool function_enabled; /* under trace_types_lock, like the next two */
static bool irqsoff_busy;
static u32 saved_flags;

static bool tracing_cpu[NR_CPUS]; /* the hart is in a section; used by it alone */
/* Counts the new maxima: a section that has seen one begins with older entries. */
static unsigned long max_sequence;
static spinlock_t max_trace_lock; /* arch_spin_* only, with interrupts off */

static __always_inline bool preempt_trace(void)
{
    return (READ_ONCE(irqsoff_type) & TRACER_PREEMPT_OFF) && preempt_count();
}

static __always_inline bool irq_trace(void)
{
    return (READ_ONCE(irqsoff_type) & TRACER_IRQS_OFF) && irqs_disabled();
}

static bool is_graph(const struct trace_array *tr)
{
    return READ_ONCE(tr->trace_flags) & TRACE_ITER_DISPLAY_GRAPH;
}

/* ---- what happens in a section; interrupts are off by raw_local_irq_save() ---- */

/* NULL: the hart is in no section, or in the tracer itself. */
static struct trace_array_cpu *section_data(unsigned long flags)
{
    unsigned int cpu = raw_smp_processor_id();
    struct trace_array_cpu *data = &irqsoff_trace->array_buffer.data[cpu];

    if (!tracing_cpu[cpu] || (!irqs_disabled_flags(flags) && !preempt_count()) ||
        atomic_read(&data->disabled))
        return NULL;
    return data;
}

static void irqsoff_tracer_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                                struct ftrace_regs *fregs)
{
    struct trace_array_cpu *data;
    unsigned long flags;

    (void)op;
    (void)fregs;
    if (likely(!READ_ONCE(tracing_cpu[raw_smp_processor_id()])))
        return;
    raw_local_irq_save(flags);
    data = section_data(flags);
    if (data) {
        atomic_inc(&data->disabled);
        trace_function(irqsoff_trace, ip, parent_ip, tracing_gen_ctx_flags(flags));
        atomic_dec(&data->disabled);
    }
    raw_local_irq_restore(flags);
}

static int graph_entry(const struct ftrace_graph_ent *trace, unsigned long flags)
{
    struct trace_array_cpu *data;
    bool follow;

    if (ftrace_graph_ignore_func(trace))
        return 0;
    if (ftrace_graph_notrace_begins(trace))
        return 1;
    data = section_data(flags);
    if (!data)
        return 0;
    atomic_inc(&data->disabled);
    follow = __trace_graph_entry(irqsoff_trace, trace, tracing_gen_ctx_flags(flags));
    atomic_dec(&data->disabled);
    return follow;
}

static int irqsoff_graph_entry(struct ftrace_graph_ent *trace)
{
    unsigned long flags;
    int follow;

    if (likely(!READ_ONCE(tracing_cpu[raw_smp_processor_id()])))
        return 0;
    raw_local_irq_save(flags);
    follow = current->trace_graph_notrace_depth ? 0 : graph_entry(trace, flags);
    raw_local_irq_restore(flags);
    return follow;
}

static void irqsoff_graph_return(struct ftrace_graph_ret *trace)
{
    struct trace_array_cpu *data;
    unsigned long flags;

    raw_local_irq_save(flags);
    data = ftrace_graph_call_ends(trace) ? NULL : section_data(flags);
    if (data) {
        atomic_inc(&data->disabled);
        __trace_graph_return(irqsoff_trace, trace, tracing_gen_ctx_flags(flags));
        atomic_dec(&data->disabled);
    }
    raw_local_irq_restore(flags);
}

static struct fgraph_ops irqsoff_graph_ops = {
    .entryfunc = irqsoff_graph_entry,
    .retfunc = irqsoff_graph_return,
    .ops = {INIT_OPS_HASH(global_ops)},
};

/* ---- the beginning and the end of a section ---- */

static void record_place(struct trace_array *tr, unsigned long ip, unsigned long parent_ip)
{
    if (is_graph(tr))
        trace_graph_function(tr, ip, tracing_gen_ctx());
    else
        trace_function(tr, ip, parent_ip, tracing_gen_ctx());
}

/* The stack from the function on that ends the section, at ip. */
static void record_stack(struct trace_array *tr, unsigned long ip)
{
    unsigned long callers[32];
    unsigned int i, n = stack_trace_save(callers, ARRAY_SIZE(callers), 1);

    for (i = 0; i < n && callers[i] != ip; i++)
        ;
    if (i == n)
        i = 0;
    trace_stack(tr, callers + i, n - i, tracing_gen_ctx());
}

static bool report_latency(const struct trace_array *tr, u64 delta)
{
    unsigned long least = READ_ONCE(tracing_thresh);

    return least ? delta >= least : delta > READ_ONCE(tr->max_latency);
}

static noinline void note_section(struct trace_array *tr, struct trace_array_cpu *data, u64 delta,
                                  unsigned long tracer, unsigned long ip, unsigned long parent_ip)
{
    unsigned int cpu = raw_smp_processor_id();

    arch_spin_lock(&max_trace_lock);
    if (report_latency(tr, delta)) { /* still */
        record_place(tr, tracer, parent_ip);
        record_stack(tr, ip);
        if (data->critical_sequence == max_sequence) {
            data->critical_end = parent_ip;
            if (!READ_ONCE(tr->stop_count)) {
                tr->max_latency = delta;
                update_max_tr_single(tr, current, cpu);
            }
            max_sequence++;
        }
    }
    arch_spin_unlock(&max_trace_lock);
}

static noinline void start_critical_timing(unsigned long ip, unsigned long parent_ip)
{
    unsigned int cpu = raw_smp_processor_id();
    struct trace_array *tr = irqsoff_trace;
    struct trace_array_cpu *data = &tr->array_buffer.data[cpu];
    unsigned long flags;

    if (!READ_ONCE(tracer_enabled) || tracing_cpu[cpu] || atomic_read(&data->disabled))
        return;
    raw_local_irq_save(flags); /* for a section that only has no preemption */
    atomic_inc(&data->disabled);
    data->critical_sequence = READ_ONCE(max_sequence);
    data->preempt_timestamp = trace_clock_now(tr);
    data->critical_start = parent_ip ? parent_ip : ip;
    raw_local_irq_restore(flags);
    record_place(tr, ip, parent_ip);
    tracing_cpu[cpu] = true;
    atomic_dec(&data->disabled);
}

/* tracer: the function that was told. */
static noinline void stop_critical_timing(unsigned long tracer, unsigned long ip,
                                          unsigned long parent_ip)
{
    unsigned int cpu = raw_smp_processor_id();
    struct trace_array *tr = irqsoff_trace;
    struct trace_array_cpu *data = &tr->array_buffer.data[cpu];
    unsigned long flags;
    u64 delta;

    if (!tracing_cpu[cpu])
        return;
    tracing_cpu[cpu] = false;
    if (!READ_ONCE(tracer_enabled) || !data->critical_start || atomic_read(&data->disabled))
        return;
    atomic_inc(&data->disabled);
    record_place(tr, ip, parent_ip);
    delta = trace_clock_now(tr) - data->preempt_timestamp;
    if (report_latency(tr, delta)) {
        raw_local_irq_save(flags);
        note_section(tr, data, delta, tracer, ip, parent_ip ? parent_ip : ip);
        raw_local_irq_restore(flags);
    }
    data->critical_start = 0;
    atomic_dec(&data->disabled);
}

void tracer_hardirqs_on(unsigned long ip, unsigned long parent_ip)
{
    if (!preempt_trace() && irq_trace())
        stop_critical_timing((unsigned long)tracer_hardirqs_on, ip, parent_ip);
}

void tracer_hardirqs_off(unsigned long ip, unsigned long parent_ip)
{
    if (!preempt_trace() && irq_trace())
        start_critical_timing(ip, parent_ip);
}

void tracer_preempt_on(unsigned long ip, unsigned long parent_ip)
{
    if (preempt_trace() && !irq_trace())
        stop_critical_timing((unsigned long)tracer_preempt_on, ip, parent_ip);
}

void tracer_preempt_off(unsigned long ip, unsigned long parent_ip)
{
    if (preempt_trace() && !irq_trace())
        start_critical_timing(ip, parent_ip);
}

void stop_critical_timings(void)
{
    if (preempt_trace() || irq_trace())
        stop_critical_timing((unsigned long)stop_critical_timings, return_address(0),
                             return_address(1));
}

void start_critical_timings(void)
{
    if (preempt_trace() || irq_trace())
        start_critical_timing(return_address(0), return_address(1));
}

/* ---- the tracers; under trace_types_lock ---- */

/* The functions are those of the trace's filter. */
static int register_functions(struct trace_array *tr, bool graph)
{
    int ret;

    if (function_enabled || !(tr->trace_flags & TRACE_ITER_FUNCTION))
        return 0;
    if (!graph)
        tr->ops->func = irqsoff_tracer_call;
    ret = graph ? register_ftrace_graph(&irqsoff_graph_ops) : register_ftrace_function(tr->ops);
    function_enabled = !ret;
    return ret;
}

static void unregister_functions(struct trace_array *tr, bool graph)
{
    if (!function_enabled)
        return;
    if (graph)
        unregister_ftrace_graph(&irqsoff_graph_ops);
    else
        unregister_ftrace_function(tr->ops);
    tr->ops->func = ftrace_stub;
    function_enabled = false;
}

static int irqsoff_flag_changed(struct trace_array *tr, u32 mask, bool set)
{
    unsigned int cpu;

    if (mask == TRACE_ITER_FUNCTION) {
        if (!set) {
            unregister_functions(tr, is_graph(tr));
            return 0;
        }
        tr->trace_flags |= mask; /* register_functions() looks at it; the caller sets it again */
        mask = register_functions(tr, is_graph(tr));
        tr->trace_flags &= ~TRACE_ITER_FUNCTION;
        return mask;
    }
    if (mask != TRACE_ITER_DISPLAY_GRAPH)
        return mask == TRACE_ITER_OVERWRITE && !set ? -EINVAL : 0;
    WRITE_ONCE(tracer_enabled, false);
    unregister_functions(tr, !set);
    kick_all_cpus_sync();
    for (cpu = 0; cpu < NR_CPUS; cpu++)
        tracing_cpu[cpu] = false;
    tr->max_latency = 0;
    tracing_reset_online_cpus(&tr->array_buffer);
    tracing_reset_online_cpus(&tr->max_buffer);
    WRITE_ONCE(tracer_enabled, true);
    return register_functions(tr, set);
}

static int irqsoff_init(struct trace_array *tr, unsigned int type)
{
    enum { WANTED = TRACE_ITER_OVERWRITE | TRACE_ITER_LATENCY_FMT | TRACE_ITER_PAUSE_ON_TRACE };
    int ret;

    if (irqsoff_busy)
        return -EBUSY;
    saved_flags = tr->trace_flags;
    set_tracer_flag(tr, TRACE_ITER_OVERWRITE, true);
    set_tracer_flag(tr, TRACE_ITER_LATENCY_FMT, true);
    set_tracer_flag(tr, TRACE_ITER_PAUSE_ON_TRACE, true);
    tr->max_latency = 0;
    irqsoff_trace = tr;
    irqsoff_busy = true;
    WRITE_ONCE(irqsoff_type, type);
    ret = register_functions(tr, is_graph(tr));
    WRITE_ONCE(tracer_enabled, tr->array_buffer.buffer->record_on);
    return ret;
}

static void irqsoff_reset(struct trace_array *tr)
{
    u32 flags = saved_flags;
    unsigned int cpu;

    WRITE_ONCE(tracer_enabled, false);
    unregister_functions(tr, is_graph(tr));
    WRITE_ONCE(irqsoff_type, 0);
    kick_all_cpus_sync();
    for (cpu = 0; cpu < NR_CPUS; cpu++)
        tracing_cpu[cpu] = false;
    irqsoff_busy = false;
    set_tracer_flag(tr, TRACE_ITER_LATENCY_FMT, flags & TRACE_ITER_LATENCY_FMT);
    set_tracer_flag(tr, TRACE_ITER_PAUSE_ON_TRACE, flags & TRACE_ITER_PAUSE_ON_TRACE);
    if (!(flags & TRACE_ITER_OVERWRITE)) {
        WRITE_ONCE(tr->trace_flags, tr->trace_flags & ~TRACE_ITER_OVERWRITE);
        WRITE_ONCE(tr->array_buffer.buffer->overwrite, false);
        WRITE_ONCE(tr->max_buffer.buffer->overwrite, false);
    }
}

static void irqsoff_start(struct trace_array *tr)
{
    (void)tr;
    WRITE_ONCE(tracer_enabled, true);
}

static void irqsoff_stop(struct trace_array *tr)
{
    (void)tr;
    WRITE_ONCE(tracer_enabled, false);
}

static int irqsoff_open(struct trace_iterator *iter)
{
    if (!is_graph(iter->tr))
        return 0;
    iter->graph_flags = TRACE_GRAPH_PRINT_CPU | TRACE_GRAPH_PRINT_PROC |
                        TRACE_GRAPH_PRINT_REL_TIME | TRACE_GRAPH_PRINT_DURATION;
    return graph_trace_open(iter);
}

static void irqsoff_close(struct trace_iterator *iter)
{
    if (iter->private)
        graph_trace_close(iter);
}

static void irqsoff_print_header(struct seq_file *m, struct trace_iterator *iter)
{
    if (iter->private)
        print_graph_headers(m, iter);
    else
        trace_default_header(m, iter);
}

static enum print_line_t irqsoff_print_line(struct trace_iterator *iter)
{
    return iter->private ? print_graph_function(iter) : TRACE_TYPE_UNHANDLED;
}

static int irqsoff_tracer_init(struct trace_array *tr)
{
    return irqsoff_init(tr, TRACER_IRQS_OFF);
}

static int preemptoff_tracer_init(struct trace_array *tr)
{
    return irqsoff_init(tr, TRACER_PREEMPT_OFF);
}

static int preemptirqsoff_tracer_init(struct trace_array *tr)
{
    return irqsoff_init(tr, TRACER_IRQS_OFF | TRACER_PREEMPT_OFF);
}

#define SECTION_TRACER(type)                                                                       \
    {                                                                                              \
        .name = #type, .init = type##_tracer_init, .reset = irqsoff_reset, .start = irqsoff_start, \
        .stop = irqsoff_stop, .open = irqsoff_open, .close = irqsoff_close,                        \
        .pipe_open = irqsoff_open, .pipe_close = irqsoff_close,                                    \
        .print_header = irqsoff_print_header, .print_line = irqsoff_print_line,                    \
        .flag_changed = irqsoff_flag_changed, .selftest = trace_selftest_startup_##type,           \
        .use_max_tr = true, .print_max = true, .allow_instances = true,                            \
    }

static struct tracer section_tracers[] = {
    SECTION_TRACER(irqsoff),
    SECTION_TRACER(preemptoff),
    SECTION_TRACER(preemptirqsoff),
};

int init_irqsoff_tracer(void)
{
    unsigned int i;
    int ret = 0;

    for (i = 0; !ret && i < ARRAY_SIZE(section_tracers); i++)
        ret = register_tracer(&section_tracers[i]);
    return ret;
}
