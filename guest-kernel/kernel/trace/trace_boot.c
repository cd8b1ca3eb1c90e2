/*
 * trace_boot.c - tracing parameters of the kernel command line.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/string.h>

/* Parameters with a string value, which stays in the command line. */
#define BOOT_STRING(param, var)       \
    static char *var;                 \
    static int set_##var(char *value) \
    {                                 \
        var = value;                  \
        return 0;                     \
    }                                 \
    __setup(param, set_##var)

BOOT_STRING("ftrace=", boot_tracer);
BOOT_STRING("ftrace_filter=", boot_filter);
BOOT_STRING("ftrace_notrace=", boot_notrace);
BOOT_STRING("ftrace_graph_filter=", boot_graph_filter);
BOOT_STRING("ftrace_graph_notrace=", boot_graph_notrace);
BOOT_STRING("trace_options=", boot_options);
BOOT_STRING("trace_clock=", boot_clock);
BOOT_STRING("trace_event=", boot_events);
BOOT_STRING("kprobe_event=", boot_kprobes);

static int set_boot_graph_max_depth(char *value)
{
    unsigned long depth;
    int err = kstrtoul(value, 0, &depth);

    if (!err)
        fgraph_max_depth = depth;
    return err;
}
__setup("ftrace_graph_max_depth=", set_boot_graph_max_depth);

/* A size in bytes, or with suffix K, M or G. */
static int set_boot_buf_size(char *value)
{
    static const char units[] = "kmg";
    size_t n = strlen(value);
    const char *unit = n ? strchr(units, value[n - 1] | 32) : NULL;
    char letter = n ? value[n - 1] : 0;
    unsigned long size;
    int err;

    if (unit)
        value[n - 1] = 0;
    err = kstrtoul(value, 0, &size);
    if (unit)
        value[n - 1] = letter; /* restored for error messages */
    if (err)
        return err;
    if (unit)
        size <<= 10 * (unit - units + 1);
    if (!size)
        return -EINVAL;
    trace_buf_size = size;
    return 0;
}
__setup("trace_buf_size=", set_boot_buf_size);

static void apply_boot_filter(char *list,
                              int (*set)(struct ftrace_ops *ops, const char *word, bool reset))
{
    char *glob;

    while ((glob = strsep(&list, ",")))
        if (set(&global_ops, glob, false))
            pr_info("ftrace: no function matches '%s'\n", glob);
}

static void apply_boot_graph_filter(char *list, struct ftrace_hash **set)
{
    struct ftrace_hash *hash = alloc_ftrace_hash();
    char *glob;

    while (hash && (glob = strsep(&list, ",")))
        if (ftrace_match_records(hash, glob))
            pr_info("ftrace: no function matches '%s'\n", glob);
    *set = hash;
}

/*
 * Options of a tracer can only be set while it is the current one, so this comes after it is
 * set.
 */
static void apply_boot_options(char *list)
{
    char *option;

    while ((option = strsep(&list, ",")))
        if (*option && trace_set_options(&global_trace, option))
            pr_info("ftrace: no option '%s'\n", option);
}

static void enable_boot_events(char *list)
{
    char *event;

    if (tracing_update_buffers(&global_trace))
        return;
    while ((event = strsep(&list, ",")))
        if (*event && ftrace_set_clr_event(&global_trace, event, 1))
            pr_info("Failed to enable trace event: %s\n", event);
}

static void start_tracer(const char *name)
{
    if (tracer_is_noboot(name))
        pr_info("Tracer '%s' is not allowed on command line, ignored\n", name);
    else if (tracing_set_tracer(&global_trace, name))
        pr_info("Tracer %s failed to start\n", name);
    else
        pr_info("Starting tracer '%s'\n", name);
}

void tracing_start_boot_tracer(void)
{
    if (boot_filter)
        apply_boot_filter(boot_filter, ftrace_set_filter);
    if (boot_notrace)
        apply_boot_filter(boot_notrace, ftrace_set_notrace);
    if (boot_graph_filter)
        apply_boot_graph_filter(boot_graph_filter, &ftrace_graph_hash);
    if (boot_graph_notrace)
        apply_boot_graph_filter(boot_graph_notrace, &ftrace_graph_notrace_hash);
    if (trace_boot_snapshot && tracing_alloc_snapshot())
        pr_info("ftrace: no memory for a snapshot\n");
    if (boot_clock && tracing_set_clock(&global_trace, boot_clock))
        pr_info("Trace clock %s not defined, going back to default\n", boot_clock);
    trace_start_boot_stack();
    if (boot_tracer)
        start_tracer(boot_tracer);
    if (boot_kprobes && !tracing_update_buffers(&global_trace))
        trace_start_boot_kprobes(boot_kprobes);
    if (boot_events)
        enable_boot_events(boot_events);
    if (boot_options)
        apply_boot_options(boot_options);
}
