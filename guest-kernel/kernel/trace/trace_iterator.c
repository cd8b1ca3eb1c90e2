/*
 * trace_iterator.c - reads the rings as one sequence of entries, and formats entries.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/string.h>

/* ---- in order of time ---- */

static struct ring_buffer_event *peek_cpu(struct trace_iterator *iter, unsigned int cpu, u64 *ts,
                                          unsigned long *lost)
{
    *lost = 0;
    if (iter->buffer_iter[cpu])
        return ring_buffer_iter_peek(iter->buffer_iter[cpu], ts);
    return ring_buffer_peek(iter->array_buffer->buffer, cpu, ts, lost);
}

/* Returns whether iter reads this hart's ring. */
static bool reads_cpu(const struct trace_iterator *iter, unsigned int cpu)
{
    return iter->cpu_file == RING_BUFFER_ALL_CPUS || (unsigned int)iter->cpu_file == cpu;
}

static struct ring_buffer_event *find_next(struct trace_iterator *iter, unsigned int *next_cpu,
                                           u64 *next_ts, unsigned long *next_lost)
{
    struct ring_buffer_event *next = NULL;
    unsigned int cpu;

    for_each_possible_cpu(cpu) {
        struct ring_buffer_event *event;
        unsigned long lost;
        u64 ts;

        event = reads_cpu(iter, cpu) ? peek_cpu(iter, cpu, &ts, &lost) : NULL;
        if (!event || (next && ts >= *next_ts))
            continue;
        next = event;
        *next_cpu = cpu;
        *next_ts = ts;
        *next_lost = lost;
    }
    return next;
}

/* Copies the event, since the writer may reuse its page at the next call. */
static void copy_entry(struct trace_iterator *iter, struct ring_buffer_event *event)
{
    iter->ent_size = ring_buffer_event_length(event);
    memcpy(iter->entry, ring_buffer_event_data(event), iter->ent_size);
    iter->ent = (const void *)iter->entry;
}

void trace_skip_same_cpu(struct trace_iterator *iter)
{
    struct ring_buffer_iter *ring = iter->buffer_iter[iter->cpu];
    unsigned long lost;
    u64 ts;

    if (ring)
        ring_buffer_iter_advance(ring);
    else
        ring_buffer_consume(iter->array_buffer->buffer, iter->cpu, &ts, &lost);
}

const struct trace_entry *trace_find_next_entry_inc(struct trace_iterator *iter)
{
    struct ring_buffer_event *event = find_next(iter, &iter->cpu, &iter->ts, &iter->lost_events);

    iter->ent = NULL;
    if (!event)
        return NULL;
    if (iter->buffer_iter[iter->cpu])
        iter->lost_events = ring_buffer_iter_dropped(iter->buffer_iter[iter->cpu]);
    copy_entry(iter, event);
    trace_skip_same_cpu(iter);
    iter->idx++;
    return iter->ent;
}

const struct trace_entry *trace_peek_same_cpu(struct trace_iterator *iter)
{
    unsigned long lost;
    u64 ts;
    struct ring_buffer_event *event = peek_cpu(iter, iter->cpu, &ts, &lost);

    return event ? ring_buffer_event_data(event) : NULL;
}

u64 trace_next_entry_ts(struct trace_iterator *iter)
{
    unsigned long lost;
    unsigned int cpu;
    u64 ts;

    return find_next(iter, &cpu, &ts, &lost) ? ts : iter->ts;
}

bool trace_empty(struct trace_iterator *iter)
{
    unsigned long lost;
    unsigned int cpu;
    u64 ts;

    return !find_next(iter, &cpu, &ts, &lost);
}

/* ---- as text ---- */

static void print_lost_events(struct trace_iterator *iter)
{
    if (iter->lost_events)
        trace_seq_printf(&iter->seq, "CPU:%d [LOST %lu EVENTS]\n", iter->cpu, iter->lost_events);
}

/* Marks the first entry of a hart if entries may have been lost before it. */
static void print_cpu_start(struct trace_iterator *iter)
{
    if (!iter->annotate || !(iter->tr->trace_flags & TRACE_ITER_ANNOTATE) ||
        (iter->started >> iter->cpu & 1))
        return;
    iter->started |= 1UL << iter->cpu;
    if (iter->idx > 1) /* not before the first entry */
        trace_seq_printf(&iter->seq, "##### CPU %u buffer started ####\n", iter->cpu);
}

