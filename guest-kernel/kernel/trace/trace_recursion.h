/*
 * trace_recursion.h - no tracer is entered twice in one context.
 *
 * A task's word has a bit for each context that can interrupt another: task,
 * softirq, hardirq, NMI.  Each clears what it set before what it interrupted
 * goes on, so the word needs no atomics.
 */
#ifndef KERNEL_TRACE_RECURSION_H
#define KERNEL_TRACE_RECURSION_H

#include <linux/preempt.h>

enum { TRACE_CTX_NORMAL, TRACE_CTX_SOFTIRQ, TRACE_CTX_IRQ, TRACE_CTX_NMI };

static __always_inline int trace_get_context_bit(void)
{
    if (in_nmi())
        return TRACE_CTX_NMI;
    if (in_hardirq())
        return TRACE_CTX_IRQ;
    return in_serving_softirq() ? TRACE_CTX_SOFTIRQ : TRACE_CTX_NORMAL;
}

/* The bit to give back, or -1: already inside. */
static __always_inline int ftrace_test_recursion_trylock(void)
{
    int bit = trace_get_context_bit();

    if (unlikely(current->trace_recursion >> bit & 1))
        return -1;
    current->trace_recursion |= 1UL << bit;
    barrier();
    return bit;
}

static __always_inline void ftrace_test_recursion_unlock(int bit)
{
    barrier();
    current->trace_recursion &= ~(1UL << bit);
}

#endif
