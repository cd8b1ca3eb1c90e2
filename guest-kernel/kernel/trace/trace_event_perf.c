/*
 * trace_event_perf.c - events of ftrace as events of perf: tracepoints, system calls, kprobes.
 *
 * A probe of its own (perf_trace_NAME) makes the entry in a buffer of its hart and context, and
 * hands it to BPF programs and to the active events of the hart. perf_events and perf_refcount of a
 * struct trace_event_call are changed under event_mutex; a hart's list by that hart only, with
 * interrupts off, and probes read it with preemption off.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/bpf.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kallsyms.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

enum { PERF_CONTEXTS = 4 };

/* Entries, one for each hart and context; the first event allocates them, the last one frees them.
 */
struct perf_trace_buffers {
    u64 entry[NR_CPUS][PERF_CONTEXTS][PERF_MAX_TRACE_SIZE / sizeof(u64)];
    struct pt_regs regs[NR_CPUS][PERF_CONTEXTS];
};

static struct perf_trace_buffers *buffers; /* under event_mutex, as is the next */
static unsigned int total_ref_count;

/* ---- on and off; event_mutex is held ---- */

static int get_buffers(void)
{
    if (!total_ref_count)
        buffers = kzalloc(sizeof(*buffers));
    if (!buffers)
        return -ENOMEM;
    total_ref_count++;
    return 0;
}

static void put_buffers(void)
{
    if (--total_ref_count)
        return;
    kfree(buffers);
    buffers = NULL;
}

static int alloc_lists(struct trace_event_call *call)
{
    unsigned int cpu;

    call->perf_events = kzalloc(NR_CPUS * sizeof(*call->perf_events));
    if (!call->perf_events)
        return -ENOMEM;
    for (cpu = 0; cpu < NR_CPUS; cpu++)
        INIT_LIST_HEAD(&call->perf_events[cpu]);
    return 0;
}

static int register_call(struct trace_event_call *call)
{
    int err;

    if (call->perf_refcount++)
        return 0;
    err = alloc_lists(call);
    if (!err)
        err = get_buffers();
    if (!err) {
        err = call->class->reg(call, TRACE_REG_PERF_REGISTER, NULL);
        if (err)
            put_buffers();
    }
    if (err) {
        kfree(call->perf_events);
        call->perf_events = NULL;
        call->perf_refcount--;
    }
    return err;
}

static void unregister_call(struct trace_event_call *call)
{
    if (--call->perf_refcount)
        return;
    call->class->reg(call, TRACE_REG_PERF_UNREGISTER, NULL);
    tracepoint_synchronize_unregister();
    kfree(call->perf_events);
    call->perf_events = NULL;
    put_buffers();
}

/* The event of this number, with a reference, or NULL. */
static struct trace_event_call *get_call(u64 type)
{
    struct trace_event_call *call;

    list_for_each_entry(call, &ftrace_events, list) {
        if ((u64)call->event.type == type && call->class && call->class->reg &&
            trace_event_try_get_ref(call))
            return call;
    }
    return NULL;
}

/* event_mutex is held. */
static void leave_call(struct perf_event *event)
{
    if (event->filter) {
        tracepoint_synchronize_unregister();
        free_event_filter(event->filter);
    }
    unregister_call(event->tp_event);
}

static void tp_destroy(struct perf_event *event)
{
    mutex_lock(&event_mutex);
    leave_call(event);
    trace_event_put_ref(event->tp_event);
    mutex_unlock(&event_mutex);
}

int perf_trace_init_call(struct perf_event *event, struct trace_event_call *call)
{
    int err = register_call(call);

    if (err)
        return err;
    event->tp_event = call;
    event->destroy = tp_destroy;
    return 0;
}

static int tp_init(struct perf_event *event)
{
    struct trace_event_call *call;
    int err = -EINVAL;

    if (event->attr.type != PERF_TYPE_TRACEPOINT)
        return -ENOENT;
    if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
        return -EOPNOTSUPP;
    mutex_lock(&event_mutex);
    call = get_call(event->attr.config);
    if (call) {
        err = perf_trace_init_call(event, call);
        if (err)
            trace_event_put_ref(call);
    }
    mutex_unlock(&event_mutex);
    return err;
}

/* ---- the pmu ---- */

static int tp_add(struct perf_event *event, int flags)
{
    struct hw_perf_event *hwc = &event->hw;

    hwc->state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
    if (is_sampling_event(event)) {
        hwc->last_period = hwc->sample_period;
        perf_swevent_set_period(event);
    }
    list_add_tail_rcu(&hwc->link, &event->tp_event->perf_events[smp_processor_id()]);
    return 0;
}

static void tp_del(struct perf_event *event, int flags)
{
    (void)flags;
    list_del_rcu(&event->hw.link); /* an interrupt may come while the list is walked */
}

static void tp_start(struct perf_event *event, int flags)
{
    (void)flags;
    event->hw.state = 0;
}

static void tp_stop(struct perf_event *event, int flags)
{
    (void)flags;
    event->hw.state = PERF_HES_STOPPED;
}

static void tp_read(struct perf_event *event)
{
    (void)event;
}

static struct pmu perf_tracepoint = {
    .event_init = tp_init,
    .add = tp_add,
    .del = tp_del,
    .start = tp_start,
    .stop = tp_stop,
    .read = tp_read,
};

/* ---- the pmu of kprobes: attr says where, and a bit of it whether at the function's return ----
 */

enum { KPROBE_RETURN = 1 };

