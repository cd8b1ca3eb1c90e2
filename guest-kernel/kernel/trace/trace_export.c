/*
 * trace_export.c - events/ftrace: the formats of the entries that tracers and the kernel itself
 * write. They cannot be turned on there.
 *
 * Not instrumented.
 */
#include "trace.h"
#include "trace_mmiotrace.h"
#include <linux/kernel.h>

struct export_field {
    const char *type; /* NULL ends the list */
    const char *name;
    int offset, size;
    bool is_signed;
};

static int export_define_fields(struct trace_event_call *call)
{
    const struct export_field *field;
    int err = 0;

    for (field = call->data; !err && field->type; field++)
        err = trace_define_field(call, field->type, field->name, field->offset, field->size,
                                 field->is_signed, FILTER_OTHER);
    return err;
}

/* Tracers write these entries: there is nothing to turn on. For the triggers of print. */
static int export_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
    (void)call;
    (void)type;
    (void)data;
    return 0;
}

static const struct trace_event_fields export_fields_array[] = {
    {.type = TRACE_FUNCTION_TYPE, .define_fields = export_define_fields}, {}};

#define FTRACE_ENTRY(call, id, fmt, ...)                                                      \
    static const struct export_field fields_##call[] = {__VA_ARGS__, {}};                     \
    static struct trace_event_class event_class_ftrace_##call = {                             \
        .system = "ftrace",                                                                   \
        .fields_array = export_fields_array,                                                  \
        .reg = export_reg,                                                                    \
        .fields = LIST_HEAD_INIT(event_class_ftrace_##call.fields),                           \
    };                                                                                        \
    static struct trace_event_call event_##call = {                                           \
        .class = &event_class_ftrace_##call,                                                  \
        .name = #call,                                                                        \
        .event.type = id,                                                                     \
        .print_fmt = fmt,                                                                     \
        .data = (void *)fields_##call,                                                        \
        .flags = TRACE_EVENT_FL_IGNORE_ENABLE,                                                \
    };                                                                                        \
    static struct trace_event_call *const __event_##call __used __section("_ftrace_events") = \
        &event_##call

/* A member of the entry; SIZED: with another size than it has there, as in Linux's format. */
#define SIZED(entry, type, name, member, size)                  \
    {                                                           \
        type, name, offsetof(struct entry, member), size, false \
    }
#define FIELD(entry, type, name, member)                                                       \
    {                                                                                          \
        type, name, offsetof(struct entry, member), sizeof(((struct entry *)0)->member), false \
    }
#define SIGNED(entry, type, name, member)                                                     \
    {                                                                                         \
        type, name, offsetof(struct entry, member), sizeof(((struct entry *)0)->member), true \
    }

FTRACE_ENTRY(function, TRACE_FN, "\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip",
             FIELD(ftrace_entry, "unsigned long", "ip", ip),
             FIELD(ftrace_entry, "unsigned long", "parent_ip", parent_ip));

FTRACE_ENTRY(funcgraph_entry, TRACE_GRAPH_ENT, "\"--> %ps (%d)\", (void *)REC->func, REC->depth",
             FIELD(ftrace_graph_ent_entry, "unsigned long", "func", graph_ent.func),
             SIGNED(ftrace_graph_ent_entry, "int", "depth", graph_ent.depth));

FTRACE_ENTRY(funcgraph_exit, TRACE_GRAPH_RET,
             "\"<-- %ps (%d) (start: %llx  end: %llx) over: %d retval: %lx\", (void *)REC->func, "
             "REC->depth, REC->calltime, REC->rettime, REC->depth, REC->retval",
             FIELD(ftrace_graph_ret_entry, "unsigned long", "func", ret.func),
             FIELD(ftrace_graph_ret_entry, "unsigned long", "retval", ret.retval),
             SIGNED(ftrace_graph_ret_entry, "int", "depth", ret.depth),
             FIELD(ftrace_graph_ret_entry, "unsigned int", "overrun", ret.overrun),
             FIELD(ftrace_graph_ret_entry, "unsigned long long", "calltime", ret.calltime),
             FIELD(ftrace_graph_ret_entry, "unsigned long long", "rettime", ret.rettime));

#define CTX_SWITCH_FIELDS                                                   \
    FIELD(ctx_switch_entry, "unsigned int", "prev_pid", prev_pid),          \
        FIELD(ctx_switch_entry, "unsigned int", "next_pid", next_pid),      \
        FIELD(ctx_switch_entry, "unsigned int", "next_cpu", next_cpu),      \
        FIELD(ctx_switch_entry, "unsigned char", "prev_prio", prev_prio),   \
        FIELD(ctx_switch_entry, "unsigned char", "prev_state", prev_state), \
        FIELD(ctx_switch_entry, "unsigned char", "next_prio", next_prio),   \
        FIELD(ctx_switch_entry, "unsigned char", "next_state", next_state)
#define CTX_SWITCH_ARGS                                                                 \
    ", REC->prev_pid, REC->prev_prio, REC->prev_state, REC->next_pid, REC->next_prio, " \
    "REC->next_state, REC->next_cpu"

FTRACE_ENTRY(context_switch, TRACE_CTX, "\"%u:%u:%u  ==> %u:%u:%u [%03u]\"" CTX_SWITCH_ARGS,
             CTX_SWITCH_FIELDS);
