/*
 * trace_functions_graph.c - the tracer `function_graph`: calls as they nest, and how long each
 * took.
 *
 * Not instrumented.
 */
#include "trace_selftest.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

extern const char __irqentry_text_start[], __irqentry_text_end[];

enum { TRACE_GRAPH_INDENT = 2, TRACE_GRAPH_PROCINFO_LENGTH = 14 };

/* What one hart's part of the trace has shown so far, for the reader. */
struct fgraph_cpu_data {
    int last_pid; /* -1: nothing yet */
    int depth;    /* of what is open */
    unsigned long enter_funcs[FTRACE_RETFUNC_DEPTH];
};

struct fgraph_data {
    struct fgraph_cpu_data cpu[NR_CPUS];
};

/* Functions to draw with what they call; NULL or empty: all. Looked at with interrupts off. */
struct ftrace_hash *ftrace_graph_hash;
unsigned int fgraph_max_depth;

/* ---- recording ---- */

static bool graph_function_begins(const struct ftrace_graph_ent *trace)
{
    const struct ftrace_hash *hash = READ_ONCE(ftrace_graph_hash);

    if (ftrace_hash_empty(hash))
        return true;
    if (!ftrace_lookup_ip(hash, trace->func))
        return false;
    current->trace_graph_depth = trace->depth + 1; /* 0 means: not inside one */
    return true;
}

static bool ftrace_graph_ignore_func(const struct ftrace_graph_ent *trace)
{
    unsigned int max = READ_ONCE(fgraph_max_depth);

    if (!current->trace_graph_depth && !graph_function_begins(trace))
        return true;
    return trace->depth < 0 || (max && (unsigned int)trace->depth >= max);
}

static bool record_entry(const struct ftrace_graph_ent *trace, unsigned long flags)
{
    struct ftrace_graph_ent_entry *entry =
        trace_buffer_lock_reserve(&global_trace, TRACE_GRAPH_ENT, sizeof(*entry), flags);

    if (!entry)
        return false;
    entry->graph_ent = *trace;
    trace_buffer_unlock_commit(&global_trace);
    return true;
}

int trace_graph_entry(struct ftrace_graph_ent *trace)
{
    unsigned long flags;
    bool follow;

    local_irq_save(flags);
    follow = !ftrace_graph_ignore_func(trace) && record_entry(trace, flags);
    local_irq_restore(flags);
    return follow;
}

void trace_graph_return(struct ftrace_graph_ret *trace)
{
    struct ftrace_graph_ret_entry *entry;
    unsigned long flags;

    local_irq_save(flags);
    if (current->trace_graph_depth == trace->depth + 1)
        current->trace_graph_depth = 0;
    entry = trace_buffer_lock_reserve(&global_trace, TRACE_GRAPH_RET, sizeof(*entry), flags);
    if (entry) {
        entry->ret = *trace;
        trace_buffer_unlock_commit(&global_trace);
    }
    local_irq_restore(flags);
}

static struct fgraph_ops funcgraph_ops = {
    .entryfunc = trace_graph_entry,
    .retfunc = trace_graph_return,
    .ops = {INIT_OPS_HASH(global_ops)},
};

static int graph_trace_init(struct trace_array *tr)
{
    tracing_reset_online_cpus(tr);
    return register_ftrace_graph(&funcgraph_ops);
}

static void graph_trace_reset(struct trace_array *tr)
{
    (void)tr;
    unregister_ftrace_graph(&funcgraph_ops);
}

/* ---- printing ---- */

static int graph_trace_open(struct trace_iterator *iter)
{
    struct fgraph_data *data = kzalloc(sizeof(*data));
    unsigned int cpu;

    if (!data)
        return -ENOMEM;
    for (cpu = 0; cpu < NR_CPUS; cpu++)
        data->cpu[cpu].last_pid = -1;
    iter->private = data;
    return 0;
}

static void graph_trace_close(struct trace_iterator *iter)
{
    kfree(iter->private);
}

static struct fgraph_cpu_data *cpu_data(struct trace_iterator *iter)
{
    return &((struct fgraph_data *)iter->private)->cpu[iter->cpu];
}

