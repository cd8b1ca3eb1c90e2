/*
 * trace_sched_wakeup.c - the tracers wakeup, wakeup_rt and wakeup_dl: the longest time from the
 * moment a task is woken until it runs.
 *
 * The task of the highest priority that waits is followed: what its hart calls is recorded from its
 * wake-up to the switch to it. If it waited the longest so far, the rings become the snapshot,
 * which `trace` shows. A task that would not preempt the waker is not followed; wakeup_rt follows
 * only real-time and deadline tasks, wakeup_dl only deadline tasks. Those all are of one priority:
 * the first that is followed is followed until it runs.
 *
 * The probes run with the lock of a run queue held. Not instrumented.
 */
#include "trace_latency.h"
#include "trace_selftest.h"
#include <asm/irqflags.h>
#include <asm/stacktrace.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <trace/events/sched.h>

static struct trace_array *wakeup_trace = &global_trace;
static struct latency_tracer wakeup;
static bool wakeup_busy; /* written under trace_types_lock, like the next two */
static bool wakeup_rt, wakeup_dl;

static spinlock_t wakeup_lock; /* arch_spin_* only, with interrupts off; of those below */
/*
 * The pid of the task that is followed; 0: none. Not its task_struct, which nothing would keep from
 * being freed: pids are not used again.
 */
static int wakeup_pid;
static unsigned int wakeup_cpu;         /* where it was woken */
static unsigned int wakeup_current_cpu; /* where it waits */
static int wakeup_prio;

/* ---- TRACE_CTX and TRACE_WAKE ---- */

static unsigned int task_state_index(const struct task_struct *p)
{
    unsigned int state = (READ_ONCE(p->state) | p->exit_state) & TASK_REPORT, index = 0;

    for (; state; state >>= 1)
        index++;
    return index;
}

static char state_char(unsigned int index)
{
    static const char chars[] = "RSDTtXZPI";

    return index < sizeof(chars) - 1 ? chars[index] : '?';
}

static enum print_line_t print_ctxwake(struct trace_iterator *iter, const char *delim)
{
    const struct ctx_switch_entry *field = (const void *)iter->ent;
    char comm[TASK_COMM_LEN];

    trace_find_cmdline(field->next_pid, comm);
    trace_seq_printf(&iter->seq, " %7d:%3d:%c %s [%03d] %7d:%3d:%c %s\n", field->prev_pid,
                     field->prev_prio, state_char(field->prev_state), delim, field->next_cpu,
                     field->next_pid, field->next_prio, state_char(field->next_state), comm);
    return TRACE_TYPE_HANDLED;
}

static enum print_line_t trace_ctx_print(struct trace_iterator *iter, int flags,
                                         struct trace_event *event)
{
    (void)flags;
    (void)event;
    return print_ctxwake(iter, "==>");
}

static enum print_line_t trace_wake_print(struct trace_iterator *iter, int flags,
                                          struct trace_event *event)
{
    (void)flags;
    (void)event;
    return print_ctxwake(iter, "  +");
}

/* The first state of a wake-up is printed as a plus. */
static char prev_state_char(const struct ctx_switch_entry *field)
{
    return field->ent.type == TRACE_WAKE ? '+' : state_char(field->prev_state);
}

static enum print_line_t trace_ctxwake_raw(struct trace_iterator *iter, int flags,
                                           struct trace_event *event)
{
    const struct ctx_switch_entry *field = (const void *)iter->ent;

    (void)flags;
    (void)event;
    trace_seq_printf(&iter->seq, "%d %d %c %d %d %d %c\n", field->prev_pid, field->prev_prio,
                     prev_state_char(field), field->next_cpu, field->next_pid, field->next_prio,
                     state_char(field->next_state));
    return TRACE_TYPE_HANDLED;
}

static enum print_line_t trace_ctxwake_hex(struct trace_iterator *iter, int flags,
                                           struct trace_event *event)
{
    const struct ctx_switch_entry *field = (const void *)iter->ent;
    int prev = prev_state_char(field), next = state_char(field->next_state);

    (void)flags;
    (void)event;
    SEQ_PUT_HEX_FIELD(&iter->seq, field->prev_pid);
    SEQ_PUT_HEX_FIELD(&iter->seq, field->prev_prio);
    SEQ_PUT_HEX_FIELD(&iter->seq, prev);
    SEQ_PUT_HEX_FIELD(&iter->seq, field->next_cpu);
    SEQ_PUT_HEX_FIELD(&iter->seq, field->next_pid);
    SEQ_PUT_HEX_FIELD(&iter->seq, field->next_prio);
    SEQ_PUT_HEX_FIELD(&iter->seq, next);
    return TRACE_TYPE_HANDLED;
}

