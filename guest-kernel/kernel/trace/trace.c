/*
 * trace.c - registration of tracers, the trace buffer, and writing entries.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <asm/irqflags.h>
#include <asm/stacktrace.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/string.h>

enum {
    TRACE_BUF_SIZE_DEFAULT = 1441792,        /* bytes for each hart: Linux's 1408 KiB */
    TRACE_BUF_SIZE_BOOT = 2 * BUF_PAGE_SIZE, /* minimal size until a tracer is set */
    BUFFER_PERCENT_DEFAULT = 50,
};

#define TRACE_DEFAULT_FLAGS                                                                        \
    (TRACE_ITER_PRINT_PARENT | TRACE_ITER_ANNOTATE | TRACE_ITER_CONTEXT_INFO | TRACE_ITER_PRINTK | \
     TRACE_ITER_RECORD_CMD | TRACE_ITER_OVERWRITE | TRACE_ITER_IRQ_INFO | TRACE_ITER_MARKERS |     \
     TRACE_ITER_FUNCTION)

struct trace_array global_trace = {.trace_flags = TRACE_DEFAULT_FLAGS, .ops = &global_ops};
DEFINE_MUTEX(trace_types_lock);
struct tracer *trace_types;
unsigned long trace_buf_size = TRACE_BUF_SIZE_DEFAULT;

/* ---- tracers ---- */

static struct tracer *find_tracer(const char *name)
{
    struct tracer *t;

    for (t = trace_types; t; t = t->next)
        if (!strcmp(t->name, name))
            return t;
    return NULL;
}

bool tracer_is_noboot(const char *name)
{
    const struct tracer *t = find_tracer(name);

    return t && t->noboot;
}

/* All errors are -1, as in Linux. */
int register_tracer(struct tracer *type)
{
    int ret = 0;

    if (!type->name) {
        pr_info("Tracer must have a name\n");
        return -1;
    }
    if (strlen(type->name) >= MAX_TRACER_SIZE) {
        pr_info("Tracer has a name longer than %d\n", MAX_TRACER_SIZE);
        return -1;
    }
    mutex_lock(&trace_types_lock);
    if (find_tracer(type->name)) {
        pr_info("Tracer %s already registered\n", type->name);
        ret = -1;
    } else {
        ret = trace_add_tracer_options(&global_trace, type);
    }
    if (!ret) {
        type->next = trace_types;
        trace_types = type;
    }
    mutex_unlock(&trace_types_lock);
    return ret;
}

/* The old tracer is reset before the new one starts; if that fails, nop is current. */
static int switch_tracer(struct trace_array *tr, const struct tracer *t)
{
    bool had_max_tr = tr->current_trace->use_max_tr;
    int ret = 0;

    if (tr->current_trace->reset)
        tr->current_trace->reset(tr);
    tr->current_trace = find_tracer("nop");
    if (had_max_tr && !t->use_max_tr)
        tracing_free_snapshot_instance(tr);
    if (t->use_max_tr)
        ret = tracing_alloc_snapshot_instance(tr);
    tracing_reset_online_cpus(&tr->array_buffer);
    if (!ret && t->init)
        ret = t->init(tr);
    if (!ret)
        tr->current_trace = t;
    return ret;
}

void tracing_reset_tracer(struct trace_array *tr)
{
    if (tr->current_trace->reset)
        tr->current_trace->reset(tr);
    tr->current_trace = nop_tracer();
}

const struct tracer *nop_tracer(void)
{
    return find_tracer("nop");
}

static int expand_buffers(struct trace_array *tr)
{
    int ret;

    if (tr->buffer_expanded)
        return 0;
    ret = ring_buffer_resize(tr->array_buffer.buffer, trace_buf_size, RING_BUFFER_ALL_CPUS);
    if (!ret)
        tr->buffer_expanded = true;
    return ret;
}

bool trace_ok_for_array(const struct tracer *t, const struct trace_array *tr)
{
    return tr == &global_trace || t->allow_instances;
}

int tracing_set_tracer(struct trace_array *tr, const char *name)
{
    const struct tracer *t;
    int ret = 0;

    mutex_lock(&trace_types_lock);
    t = find_tracer(name);
    if (!t || !trace_ok_for_array(t, tr))
        ret = -EINVAL;
    else if (t != tr->current_trace)
        ret = tr->trace_ref ? -EBUSY : expand_buffers(tr);
    if (!ret && t != tr->current_trace)
        ret = switch_tracer(tr, t);
    mutex_unlock(&trace_types_lock);
    return ret;
}

