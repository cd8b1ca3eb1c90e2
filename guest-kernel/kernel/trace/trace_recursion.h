/*
 * trace_recursion.h - no tracer is entered twice in one context.
 *
 * A task's word has a bit for each context that can interrupt another: task,
 * softirq, hardirq, NMI.  Each clears what it set before what it interrupted
 * goes on, so the word needs no atomics.  There are two rows of such bits: one
 * for callbacks, which guard themselves, and one for what calls them.
 *
 * An interrupt is in no context of its own until it has counted itself in
 * preempt_count; what is traced until then is let through once, on the fifth bit.
 */
#ifndef KERNEL_TRACE_RECURSION_H
#define KERNEL_TRACE_RECURSION_H

#include <linux/preempt.h>

enum {
    TRACE_CTX_NMI,
    TRACE_CTX_IRQ,
    TRACE_CTX_SOFTIRQ,
    TRACE_CTX_NORMAL,
    TRACE_CTX_TRANSITION,
    TRACE_CTXS
};

enum { TRACE_FTRACE_START = 0, TRACE_LIST_START = TRACE_CTXS };

static __always_inline int trace_get_context_bit(void)
{
    if (in_nmi())
        return TRACE_CTX_NMI;
    if (in_hardirq())
        return TRACE_CTX_IRQ;
    return in_serving_softirq() ? TRACE_CTX_SOFTIRQ : TRACE_CTX_NORMAL;
}

/* The bit to give back, or -1: already inside. */
static __always_inline int trace_test_and_set_recursion(int start)
{
    unsigned long inside = current->trace_recursion;
    int bit = start + trace_get_context_bit();

    if (unlikely(inside >> bit & 1)) {
        bit = start + TRACE_CTX_TRANSITION;
        if (inside >> bit & 1)
            return -1;
    }
    current->trace_recursion = inside | 1UL << bit;
    barrier();
    return bit;
}

static __always_inline void trace_clear_recursion(int bit)
{
    barrier();
    current->trace_recursion &= ~(1UL << bit);
}

/* For callbacks. */
static __always_inline int ftrace_test_recursion_trylock(void)
{
    return trace_test_and_set_recursion(TRACE_FTRACE_START);
}

static __always_inline void ftrace_test_recursion_unlock(int bit)
{
    trace_clear_recursion(bit);
}

#endif
