/*
 * trace_dump.c - printing the trace to the console (by a probe, a panic or sysrq), and
 * traceoff_on_warning.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysctl.h>

/* Set by sysctls and command-line parameters: an enum ftrace_dump_mode, and 0 or 1. */
static int ftrace_dump_on_oops;
static int traceoff_on_warning;

static struct trace_iterator dump_iter; /* used by the dump that has set dump_running */
static unsigned int dump_running;

/* Consumes the entries, so that two dumps print each entry once. */
static void dump_entries(void)
{
    struct trace_iterator *iter = &dump_iter;
    const char *rule = "---------------------------------\n";
    bool any = false;

    while (trace_find_next_entry_inc(iter)) {
        if (!any)
            printk("%s", rule);
        any = true;
        print_trace_line(iter);
        trace_seq_putc(&iter->seq, '\0');
        printk("%s", iter->seq.buffer);
    }
    printk("%s", any ? rule : "   (ftrace buffer empty)\n");
}

void ftrace_dump(enum ftrace_dump_mode mode)
{
    unsigned long flags;

    if (mode == DUMP_NONE || !global_trace.array_buffer.buffer)
        return;
    if (__atomic_exchange_n(&dump_running, 1, __ATOMIC_ACQUIRE))
        return;
    WRITE_ONCE(global_trace.array_buffer.buffer->record_on, false);
    local_irq_save(flags);
    memset(&dump_iter, 0, sizeof(dump_iter));
    dump_iter.tr = &global_trace;
    dump_iter.array_buffer = &global_trace.array_buffer;
    dump_iter.trace = global_trace.current_trace;
    dump_iter.cpu_file = mode == DUMP_ORIG ? (int)smp_processor_id() : RING_BUFFER_ALL_CPUS;
    printk("Dumping ftrace buffer:\n");
    if (ftrace_is_dead()) {
        printk("# WARNING: FUNCTION TRACING IS CORRUPTED\n");
        printk("#          MAY BE MISSING FUNCTION EVENTS\n");
    }
    dump_entries();
    local_irq_restore(flags);
    __atomic_store_n(&dump_running, 0, __ATOMIC_RELEASE);
}

void ftrace_dump_on_panic(void)
{
    ftrace_dump(ftrace_dump_on_oops);
}

void disable_trace_on_warning(void)
{
    if (!READ_ONCE(traceoff_on_warning) || !global_trace.array_buffer.buffer)
        return;
    trace_printk("Disabling tracing due to warning\n");
    WRITE_ONCE(global_trace.array_buffer.buffer->record_on, false);
}

/* ---- command line and /proc/sys/kernel ---- */

/*
 * `ftrace_dump_on_oops=orig_cpu`: the trace of the hart that panics; without a value: of all
 * harts.
 */
static int set_ftrace_dump_on_oops(char *value)
{
    if (!*value || !strcmp(value, "1"))
        ftrace_dump_on_oops = DUMP_ALL;
    else if (!strcmp(value, "orig_cpu") || !strcmp(value, "2"))
        ftrace_dump_on_oops = DUMP_ORIG;
    else
        return -EINVAL;
    return 0;
}
__setup("ftrace_dump_on_oops", set_ftrace_dump_on_oops);
__setup("ftrace_dump_on_oops=", set_ftrace_dump_on_oops);

static int set_traceoff_on_warning(char *value)
{
    traceoff_on_warning = strcmp(value, "0") && strcmp(value, "off");
    return 0;
}
__setup("traceoff_on_warning", set_traceoff_on_warning);
__setup("traceoff_on_warning=", set_traceoff_on_warning);

static const struct ctl_table trace_sysctls[] = {
    {"ftrace_dump_on_oops", &ftrace_dump_on_oops, NULL},
    {"traceoff_on_warning", &traceoff_on_warning, NULL},
};

void trace_sysctl_init(void)
{
    register_sysctl("kernel", trace_sysctls, ARRAY_SIZE(trace_sysctls));
}
