/*
 * preempt.c - preempt_count in kernels whose tracers want to know of each section without
 * preemption (FLAVOUR=latency); in others these are a few inline instructions.
 */
#include "../trace/trace_irqsoff.h"
#include <asm/stacktrace.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>

extern const char __lock_text_start[], __lock_text_end[];

static __always_inline bool in_lock_functions(unsigned long addr)
{
    return addr >= (unsigned long)__lock_text_start && addr < (unsigned long)__lock_text_end;
}

/* The first caller that is not a function of locks: whoever took the lock. */
static __always_inline unsigned long get_lock_parent_ip(void)
{
    unsigned long addr = return_address(0);

    if (!in_lock_functions(addr))
        return addr;
    addr = return_address(1);
    return in_lock_functions(addr) ? return_address(2) : addr;
}

/* Only the outermost section counts: the first that raises the count from 0. */
void preempt_count_add(int val)
{
    __preempt_count_add(val);
    if (preempt_count() == val && irqsoff_wants_calls())
        tracer_preempt_off(return_address(0), get_lock_parent_ip());
}
EXPORT_SYMBOL(preempt_count_add);

void preempt_count_sub(int val)
{
    if (preempt_count() == val && irqsoff_wants_calls())
        tracer_preempt_on(return_address(0), get_lock_parent_ip());
    __preempt_count_sub(val);
}
EXPORT_SYMBOL(preempt_count_sub);
