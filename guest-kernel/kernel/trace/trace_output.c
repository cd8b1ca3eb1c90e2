/*
 * trace_output.c - formats the parts of a line, and the built-in types of entries.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <asm/barrier.h>
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

/* ---- types ---- */

enum { EVENT_HASHSIZE = 128 };

static DEFINE_SPINLOCK(trace_event_lock); /* changes of the hash, and last_event_type */
/* Readers have preemption off. */
static struct trace_event *event_hash[EVENT_HASHSIZE];
static int last_event_type = TRACE_LAST_TYPE;

struct trace_event *ftrace_find_event(int type)
{
    struct trace_event *event = READ_ONCE(event_hash[type % EVENT_HASHSIZE]);

    while (event && event->type != type)
        event = READ_ONCE(event->next);
    return event;
}

/* A type that no event has; of those that were given back, only when there is no new one. */
static int unused_type(void)
{
    int type = last_event_type + 1;

    if (type > TRACE_EVENT_TYPE_MAX)
        for (type = TRACE_LAST_TYPE; type <= TRACE_EVENT_TYPE_MAX && ftrace_find_event(type);)
            type++;
    else
        last_event_type = type;
    return type <= TRACE_EVENT_TYPE_MAX ? type : 0;
}

int register_trace_event(struct trace_event *event)
{
    struct trace_event **bucket;

    spin_lock(&trace_event_lock);
    if (!event->type)
        event->type = unused_type();
    else if (WARN_ON(ftrace_find_event(event->type)))
        event->type = 0;
    if (event->type) {
        bucket = &event_hash[event->type % EVENT_HASHSIZE];
        event->next = *bucket;
        smp_store_release(bucket, event);
    }
    spin_unlock(&trace_event_lock);
    return event->type;
}
EXPORT_SYMBOL_GPL(register_trace_event);

void unregister_trace_event(struct trace_event *event)
{
    struct trace_event **p = &event_hash[event->type % EVENT_HASHSIZE];

    spin_lock(&trace_event_lock);
    while (*p && *p != event)
        p = &(*p)->next;
    if (*p)
        WRITE_ONCE(*p, event->next);
    spin_unlock(&trace_event_lock);
    synchronize_rcu();
}
EXPORT_SYMBOL_GPL(unregister_trace_event);

enum print_line_t trace_nop_print(struct trace_iterator *iter)
{
    trace_seq_printf(&iter->seq, "type: %d\n", iter->ent->type);
    return trace_handle_return(&iter->seq);
}

/* ---- symbols ---- */

void trace_seq_print_sym(struct trace_seq *s, unsigned long ip, int flags)
{
    if (!ip)
        trace_seq_putc(s, '0');
    else
        trace_seq_printf(s, flags & TRACE_ITER_SYM_OFFSET ? "%pS" : "%ps", (void *)ip);
    if (ip && (flags & TRACE_ITER_SYM_ADDR))
        trace_seq_printf(s, " <%016lx>", ip);
}

/* ---- context columns ---- */

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
void trace_print_lat_fmt(struct trace_seq *s, const struct trace_entry *ent)
{
    unsigned int depth = ent->preempt_count & 0xf, migrate = ent->preempt_count >> 4;

    trace_seq_printf(s, "%c%c%c", irqs_char(ent->flags), resched_char(ent->flags),
                     hardsoft_char(ent->flags));
    trace_seq_printf(s, depth ? "%x" : ".", depth);
    trace_seq_printf(s, migrate ? "%x" : ".", migrate);
}

static void trace_print_time(struct trace_iterator *iter, u64 ts)
{
    u64 us = ns2usecs(ts);

    if (trace_clock_in_ns(iter->tr))
        trace_seq_printf(&iter->seq, " %5llu.%06llu", us / 1000000, us % 1000000);
    else
        trace_seq_printf(&iter->seq, " %12llu", ts);
}

static void print_tgid(struct trace_seq *s, int tgid)
{
    if (tgid)
        trace_seq_printf(s, "(%7d) ", tgid);
    else
        trace_seq_puts(s, "(-------) ");
}

