/*
 * trace_preemptirq.c - the kernel reports here that it turns interrupts or preemption off or on.
 *
 * Only in kernels with latency tracers of such sections (FLAVOUR=latency). Each hart remembers
 * whether it has told that its interrupts are off, so that only changes reach the tracers.
 *
 * Not instrumented.
 */
#include "trace_irqsoff.h"
#include <asm/irqflags.h>
#include <asm/stacktrace.h>
#include <linux/export.h>
#include <linux/smp.h>

static bool tracing_irq_cpu[NR_CPUS]; /* used by its hart with interrupts off */

void trace_hardirqs_on(void)
{
    bool *off = &tracing_irq_cpu[raw_smp_processor_id()];

    if (!*off)
        return;
    if (irqsoff_wants_calls())
        tracer_hardirqs_on(return_address(0), return_address(1));
    *off = false;
}
EXPORT_SYMBOL(trace_hardirqs_on);

void trace_hardirqs_off(void)
{
    bool *off = &tracing_irq_cpu[raw_smp_processor_id()];

    if (*off)
        return;
    *off = true;
    if (irqsoff_wants_calls())
        tracer_hardirqs_off(return_address(0), return_address(1));
}
EXPORT_SYMBOL(trace_hardirqs_off);
