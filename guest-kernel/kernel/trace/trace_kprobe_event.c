/*
 * trace_kprobe_event.c - the events of kprobes and kretprobes: their handlers, entries, files.
 *
 * Not instrumented: handlers.
 */
#include "trace_kprobe.h"
#include <linux/bpf.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

/* A file that is on. */
struct event_file_link {
    struct list_head list;
    struct trace_event_file *file;
};

/* Heads of entries. */
struct kprobe_trace_entry_head {
    struct trace_entry ent;
    unsigned long ip;
};

struct kretprobe_trace_entry_head {
    struct trace_entry ent;
    unsigned long func;
    unsigned long ret_ip;
};

/* ---- handlers ---- */

static void record_hit(struct trace_kprobe *tk, struct trace_event_file *file, struct pt_regs *regs,
                       const unsigned long *places, size_t places_size)
{
    unsigned int dsize = trace_probe_data_size(&tk->tp, regs);
    size_t head = sizeof(struct trace_entry) + places_size;
    struct trace_event_buffer fbuffer;
    char *entry;

    if (trace_trigger_soft_disabled(file))
        return;
    entry = trace_event_buffer_reserve(&fbuffer, file, head + tk->tp.size + dsize);
    if (!entry)
        return;
    fbuffer.regs = regs;
    memcpy(entry + sizeof(struct trace_entry), places, places_size);
    trace_probe_store_args(&tk->tp, regs, entry, head, dsize);
    trace_event_buffer_commit(&fbuffer);
}

#ifdef CONFIG_PERF_EVENTS

/* An entry for the events of perf; programs of BPF see the registers first. */
static void perf_hit(struct trace_kprobe *tk, struct pt_regs *regs, const unsigned long *places,
                     size_t places_size)
{
    struct trace_event_call *call = &tk->ev->call;
    struct list_head *head = &call->perf_events[smp_processor_id()];
    size_t fixed = sizeof(struct trace_entry) + places_size;
    unsigned int dsize;
    int size, rctx;
    char *entry;

    if (bpf_prog_array_valid(call) && !trace_call_bpf(call, regs))
        return;
    if (list_empty(head))
        return;
    dsize = trace_probe_data_size(&tk->tp, regs);
    size = ALIGN(fixed + tk->tp.size + dsize + sizeof(u32), 8) - sizeof(u32);
    entry = perf_trace_buf_alloc(size, NULL, &rctx);
    if (!entry)
        return;
    memset(entry, 0, size);
    memcpy(entry + sizeof(struct trace_entry), places, places_size);
    trace_probe_store_args(&tk->tp, regs, entry, fixed, dsize);
    perf_tp_event(call->event.type, 1, entry, size, regs, head, rctx);
}

#else

static void perf_hit(struct trace_kprobe *tk, struct pt_regs *regs, const unsigned long *places,
                     size_t places_size)
{
    (void)tk;
    (void)regs;
    (void)places;
    (void)places_size;
}

#endif

static void hit(struct trace_kprobe *tk, struct pt_regs *regs, const unsigned long *places,
                size_t places_size)
{
    struct event_file_link *link;

    tk->nhit[smp_processor_id()]++;
    list_for_each_entry_rcu(link, &tk->ev->files, list)
        record_hit(tk, link->file, regs, places, places_size);
    if (READ_ONCE(tk->ev->perf))
        perf_hit(tk, regs, places, places_size);
}

int __kprobes trace_kprobe_hit(struct kprobe *kp, struct pt_regs *regs)
{
    struct trace_kprobe *tk = container_of(kp, struct trace_kprobe, rp.kp);
    const unsigned long places[] = {(unsigned long)kp->addr};

    hit(tk, regs, places, sizeof(places));
    return 0;
}

