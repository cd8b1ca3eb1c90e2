/*
 * trace_irqsoff.c - the tracers irqsoff, preemptoff and preemptirqsoff: the longest section
 * without interrupts, without preemption, or without either.
 *
 * A section begins at the outermost preempt_disable(), or where interrupts are turned off; for
 * preemptirqsoff, at the first of the two. What its hart calls until the end is recorded; if it
 * was the longest so far, the hart's ring becomes the snapshot, which `trace` shows.
 *
 * Only in kernels that report these places (FLAVOUR=latency). Not instrumented.
 */
#include "trace_irqsoff.h"
#include "trace_latency.h"
#include "trace_selftest.h"
#include <asm/irqflags.h>
#include <asm/stacktrace.h>
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/smp.h>

enum { TRACER_IRQS_OFF = 1, TRACER_PREEMPT_OFF = 2 };

unsigned int irqsoff_type;

static struct trace_array *irqsoff_trace = &global_trace;
static struct latency_tracer irqsoff;
static bool irqsoff_busy; /* under trace_types_lock */

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

static noinline void note_section(struct trace_array *tr, struct trace_array_cpu *data, u64 delta,
                                  unsigned long tracer, unsigned long ip, unsigned long parent_ip)
{
    unsigned int cpu = raw_smp_processor_id();

    arch_spin_lock(&max_trace_lock);
    if (report_latency(tr, delta)) { /* still */
        latency_record_place(tr, tracer, parent_ip);
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

    if (!READ_ONCE(irqsoff.enabled) || tracing_cpu[cpu] || atomic_read(&data->disabled))
        return;
    raw_local_irq_save(flags); /* for a section that only has no preemption */
    atomic_inc(&data->disabled);
    data->critical_sequence = READ_ONCE(max_sequence);
    data->preempt_timestamp = trace_clock_now(tr);
    data->critical_start = parent_ip ? parent_ip : ip;
    raw_local_irq_restore(flags);
    latency_record_place(tr, ip, parent_ip);
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
    if (!READ_ONCE(irqsoff.enabled) || !data->critical_start || atomic_read(&data->disabled))
        return;
    atomic_inc(&data->disabled);
    latency_record_place(tr, ip, parent_ip);
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

/* No hart is in a section from now on. */
static void irqsoff_forget_sections(void)
{
    unsigned int cpu;

    kick_all_cpus_sync();
    for (cpu = 0; cpu < NR_CPUS; cpu++)
        tracing_cpu[cpu] = false;
}

static void irqsoff_clear(struct trace_array *tr)
{
    irqsoff_forget_sections();
    tracing_reset_online_cpus(&tr->array_buffer);
    tracing_reset_online_cpus(&tr->max_buffer);
}

static struct latency_tracer irqsoff = {
    .call = irqsoff_tracer_call,
    .graph_ops = &irqsoff_graph_ops,
    .clear = irqsoff_clear,
};

enum { IRQSOFF_FLAGS = TRACE_ITER_OVERWRITE | TRACE_ITER_LATENCY_FMT | TRACE_ITER_PAUSE_ON_TRACE };

static int irqsoff_flag_changed(struct trace_array *tr, u32 mask, bool set)
{
    return latency_flag_changed(&irqsoff, tr, mask, set);
}

static int irqsoff_init(struct trace_array *tr, unsigned int type)
{
    if (irqsoff_busy)
        return -EBUSY;
    latency_save_flags(&irqsoff, tr, IRQSOFF_FLAGS);
    irqsoff_trace = tr;
    irqsoff_busy = true;
    WRITE_ONCE(irqsoff_type, type);
    return latency_start(&irqsoff, tr);
}

static void irqsoff_reset(struct trace_array *tr)
{
    latency_stop(&irqsoff, tr);
    WRITE_ONCE(irqsoff_type, 0);
    irqsoff_forget_sections();
    irqsoff_busy = false;
    latency_restore_flags(&irqsoff, tr, IRQSOFF_FLAGS);
}

static void irqsoff_start(struct trace_array *tr)
{
    (void)tr;
    WRITE_ONCE(irqsoff.enabled, true);
}

static void irqsoff_stop(struct trace_array *tr)
{
    (void)tr;
    WRITE_ONCE(irqsoff.enabled, false);
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
        .stop = irqsoff_stop, .open = latency_open, .close = latency_close,                        \
        .pipe_open = latency_open, .pipe_close = latency_close,                                    \
        .print_header = latency_print_header, .print_line = latency_print_line,                    \
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
