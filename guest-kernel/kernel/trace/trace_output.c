/* trace_output.c - entries as Linux prints them. */
#include "trace.h"
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

void trace_seq_printf(struct trace_seq *s, const char *fmt, ...)
{
    va_list args;
    unsigned int room = sizeof(s->buffer) - s->len;
    unsigned int n;

    va_start(args, fmt);
    n = vsnprintf(s->buffer + s->len, room, fmt, args);
    va_end(args);
    s->len += min(n, room - 1);
}

static char irqs_char(u8 flags)
{
    return flags & TRACE_FLAG_IRQS_OFF ? 'd' : '.';
}

static char resched_char(u8 flags)
{
    bool need = flags & TRACE_FLAG_NEED_RESCHED, preempt = flags & TRACE_FLAG_PREEMPT_RESCHED;

    return need && preempt ? 'N' : need ? 'n' : preempt ? 'p' : '.';
}

static char hardsoft_char(u8 flags)
{
    bool hard = flags & TRACE_FLAG_HARDIRQ, soft = flags & TRACE_FLAG_SOFTIRQ;

    return hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.';
}

/* irqs-off, need-resched, context, preempt depth, migrate-disable depth */
static void trace_print_lat_fmt(struct trace_seq *s, const struct trace_entry *ent)
{
    unsigned int depth = ent->preempt_count & 0xf, migrate = ent->preempt_count >> 4;

    trace_seq_printf(s, "%c%c%c", irqs_char(ent->flags), resched_char(ent->flags),
                     hardsoft_char(ent->flags));
    trace_seq_printf(s, depth ? "%x" : ".", depth);
    trace_seq_printf(s, migrate ? "%x" : ".", migrate);
}

void trace_print_context(struct trace_iterator *iter)
{
    const struct trace_entry *ent = iter->ent;
    u64 us = (iter->ts + NSEC_PER_USEC / 2) / NSEC_PER_USEC;
    char comm[TASK_COMM_LEN];

    trace_find_cmdline(ent->pid, comm);
    trace_seq_printf(&iter->seq, "%16s-%-7d [%03u] ", comm, ent->pid, iter->cpu);
    trace_print_lat_fmt(&iter->seq, ent);
    trace_seq_printf(&iter->seq, " %5llu.%06llu: ", us / 1000000, us % 1000000);
}

static void print_fn(struct trace_iterator *iter)
{
    const struct ftrace_entry *field = (const void *)iter->ent;

    trace_seq_printf(&iter->seq, "%ps <-%ps\n", (void *)field->ip, (void *)field->parent_ip);
}

/* Graph entries, seen by a tracer that does not draw the graph. */
static void print_graph_raw(struct trace_iterator *iter)
{
    const struct ftrace_graph_ent_entry *field = (const void *)iter->ent;
    bool entry = iter->ent->type == TRACE_GRAPH_ENT;

    trace_seq_printf(&iter->seq, "funcgraph_%s: func=%ps depth=%d\n", entry ? "entry" : "exit",
                     (void *)field->graph_ent.func, field->graph_ent.depth);
}

static void print_marker(struct trace_iterator *iter)
{
    const struct print_entry *field = (const void *)iter->ent;
    size_t n = strlen(field->buf);

    trace_seq_printf(&iter->seq, "tracing_mark_write: %s%s", field->buf,
                     n && field->buf[n - 1] == '\n' ? "" : "\n");
}

enum print_line_t trace_default_print_line(struct trace_iterator *iter)
{
    trace_print_context(iter);
    switch (iter->ent->type) {
    case TRACE_FN: print_fn(iter); break;
    case TRACE_PRINT: print_marker(iter); break;
    default: print_graph_raw(iter); break;
    }
    return TRACE_TYPE_HANDLED;
}

static void print_event_info(struct seq_file *m, const struct trace_iterator *iter)
{
    unsigned long entries = 0, overrun = 0;
    unsigned int cpu;

    for_each_possible_cpu(cpu)
    {
        entries += iter->tr->buffer.cpu[cpu].entries;
        overrun += iter->tr->buffer.cpu[cpu].overrun;
    }
    seq_printf(m, "# entries-in-buffer/entries-written: %lu/%lu   #P:%u\n#\n", entries,
               entries + overrun, num_online_cpus());
}

void trace_default_header(struct seq_file *m, struct trace_iterator *iter)
{
    print_event_info(m, iter);
    seq_puts(m, "#                                _-----=> irqs-off/BH-disabled\n"
                "#                               / _----=> need-resched\n"
                "#                              | / _---=> hardirq/softirq\n"
                "#                              || / _--=> preempt-depth\n"
                "#                              ||| / _-=> migrate-disable\n"
                "#                              |||| /     delay\n"
                "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
                "#              | |         |   |||||     |         |\n");
}

void trace_print_header(struct seq_file *m, struct trace_iterator *iter)
{
    seq_printf(m, "# tracer: %s\n#\n", iter->trace->name);
    if (iter->trace->print_header)
        iter->trace->print_header(m, iter);
    else
        trace_default_header(m, iter);
}