void tracing_set_on(struct trace_array *tr, bool on)
{
    mutex_lock(&trace_types_lock);
    if (on != tr->array_buffer.buffer->record_on) {
        WRITE_ONCE(tr->array_buffer.buffer->record_on, on);
        if (on && tr->current_trace->start)
            tr->current_trace->start(tr);
        else if (!on && tr->current_trace->stop)
            tr->current_trace->stop(tr);
        ring_buffer_wake_waiters(
            tr->array_buffer.buffer); /* a waiting reader may be at the end now */
    }
    mutex_unlock(&trace_types_lock);
}

/* ---- the buffer ---- */

void tracing_reset_online_cpus(struct array_buffer *buf)
{
    buf->time_start = trace_clock_now(buf->tr);
    ring_buffer_reset(buf->buffer);
}

int tracing_update_buffers(struct trace_array *tr)
{
    int ret;

    mutex_lock(&trace_types_lock);
    ret = expand_buffers(tr);
    mutex_unlock(&trace_types_lock);
    return ret;
}

/* Setting the size of one hart's ring counts as the first use of the buffer. */
int tracing_resize_ring_buffer(struct trace_array *tr, unsigned long size, int cpu)
{
    int ret;

    mutex_lock(&trace_types_lock);
    tr->buffer_expanded = true;
    ret = ring_buffer_resize(tr->array_buffer.buffer, size, cpu);
    mutex_unlock(&trace_types_lock);
    return ret;
}

/* ---- writing ---- */

/* Returns flags in the upper half, preempt_count in the lower. */
unsigned int tracing_gen_ctx_flags(unsigned long irq_flags)
{
    int pc = preempt_count();
    unsigned int flags = 0;

    if (irqs_disabled_flags(irq_flags))
        flags |= TRACE_FLAG_IRQS_OFF;
    if (pc & HARDIRQ_MASK)
        flags |= TRACE_FLAG_HARDIRQ;
    if (pc & SOFTIRQ_OFFSET)
        flags |= TRACE_FLAG_SOFTIRQ;
    if (need_resched())
        flags |= TRACE_FLAG_NEED_RESCHED;
    return flags << 16 | min(pc & PREEMPT_MASK, 0xf);
}

unsigned int tracing_gen_ctx(void)
{
    return tracing_gen_ctx_flags(csr_read(sstatus));
}

void *trace_buffer_lock_reserve(struct trace_buffer *buffer, enum trace_type type, unsigned int len,
                                unsigned int trace_ctx)
{
    struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, len);
    struct trace_entry *ent;

    if (!event)
        return NULL;
    ent = ring_buffer_event_data(event);
    ent->type = type;
    ent->flags = trace_ctx >> 16;
    ent->preempt_count = trace_ctx & 0xff;
    ent->pid = current->pid;
    return ent;
}

void trace_buffer_unlock_commit(struct trace_array *tr, struct trace_buffer *buffer)
{
    u32 flags = READ_ONCE(tr->trace_flags);

    if (flags & TRACE_ITER_RECORD_CMD)
        tracing_record_cmdline(current);
    if (unlikely(flags & TRACE_ITER_RECORD_TGID))
        tracing_record_tgid(current);
    ring_buffer_unlock_commit(buffer);
}

void trace_function(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
                    unsigned int trace_ctx)
{
    struct trace_buffer *buffer = trace_buffer_of(tr);
    struct ftrace_entry *entry =
        trace_buffer_lock_reserve(buffer, TRACE_FN, sizeof(*entry), trace_ctx);

    if (!entry)
        return;
    entry->ip = ip;
    entry->parent_ip = parent_ip;
    trace_buffer_unlock_commit(tr, buffer);
}

void trace_stack(struct trace_array *tr, const unsigned long *callers, unsigned int n,
                 unsigned int trace_ctx)
{
    struct trace_buffer *buffer = trace_buffer_of(tr);
    struct stack_entry *entry = trace_buffer_lock_reserve(
        buffer, TRACE_STACK, sizeof(*entry) + n * sizeof(*callers), trace_ctx);

    if (!entry)
        return;
    entry->size = n;
    memcpy(entry->caller, callers, n * sizeof(*callers));
    trace_buffer_unlock_commit(tr, buffer);
}

