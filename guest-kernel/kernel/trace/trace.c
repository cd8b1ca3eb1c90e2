/*
 * trace.c - the tracing session: tracers, the buffer, writing and reading entries.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <asm/irqflags.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/string.h>

enum { TRACE_BUF_SIZE_DEFAULT = 1441792 /* a hart, in bytes: Linux's 1408 KiB */ };

struct trace_array global_trace;
DEFINE_MUTEX(trace_types_lock);
struct tracer *trace_types;

/* From the boot line; pointers into it. */
static char *boot_tracer, *boot_filter, *boot_graph_filter;

static int set_boot_tracer(char *value)
{
    boot_tracer = value;
    return 0;
}
__setup("ftrace=", set_boot_tracer);

static int set_boot_filter(char *value)
{
    boot_filter = value;
    return 0;
}
__setup("ftrace_filter=", set_boot_filter);

static int set_boot_graph_filter(char *value)
{
    boot_graph_filter = value;
    return 0;
}
__setup("ftrace_graph_filter=", set_boot_graph_filter);

/* ---- tracers ---- */

static struct tracer *find_tracer(const char *name)
{
    struct tracer *t;

    for (t = trace_types; t; t = t->next)
        if (!strcmp(t->name, name))
            return t;
    return NULL;
}

/* Linux answers -1 to all three. */
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
        type->next = trace_types;
        trace_types = type;
    }
    mutex_unlock(&trace_types_lock);
    return ret;
}

/* The old tracer is gone before the new one comes; if that fails, there is none. */
static int switch_tracer(struct trace_array *tr, const struct tracer *t)
{
    int ret = 0;

    if (tr->current_trace->reset)
        tr->current_trace->reset(tr);
    tr->current_trace = find_tracer("nop");
    if (t->init)
        ret = t->init(tr);
    if (!ret)
        tr->current_trace = t;
    return ret;
}

int tracing_set_tracer(struct trace_array *tr, const char *name)
{
    const struct tracer *t;
    int ret = 0;

    mutex_lock(&trace_types_lock);
    t = find_tracer(name);
    if (!t)
        ret = -EINVAL;
    else if (t != tr->current_trace)
        ret = switch_tracer(tr, t);
    mutex_unlock(&trace_types_lock);
    return ret;
}

void tracing_set_on(struct trace_array *tr, bool on)
{
    mutex_lock(&trace_types_lock);
    WRITE_ONCE(tr->buffer.record_on, on);
    if (on && tr->current_trace->start)
        tr->current_trace->start(tr);
    else if (!on && tr->current_trace->stop)
        tr->current_trace->stop(tr);
    mutex_unlock(&trace_types_lock);
}

void tracing_reset_online_cpus(struct trace_array *tr)
{
    ring_buffer_reset(&tr->buffer);
}

/* ---- which task had which pid ---- */

enum { SAVED_CMDLINES = 1024 };

/*
 * By pid modulo the size: a newer pid takes an older one's place.  Written by
 * whoever traces, read by whoever prints; a name torn between two writers
 * would be two tasks of one pid.
 */
static struct {
    int pid;
    char comm[TASK_COMM_LEN];
} saved_cmdlines[SAVED_CMDLINES];

/* The pid each hart saved last; its own only. */
static int last_saved_pid[NR_CPUS];

static void tracing_record_cmdline(const struct task_struct *task)
{
    int *last = &last_saved_pid[task->cpu];

    if (!task->pid || *last == task->pid)
        return;
    *last = task->pid;
    saved_cmdlines[task->pid % SAVED_CMDLINES].pid = task->pid;
    memcpy(saved_cmdlines[task->pid % SAVED_CMDLINES].comm, task->comm, TASK_COMM_LEN);
}

void trace_find_cmdline(int pid, char comm[])
{
    const char *name = "<...>";

    if (!pid)
        name = "<idle>";
    else if (saved_cmdlines[pid % SAVED_CMDLINES].pid == pid)
        name = saved_cmdlines[pid % SAVED_CMDLINES].comm;
    strscpy(comm, name, TASK_COMM_LEN);
}

/* ---- writing ---- */

static u8 tracing_gen_flags(unsigned long irq_flags)
{
    int pc = preempt_count();
    u8 flags = 0;

    if (irqs_disabled_flags(irq_flags))
        flags |= TRACE_FLAG_IRQS_OFF;
    if (pc & HARDIRQ_MASK)
        flags |= TRACE_FLAG_HARDIRQ;
    if (pc & SOFTIRQ_OFFSET)
        flags |= TRACE_FLAG_SOFTIRQ;
    if (need_resched())
        flags |= TRACE_FLAG_NEED_RESCHED | TRACE_FLAG_PREEMPT_RESCHED;
    return flags;
}

