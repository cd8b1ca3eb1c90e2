/*
 * trace_recursion.h - guards against entering a tracer twice in one context.
 *
 * A task's word has a bit for each context that can interrupt another one: task, softirq,
 * hardirq, NMI. Each context clears its bit before the interrupted one continues, so the word
 * needs no atomics. There are two groups of bits: one for callbacks that guard themselves, one
 * for the functions that call callbacks.
 *
 * Until an interrupt has counted itself in preempt_count, it seems to run in the context that
 * it interrupted; one such call is allowed, on the fifth bit.
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

/* Returns the bit to clear afterwards, or -1: already inside. */
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

/* For callbacks that guard themselves. */
static __always_inline int ftrace_test_recursion_trylock(void)
{
    return trace_test_and_set_recursion(TRACE_FTRACE_START);
}

static __always_inline void ftrace_test_recursion_unlock(int bit)
{
    trace_clear_recursion(bit);
}

#endif
