/*
 * trace_syscalls.c - the events of system calls: `syscalls/sys_enter_NAME`,
 * `syscalls/sys_exit_NAME`.
 *
 * Each trace has one probe for all calls, which finds the event's file by the call's number.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/bpf.h>
#include <linux/errno.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/string.h>

#define CREATE_TRACE_POINTS
#include <trace/events/syscalls.h>
#undef CREATE_TRACE_POINTS

struct syscall_trace_enter {
    struct trace_entry ent;
    int nr;
    unsigned long args[];
};

struct syscall_trace_exit {
    struct trace_entry ent;
    int nr;
    long ret;
};

/* Guards the tables of files and the number of those in use. */
static DEFINE_MUTEX(syscall_trace_lock);

static const struct syscall_metadata *syscalls_metadata[NR_syscalls];

static const struct syscall_metadata *syscall_nr_to_meta(int nr)
{
    return nr >= 0 && nr < NR_syscalls ? syscalls_metadata[nr] : NULL;
}

const char *trace_syscall_name(u64 nr)
{
    const struct syscall_metadata *meta = nr < NR_syscalls ? syscalls_metadata[nr] : NULL;

    return meta ? meta->name : NULL;
}

/* ---- printing ---- */

static enum print_line_t print_syscall_enter(struct trace_iterator *iter, int flags,
                                             struct trace_event *event)
{
    const struct syscall_trace_enter *trace = (const void *)iter->ent;
    const struct syscall_metadata *meta = syscall_nr_to_meta(trace->nr);
    struct trace_seq *s = &iter->seq;
    int i;

    (void)flags;
    (void)event;
    trace_seq_printf(s, "%s(", meta->name);
    for (i = 0; i < meta->nb_args; i++) {
        if (iter->tr->trace_flags & TRACE_ITER_VERBOSE)
            trace_seq_printf(s, "%s ", meta->types[i]);
        trace_seq_printf(s, "%s: %lx%s", meta->args[i], trace->args[i],
                         i == meta->nb_args - 1 ? "" : ", ");
    }
    trace_seq_puts(s, ")\n");
    return trace_handle_return(s);
}

static enum print_line_t print_syscall_exit(struct trace_iterator *iter, int flags,
                                            struct trace_event *event)
{
    const struct syscall_trace_exit *trace = (const void *)iter->ent;

    (void)flags;
    (void)event;
    trace_seq_printf(&iter->seq, "%s -> 0x%lx\n", syscall_nr_to_meta(trace->nr)->name, trace->ret);
    return trace_handle_return(&iter->seq);
}

const struct trace_event_functions enter_syscall_print_funcs = {.trace = print_syscall_enter};
const struct trace_event_functions exit_syscall_print_funcs = {.trace = print_syscall_exit};

/* ---- probes ---- */

static void ftrace_syscall_enter(void *data, struct pt_regs *regs, long id)
{
    const struct syscall_metadata *meta = syscall_nr_to_meta(id);
    struct trace_array *tr = data;
    struct trace_event_file *file = meta ? READ_ONCE(tr->enter_syscall_files[id]) : NULL;
    struct trace_event_buffer fbuffer;
    struct syscall_trace_enter *entry;
    unsigned long args[6];

    if (!file || trace_trigger_soft_disabled(file))
        return;
    entry = trace_event_buffer_reserve(&fbuffer, file,
                                       sizeof(*entry) + sizeof(args[0]) * meta->nb_args);
    if (!entry)
        return;
    syscall_get_arguments(regs, args);
    entry->nr = id;
    memcpy(entry->args, args, sizeof(args[0]) * meta->nb_args);
    trace_event_buffer_commit(&fbuffer);
}

static void ftrace_syscall_exit(void *data, struct pt_regs *regs, long ret)
{
    long id = syscall_get_nr(regs);
    struct trace_array *tr = data;
    struct trace_event_file *file =
        syscall_nr_to_meta(id) ? READ_ONCE(tr->exit_syscall_files[id]) : NULL;
    struct trace_event_buffer fbuffer;
    struct syscall_trace_exit *entry;

    if (!file || trace_trigger_soft_disabled(file))
        return;
    entry = trace_event_buffer_reserve(&fbuffer, file, sizeof(*entry));
    if (!entry)
        return;
    entry->nr = id;
    entry->ret = ret;
    trace_event_buffer_commit(&fbuffer);
}

/* ---- perf ---- */

static int nr_of(const struct trace_event_call *call)
{
    return ((const struct syscall_metadata *)call->data)->syscall_nr;
}

#ifdef CONFIG_PERF_EVENTS

