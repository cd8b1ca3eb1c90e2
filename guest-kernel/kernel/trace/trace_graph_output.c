/*
 * trace_graph_output.c - prints calls and returns as nested C code, with their durations.
 *
 * Not instrumented.
 */
#include "trace_graph.h"
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

extern const char __irqentry_text_start[], __irqentry_text_end[];

enum { TRACE_GRAPH_INDENT = 2, TRACE_GRAPH_PROCINFO_LENGTH = 14, NO_IRQ = -1 };

/* State of the output of one hart's entries. */
struct fgraph_cpu_data {
    int last_pid;  /* -1: none yet */
    int depth;     /* depth of the innermost open function */
    int depth_irq; /* depth of the interrupt that is left out, or NO_IRQ */
    unsigned long enter_funcs[FTRACE_RETFUNC_DEPTH];
};

struct fgraph_data {
    struct fgraph_cpu_data cpu[NR_CPUS];
};

int graph_trace_open(struct trace_iterator *iter)
{
    struct fgraph_data *data = kzalloc(sizeof(*data));
    unsigned int cpu;

    if (!data)
        return -ENOMEM;
    for (cpu = 0; cpu < NR_CPUS; cpu++) {
        data->cpu[cpu].last_pid = -1;
        data->cpu[cpu].depth_irq = NO_IRQ;
    }
    iter->private = data;
    return 0;
}

void graph_trace_close(struct trace_iterator *iter)
{
    kfree(iter->private);
}

static struct fgraph_cpu_data *cpu_data(struct trace_iterator *iter)
{
    return &((struct fgraph_data *)iter->private)->cpu[iter->cpu];
}

/* Other tracers that show calls have their own columns. */
static bool shows(const struct trace_iterator *iter, u32 flag)
{
    u32 flags = iter->graph_flags ? iter->graph_flags : graph_flags.val;

    return flags & flag;
}

static bool shows_context(const struct trace_iterator *iter)
{
    return iter->tr->trace_flags & TRACE_ITER_CONTEXT_INFO;
}

static bool is_latency_format(const struct trace_iterator *iter)
{
    return iter->tr->trace_flags & TRACE_ITER_LATENCY_FMT;
}

/* ---- columns ---- */

static void print_graph_abs_time(struct trace_iterator *iter)
{
    u64 us = iter->ts / NSEC_PER_USEC;

    trace_seq_printf(&iter->seq, "%5llu.%06llu |  ", us / 1000000, us % 1000000);
}

static void print_graph_rel_time(struct trace_iterator *iter)
{
    u64 us = (iter->ts - iter->array_buffer->time_start) / NSEC_PER_USEC;

    trace_seq_printf(&iter->seq, "%9llu us |  ", us);
}

/* As wide as the highest CPU number. */
static void print_graph_cpu(struct trace_iterator *iter)
{
    trace_seq_printf(&iter->seq, " %*u) ", nr_cpu_ids > 10 ? 2 : 1, iter->cpu);
}

/* Prints comm-pid, centred in fourteen columns, with at most seven characters of comm. */
static void print_graph_proc(struct trace_iterator *iter, int pid)
{
    char comm[TASK_COMM_LEN], text[32];
    int len, spaces;

    trace_find_cmdline(pid, comm);
    len = scnprintf(text, sizeof(text), "%.7s-%d", comm, pid);
    spaces = max(TRACE_GRAPH_PROCINFO_LENGTH - len, 0);
    trace_seq_printf(&iter->seq, "%*s%s%*s", spaces / 2, "", text, spaces - spaces / 2, "");
}

static void print_graph_lat_fmt(struct trace_iterator *iter)
{
    trace_seq_putc(&iter->seq, ' ');
    trace_print_lat_fmt(&iter->seq, iter->ent);
    trace_seq_puts(&iter->seq, "| ");
}

/* The columns left of the duration. */
static void print_graph_context(struct trace_iterator *iter)
{
    if (shows(iter, TRACE_GRAPH_PRINT_ABS_TIME))
        print_graph_abs_time(iter);
    if (shows(iter, TRACE_GRAPH_PRINT_REL_TIME))
        print_graph_rel_time(iter);
    if (shows(iter, TRACE_GRAPH_PRINT_CPU))
        print_graph_cpu(iter);
    if (shows(iter, TRACE_GRAPH_PRINT_PROC)) {
        print_graph_proc(iter, iter->ent->pid);
        trace_seq_puts(&iter->seq, " | ");
    }
    if (is_latency_format(iter))
        print_graph_lat_fmt(iter);
}