void *trace_buffer_lock_reserve(struct trace_array *tr, enum trace_type type, unsigned int len,
                                unsigned long irq_flags)
{
    struct trace_entry *ent = ring_buffer_lock_reserve(&tr->buffer, len);

    if (!ent)
        return NULL;
    ent->type = type;
    ent->flags = tracing_gen_flags(irq_flags);
    ent->preempt_count = min(preempt_count() & PREEMPT_MASK, 0xf);
    ent->pid = current->pid;
    return ent;
}

void trace_buffer_unlock_commit(struct trace_array *tr)
{
    tracing_record_cmdline(current);
    ring_buffer_unlock_commit(&tr->buffer);
}

void trace_function(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
                    unsigned long irq_flags)
{
    struct ftrace_entry *entry = trace_buffer_lock_reserve(tr, TRACE_FN, sizeof(*entry), irq_flags);

    if (!entry)
        return;
    entry->ip = ip;
    entry->parent_ip = parent_ip;
    trace_buffer_unlock_commit(tr);
}

enum { TRACE_MARKER_MAX = 512 };

/* Answers how much was taken: of a long text, the first part. */
int trace_write_marker(struct trace_array *tr, const char *text, size_t len)
{
    struct print_entry *entry;
    unsigned long flags;

    len = min(len, (size_t)TRACE_MARKER_MAX);
    local_irq_save(flags);
    entry = trace_buffer_lock_reserve(tr, TRACE_PRINT, sizeof(*entry) + len + 1, flags);
    if (entry) {
        entry->ip = (unsigned long)__builtin_return_address(0);
        memcpy(entry->buf, text, len);
        entry->buf[len] = 0;
        trace_buffer_unlock_commit(tr);
    }
    local_irq_restore(flags);
    return entry ? (int)len : -EBADF;
}

/* ---- reading ---- */

void tracing_iter_start(struct trace_iterator *iter, struct trace_array *tr)
{
    unsigned int cpu;

    iter->tr = tr;
    iter->pos = 0;
    for_each_possible_cpu(cpu) ring_buffer_iter_init(&iter->rings[cpu], &tr->buffer, cpu);
}

bool trace_find_next_entry(struct trace_iterator *iter)
{
    unsigned int cpu;

    iter->ent = NULL;
    for_each_possible_cpu(cpu)
    {
        u64 ts;
        const struct trace_entry *ent = ring_buffer_iter_peek(&iter->rings[cpu], &ts);

        if (!ent || (iter->ent && iter->ts <= ts))
            continue;
        iter->ent = ent;
        iter->ts = ts;
        iter->cpu = cpu;
    }
    if (iter->ent)
        ring_buffer_iter_advance(&iter->rings[iter->cpu]);
    return iter->ent;
}

void print_trace_line(struct trace_iterator *iter)
{
    enum print_line_t ret = TRACE_TYPE_UNHANDLED;

    iter->seq.len = 0;
    if (iter->trace->print_line)
        ret = iter->trace->print_line(iter);
    if (ret == TRACE_TYPE_UNHANDLED)
        trace_default_print_line(iter);
    iter->seq.buffer[iter->seq.len] = 0;
}

/* ---- boot ---- */

void tracer_init(void)
{
    BUG_ON(ring_buffer_alloc(&global_trace.buffer, TRACE_BUF_SIZE_DEFAULT));
    BUG_ON(init_nop_trace());
    BUG_ON(init_function_trace());
    BUG_ON(init_graph_trace());
    trace_create_files();
}

static void apply_boot_filter(char *list)
{
    bool reset = true;
    char *glob;

    while ((glob = strsep(&list, ","))) {
        if (ftrace_set_filter(&global_ops, glob, reset))
            pr_info("ftrace: no function matches '%s'\n", glob);
        reset = false;
    }
}

static void apply_boot_graph_filter(char *list)
{
    struct ftrace_hash *hash = alloc_ftrace_hash();
    char *glob;

    while (hash && (glob = strsep(&list, ",")))
        if (ftrace_match_records(hash, glob))
            pr_info("ftrace: no function matches '%s'\n", glob);
    ftrace_graph_hash = hash;
}

void tracing_start_boot_tracer(void)
{
    if (boot_filter)
        apply_boot_filter(boot_filter);
    if (boot_graph_filter)
        apply_boot_graph_filter(boot_graph_filter);
    if (!boot_tracer)
        return;
    if (tracing_set_tracer(&global_trace, boot_tracer))
        pr_info("Tracer %s failed to start\n", boot_tracer);
    else
        pr_info("Starting tracer '%s'\n", boot_tracer);
}
