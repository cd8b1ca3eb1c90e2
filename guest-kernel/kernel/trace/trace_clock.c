/*
 * trace_clock.c - the trace clocks.
 *
 * All harts share one time CSR, so most of Linux's clocks are the same here.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/trace_clock.h>

/* Monotonic over all harts, in the order of the calls. */
static u64 trace_clock_global(void)
{
    static u64 last; /* atomics only */
    u64 now = sched_clock(), prev = __atomic_load_n(&last, __ATOMIC_RELAXED);

    while (prev < now && !__atomic_compare_exchange_n(&last, &prev, now, true, __ATOMIC_SEQ_CST,
                                                      __ATOMIC_RELAXED))
        ;
    return max(prev, now);
}

/* A counter: every entry has a different stamp. */
static u64 trace_clock_counter(void)
{
    static u64 counter; /* atomics only */

    return __atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST);
}

/* Ticks since boot. */
static u64 trace_clock_jiffies(void)
{
    return sched_clock() / (NSEC_PER_SEC / HZ);
}

static const struct {
    const char *name;
    u64 (*func)(void);
    bool in_ns;
} trace_clocks[] = {
    {"local", sched_clock, true},
    {"global", trace_clock_global, true},
    {"counter", trace_clock_counter, false},
    {"uptime", trace_clock_jiffies, false},
    {"perf", sched_clock, true},
    {"mono", sched_clock, true},
    {"mono_raw", sched_clock, true},
    {"boot", sched_clock, true},
    {"tai", sched_clock, true}, /* no clock has the date */
};

bool trace_clock_in_ns(const struct trace_array *tr)
{
    return trace_clocks[tr->clock_id].in_ns;
}

u64 trace_clock_now(const struct trace_array *tr)
{
    return trace_clocks[tr->clock_id].func();
}

/* Also empties the buffer: stamps of two clocks cannot be compared. */
int tracing_set_clock(struct trace_array *tr, const char *name)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(trace_clocks) && strcmp(trace_clocks[i].name, name); i++)
        ;
    if (i == ARRAY_SIZE(trace_clocks))
        return -EINVAL;
    mutex_lock(&trace_types_lock);
    tr->clock_id = i;
    ring_buffer_set_clock(tr->array_buffer.buffer, trace_clocks[i].func);
    ring_buffer_set_clock(tr->max_buffer.buffer, trace_clocks[i].func);
    tracing_reset_online_cpus(&tr->array_buffer);
    tracing_reset_online_cpus(&tr->max_buffer);
    mutex_unlock(&trace_types_lock);
    return 0;
}

static int trace_clock_show(struct seq_file *m, void *data)
{
    const struct trace_array *tr = data;
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(trace_clocks); i++)
        seq_printf(m, i == tr->clock_id ? "%s[%s]" : "%s%s", i ? " " : "", trace_clocks[i].name);
    seq_puts(m, "\n");
    return 0;
}

static int trace_clock_store(void *tr, char *name)
{
    return tracing_set_clock(tr, name);
}

DEFINE_TRACE_TEXT_FILE(trace_clock);

/* A stamp is always the time since the one before it: no event asks for absolute ones. */
static int timestamp_mode_show(struct seq_file *m, void *tr)
{
    (void)tr;
    seq_puts(m, "[delta] absolute\n");
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(timestamp_mode);

void trace_create_clock_files(struct trace_array *tr, struct dentry *dir)
{
    tracefs_create_file("trace_clock", S_IRUGO | S_IWUSR, dir, tr, &trace_clock_fops);
    tracefs_create_file("timestamp_mode", S_IRUGO, dir, tr, &timestamp_mode_fops);
}
