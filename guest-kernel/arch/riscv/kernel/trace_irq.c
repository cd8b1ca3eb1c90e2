/*
 * trace_irq.c - calls from entry.S, which has no frame of its own: these functions have one, so
 * that their callers can be found.
 *
 * Not instrumented.
 */
#include <asm/irqflags.h>

void __trace_hardirqs_on(void);
void __trace_hardirqs_off(void);

void __trace_hardirqs_on(void)
{
    trace_hardirqs_on();
    barrier(); /* no tail call */
}

void __trace_hardirqs_off(void)
{
    trace_hardirqs_off();
    barrier();
}