/* By number: whether an event of perf wants the call. Under syscall_trace_lock, as the counts. */
static bool perf_enter[NR_syscalls], perf_exit[NR_syscalls];
static unsigned int perf_refcount_enter, perf_refcount_exit;

enum { MAX_ARGS = 6 };

/* What programs of BPF get: of an entry its arguments, of a return the result. */
struct syscall_tp {
    u64 regs;
    unsigned long syscall_nr;
    unsigned long args[MAX_ARGS];
};

/* Returns whether the call is to be recorded. Gives the entry back if not. */
static bool is_to_be_recorded(struct trace_event_call *call, struct list_head *head, int rctx,
                              struct pt_regs *regs, long nr, const unsigned long *args,
                              unsigned int nr_args)
{
    struct syscall_tp param = {(unsigned long)regs, nr, {0}};
    bool wanted = true;

    if (bpf_prog_array_valid(call)) {
        memcpy(param.args, args, nr_args * sizeof(args[0]));
        wanted = trace_call_bpf(call, &param);
    }
    wanted &= !list_empty(head);
    if (!wanted)
        perf_swevent_put_recursion_context(rctx);
    return wanted;
}

/* The list of the event's users, if there is one. */
static struct list_head *users_of(const struct trace_event_call *call)
{
    struct list_head *head = &call->perf_events[smp_processor_id()];

    return bpf_prog_array_valid(call) || !list_empty(head) ? head : NULL;
}

static void perf_syscall_enter(void *unused, struct pt_regs *regs, long id)
{
    const struct syscall_metadata *meta = syscall_nr_to_meta(id);
    struct syscall_trace_enter *entry;
    unsigned long args[MAX_ARGS];
    struct list_head *head;
    int size, rctx;

    (void)unused;
    if (!meta || !READ_ONCE(perf_enter[id]) || !(head = users_of(meta->enter_event)))
        return;
    size = sizeof(*entry) + sizeof(args[0]) * meta->nb_args;
    size = ALIGN(size + (int)sizeof(u32), 8) - sizeof(u32);
    entry = perf_trace_buf_alloc(size, NULL, &rctx);
    if (!entry)
        return;
    syscall_get_arguments(regs, args);
    entry->nr = id;
    memcpy(entry->args, args, sizeof(args[0]) * meta->nb_args);
    if (is_to_be_recorded(meta->enter_event, head, rctx, regs, id, args, meta->nb_args))
        perf_tp_event(meta->enter_event->event.type, 1, entry, size, regs, head, rctx);
}

static void perf_syscall_exit(void *unused, struct pt_regs *regs, long ret)
{
    long id = syscall_get_nr(regs);
    const struct syscall_metadata *meta = syscall_nr_to_meta(id);
    const unsigned long result = ret;
    struct syscall_trace_exit *entry;
    struct list_head *head;
    int size, rctx;

    (void)unused;
    if (!meta || !READ_ONCE(perf_exit[id]) || !(head = users_of(meta->exit_event)))
        return;
    size = ALIGN((int)(sizeof(*entry) + sizeof(u32)), 8) - sizeof(u32);
    entry = perf_trace_buf_alloc(size, NULL, &rctx);
    if (!entry)
        return;
    entry->nr = id;
    entry->ret = ret;
    if (is_to_be_recorded(meta->exit_event, head, rctx, regs, id, &result, 1))
        perf_tp_event(meta->exit_event->event.type, 1, entry, size, regs, head, rctx);
}

static int perf_sysenter_enable(struct trace_event_call *call, bool on)
{
    int err = 0;

    mutex_lock(&syscall_trace_lock);
    if (on && !perf_refcount_enter)
        err = register_trace_sys_enter(perf_syscall_enter, NULL);
    if (!err) {
        WRITE_ONCE(perf_enter[nr_of(call)], on);
        perf_refcount_enter += on ? 1 : -1;
        if (!perf_refcount_enter)
            unregister_trace_sys_enter(perf_syscall_enter, NULL);
    }
    mutex_unlock(&syscall_trace_lock);
    return err;
}

static int perf_sysexit_enable(struct trace_event_call *call, bool on)
{
    int err = 0;

    mutex_lock(&syscall_trace_lock);
    if (on && !perf_refcount_exit)
        err = register_trace_sys_exit(perf_syscall_exit, NULL);
    if (!err) {
        WRITE_ONCE(perf_exit[nr_of(call)], on);
        perf_refcount_exit += on ? 1 : -1;
        if (!perf_refcount_exit)
            unregister_trace_sys_exit(perf_syscall_exit, NULL);
    }
    mutex_unlock(&syscall_trace_lock);
    return err;
}