enum print_line_t trace_print_context(struct trace_iterator *iter)
{
    char comm[TASK_COMM_LEN];

    trace_find_cmdline(iter->ent->pid, comm);
    trace_seq_printf(&iter->seq, "%16s-%-7d ", comm, iter->ent->pid);
    if (iter->tr->trace_flags & TRACE_ITER_RECORD_TGID)
        print_tgid(&iter->seq, trace_find_tgid(iter->ent->pid));
    trace_seq_printf(&iter->seq, "[%03u] ", iter->cpu);
    if (iter->tr->trace_flags & TRACE_ITER_IRQ_INFO)
        trace_print_lat_fmt(&iter->seq, iter->ent);
    trace_print_time(iter, iter->ts);
    trace_seq_puts(&iter->seq, ": ");
    return TRACE_TYPE_HANDLED;
}

/* Prints the time in us, and in ms since the last reset and until the next entry. */
static void print_lat_verbose_time(struct trace_iterator *iter, u64 since, u64 until)
{
    u64 since_us = ns2usecs(since), until_us = ns2usecs(until);

    if (trace_clock_in_ns(iter->tr))
        trace_seq_printf(&iter->seq,
                         "[%08llx] %llu.%03llums (+%llu.%03llums): ", ns2usecs(iter->ts),
                         since_us / 1000, since_us % 1000, until_us / 1000, until_us % 1000);
    else
        trace_seq_printf(&iter->seq, "[%016llx] %llu (+%llu): ", iter->ts, since, until);
}

static void print_lat_time(struct trace_iterator *iter, u64 since, u64 until)
{
    u64 until_us = ns2usecs(until);

    if (trace_clock_in_ns(iter->tr))
        trace_seq_printf(&iter->seq, " %4lluus%c: ", ns2usecs(since),
                         until_us > 100 ? '!'
                         : until_us > 1 ? '+'
                                        : ' ');
    else
        trace_seq_printf(&iter->seq, " %4llu: ", since);
}

enum print_line_t trace_print_lat_context(struct trace_iterator *iter)
{
    u64 since = iter->ts - iter->array_buffer->time_start,
        until = trace_next_entry_ts(iter) - iter->ts;
    const struct trace_entry *ent = iter->ent;
    char comm[TASK_COMM_LEN];

    trace_find_cmdline(ent->pid, comm);
    if (iter->tr->trace_flags & TRACE_ITER_VERBOSE) {
        trace_seq_printf(&iter->seq, "%16s %7d %3d %d %08x %08lx ", comm, ent->pid, iter->cpu,
                         ent->flags, ent->preempt_count & 0xf, iter->idx);
        print_lat_verbose_time(iter, since, until);
    } else {
        trace_seq_printf(&iter->seq, "%8.8s-%-7d %3d", comm, ent->pid, iter->cpu);
        trace_print_lat_fmt(&iter->seq, ent);
        print_lat_time(iter, since, until);
    }
    return TRACE_TYPE_HANDLED;
}

/* ---- TRACE_FN ---- */

static void print_fn_trace(struct trace_seq *s, unsigned long ip, unsigned long parent_ip,
                           int flags)
{
    trace_seq_print_sym(s, ip, flags);
    if ((flags & TRACE_ITER_PRINT_PARENT) && parent_ip) {
        trace_seq_puts(s, " <-");
        trace_seq_print_sym(s, parent_ip, flags);
    }
}

static enum print_line_t trace_fn_trace(struct trace_iterator *iter, int flags,
                                        struct trace_event *event)
{
    const struct ftrace_entry *field = (const void *)iter->ent;

    (void)event;
    print_fn_trace(&iter->seq, field->ip, field->parent_ip, flags);
    trace_seq_putc(&iter->seq, '\n');
    return TRACE_TYPE_HANDLED;
}

static enum print_line_t trace_fn_raw(struct trace_iterator *iter, int flags,
                                      struct trace_event *event)
{
    const struct ftrace_entry *field = (const void *)iter->ent;