/* A name and an offset become an address. */
static int kprobe_read_attr(struct perf_event_attr *attr)
{
    const char __user *from = (const char __user *)(unsigned long)attr->kprobe_func;
    char name[KSYM_NAME_LEN];
    unsigned long addr;
    long n;

    if (!from)
        return 0;
    n = strncpy_from_user(name, from, sizeof(name));
    if (n < 0 || n >= (long)sizeof(name))
        return n < 0 ? n : -E2BIG;
    attr->kprobe_func = 0;
    if (!n)
        return 0;
    addr = kallsyms_lookup_name(name);
    if (!addr)
        return -ENOENT;
    attr->kprobe_addr = addr + attr->probe_offset;
    return 0;
}

/* The probe is shared with the events that inherit it, which are freed before the first one. */
static void kprobe_destroy(struct perf_event *event)
{
    mutex_lock(&event_mutex);
    leave_call(event);
    mutex_unlock(&event_mutex);
    if (!event->parent)
        destroy_local_trace_kprobe(event->tp_event);
}

static int kprobe_init(struct perf_event *event);

static const struct pmu_format kprobe_formats[] = {{"retprobe", "config:0"}, {NULL, NULL}};

static struct pmu perf_kprobe = {
    .formats = kprobe_formats,
    .read_attr = kprobe_read_attr,
    .event_init = kprobe_init,
    .add = tp_add,
    .del = tp_del,
    .start = tp_start,
    .stop = tp_stop,
    .read = tp_read,
};

static int kprobe_init(struct perf_event *event)
{
    const struct perf_event_attr *attr = &event->attr;
    struct trace_event_call *call;
    int err;

    if (attr->type != perf_kprobe.type)
        return -ENOENT;
    if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
        return -EOPNOTSUPP;
    call = event->parent
               ? event->parent->tp_event
               : create_local_trace_kprobe(attr->kprobe_addr, attr->config & KPROBE_RETURN);
    if (IS_ERR(call))
        return PTR_ERR(call);
    mutex_lock(&event_mutex);
    err = perf_trace_init_call(event, call);
    mutex_unlock(&event_mutex);
    if (!err)
        event->destroy = kprobe_destroy;
    else if (!event->parent)
        destroy_local_trace_kprobe(call);
    return err;
}

void perf_tp_register(void)
{
    perf_pmu_register(&perf_tracepoint, "tracepoint", PERF_TYPE_TRACEPOINT);
    perf_pmu_register(&perf_kprobe, "kprobe", -1);
}

/* ---- filters ---- */

/* Children use their parent's. Called with perf_event_mutex held. */
int ftrace_profile_set_filter(struct perf_event *event, const char *text)
{
    struct event_filter *filter = NULL;
    int err;

    mutex_lock(&event_mutex);
    err =
        event->filter ? -EEXIST : create_event_filter(NULL, event->tp_event, text, false, &filter);
    if (err)
        free_event_filter(filter);
    else
        rcu_assign_pointer(event->filter, filter);
    mutex_unlock(&event_mutex);
    return err;
}

static bool is_wanted(const struct perf_event *event, const void *record,
                      const struct pt_regs *regs)
{
    const struct perf_event *owner = event->parent ? event->parent : event;
    const struct event_filter *filter = rcu_dereference(owner->filter);

    if (event->hw.state & PERF_HES_STOPPED)
        return false;
    if (filter && !filter_match_preds(filter, record))
        return false;
    return !event->attr.exclude_kernel || user_mode(regs);
}

/* ---- probes ---- */

void *perf_trace_buf_alloc(int size, struct pt_regs **regs, int *rctxp)
{
    unsigned int cpu = smp_processor_id();
    int rctx;

    if (WARN_ON(size > PERF_MAX_TRACE_SIZE))
        return NULL;
    *rctxp = rctx = perf_swevent_get_recursion_context();
    if (rctx < 0)
        return NULL;
    if (regs)
        *regs = &buffers->regs[cpu][rctx];
    buffers->entry[cpu][rctx][size / sizeof(u64)] = 0; /* the end, which no field may fill */
    return buffers->entry[cpu][rctx];
}
EXPORT_SYMBOL_GPL(perf_trace_buf_alloc);

static void init_entry(struct trace_entry *ent, u16 type)
{
    unsigned int trace_ctx = tracing_gen_ctx();

    ent->type = type;
    ent->flags = trace_ctx >> 16;
    ent->preempt_count = trace_ctx & 0xff;
    ent->pid = current->pid;
}

void perf_tp_event(u16 event_type, u64 count, void *record, int entry_size, struct pt_regs *regs,
                   struct list_head *head, int rctx)
{
    struct perf_sample_data data;
    struct perf_event *event;

    perf_sample_data_init(&data, 0, 0);
    data.raw = record;
    data.raw_size = entry_size;
    init_entry(record, event_type);
    list_for_each_entry_rcu(event, head, hw.link) {
        if (is_wanted(event, record, regs))
            perf_swevent_event(event, count, &data, regs);
    }
    perf_swevent_put_recursion_context(rctx);
}
EXPORT_SYMBOL_GPL(perf_tp_event);

void perf_trace_run_bpf_submit(void *raw_data, int size, int rctx, struct trace_event_call *call,
                               u64 count, struct pt_regs *regs, struct list_head *head)
{
    if (bpf_prog_array_valid(call)) {
        *(struct pt_regs **)raw_data = regs;
        if (!trace_call_bpf(call, raw_data) || list_empty(head)) {
            perf_swevent_put_recursion_context(rctx);
            return;
        }
    }
    perf_tp_event(call->event.type, count, raw_data, size, regs, head, rctx);
}
EXPORT_SYMBOL_GPL(perf_trace_run_bpf_submit);
