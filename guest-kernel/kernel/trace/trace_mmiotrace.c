/*
 * trace_mmiotrace.c - the tracer mmiotrace: accesses of drivers to registers, as text of its own.
 *
 * Not instrumented.
 */
#include "trace.h"
#include "trace_mmiotrace.h"
#include <linux/mmiotrace.h>
#include <linux/printk.h>

static bool overrun_detected;       /* under trace_access_lock, like prev_overruns */
static unsigned long prev_overruns; /* entries that had been overwritten at the last read */
static atomic_t dropped_count;      /* entries that were not written, since the last read */

static unsigned long overruns(const struct trace_iterator *iter)
{
    struct ring_buffer_stats stats;
    unsigned long sum = 0;
    unsigned int cpu;

    for_each_possible_cpu(cpu) {
        ring_buffer_stats_cpu(iter->array_buffer->buffer, cpu, &stats);
        sum += stats.overrun;
    }
    return sum;
}

static void mmio_reset_data(struct trace_array *tr)
{
    overrun_detected = false;
    prev_overruns = 0;
    tracing_reset_online_cpus(&tr->array_buffer);
}

static int mmio_trace_init(struct trace_array *tr)
{
    mmio_reset_data(tr);
    return enable_mmiotrace();
}

static void mmio_trace_reset(struct trace_array *tr)
{
    disable_mmiotrace();
    mmio_reset_data(tr);
}

/* ---- reading ---- */

static int mmio_pipe_open(struct trace_iterator *iter)
{
    trace_seq_puts(&iter->seq, "VERSION 20070824\n");
    return 0; /* lines PCIDEV would follow: there is no PCI */
}

static unsigned long count_overruns(struct trace_iterator *iter)
{
    unsigned long count = __atomic_exchange_n(&dropped_count.counter, 0, __ATOMIC_RELAXED),
                  over = overruns(iter);

    if (over > prev_overruns)
        count += over - prev_overruns;
    prev_overruns = over;
    return count;
}

/* As in Linux, the line comes later than where entries were lost. */
static void mmio_read(struct trace_iterator *iter)
{
    unsigned long lost = count_overruns(iter);

    if (!lost)
        return;
    trace_seq_printf(&iter->seq, "MARK 0.000000 Lost %lu events.\n", lost);
    if (!overrun_detected)
        pr_info("mmiotrace has lost events\n");
    overrun_detected = true;
}

static void print_time(struct trace_iterator *iter)
{
    u64 us = ns2usecs(iter->ts);

    trace_seq_printf(&iter->seq, "%u.%06lu", (unsigned int)(us / 1000000),
                     (unsigned long)(us % 1000000));
}

static enum print_line_t mmio_print_rw(struct trace_iterator *iter)
{
    const struct mmiotrace_rw *rw = &((const struct trace_mmiotrace_rw *)iter->ent)->rw;
    struct trace_seq *s = &iter->seq;

    if (rw->opcode == MMIO_UNKNOWN_OP) {
        trace_seq_puts(s, "UNKNOWN ");
        print_time(iter);
        trace_seq_printf(s, " %d 0x%llx %02lx,%02lx,%02lx 0x%lx 0\n", rw->map_id, rw->phys,
                         rw->value >> 16 & 0xff, rw->value >> 8 & 0xff, rw->value & 0xff, rw->pc);
        return trace_handle_return(s);
    }
    trace_seq_printf(s, "%c %d ", rw->opcode == MMIO_READ ? 'R' : 'W', rw->width);
    print_time(iter);
    trace_seq_printf(s, " %d 0x%llx 0x%lx 0x%lx 0\n", rw->map_id, rw->phys, rw->value, rw->pc);
    return trace_handle_return(s);
}

static enum print_line_t mmio_print_map(struct trace_iterator *iter)
{
    const struct mmiotrace_map *map = &((const struct trace_mmiotrace_map *)iter->ent)->map;
    struct trace_seq *s = &iter->seq;

    trace_seq_puts(s, map->opcode == MMIO_PROBE ? "MAP " : "UNMAP ");
    print_time(iter);
    if (map->opcode == MMIO_PROBE)
        trace_seq_printf(s, " %d 0x%llx 0x%lx 0x%lx 0x0 0\n", map->map_id, map->phys, map->virt,
                         map->len);
    else
        trace_seq_printf(s, " %d 0x0 0\n", map->map_id);
    return trace_handle_return(s);
}

static enum print_line_t mmio_print_mark(struct trace_iterator *iter)
{
    const struct print_entry *print = (const struct print_entry *)iter->ent;

    trace_seq_puts(&iter->seq, "MARK ");
    print_time(iter);
    trace_seq_printf(&iter->seq, " %s", print->buf); /* which ends with a newline */
    return trace_handle_return(&iter->seq);
}

/* Other entries are not shown. */
static enum print_line_t mmio_print_line(struct trace_iterator *iter)
{
    switch (iter->ent->type) {
    case TRACE_MMIO_RW: return mmio_print_rw(iter);
    case TRACE_MMIO_MAP: return mmio_print_map(iter);
    case TRACE_PRINT: return mmio_print_mark(iter);
    default: return TRACE_TYPE_HANDLED;
    }
}

static struct tracer mmio_tracer = {
    .name = "mmiotrace",
    .init = mmio_trace_init,
    .reset = mmio_trace_reset,
    .start = mmio_reset_data,
    .pipe_open = mmio_pipe_open,
    .read = mmio_read,
    .print_line = mmio_print_line,
    .noboot = true,
};

int init_mmio_trace(void)
{
    return register_tracer(&mmio_tracer);
}

/* ---- writing ---- */

void mmio_trace_rw(const struct mmiotrace_rw *rw)
{
    struct trace_buffer *buffer = trace_buffer_of(&global_trace);
    struct trace_mmiotrace_rw *entry =
        trace_buffer_lock_reserve(buffer, TRACE_MMIO_RW, sizeof(*entry), tracing_gen_ctx_flags(0));

    if (!entry) {
        atomic_inc(&dropped_count);
        return;
    }
    entry->rw = *rw;
    trace_buffer_unlock_commit(&global_trace, buffer);
}

void mmio_trace_mapping(const struct mmiotrace_map *map)
{
    struct trace_buffer *buffer = trace_buffer_of(&global_trace);
    struct trace_mmiotrace_map *entry =
        trace_buffer_lock_reserve(buffer, TRACE_MMIO_MAP, sizeof(*entry), tracing_gen_ctx_flags(0));

    if (!entry) {
        atomic_inc(&dropped_count);
        return;
    }
    entry->map = *map;
    trace_buffer_unlock_commit(&global_trace, buffer);
}