static enum print_line_t trace_ctxwake_bin(struct trace_iterator *iter, int flags,
                                           struct trace_event *event)
{
    const struct ctx_switch_entry *field = (const void *)iter->ent;

    (void)flags;
    (void)event;
    SEQ_PUT_FIELD(&iter->seq, field->prev_pid);
    SEQ_PUT_FIELD(&iter->seq, field->prev_prio);
    SEQ_PUT_FIELD(&iter->seq, field->prev_state);
    SEQ_PUT_FIELD(&iter->seq, field->next_cpu);
    SEQ_PUT_FIELD(&iter->seq, field->next_pid);
    SEQ_PUT_FIELD(&iter->seq, field->next_prio);
    SEQ_PUT_FIELD(&iter->seq, field->next_state);
    return TRACE_TYPE_HANDLED;
}

static const struct trace_event_functions trace_ctx_funcs = {
    .trace = trace_ctx_print,
    .raw = trace_ctxwake_raw,
    .hex = trace_ctxwake_hex,
    .binary = trace_ctxwake_bin,
};
static struct trace_event trace_ctx_event = {.type = TRACE_CTX, .funcs = &trace_ctx_funcs};

static const struct trace_event_functions trace_wake_funcs = {
    .trace = trace_wake_print,
    .raw = trace_ctxwake_raw,
    .hex = trace_ctxwake_hex,
    .binary = trace_ctxwake_bin,
};
static struct trace_event trace_wake_event = {.type = TRACE_WAKE, .funcs = &trace_wake_funcs};

/* type TRACE_CTX: the hart goes from prev to next; TRACE_WAKE: prev wakes next. */
static void record_tasks(struct trace_array *tr, enum trace_type type,
                         const struct task_struct *prev, const struct task_struct *next)
{
    struct trace_buffer *buffer = trace_buffer_of(tr);
    struct ctx_switch_entry *entry =
        trace_buffer_lock_reserve(buffer, type, sizeof(*entry), tracing_gen_ctx());

    if (!entry)
        return;
    entry->prev_pid = prev->pid;
    entry->prev_prio = prev->prio;
    entry->prev_state = task_state_index(prev);
    entry->next_pid = next->pid;
    entry->next_prio = next->prio;
    entry->next_state = task_state_index(next);
    entry->next_cpu = next->cpu;
    trace_buffer_unlock_commit(tr, buffer);
}

/* ---- what is called meanwhile ---- */

/*
 * Whether this hart is the one that the task waits for, and not in the tracer itself: then it is
 * now, until end_call(). Interrupts are off by raw_local_irq_save().
 */
static struct trace_array_cpu *begin_call(void)
{
    unsigned int cpu = raw_smp_processor_id();
    struct trace_array_cpu *data = &wakeup_trace->array_buffer.data[cpu];

    if (cpu != READ_ONCE(wakeup_current_cpu) || atomic_read(&data->disabled))
        return NULL;
    atomic_inc(&data->disabled);
    return data;
}

static void end_call(struct trace_array_cpu *data)
{
    atomic_dec(&data->disabled);
}