void trace_func_repeats(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
                        unsigned int count, u64 last_call, unsigned int trace_ctx)
{
    struct trace_buffer *buffer = trace_buffer_of(tr);
    struct func_repeats_entry *entry =
        trace_buffer_lock_reserve(buffer, TRACE_FUNC_REPEATS, sizeof(*entry), trace_ctx);
    u64 delta = trace_clock_now(tr) - last_call;

    if (!entry)
        return;
    entry->ip = ip;
    entry->parent_ip = parent_ip;
    entry->count = count;
    entry->bottom_delta_ts = delta;
    entry->top_delta_ts = delta >> 32;
    trace_buffer_unlock_commit(tr, buffer);
}

/* Records the kernel stack from the function that wrote the event on. */
static __always_inline void trace_event_stack(struct trace_array *tr, unsigned int trace_ctx)
{
    enum { SKIPPED = 2 }; /* trace_event_commit() and its caller */
    unsigned long callers[32];
    unsigned int n = stack_trace_save(callers, ARRAY_SIZE(callers), SKIPPED);

    trace_stack(tr, callers, n, trace_ctx);
}

static void trace_event_userstack(struct trace_array *tr, unsigned int trace_ctx)
{
    struct trace_buffer *buffer = trace_buffer_of(tr);
    struct userstack_entry *entry =
        trace_buffer_lock_reserve(buffer, TRACE_USER_STACK, sizeof(*entry), trace_ctx);
    unsigned long callers[USER_STACK_ENTRIES] = {0};

    if (!entry)
        return;
    stack_trace_save_user(callers, USER_STACK_ENTRIES);
    entry->tgid = current->pid; /* a process has one thread here */
    memcpy(entry->caller, callers, sizeof(callers));
    trace_buffer_unlock_commit(tr, buffer);
}

void trace_event_commit(struct trace_array *tr, struct trace_buffer *buffer, unsigned int trace_ctx)
{
    u32 flags = READ_ONCE(tr->trace_flags);

    trace_buffer_unlock_commit(tr, buffer);
    if (flags & TRACE_ITER_STACKTRACE)
        trace_event_stack(tr, trace_ctx);
    if (flags & TRACE_ITER_USERSTACKTRACE)
        trace_event_userstack(tr, trace_ctx);
}

/* ---- boot ---- */

int init_trace_array(struct trace_array *tr, unsigned long size)
{
    unsigned int cpu;

    tr->array_buffer.tr = tr->max_buffer.tr = tr;
    tr->array_buffer.buffer = ring_buffer_alloc(size, true);
    tr->max_buffer.buffer = ring_buffer_alloc(0, true);
    if (!tr->array_buffer.buffer || !tr->max_buffer.buffer)
        return -ENOMEM;
    mutex_init(&tr->stop_lock);
    tr->tracing_cpumask = ~0UL;
    tr->buffer_percent = BUFFER_PERCENT_DEFAULT;
    tr->all_cpus_file = (struct trace_cpu_file){tr, RING_BUFFER_ALL_CPUS};
    for (cpu = 0; cpu < NR_CPUS; cpu++)
        tr->cpu_files[cpu] = (struct trace_cpu_file){tr, cpu};
    return 0;
}

void trace_free_buffers(struct trace_array *tr)
{
    if (tr->array_buffer.buffer)
        ring_buffer_free(tr->array_buffer.buffer);
    if (tr->max_buffer.buffer)
        ring_buffer_free(tr->max_buffer.buffer);
}

void tracer_init(void)
{
    BUG_ON(init_trace_array(&global_trace, TRACE_BUF_SIZE_BOOT));
    BUG_ON(trace_init_cmdlines());
    init_events();
    trace_create_files();
    ftrace_sysctl_init();
    trace_sysctl_init();
    event_trace_init();
    BUG_ON(init_nop_trace());
    BUG_ON(init_function_trace());
    BUG_ON(init_irqsoff_tracer());
    BUG_ON(init_wakeup_tracer());
    BUG_ON(init_branch_tracer());
    BUG_ON(init_graph_trace());
    BUG_ON(init_mmio_trace());
    BUG_ON(init_blk_tracer());
    trace_create_instances();
}