/* As wide as the highest hart's number. */
static void print_graph_cpu(struct trace_iterator *iter)
{
    trace_seq_printf(&iter->seq, " %*u) ", nr_cpu_ids > 10 ? 2 : 1, iter->cpu);
}

/* comm-pid in the middle of fourteen columns; of comm, seven characters. */
static void print_graph_proc(struct trace_iterator *iter, int pid)
{
    char comm[TASK_COMM_LEN], text[32];
    int len, spaces;

    trace_find_cmdline(pid, comm);
    len = scnprintf(text, sizeof(text), "%.7s-%d", comm, pid);
    spaces = max(TRACE_GRAPH_PROCINFO_LENGTH - len, 0);
    trace_seq_printf(&iter->seq, "%*s%s%*s", spaces / 2, "", text, spaces - spaces / 2, "");
}

/* When another task than before shows up on this hart. */
static void print_task_switch(struct trace_iterator *iter)
{
    static const char rule[] = " ------------------------------------------\n";
    int *last = &cpu_data(iter)->last_pid, prev = *last, pid = iter->ent->pid;

    *last = pid;
    if (prev == -1 || prev == pid)
        return;
    trace_seq_printf(&iter->seq, "%s", rule);
    print_graph_cpu(iter);
    print_graph_proc(iter, prev);
    trace_seq_printf(&iter->seq, " => ");
    print_graph_proc(iter, pid);
    trace_seq_printf(&iter->seq, "\n%s\n", rule);
}

static char trace_find_mark(u64 ns)
{
    static const struct {
        u64 above;
        char mark;
    } marks[] = {
        {1000000000, '$'}, {100000000, '@'}, {10000000, '*'},
        {1000000, '#'},    {100000, '!'},    {10000, '+'},
    };
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(marks); i++)
        if (ns > marks[i].above)
            return marks[i].mark;
    return ' ';
}

/* Seven digits at most, of which up to three stand behind the point; eight columns and ` us `. */
static void print_graph_duration(struct trace_seq *s, u64 ns)
{
    char text[32];
    int len = scnprintf(text, sizeof(text), "%llu", ns / 1000);

    if (len < 7) {
        char rest[8];

        scnprintf(rest, min(sizeof(rest), (size_t)(8 - len)), "%03llu", ns % 1000);
        len += scnprintf(text + len, sizeof(text) - len, ".%s", rest);
    }
    trace_seq_printf(s, "%c %s us %*s|  ", trace_find_mark(ns), text, max(8 - len, 0), "");
}

static void print_no_duration(struct trace_seq *s)
{
    trace_seq_printf(s, "              |  ");
}

static void print_indent(struct trace_seq *s, int depth)
{
    trace_seq_printf(s, "%*s", max(depth, 0) * TRACE_GRAPH_INDENT, "");
}

static bool in_irqentry_text(unsigned long addr)
{
    return addr >= (unsigned long)__irqentry_text_start &&
           addr < (unsigned long)__irqentry_text_end;
}

static void print_graph_irq(struct trace_iterator *iter, const char *arrow)
{
    print_graph_cpu(iter);
    trace_seq_printf(&iter->seq, "  %s |\n", arrow);
}

static void print_graph_prologue(struct trace_iterator *iter, unsigned long entered)
{
    print_task_switch(iter);
    if (entered && in_irqentry_text(entered))
        print_graph_irq(iter, "==========>");
    print_graph_cpu(iter);
}

/* Is what follows the entry on its hart its own return? Then it called nothing we saw. */
static bool get_return_for_leaf(struct trace_iterator *iter,
                                const struct ftrace_graph_ent_entry *curr,
                                struct ftrace_graph_ret *ret)
{
    const struct ftrace_graph_ret_entry *next;
    u64 ts;

    next = ring_buffer_iter_peek(&iter->rings[iter->cpu], &ts);
    if (!next || next->ent.type != TRACE_GRAPH_RET || next->ent.pid != curr->ent.pid ||
        next->ret.func != curr->graph_ent.func)
        return false;
    *ret = next->ret;
    ring_buffer_iter_advance(&iter->rings[iter->cpu]);
    return true;
}

