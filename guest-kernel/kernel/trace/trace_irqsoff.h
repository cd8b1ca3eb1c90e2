/* trace_irqsoff.h - what the tracers of sections without interrupts or preemption are told. */
#ifndef KERNEL_TRACE_IRQSOFF_H
#define KERNEL_TRACE_IRQSOFF_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Which sections the active tracer is about; 0: none of them is active. Read by any hart. */
extern unsigned int irqsoff_type;

/* Whether the calls below are of use: it costs less to ask than to find out who called. */
static __always_inline bool irqsoff_wants_calls(void)
{
    return unlikely(READ_ONCE(irqsoff_type));
}

/*
 * ip is the function that turns them off or on, parent_ip its caller, or 0. The section begins
 * after they are off, and ends before they are on; interrupts are off during the calls about them.
 */
void tracer_hardirqs_on(unsigned long ip, unsigned long parent_ip);
void tracer_hardirqs_off(unsigned long ip, unsigned long parent_ip);
void tracer_preempt_on(unsigned long ip, unsigned long parent_ip);
void tracer_preempt_off(unsigned long ip, unsigned long parent_ip);

#endif