static bool shows_duration(const struct trace_iterator *iter)
{
    return shows(iter, TRACE_GRAPH_PRINT_DURATION) && shows_context(iter);
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

/*
 * Prints at most seven digits, up to three of them after the point, in eight columns, and ` us
 * `.
 */
void trace_print_graph_duration(u64 ns, struct trace_seq *s)
{
    char text[32];
    int len = scnprintf(text, sizeof(text), "%llu", ns / 1000);

    if (len < 7) {
        char rest[8];

        scnprintf(rest, min(sizeof(rest), (size_t)(8 - len)), "%03llu", ns % 1000);
        len += scnprintf(text + len, sizeof(text) - len, ".%s", rest);
    }
    trace_seq_printf(s, "%s us %*s", text, max(8 - len, 0), "");
}

static void print_graph_duration(struct trace_iterator *iter, u64 ns)
{
    if (!shows_duration(iter))
        return;
    trace_seq_putc(&iter->seq, shows(iter, TRACE_GRAPH_PRINT_OVERHEAD) ? trace_find_mark(ns) : ' ');
    trace_seq_putc(&iter->seq, ' ');
    trace_print_graph_duration(ns, &iter->seq);
    trace_seq_puts(&iter->seq, "|  ");
}

static void print_no_duration(struct trace_iterator *iter)
{
    if (shows_duration(iter))
        trace_seq_puts(&iter->seq, "              |  ");
}

static void print_indent(struct trace_iterator *iter, int depth)
{
    trace_seq_printf(&iter->seq, "%*s", max(depth, 0) * TRACE_GRAPH_INDENT, "");
}

/* ---- before a line ---- */

/* Prints the change if the hart's entry is of another task than the last one. */
static void print_task_switch(struct trace_iterator *iter)
{
    static const char rule[] = " ------------------------------------------\n";
    int *last = &cpu_data(iter)->last_pid, prev = *last, pid = iter->ent->pid;

    *last = pid;
    if (prev == -1 || prev == pid)
        return;
    trace_seq_puts(&iter->seq, rule);
    print_graph_cpu(iter);
    print_graph_proc(iter, prev);
    trace_seq_puts(&iter->seq, " => ");
    print_graph_proc(iter, pid);
    trace_seq_printf(&iter->seq, "\n%s\n", rule);
}

static bool in_irqentry_text(unsigned long addr)
{
    return addr >= (unsigned long)__irqentry_text_start &&
           addr < (unsigned long)__irqentry_text_end;
}

static void print_graph_irq(struct trace_iterator *iter, unsigned long addr, const char *arrow)
{
    if (!in_irqentry_text(addr))
        return;
    if (shows_context(iter))
        print_graph_context(iter);
    trace_seq_puts(&iter->seq, shows_duration(iter) ? "  " : "");
    trace_seq_puts(&iter->seq, arrow);
    trace_seq_puts(&iter->seq, shows_duration(iter) ? " |\n" : "\n");
}

static void print_graph_prologue(struct trace_iterator *iter, unsigned long entered)
{
    print_task_switch(iter);
    print_graph_irq(iter, entered, "==========>");
    if (shows_context(iter))
        print_graph_context(iter);
}

/* ---- calls ---- */

/* If the next entry of the hart is the return of this call, takes it and returns true: a leaf. */
static bool get_return_for_leaf(struct trace_iterator *iter,
                                const struct ftrace_graph_ent_entry *curr,
                                struct ftrace_graph_ret *ret)
{
    const struct ftrace_graph_ret_entry *next = (const void *)trace_peek_same_cpu(iter);

    if (!next || next->ent.type != TRACE_GRAPH_RET || next->ent.pid != curr->ent.pid ||
        next->ret.func != curr->graph_ent.func)
        return false;
    *ret = next->ret;
    trace_skip_same_cpu(iter);
    return true;
}

static void note_entered(struct trace_iterator *iter, int depth, unsigned long func)
{
    if (depth >= 0 && depth < FTRACE_RETFUNC_DEPTH)
        cpu_data(iter)->enter_funcs[depth] = func;
}

/* Error numbers of functions that return long or int are printed in decimal. */
static void print_retval(struct trace_iterator *iter, unsigned long retval)
{
    unsigned long error = retval >> 31 == 1 ? (unsigned long)(int)retval : retval;

    if (IS_ERR((void *)error) && !shows(iter, TRACE_GRAPH_PRINT_RETVAL_HEX))
        trace_seq_printf(&iter->seq, "= %ld", error);
    else
        trace_seq_printf(&iter->seq, "= 0x%lx", retval);
}

static void print_graph_entry_leaf(struct trace_iterator *iter, const struct ftrace_graph_ent *call,
                                   const struct ftrace_graph_ret *ret)
{
    cpu_data(iter)->depth = call->depth - 1;
    note_entered(iter, call->depth, 0);
    print_graph_duration(iter, ret->rettime - ret->calltime);
    print_indent(iter, call->depth);
    trace_seq_printf(&iter->seq, "%ps();", (void *)call->func);
    if (shows(iter, TRACE_GRAPH_PRINT_RETVAL)) {
        trace_seq_puts(&iter->seq, " /* ");
        print_retval(iter, ret->retval);
        trace_seq_puts(&iter->seq, " */");
    }
    trace_seq_putc(&iter->seq, '\n');
    print_graph_irq(iter, call->func, "<==========");
}

static void print_graph_entry_nested(struct trace_iterator *iter,
                                     const struct ftrace_graph_ent *call)
{
    cpu_data(iter)->depth = call->depth;
    note_entered(iter, call->depth, call->func);
    print_no_duration(iter);
    print_indent(iter, call->depth);
    trace_seq_printf(&iter->seq, "%ps() {\n", (void *)call->func);
}

/*
 * With nofuncgraph-irqs, leaves out the first call of an interrupt and everything until its
 * return.
 */
static bool leaves_out_entry(struct trace_iterator *iter, const struct ftrace_graph_ent *call)
{
    int *depth_irq = &cpu_data(iter)->depth_irq;

    if (shows(iter, TRACE_GRAPH_PRINT_IRQS))
        return false;
    if (*depth_irq != NO_IRQ)
        return true;
    if (!in_irqentry_text(call->func))
        return false;
    *depth_irq = call->depth;
    return true;
}

static bool leaves_out_return(struct trace_iterator *iter, int depth)
{
    int *depth_irq = &cpu_data(iter)->depth_irq;

    if (shows(iter, TRACE_GRAPH_PRINT_IRQS) || *depth_irq == NO_IRQ)
        return false;
    if (*depth_irq >= depth)
        *depth_irq = NO_IRQ;
    return true;
}

static void print_graph_entry(struct trace_iterator *iter)
{
    const struct ftrace_graph_ent_entry *field = (const void *)iter->ent;
    struct ftrace_graph_ret ret;

    if (leaves_out_entry(iter, &field->graph_ent))
        return;
    print_graph_prologue(iter, field->graph_ent.func);
    if (get_return_for_leaf(iter, field, &ret))
        print_graph_entry_leaf(iter, &field->graph_ent, &ret);
    else
        print_graph_entry_nested(iter, &field->graph_ent);
}

/* Returns whether the function's opening brace was printed; the entry may have been lost. */
static bool was_entered(struct trace_iterator *iter, const struct ftrace_graph_ret *ret)
{
    bool match = true;

    if (ret->depth >= 0 && ret->depth < FTRACE_RETFUNC_DEPTH)
        match = cpu_data(iter)->enter_funcs[ret->depth] == ret->func;
    note_entered(iter, ret->depth, 0);
    return match;
}

static void print_closing_brace(struct trace_iterator *iter, const struct ftrace_graph_ret *ret,
                                bool func_match)
{
    bool retval = shows(iter, TRACE_GRAPH_PRINT_RETVAL);

    if (func_match && !retval && !shows(iter, TRACE_GRAPH_PRINT_TAIL)) {
        trace_seq_puts(&iter->seq, "}\n");
        return;
    }
    trace_seq_printf(&iter->seq, "} /* %ps ", (void *)ret->func);
    if (retval) {
        print_retval(iter, ret->retval);
        trace_seq_putc(&iter->seq, ' ');
    }
    trace_seq_puts(&iter->seq, "*/\n");
}

static void print_graph_return(struct trace_iterator *iter)
{
    struct ftrace_graph_ret ret = ((const struct ftrace_graph_ret_entry *)iter->ent)->ret;
    bool func_match;

    if (leaves_out_return(iter, ret.depth))
        return;
    cpu_data(iter)->depth = ret.depth - 1;
    func_match = was_entered(iter, &ret);
    print_graph_prologue(iter, 0);
    print_graph_duration(iter, ret.rettime - ret.calltime);
    print_indent(iter, ret.depth);
    print_closing_brace(iter, &ret, func_match);
    if (shows(iter, TRACE_GRAPH_PRINT_OVERRUN))
        trace_seq_printf(&iter->seq, " (Overruns: %u)\n", ret.overrun);
    print_graph_irq(iter, ret.func, "<==========");
}

/* ---- other entries, as comments ---- */

static void print_comment_text(struct trace_iterator *iter)
{
    struct trace_event *event = ftrace_find_event(iter->ent->type);

    if (trace_print_message(iter))
        return;
    if (event && event->funcs->trace)
        event->funcs->trace(iter, iter->tr->trace_flags & TRACE_ITER_SYM_MASK, event);
}

static void print_graph_comment(struct trace_iterator *iter)
{
    struct trace_seq *s = &iter->seq;

    if (cpu_data(iter)->depth_irq != NO_IRQ)
        return;
    print_graph_prologue(iter, 0);
    print_no_duration(iter);
    if (cpu_data(iter)->depth > 0)
        print_indent(iter, cpu_data(iter)->depth + 1);
    trace_seq_puts(s, "/* ");
    print_comment_text(iter);
    if (s->len && s->buffer[s->len - 1] == '\n')
        s->len--;
    trace_seq_puts(s, " */\n");
}

enum print_line_t print_graph_function(struct trace_iterator *iter)
{
    switch (iter->ent->type) {
    case TRACE_GRAPH_ENT: print_graph_entry(iter); break;
    case TRACE_GRAPH_RET: print_graph_return(iter); break;
    case TRACE_FN:
    case TRACE_STACK: return TRACE_TYPE_UNHANDLED; /* printed as usual */
    default: print_graph_comment(iter); break;
    }
    return TRACE_TYPE_HANDLED;
}

/* ---- header ---- */

static void print_lat_header(struct seq_file *m, const struct trace_iterator *iter)
{
    unsigned int margin = 0;

    if (shows(iter, TRACE_GRAPH_PRINT_ABS_TIME))
        margin += 16;
    if (shows(iter, TRACE_GRAPH_PRINT_REL_TIME))
        margin += 16;
    if (shows(iter, TRACE_GRAPH_PRINT_CPU))
        margin += 4;
    if (shows(iter, TRACE_GRAPH_PRINT_PROC))
        margin += 17;
    seq_printf(m, "#%*s  _-----=> irqs-off        \n", margin, "");
    seq_printf(m, "#%*s / _----=> need-resched    \n", margin, "");
    seq_printf(m, "#%*s| / _---=> hardirq/softirq \n", margin, "");
    seq_printf(m, "#%*s|| / _--=> preempt-depth   \n", margin, "");
    seq_printf(m, "#%*s||| /                      \n", margin, "");
}

/* One of the two caption lines. */
static void print_captions(struct seq_file *m, const struct trace_iterator *iter,
                           const char *abs_time, const char *rel_time, const char *cpu,
                           const char *proc, const char *duration, const char *calls)
{
    seq_puts(m, "#");
    if (shows(iter, TRACE_GRAPH_PRINT_ABS_TIME))
        seq_puts(m, abs_time);
    if (shows(iter, TRACE_GRAPH_PRINT_REL_TIME))
        seq_puts(m, rel_time);
    if (shows(iter, TRACE_GRAPH_PRINT_CPU))
        seq_puts(m, cpu);
    if (shows(iter, TRACE_GRAPH_PRINT_PROC))
        seq_puts(m, proc);
    if (is_latency_format(iter))
        seq_puts(m, "||||   ");
    if (shows(iter, TRACE_GRAPH_PRINT_DURATION))
        seq_puts(m, duration);
    seq_puts(m, calls);
}

void print_graph_headers(struct seq_file *m, struct trace_iterator *iter)
{
    if (!shows_context(iter))
        return;
    if (is_latency_format(iter)) {
        if (trace_empty(iter))
            return;
        print_trace_header(m, iter);
        print_lat_header(m, iter);
    }
    print_captions(m, iter, "     TIME       ", "   REL TIME     ", " CPU", "  TASK/PID       ",
                   "  DURATION   ", "               FUNCTION CALLS\n");
    print_captions(m, iter, "      |         ", "      |         ", " |  ", "   |    |        ",
                   "   |   |      ", "               |   |   |   |\n");
}

/* ---- the two types of entries ---- */

/* Used under other tracers, which have no state in iter->private. */
static enum print_line_t print_graph_event(struct trace_iterator *iter, int flags,
                                           struct trace_event *event)
{
    const struct ftrace_graph_ent_entry *field = (const void *)iter->ent;

    trace_seq_puts(&iter->seq, event->type == TRACE_GRAPH_ENT ? "--> " : "<-- ");
    trace_seq_print_sym(&iter->seq, field->graph_ent.func, flags);
    trace_seq_printf(&iter->seq, " (%d)\n", field->graph_ent.depth);
    return TRACE_TYPE_HANDLED;
}

static const struct trace_event_functions graph_event_funcs = {.trace = print_graph_event};
static struct trace_event graph_ent_event = {.type = TRACE_GRAPH_ENT, .funcs = &graph_event_funcs};
static struct trace_event graph_ret_event = {.type = TRACE_GRAPH_RET, .funcs = &graph_event_funcs};

void init_graph_events(void)
{
    BUG_ON(!register_trace_event(&graph_ent_event));
    BUG_ON(!register_trace_event(&graph_ret_event));
}