    (void)flags;
    (void)event;
    trace_seq_printf(&iter->seq, "%lx %lx\n", field->ip, field->parent_ip);
    return TRACE_TYPE_HANDLED;
}

static enum print_line_t trace_fn_hex(struct trace_iterator *iter, int flags,
                                      struct trace_event *event)
{
    const struct ftrace_entry *field = (const void *)iter->ent;

    (void)flags;
    (void)event;
    SEQ_PUT_HEX_FIELD(&iter->seq, field->ip);
    SEQ_PUT_HEX_FIELD(&iter->seq, field->parent_ip);
    return TRACE_TYPE_HANDLED;
}

static enum print_line_t trace_fn_bin(struct trace_iterator *iter, int flags,
                                      struct trace_event *event)
{
    const struct ftrace_entry *field = (const void *)iter->ent;

    (void)flags;
    (void)event;
    SEQ_PUT_FIELD(&iter->seq, field->ip);
    SEQ_PUT_FIELD(&iter->seq, field->parent_ip);
    return TRACE_TYPE_HANDLED;
}

static const struct trace_event_functions trace_fn_funcs = {
    .trace = trace_fn_trace,
    .raw = trace_fn_raw,
    .hex = trace_fn_hex,
    .binary = trace_fn_bin,
};
static struct trace_event trace_fn_event = {.type = TRACE_FN, .funcs = &trace_fn_funcs};

/* ---- TRACE_STACK ---- */

static enum print_line_t trace_stack_print(struct trace_iterator *iter, int flags,
                                           struct trace_event *event)
{
    const struct stack_entry *field = (const void *)iter->ent;
    int i;

    (void)event;
    trace_seq_puts(&iter->seq, "<stack trace>\n");
    for (i = 0; i < field->size; i++) {
        trace_seq_puts(&iter->seq, " => ");
        trace_seq_print_sym(&iter->seq, field->caller[i], flags);
        trace_seq_putc(&iter->seq, '\n');
    }
    return TRACE_TYPE_HANDLED;
}

static const struct trace_event_functions trace_stack_funcs = {.trace = trace_stack_print};
static struct trace_event trace_stack_event = {.type = TRACE_STACK, .funcs = &trace_stack_funcs};

/* ---- TRACE_USER_STACK ---- */

static enum print_line_t trace_user_stack_print(struct trace_iterator *iter, int flags,
                                                struct trace_event *event)
{
    const struct userstack_entry *field = (const void *)iter->ent;
    int i;

    (void)flags;
    (void)event;
    trace_seq_puts(&iter->seq, "<user stack trace>\n");
    for (i = 0; i < USER_STACK_ENTRIES && field->caller[i]; i++)
        trace_seq_printf(&iter->seq, " =>  <%016lx>\n", field->caller[i]);
    return TRACE_TYPE_HANDLED;
}

static const struct trace_event_functions trace_user_stack_funcs = {.trace =
                                                                        trace_user_stack_print};
static struct trace_event trace_user_stack_event = {.type = TRACE_USER_STACK,
                                                    .funcs = &trace_user_stack_funcs};

/* ---- TRACE_FUNC_REPEATS ---- */

static u64 repeats_delta(const struct func_repeats_entry *field)
{
    return (u64)field->top_delta_ts << 32 | field->bottom_delta_ts;
}

static enum print_line_t trace_func_repeats_print(struct trace_iterator *iter, int flags,
                                                  struct trace_event *event)
{
    const struct func_repeats_entry *field = (const void *)iter->ent;

    (void)event;
    print_fn_trace(&iter->seq, field->ip, field->parent_ip, flags);
    trace_seq_printf(&iter->seq, " (repeats: %u, last_ts:", field->count);
    trace_print_time(iter, iter->ts - repeats_delta(field));
    trace_seq_puts(&iter->seq, ")\n");
    return TRACE_TYPE_HANDLED;
}

static enum print_line_t trace_func_repeats_raw(struct trace_iterator *iter, int flags,
                                                struct trace_event *event)
{
    const struct func_repeats_entry *field = (const void *)iter->ent;

