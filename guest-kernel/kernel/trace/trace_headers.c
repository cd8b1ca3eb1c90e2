/*
 * trace_headers.c - the header of `trace`, which explains the columns.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/kernel.h>
#include <linux/timekeeping.h>

#define UTS_RELEASE "rvftrace"

void trace_buffer_entries(const struct array_buffer *buf, unsigned long *total,
                          unsigned long *entries)
{
    struct ring_buffer_stats stats;
    unsigned int cpu;

    *total = *entries = 0;
    for_each_possible_cpu(cpu) {
        ring_buffer_stats_cpu(buf->buffer, cpu, &stats);
        if (buf->data[cpu].skipped_entries) { /* what was overwritten is older still */
            stats.entries -= min(stats.entries, buf->data[cpu].skipped_entries);
            stats.overrun = 0;
        }
        *entries += stats.entries;
        *total += stats.entries + stats.overrun;
    }
}

static void print_event_info(struct seq_file *m, const struct trace_iterator *iter)
{
    unsigned long total, entries;

    trace_buffer_entries(iter->array_buffer, &total, &entries);
    seq_printf(m, "# entries-in-buffer/entries-written: %lu/%lu   #P:%u\n#\n", entries, total,
               num_online_cpus());
}

/* tgid: there is a column more, of option record-tgid. */
static void print_func_help_header(struct seq_file *m, bool tgid)
{
    seq_printf(m, "#           TASK-PID    %s CPU#     TIMESTAMP  FUNCTION\n",
               tgid ? "   TGID   " : "");
    seq_printf(m, "#              | |      %s   |         |         |\n", tgid ? "     |    " : "");
}

static void print_func_help_header_irq(struct seq_file *m, bool tgid)
{
    static const char *const marks[] = {
        "  _-----=> irqs-off/BH-disabled", " / _----=> need-resched",
        "| / _---=> hardirq/softirq",      "|| / _--=> preempt-depth",
        "||| / _-=> migrate-disable",      "|||| /     delay"};
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(marks); i++)
        seq_printf(m, "#%*s%s\n", tgid ? 40 : 30, "", marks[i]);
    seq_printf(m, "#           TASK-PID  %s CPU#  |||||  TIMESTAMP  FUNCTION\n",
               tgid ? "     TGID   " : "  ");
    seq_printf(m, "#              | |    %s   |   |||||     |         |\n",
               tgid ? "       |    " : "  ");
}

static void print_lat_help_header(struct seq_file *m)
{
    seq_puts(m, "#                    _------=> CPU#            \n"
                "#                   / _-----=> irqs-off/BH-disabled\n"
                "#                  | / _----=> need-resched    \n"
                "#                  || / _---=> hardirq/softirq \n"
                "#                  ||| / _--=> preempt-depth   \n"
                "#                  |||| / _-=> migrate-disable \n"
                "#                  ||||| /     delay           \n"
                "#  cmd     pid     |||||| time  |   caller     \n"
                "#     \\   /        ||||||  \\    |    /       \n");
}

static void print_place(struct seq_file *m, const struct trace_iterator *iter, const char *what,
                        unsigned long ip)
{
    struct trace_seq s;

    trace_seq_init(&s);
    trace_seq_print_sym(&s, ip, iter->tr->trace_flags & TRACE_ITER_SYM_MASK);
    seq_printf(m, "#  => %s", what);
    seq_write(m, s.buffer, s.len);
    seq_puts(m, "\n");
}

/* Of a latency tracer: whose section was the longest, and where it began and ended. */
void print_trace_header(struct seq_file *m, struct trace_iterator *iter)
{
    const struct array_buffer *buf = iter->array_buffer;
    const struct trace_array_cpu *data = &buf->data[buf->cpu];
    unsigned long total, entries;

    trace_buffer_entries(iter->array_buffer, &total, &entries);
    seq_printf(m, "# %s latency trace v1.1.5 on %s\n", iter->trace->name, UTS_RELEASE);
    seq_puts(m, "# --------------------------------------------------------------------\n");
    seq_printf(m,
               "# latency: %llu us, #%lu/%lu, CPU#%u |"
               " (M:%s VP:%d, KP:%d, SP:%d HP:%d #P:%d)\n",
               data->saved_latency / NSEC_PER_USEC, entries, total, buf->cpu, "preempt", 0, 0, 0, 0,
               num_online_cpus());
    seq_puts(m, "#    -----------------\n");
    seq_printf(m, "#    | task: %.16s-%d (uid:%d nice:%d policy:%d rt_prio:%d)\n", data->comm,
               data->pid, 0, data->nice, data->policy, data->rt_priority);
    seq_puts(m, "#    -----------------\n");
    if (data->critical_start) {
        print_place(m, iter, "started at: ", data->critical_start);
        print_place(m, iter, "ended at:   ", data->critical_end);
        seq_puts(m, "#\n");
    }
    seq_puts(m, "#\n");
}

void trace_default_header(struct seq_file *m, struct trace_iterator *iter)
{
    u32 flags = iter->tr->trace_flags;

    if (!(flags & TRACE_ITER_CONTEXT_INFO))
        return;
    if (flags & TRACE_ITER_LATENCY_FMT) {
        if (trace_empty(iter))
            return;
        print_trace_header(m, iter);
        if (!(flags & TRACE_ITER_VERBOSE))
            print_lat_help_header(m);
    } else if (!(flags & TRACE_ITER_VERBOSE)) {
        print_event_info(m, iter);
        if (flags & TRACE_ITER_IRQ_INFO)
            print_func_help_header_irq(m, flags & TRACE_ITER_RECORD_TGID);
        else
            print_func_help_header(m, flags & TRACE_ITER_RECORD_TGID);
    }
}

void trace_print_header(struct seq_file *m, struct trace_iterator *iter)
{
    seq_printf(m, "# tracer: %s\n#\n", iter->trace->name);
    if (iter->snapshot && trace_empty(iter))
        trace_print_snapshot_help(m, iter);
    else if (iter->trace->print_header)
        iter->trace->print_header(m, iter);
    else
        trace_default_header(m, iter);
}