static enum print_line_t print_trace_fmt(struct trace_iterator *iter)
{
    struct trace_event *event = ftrace_find_event(iter->ent->type);
    u32 flags = iter->tr->trace_flags;

    print_cpu_start(iter);
    if (flags & TRACE_ITER_CONTEXT_INFO) {
        if (flags & TRACE_ITER_LATENCY_FMT)
            trace_print_lat_context(iter);
        else
            trace_print_context(iter);
    }
    if (event && event->funcs->trace)
        return event->funcs->trace(iter, flags & TRACE_ITER_SYM_MASK, event);
    trace_seq_printf(&iter->seq, "Unknown type %d\n", iter->ent->type);
    return TRACE_TYPE_HANDLED;
}

static enum print_line_t print_raw_fmt(struct trace_iterator *iter)
{
    struct trace_event *event = ftrace_find_event(iter->ent->type);

    if (iter->tr->trace_flags & TRACE_ITER_CONTEXT_INFO)
        trace_seq_printf(&iter->seq, "%d %d %llu ", iter->ent->pid, iter->cpu, iter->ts);
    if (event && event->funcs->raw)
        return event->funcs->raw(iter, 0, event);
    if (event)
        return trace_nop_print(iter);
    trace_seq_printf(&iter->seq, "%d ?\n", iter->ent->type);
    return TRACE_TYPE_HANDLED;
}

static enum print_line_t print_hex_fmt(struct trace_iterator *iter)
{
    struct trace_event *event = ftrace_find_event(iter->ent->type);
    enum print_line_t ret = TRACE_TYPE_HANDLED;

    if (iter->tr->trace_flags & TRACE_ITER_CONTEXT_INFO) {
        SEQ_PUT_HEX_FIELD(&iter->seq, iter->ent->pid);
        SEQ_PUT_HEX_FIELD(&iter->seq, iter->cpu);
        SEQ_PUT_HEX_FIELD(&iter->seq, iter->ts);
    }
    if (event && event->funcs->hex)
        ret = event->funcs->hex(iter, 0, event);
    else if (event)
        ret = trace_nop_print(iter);
    trace_seq_putc(&iter->seq, '\n');
    return ret;
}

static enum print_line_t print_bin_fmt(struct trace_iterator *iter)
{
    struct trace_event *event = ftrace_find_event(iter->ent->type);

    if (iter->tr->trace_flags & TRACE_ITER_CONTEXT_INFO) {
        SEQ_PUT_FIELD(&iter->seq, iter->ent->pid);
        SEQ_PUT_FIELD(&iter->seq, iter->cpu);
        SEQ_PUT_FIELD(&iter->seq, iter->ts);
    }
    if (event && event->funcs->binary)
        return event->funcs->binary(iter, 0, event);
    if (event)
        return trace_nop_print(iter);
    return TRACE_TYPE_HANDLED;
}

static enum print_line_t print_by_option(struct trace_iterator *iter)
{
    u32 flags = iter->tr->trace_flags;

    if (flags & TRACE_ITER_BIN)
        return print_bin_fmt(iter);
    if (flags & TRACE_ITER_HEX)
        return print_hex_fmt(iter);
    return flags & TRACE_ITER_RAW ? print_raw_fmt(iter) : print_trace_fmt(iter);
}

enum print_line_t print_trace_line(struct trace_iterator *iter)
{
    enum print_line_t ret = TRACE_TYPE_UNHANDLED;

    trace_seq_init(&iter->seq);
    print_lost_events(iter);
    preempt_disable(); /* the type of the entry stays */
    if (iter->trace->print_line)
        ret = iter->trace->print_line(iter);
    if (ret == TRACE_TYPE_UNHANDLED)
        ret = print_by_option(iter);
    preempt_enable();
    if (!trace_seq_has_overflowed(&iter->seq))
        return ret;
    trace_seq_init(&iter->seq);
    trace_seq_puts(&iter->seq, "[LINE TOO BIG]\n");
    return TRACE_TYPE_PARTIAL_LINE;
}