#else

static int perf_sysenter_enable(struct trace_event_call *call, bool on)
{
    (void)call;
    (void)on;
    return -EINVAL;
}

static int perf_sysexit_enable(struct trace_event_call *call, bool on)
{
    return perf_sysenter_enable(call, on);
}

#endif

/* ---- on and off ---- */

/* The first event of a trace attaches its probe, the last one removes it. */
static int syscall_enter_register(struct trace_event_call *event, enum trace_reg type, void *data)
{
    struct trace_event_file *file = data;
    struct trace_array *tr;
    int err = 0;

    if (type > TRACE_REG_UNREGISTER)
        return perf_sysenter_enable(event, type == TRACE_REG_PERF_REGISTER);
    tr = file->tr;
    mutex_lock(&syscall_trace_lock);
    if (type == TRACE_REG_REGISTER) {
        if (!tr->sys_refcount_enter)
            err = register_trace_sys_enter(ftrace_syscall_enter, tr);
        if (!err) {
            tr->sys_refcount_enter++;
            rcu_assign_pointer(tr->enter_syscall_files[nr_of(event)], file);
        }
    } else {
        WRITE_ONCE(tr->enter_syscall_files[nr_of(event)], NULL);
        if (!--tr->sys_refcount_enter)
            unregister_trace_sys_enter(ftrace_syscall_enter, tr);
    }
    mutex_unlock(&syscall_trace_lock);
    return err;
}

static int syscall_exit_register(struct trace_event_call *event, enum trace_reg type, void *data)
{
    struct trace_event_file *file = data;
    struct trace_array *tr;
    int err = 0;

    if (type > TRACE_REG_UNREGISTER)
        return perf_sysexit_enable(event, type == TRACE_REG_PERF_REGISTER);
    tr = file->tr;
    mutex_lock(&syscall_trace_lock);
    if (type == TRACE_REG_REGISTER) {
        if (!tr->sys_refcount_exit)
            err = register_trace_sys_exit(ftrace_syscall_exit, tr);
        if (!err) {
            tr->sys_refcount_exit++;
            rcu_assign_pointer(tr->exit_syscall_files[nr_of(event)], file);
        }
    } else {
        WRITE_ONCE(tr->exit_syscall_files[nr_of(event)], NULL);
        if (!--tr->sys_refcount_exit)
            unregister_trace_sys_exit(ftrace_syscall_exit, tr);
    }
    mutex_unlock(&syscall_trace_lock);
    return err;
}

/* ---- fields ---- */

static struct list_head *syscall_get_enter_fields(struct trace_event_call *call)
{
    return &((struct syscall_metadata *)call->data)->enter_fields;
}

/* Each argument takes a word, whatever its type. */
static int syscall_enter_define_fields(struct trace_event_call *call)
{
    const struct syscall_metadata *meta = call->data;
    int offset = offsetof(struct syscall_trace_enter, args);
    int i, err = 0;

    for (i = 0; !err && i < meta->nb_args; i++, offset += sizeof(unsigned long))
        err = trace_define_field(call, meta->types[i], meta->args[i], offset, sizeof(unsigned long),
                                 0, FILTER_OTHER);
    return err;
}

static int init_syscall_trace(struct trace_event_call *call)
{
    syscalls_metadata[nr_of(call)] = call->data;
    return trace_event_raw_init(call);
}

#define SYSCALL_FIELD(_type, _name)                                                        \
    {                                                                                      \
        .type = #_type, .name = _name, .size = sizeof(_type), .align = __alignof__(_type), \
        .is_signed = is_signed_type(_type), .filter_type = FILTER_OTHER,                   \
    }

static const struct trace_event_fields enter_fields[] = {
    SYSCALL_FIELD(int, "__syscall_nr"),
    {.type = TRACE_FUNCTION_TYPE, .define_fields = syscall_enter_define_fields},
    {.type = NULL},
};

static const struct trace_event_fields exit_fields[] = {
    SYSCALL_FIELD(int, "__syscall_nr"),
    SYSCALL_FIELD(long, "ret"),
    {.type = NULL},
};

struct trace_event_class event_class_syscall_enter = {
    .system = "syscalls",
    .reg = syscall_enter_register,
    .fields_array = enter_fields,
    .get_fields = syscall_get_enter_fields,
    .raw_init = init_syscall_trace,
};

struct trace_event_class event_class_syscall_exit = {
    .system = "syscalls",
    .reg = syscall_exit_register,
    .fields_array = exit_fields,
    .fields = LIST_HEAD_INIT(event_class_syscall_exit.fields),
    .raw_init = init_syscall_trace,
};
