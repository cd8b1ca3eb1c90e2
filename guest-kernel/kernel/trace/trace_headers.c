/*
 * trace_headers.c - the header of `trace`, which explains the columns.
 *
 * Not instrumented.
 */
#include "trace.h"

#define UTS_RELEASE "rvftrace"

void trace_buffer_entries(const struct array_buffer *buf, unsigned long *total,
                          unsigned long *entries)
{
    struct ring_buffer_stats stats;
    unsigned int cpu;

    *total = *entries = 0;
    for_each_possible_cpu(cpu)
    {
        ring_buffer_stats_cpu(buf->buffer, cpu, &stats);
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

static void print_func_help_header(struct seq_file *m)
{
    seq_puts(m, "#           TASK-PID     CPU#     TIMESTAMP  FUNCTION\n"
                "#              | |         |         |         |\n");
}

static void print_func_help_header_irq(struct seq_file *m)
{
    seq_puts(m, "#                                _-----=> irqs-off/BH-disabled\n"
                "#                               / _----=> need-resched\n"
                "#                              | / _---=> hardirq/softirq\n"
                "#                              || / _--=> preempt-depth\n"
                "#                              ||| / _-=> migrate-disable\n"
                "#                              |||| /     delay\n"
                "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
                "#              | |         |   |||||     |         |\n");
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

/* The task shown is the reader, since no tracer here measures a task's latency. */
void print_trace_header(struct seq_file *m, struct trace_iterator *iter)
{
    unsigned long total, entries;

    trace_buffer_entries(iter->array_buffer, &total, &entries);
    seq_printf(m, "# %s latency trace v1.1.5 on %s\n", iter->trace->name, UTS_RELEASE);
    seq_puts(m, "# --------------------------------------------------------------------\n");
    seq_printf(m,
               "# latency: %lu us, #%lu/%lu, CPU#%d |"
               " (M:%s VP:%d, KP:%d, SP:%d HP:%d #P:%d)\n",
               0UL, entries, total, 0, "preempt", 0, 0, 0, 0, num_online_cpus());
    seq_puts(m, "#    -----------------\n");
    seq_printf(m, "#    | task: %.16s-%d (uid:%d nice:%d policy:%d rt_prio:%d)\n", current->comm,
               current->pid, 0, 0, 0, 0);
    seq_puts(m, "#    -----------------\n#\n");
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
            print_func_help_header_irq(m);
        else
            print_func_help_header(m);
    }
}

void trace_print_header(struct seq_file *m, struct trace_iterator *iter)
{
    seq_printf(m, "# tracer: %s\n#\n", iter->trace->name);
    if (iter->trace->print_header)
        iter->trace->print_header(m, iter);
    else
        trace_default_header(m, iter);
}