int __kprobes trace_kretprobe_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
    const struct rethook *rh = ri->node.rethook;
    struct kretprobe *rp = rh->data;
    struct trace_kprobe *tk = container_of(rp, struct trace_kprobe, rp);
    const unsigned long places[] = {(unsigned long)rp->kp.addr, ri->node.ret_addr};

    hit(tk, regs, places, sizeof(places));
    return 0;
}

/* ---- the event ---- */

static bool is_absent(const struct trace_kprobe *tk)
{
    return !tk->registered || kprobe_gone(&tk->rp.kp);
}

int trace_kprobe_enable(struct trace_kprobe *tk)
{
    return is_absent(tk) ? 0 : enable_kprobe(&tk->rp.kp);
}

static void disable_probe(struct trace_kprobe *tk)
{
    if (!is_absent(tk))
        disable_kprobe(&tk->rp.kp);
}

static int enable_probes(struct kprobe_event *ev)
{
    struct trace_kprobe *tk, *done;
    int err;

    list_for_each_entry(tk, &ev->probes, sibling) {
        err = trace_kprobe_enable(tk);
        if (!err)
            continue;
        list_for_each_entry(done, &ev->probes, sibling) {
            if (done == tk)
                return err;
            disable_probe(done);
        }
    }
    return 0;
}

bool kprobe_event_is_on(const struct kprobe_event *ev)
{
    return ev->perf || !list_empty(&ev->files);
}

static void disable_probes(struct kprobe_event *ev)
{
    struct trace_kprobe *tk;

    if (!kprobe_event_is_on(ev))
        list_for_each_entry(tk, &ev->probes, sibling)
            disable_probe(tk);
}

static int enable_trace_kprobe(struct kprobe_event *ev, struct trace_event_file *file)
{
    struct event_file_link *link = kzalloc(sizeof(*link));
    bool first = !kprobe_event_is_on(ev);
    int err = 0;

    if (!link)
        return -ENOMEM;
    link->file = file;
    list_add_tail_rcu(&link->list, &ev->files);
    if (first)
        err = enable_probes(ev);
    if (!err)
        return 0;
    list_del_rcu(&link->list);
    synchronize_rcu();
    kfree(link);
    return err;
}

static int disable_trace_kprobe(struct kprobe_event *ev, const struct trace_event_file *file)
{
    struct event_file_link *link, *next;

    list_for_each_entry_safe(link, next, &ev->files, list) {
        if (link->file != file)
            continue;
        list_del_rcu(&link->list);
        disable_probes(ev);
        synchronize_rcu();
        kfree(link);
    }
    return 0;
}

static int enable_for_perf(struct kprobe_event *ev)
{
    int err = kprobe_event_is_on(ev) ? 0 : enable_probes(ev);

    ev->perf = !err;
    return err;
}

static int kprobe_register(struct trace_event_call *call, enum trace_reg type, void *data)
{
    struct kprobe_event *ev = container_of(call, struct kprobe_event, call);

    switch (type) {
    case TRACE_REG_REGISTER: return enable_trace_kprobe(ev, data);
    case TRACE_REG_UNREGISTER: return disable_trace_kprobe(ev, data);
    case TRACE_REG_PERF_REGISTER: return enable_for_perf(ev);
    default:
        ev->perf = false;
        disable_probes(ev);
        return 0;
    }
}

static int define_place(struct trace_event_call *call, const char *name, size_t offset)
{
    return trace_define_field(call, "unsigned long", name, offset, sizeof(long), 0, FILTER_OTHER);
}

static int kprobe_event_define_fields(struct trace_event_call *call)
{
    const struct trace_kprobe *tk = container_of(call, struct kprobe_event, call)->first;
    int err = define_place(call, "__probe_ip", offsetof(struct kprobe_trace_entry_head, ip));

    return err ? err
               : trace_probe_define_fields(call, &tk->tp, sizeof(struct kprobe_trace_entry_head));
}