FTRACE_ENTRY(wakeup, TRACE_WAKE, "\"%u:%u:%u  ==+ %u:%u:%u [%03u]\"" CTX_SWITCH_ARGS,
             CTX_SWITCH_FIELDS);

#define THREE_LINES "\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "
#define EIGHT_LINES                                                                  \
    THREE_LINES THREE_LINES                                                          \
        "\"\\t=> %ps\\n\\t=> %ps\\n\""                                               \
        ", (void *)REC->caller[0], (void *)REC->caller[1], (void *)REC->caller[2], " \
        "(void *)REC->caller[3], (void *)REC->caller[4], (void *)REC->caller[5], "   \
        "(void *)REC->caller[6], (void *)REC->caller[7]"

/* An entry has as many callers as it says; the format shows eight. */
FTRACE_ENTRY(kernel_stack, TRACE_STACK, EIGHT_LINES, SIGNED(stack_entry, "int", "size", size),
             SIZED(stack_entry, "unsigned long", "caller[8]", caller, 64));
FTRACE_ENTRY(user_stack, TRACE_USER_STACK, EIGHT_LINES,
             FIELD(userstack_entry, "unsigned int", "tgid", tgid),
             FIELD(userstack_entry, "unsigned long", "caller[8]", caller));

FTRACE_ENTRY(print, TRACE_PRINT, "\"%ps: %s\", (void *)REC->ip, REC->buf",
             FIELD(print_entry, "unsigned long", "ip", ip),
             SIZED(print_entry, "char[]", "buf", buf, 0));
FTRACE_ENTRY(bprint, TRACE_BPRINT, "\"%ps: %s\", (void *)REC->ip, REC->fmt",
             FIELD(bprint_entry, "unsigned long", "ip", ip),
             FIELD(bprint_entry, "const char *", "fmt", fmt),
             SIZED(bprint_entry, "u32[]", "buf", buf, 0));
FTRACE_ENTRY(bputs, TRACE_BPUTS, "\"%ps: %s\", (void *)REC->ip, REC->str",
             FIELD(bputs_entry, "unsigned long", "ip", ip),
             FIELD(bputs_entry, "const char *", "str", str));
FTRACE_ENTRY(raw_data, TRACE_RAW_DATA, "\"id:%04x %08x\", REC->id, (int)REC->buf[0]",
             FIELD(raw_data_entry, "unsigned int", "id", id),
             SIZED(raw_data_entry, "char[]", "buf", buf, 0));

/* Entries of the flavour `branch`. */
FTRACE_ENTRY(branch, TRACE_BRANCH,
             "\"%u:%s:%s (%u)%s\", REC->line, REC->func, REC->file, REC->correct, "
             "REC->constant ? \" CONSTANT\" : \"\"",
             FIELD(trace_branch, "unsigned int", "line", line),
             FIELD(trace_branch, "char[31]", "func", func),
             FIELD(trace_branch, "char[21]", "file", file),
             FIELD(trace_branch, "char", "correct", correct),
             FIELD(trace_branch, "char", "constant", constant));

FTRACE_ENTRY(
    func_repeats, TRACE_FUNC_REPEATS,
    "\" %ps <-%ps\\t(repeats:%u  delta: -%llu)\", (void *)REC->ip, (void *)REC->parent_ip, "
    "REC->count, (((u64)(REC)->top_delta_ts << 32) | (REC)->bottom_delta_ts)",
    FIELD(func_repeats_entry, "unsigned long", "ip", ip),
    FIELD(func_repeats_entry, "unsigned long", "parent_ip", parent_ip),
    FIELD(func_repeats_entry, "u16", "count", count),
    FIELD(func_repeats_entry, "u16", "top_delta_ts", top_delta_ts),
    FIELD(func_repeats_entry, "u32", "bottom_delta_ts", bottom_delta_ts));

FTRACE_ENTRY(
    mmiotrace_rw, TRACE_MMIO_RW,
    "\"%lx %lx %lx %d %x %x\", (unsigned long)REC->phys, REC->value, REC->pc, REC->map_id, "
    "REC->opcode, REC->width",
    FIELD(trace_mmiotrace_rw, "resource_size_t", "phys", rw.phys),
    FIELD(trace_mmiotrace_rw, "unsigned long", "value", rw.value),
    FIELD(trace_mmiotrace_rw, "unsigned long", "pc", rw.pc),
    SIGNED(trace_mmiotrace_rw, "int", "map_id", rw.map_id),
    FIELD(trace_mmiotrace_rw, "unsigned char", "opcode", rw.opcode),
    FIELD(trace_mmiotrace_rw, "unsigned char", "width", rw.width));
FTRACE_ENTRY(mmiotrace_map, TRACE_MMIO_MAP,
             "\"%lx %lx %lx %d %x\", (unsigned long)REC->phys, REC->virt, REC->len, REC->map_id, "
             "REC->opcode",
             FIELD(trace_mmiotrace_map, "resource_size_t", "phys", map.phys),
             FIELD(trace_mmiotrace_map, "unsigned long", "virt", map.virt),
             FIELD(trace_mmiotrace_map, "unsigned long", "len", map.len),
             SIGNED(trace_mmiotrace_map, "int", "map_id", map.map_id),
             FIELD(trace_mmiotrace_map, "unsigned char", "opcode", map.opcode));