static void wakeup_tracer_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                               struct ftrace_regs *fregs)
{
    struct trace_array_cpu *data;
    unsigned long flags;

    (void)op;
    (void)fregs;
    if (likely(!READ_ONCE(wakeup_pid)))
        return;
    raw_local_irq_save(flags);
    data = begin_call();
    if (data) {
        trace_function(wakeup_trace, ip, parent_ip, tracing_gen_ctx_flags(flags));
        end_call(data);
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
    data = begin_call();
    if (!data)
        return 0;
    follow = __trace_graph_entry(wakeup_trace, trace, tracing_gen_ctx_flags(flags));
    end_call(data);
    return follow;
}

static int wakeup_graph_entry(struct ftrace_graph_ent *trace)
{
    unsigned long flags;
    int follow;

    if (likely(!READ_ONCE(wakeup_pid)))
        return 0;
    raw_local_irq_save(flags);
    follow = current->trace_graph_notrace_depth ? 0 : graph_entry(trace, flags);
    raw_local_irq_restore(flags);
    return follow;
}

static void wakeup_graph_return(struct ftrace_graph_ret *trace)
{
    struct trace_array_cpu *data;
    unsigned long flags;

    raw_local_irq_save(flags);
    data = ftrace_graph_call_ends(trace) || !READ_ONCE(wakeup_pid) ? NULL : begin_call();
    if (data) {
        __trace_graph_return(wakeup_trace, trace, tracing_gen_ctx_flags(flags));
        end_call(data);
    }
    raw_local_irq_restore(flags);
}

static struct fgraph_ops wakeup_graph_ops = {
    .entryfunc = wakeup_graph_entry,
    .retfunc = wakeup_graph_return,
    .ops = {INIT_OPS_HASH(global_ops)},
};

/* ---- the probes; interrupts are off ---- */

/* The stack of a probe's caller, up to the function with the tracepoint. */
struct caller_stack {
    unsigned int n; /* at least 2 */
    unsigned long callers[32];
};

static noinline void save_callers(struct caller_stack *stack)
{
    /* Without the probe and __traceiter_NAME(). */
    stack->n = stack_trace_save(stack->callers, ARRAY_SIZE(stack->callers), 2);
    while (stack->n < 2)
        stack->callers[stack->n++] = 0;
}

static void forget_task(void)
{
    WRITE_ONCE(wakeup_pid, 0);
    WRITE_ONCE(wakeup_prio, MAX_PRIO + 1);
}

static void probe_wakeup_migrate_task(void *ignore, struct task_struct *p, int cpu)
{
    (void)ignore;
    if (p->pid == READ_ONCE(wakeup_pid))
        WRITE_ONCE(wakeup_current_cpu, cpu);
}

/* The task that was followed is next to run. wakeup_lock is held. */
static noinline void end_wakeup(struct trace_array *tr, struct task_struct *prev,
                                struct task_struct *next, const struct caller_stack *stack)
{
    u64 delta;

    latency_record_place(tr, stack->callers[0], stack->callers[1]);
    record_tasks(tr, TRACE_CTX, prev, next);
    trace_stack(tr, stack->callers, stack->n, tracing_gen_ctx());
    delta = trace_clock_now(tr) - tr->array_buffer.data[wakeup_cpu].preempt_timestamp;
    if (report_latency(tr, delta) && !READ_ONCE(tr->stop_count)) {
        tr->max_latency = delta;
        update_max_tr(tr, next, wakeup_cpu);
    }
    forget_task();
}

static noinline void probe_wakeup_sched_switch(void *ignore, bool preempt, struct task_struct *prev,
                                               struct task_struct *next, unsigned int prev_state)
{
    struct trace_array *tr = wakeup_trace;
    struct trace_array_cpu *data = &tr->array_buffer.data[raw_smp_processor_id()];
    struct caller_stack stack;

    (void)ignore;
    (void)preempt;
    (void)prev_state;
    tracing_record_cmdline(prev);
    if (!READ_ONCE(wakeup.enabled) || !next->pid || next->pid != READ_ONCE(wakeup_pid) ||
        atomic_read(&data->disabled))
        return;
    atomic_inc(&data->disabled);
    save_callers(&stack);
    arch_spin_lock(&wakeup_lock);
    if (READ_ONCE(wakeup.enabled) && next->pid == wakeup_pid) /* still */
        end_wakeup(tr, prev, next, &stack);
    arch_spin_unlock(&wakeup_lock);
    atomic_dec(&data->disabled);
}

/* Whether p is to be followed rather than the task that is, or none. */
static bool is_more_urgent(const struct task_struct *p)
{
    if (p->policy == SCHED_DEADLINE)
        return READ_ONCE(wakeup_prio) >= MAX_DL_PRIO;
    return !wakeup_dl && p->prio < READ_ONCE(wakeup_prio) && p->prio < current->prio &&
           (!wakeup_rt || p->prio < MAX_RT_PRIO);
}

static noinline void begin_wakeup(struct trace_array *tr, struct task_struct *p,
                                  const struct caller_stack *stack)
{
    wakeup_cpu = p->cpu;
    WRITE_ONCE(wakeup_current_cpu, p->cpu);
    WRITE_ONCE(wakeup_prio, p->prio);
    tr->array_buffer.data[p->cpu].preempt_timestamp = trace_clock_now(tr);
    WRITE_ONCE(wakeup_pid, p->pid);
    record_tasks(tr, TRACE_WAKE, current, p);
    trace_stack(tr, stack->callers, stack->n, tracing_gen_ctx());
    latency_record_place(tr, stack->callers[0], stack->callers[1]);
}

static noinline void probe_wakeup(void *ignore, struct task_struct *p)
{
    struct trace_array *tr = wakeup_trace;
    struct trace_array_cpu *data = &tr->array_buffer.data[raw_smp_processor_id()];
    struct caller_stack stack;

    (void)ignore;
    if (!READ_ONCE(wakeup.enabled))
        return;
    tracing_record_cmdline(p);
    tracing_record_cmdline(current);
    if (!is_more_urgent(p) || atomic_read(&data->disabled))
        return;
    atomic_inc(&data->disabled);
    save_callers(&stack);
    arch_spin_lock(&wakeup_lock);
    if (READ_ONCE(wakeup.enabled) && is_more_urgent(p)) /* still */
        begin_wakeup(tr, p, &stack);
    arch_spin_unlock(&wakeup_lock);
    atomic_dec(&data->disabled);
}

/* ---- the tracers; under trace_types_lock ---- */

static void wakeup_reset(struct trace_array *tr)
{
    unsigned long flags;

    tracing_reset_online_cpus(&tr->array_buffer);
    raw_local_irq_save(flags);
    arch_spin_lock(&wakeup_lock);
    forget_task();
    arch_spin_unlock(&wakeup_lock);
    raw_local_irq_restore(flags);
}

static struct latency_tracer wakeup = {
    .call = wakeup_tracer_call,
    .graph_ops = &wakeup_graph_ops,
    .clear = wakeup_reset,
};

enum { WAKEUP_FLAGS = TRACE_ITER_OVERWRITE | TRACE_ITER_LATENCY_FMT };

static int wakeup_flag_changed(struct trace_array *tr, u32 mask, bool set)
{
    return latency_flag_changed(&wakeup, tr, mask, set);
}

static void unregister_probes(void)
{
    /* Those that were not registered are not there: an error of no consequence. */
    unregister_trace_sched_migrate_task(probe_wakeup_migrate_task, NULL);
    unregister_trace_sched_switch(probe_wakeup_sched_switch, NULL);
    unregister_trace_sched_wakeup_new(probe_wakeup, NULL);
    unregister_trace_sched_wakeup(probe_wakeup, NULL);
    tracepoint_synchronize_unregister();
}

static int register_probes(void)
{
    int ret = register_trace_sched_wakeup(probe_wakeup, NULL);

    if (!ret)
        ret = register_trace_sched_wakeup_new(probe_wakeup, NULL);
    if (!ret)
        ret = register_trace_sched_switch(probe_wakeup_sched_switch, NULL);
    if (!ret)
        ret = register_trace_sched_migrate_task(probe_wakeup_migrate_task, NULL);
    if (ret)
        unregister_probes();
    return ret;
}

static int wakeup_init(struct trace_array *tr, bool rt, bool dl)
{
    int ret;

    if (wakeup_busy)
        return -EBUSY;
    latency_save_flags(&wakeup, tr, WAKEUP_FLAGS);
    wakeup_trace = tr;
    wakeup_rt = rt;
    wakeup_dl = dl;
    wakeup_reset(tr);
    ret = register_probes();
    if (ret) {
        latency_restore_flags(&wakeup, tr, WAKEUP_FLAGS);
        return ret;
    }
    wakeup_busy = true;
    if (latency_start(&wakeup, tr))
        printk("failed to start wakeup tracer\n");
    return 0;
}

static int wakeup_tracer_init(struct trace_array *tr)
{
    return wakeup_init(tr, false, false);
}

static int wakeup_rt_tracer_init(struct trace_array *tr)
{
    return wakeup_init(tr, true, false);
}

static int wakeup_dl_tracer_init(struct trace_array *tr)
{
    return wakeup_init(tr, false, true);
}

static void wakeup_tracer_reset(struct trace_array *tr)
{
    latency_stop(&wakeup, tr);
    unregister_probes();
    wakeup_reset(tr);
    wakeup_busy = false;
    latency_restore_flags(&wakeup, tr, WAKEUP_FLAGS);
}

static void wakeup_tracer_start(struct trace_array *tr)
{
    wakeup_reset(tr);
    WRITE_ONCE(wakeup.enabled, true);
}

static void wakeup_tracer_stop(struct trace_array *tr)
{
    (void)tr;
    WRITE_ONCE(wakeup.enabled, false);
}

#define WAKEUP_TRACER(type)                                                             \
    {                                                                                   \
        .name = #type, .init = type##_tracer_init, .reset = wakeup_tracer_reset,        \
        .start = wakeup_tracer_start, .stop = wakeup_tracer_stop, .open = latency_open, \
        .close = latency_close, .pipe_open = latency_open, .pipe_close = latency_close, \
        .print_header = latency_print_header, .print_line = latency_print_line,         \
        .flag_changed = wakeup_flag_changed, .selftest = trace_selftest_startup_wakeup, \
        .use_max_tr = true, .print_max = true, .allow_instances = true,                 \
    }

static struct tracer wakeup_tracers[] = {WAKEUP_TRACER(wakeup), WAKEUP_TRACER(wakeup_rt),
                                         WAKEUP_TRACER(wakeup_dl)};

int init_wakeup_tracer(void)
{
    unsigned int i;
    int ret = 0;

    BUG_ON(!register_trace_event(&trace_ctx_event) || !register_trace_event(&trace_wake_event));
    for (i = 0; !ret && i < ARRAY_SIZE(wakeup_tracers); i++)
        ret = register_tracer(&wakeup_tracers[i]);
    return ret;
}