static int kretprobe_event_define_fields(struct trace_event_call *call)
{
    const struct trace_kprobe *tk = container_of(call, struct kprobe_event, call)->first;
    int err = define_place(call, "__probe_func", offsetof(struct kretprobe_trace_entry_head, func));

    if (!err)
        err = define_place(call, "__probe_ret_ip",
                           offsetof(struct kretprobe_trace_entry_head, ret_ip));
    return err ? err
               : trace_probe_define_fields(call, &tk->tp,
                                           sizeof(struct kretprobe_trace_entry_head));
}

static const struct trace_event_fields kprobe_fields[] = {
    {.type = TRACE_FUNCTION_TYPE, .define_fields = kprobe_event_define_fields}, {}};
static const struct trace_event_fields kretprobe_fields[] = {
    {.type = TRACE_FUNCTION_TYPE, .define_fields = kretprobe_event_define_fields}, {}};

static enum print_line_t print_kprobe_event(struct trace_iterator *iter, int flags,
                                            struct trace_event *event)
{
    const struct trace_kprobe *tk = container_of(event, struct kprobe_event, call.event)->first;
    const struct kprobe_trace_entry_head *field = (const void *)iter->ent;
    struct trace_seq *s = &iter->seq;

    trace_seq_printf(s, "%s: (", tk->event);
    trace_seq_print_sym(s, field->ip, flags | TRACE_ITER_SYM_OFFSET);
    trace_seq_putc(s, ')');
    trace_probe_print_args(s, &tk->tp, field, sizeof(*field));
    trace_seq_putc(s, '\n');
    return trace_handle_return(s);
}

static enum print_line_t print_kretprobe_event(struct trace_iterator *iter, int flags,
                                               struct trace_event *event)
{
    const struct trace_kprobe *tk = container_of(event, struct kprobe_event, call.event)->first;
    const struct kretprobe_trace_entry_head *field = (const void *)iter->ent;
    struct trace_seq *s = &iter->seq;

    trace_seq_printf(s, "%s: (", tk->event);
    trace_seq_print_sym(s, field->ret_ip, flags | TRACE_ITER_SYM_OFFSET);
    trace_seq_puts(s, " <- ");
    trace_seq_print_sym(s, field->func, flags & ~TRACE_ITER_SYM_OFFSET);
    trace_seq_putc(s, ')');
    trace_probe_print_args(s, &tk->tp, field, sizeof(*field));
    trace_seq_putc(s, '\n');
    return trace_handle_return(s);
}

static const struct trace_event_functions kprobe_funcs = {.trace = print_kprobe_event};
static const struct trace_event_functions kretprobe_funcs = {.trace = print_kretprobe_event};

struct kprobe_event *alloc_kprobe_event(struct trace_kprobe *tk)
{
    struct kprobe_event *ev = kzalloc(sizeof(*ev));
    struct trace_event_call *call;

    if (!ev)
        return NULL;
    call = &ev->call;
    INIT_LIST_HEAD(&ev->probes);
    INIT_LIST_HEAD(&ev->removed);
    INIT_LIST_HEAD(&ev->files);
    INIT_LIST_HEAD(&ev->class.fields);
    ev->first = tk;
    ev->class.system = tk->group;
    ev->class.reg = kprobe_register;
    ev->class.raw_init = trace_event_raw_init;
    ev->class.fields_array = tk->is_return ? kretprobe_fields : kprobe_fields;
    call->class = &ev->class;
    call->name = tk->event;
    call->flags = TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_DYNAMIC;
    call->event.funcs = tk->is_return ? &kretprobe_funcs : &kprobe_funcs;
    call->print_fmt = tk->is_return
                          ? trace_probe_print_fmt(&tk->tp, "(%lx <- %lx)",
                                                  "REC->__probe_func, REC->__probe_ret_ip")
                          : trace_probe_print_fmt(&tk->tp, "(%lx)", "REC->__probe_ip");
    if (call->print_fmt)
        return ev;
    kfree(ev);
    return NULL;
}