    (void)flags;
    (void)event;
    trace_seq_printf(&iter->seq, "%lx %lx %u %llu\n", field->ip, field->parent_ip, field->count,
                     repeats_delta(field));
    return TRACE_TYPE_HANDLED;
}

static const struct trace_event_functions trace_func_repeats_funcs = {
    .trace = trace_func_repeats_print,
    .raw = trace_func_repeats_raw,
};
static struct trace_event trace_func_repeats_event = {.type = TRACE_FUNC_REPEATS,
                                                      .funcs = &trace_func_repeats_funcs};

/* ---- TRACE_PRINT, TRACE_BPRINT, TRACE_BPUTS ---- */

bool trace_print_message(struct trace_iterator *iter)
{
    const struct bprint_entry *bprint = (const void *)iter->ent;

    switch (iter->ent->type) {
    case TRACE_PRINT:
        trace_seq_puts(&iter->seq, ((const struct print_entry *)iter->ent)->buf);
        return true;
    case TRACE_BPRINT: trace_seq_bprintf(&iter->seq, bprint->fmt, bprint->buf); return true;
    case TRACE_BPUTS:
        trace_seq_puts(&iter->seq, ((const struct bputs_entry *)iter->ent)->str);
        return true;
    default: return false;
    }
}

/* All three have it at the same place. */
static unsigned long ip_of_message(const struct trace_iterator *iter)
{
    return ((const struct print_entry *)iter->ent)->ip;
}

static enum print_line_t trace_print_print(struct trace_iterator *iter, int flags,
                                           struct trace_event *event)
{
    (void)event;
    trace_seq_print_sym(&iter->seq, ip_of_message(iter), flags);
    trace_seq_puts(&iter->seq, ": ");
    trace_print_message(iter);
    return trace_handle_return(&iter->seq);
}

static enum print_line_t trace_print_raw(struct trace_iterator *iter, int flags,
                                         struct trace_event *event)
{
    (void)flags;
    (void)event;
    trace_seq_printf(&iter->seq,
                     iter->ent->type == TRACE_PRINT ? "# %lx " : ": %lx : ", ip_of_message(iter));
    trace_print_message(iter);
    return trace_handle_return(&iter->seq);
}

static const struct trace_event_functions trace_print_funcs = {
    .trace = trace_print_print,
    .raw = trace_print_raw,
};
static struct trace_event trace_print_event = {.type = TRACE_PRINT, .funcs = &trace_print_funcs};
static struct trace_event trace_bprint_event = {.type = TRACE_BPRINT, .funcs = &trace_print_funcs};
static struct trace_event trace_bputs_event = {.type = TRACE_BPUTS, .funcs = &trace_print_funcs};

/* ---- TRACE_RAW_DATA ---- */

static enum print_line_t trace_raw_data(struct trace_iterator *iter, int flags,
                                        struct trace_event *event)
{
    const struct raw_data_entry *field = (const void *)iter->ent;
    unsigned int i, len = iter->ent_size - offsetof(struct raw_data_entry, buf);

    (void)flags;
    (void)event;
    trace_seq_printf(&iter->seq, "# %x buf:", field->id);
    for (i = 0; i < len; i++)
        trace_seq_printf(&iter->seq, " %02x", (unsigned char)field->buf[i]);
    trace_seq_putc(&iter->seq, '\n');
    return trace_handle_return(&iter->seq);
}

static const struct trace_event_functions trace_raw_data_funcs = {.trace = trace_raw_data,
                                                                  .raw = trace_raw_data};
static struct trace_event trace_raw_data_event = {.type = TRACE_RAW_DATA,
                                                  .funcs = &trace_raw_data_funcs};

void init_events(void)
{
    static struct trace_event *const events[] = {
        &trace_fn_event,         &trace_stack_event,        &trace_print_event,
        &trace_user_stack_event, &trace_func_repeats_event, &trace_raw_data_event,
        &trace_bprint_event,     &trace_bputs_event,
    };
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(events); i++)
        BUG_ON(!register_trace_event(events[i]));
}