static void print_graph_entry_leaf(struct trace_iterator *iter, const struct ftrace_graph_ent *call,
                                   const struct ftrace_graph_ret *ret)
{
    cpu_data(iter)->depth = call->depth - 1;
    print_graph_duration(&iter->seq, ret->rettime - ret->calltime);
    print_indent(&iter->seq, call->depth);
    trace_seq_printf(&iter->seq, "%ps();\n", (void *)call->func);
    if (in_irqentry_text(call->func))
        print_graph_irq(iter, "<==========");
}

static void print_graph_entry_nested(struct trace_iterator *iter,
                                     const struct ftrace_graph_ent *call)
{
    struct fgraph_cpu_data *data = cpu_data(iter);

    data->depth = call->depth;
    if (call->depth >= 0 && call->depth < FTRACE_RETFUNC_DEPTH)
        data->enter_funcs[call->depth] = call->func;
    print_no_duration(&iter->seq);
    print_indent(&iter->seq, call->depth);
    trace_seq_printf(&iter->seq, "%ps() {\n", (void *)call->func);
}

static void print_graph_entry(struct trace_iterator *iter)
{
    const struct ftrace_graph_ent_entry *field = (const void *)iter->ent;
    struct ftrace_graph_ent call = field->graph_ent;
    struct ftrace_graph_ret ret;

    print_graph_prologue(iter, call.func);
    if (get_return_for_leaf(iter, field, &ret))
        print_graph_entry_leaf(iter, &call, &ret);
    else
        print_graph_entry_nested(iter, &call);
}

static void print_graph_return(struct trace_iterator *iter)
{
    struct ftrace_graph_ret ret = ((const struct ftrace_graph_ret_entry *)iter->ent)->ret;
    struct fgraph_cpu_data *data = cpu_data(iter);
    bool func_match = true;

    data->depth = ret.depth - 1;
    if (ret.depth >= 0 && ret.depth < FTRACE_RETFUNC_DEPTH) {
        func_match = data->enter_funcs[ret.depth] == ret.func;
        data->enter_funcs[ret.depth] = 0;
    }
    print_graph_prologue(iter, 0);
    print_graph_duration(&iter->seq, ret.rettime - ret.calltime);
    print_indent(&iter->seq, ret.depth);
    if (func_match)
        trace_seq_printf(&iter->seq, "}\n");
    else
        trace_seq_printf(&iter->seq, "} /* %ps */\n", (void *)ret.func);
    if (in_irqentry_text(ret.func))
        print_graph_irq(iter, "<==========");
}

static void print_graph_comment(struct trace_iterator *iter)
{
    const struct print_entry *field = (const void *)iter->ent;
    size_t n = strlen(field->buf);

    n -= n && field->buf[n - 1] == '\n';
    print_graph_prologue(iter, 0);
    print_no_duration(&iter->seq);
    if (cpu_data(iter)->depth > 0)
        print_indent(&iter->seq, cpu_data(iter)->depth + 1);
    trace_seq_printf(&iter->seq, "/* %.*s */\n", (int)n, field->buf);
}

static enum print_line_t print_graph_function(struct trace_iterator *iter)
{
    switch (iter->ent->type) {
    case TRACE_GRAPH_ENT: print_graph_entry(iter); break;
    case TRACE_GRAPH_RET: print_graph_return(iter); break;
    case TRACE_PRINT: print_graph_comment(iter); break;
    default: return TRACE_TYPE_UNHANDLED;
    }
    return TRACE_TYPE_HANDLED;
}

static void print_graph_headers(struct seq_file *m, struct trace_iterator *iter)
{
    (void)iter;
    seq_puts(m, "# CPU  DURATION                  FUNCTION CALLS\n"
                "# |     |   |                     |   |   |   |\n");
}

static struct tracer graph_trace = {
    .name = "function_graph",
    .init = graph_trace_init,
    .reset = graph_trace_reset,
    .selftest = trace_selftest_startup_function_graph,
    .open = graph_trace_open,
    .close = graph_trace_close,
    .print_header = print_graph_headers,
    .print_line = print_graph_function,
};

int init_graph_trace(void)
{
    return register_tracer(&graph_trace);
}
