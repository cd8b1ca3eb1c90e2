/*
 * preempt.h - preempt_count.
 *
 * One word for each task, with Linux's fields: depth of preempt_disable() in bits 0-7, softirq
 * in 8-15, hardirq in 16-19, NMI in 20-23. Only the task itself and interrupts on top of it
 * change it, so it needs no atomics.
 */
#ifndef LINUX_PREEMPT_H
#define LINUX_PREEMPT_H

#include <linux/sched.h>

#define PREEMPT_MASK   0x000000ff
#define SOFTIRQ_MASK   0x0000ff00
#define HARDIRQ_MASK   0x000f0000
#define NMI_MASK       0x00f00000
#define PREEMPT_OFFSET 0x00000001
#define SOFTIRQ_OFFSET 0x00000100
#define HARDIRQ_OFFSET 0x00010000

static __always_inline int preempt_count(void)
{
    return READ_ONCE(current->preempt_count);
}

static __always_inline void __preempt_count_add(int val)
{
    WRITE_ONCE(current->preempt_count, preempt_count() + val);
    barrier();
}

static __always_inline void __preempt_count_sub(int val)
{
    barrier();
    WRITE_ONCE(current->preempt_count, preempt_count() - val);
}

#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
/* kernel/sched/preempt.c: the same, and calls the tracers for the outermost ones. */
void preempt_count_add(int val);
void preempt_count_sub(int val);
#else
#define preempt_count_add(val) __preempt_count_add(val)
#define preempt_count_sub(val) __preempt_count_sub(val)
#endif

#define in_hardirq()         (preempt_count() & HARDIRQ_MASK)
#define in_serving_softirq() (preempt_count() & SOFTIRQ_OFFSET)
#define in_nmi()             (preempt_count() & NMI_MASK)

static __always_inline bool need_resched(void)
{
    return READ_ONCE(current->flags) & (1UL << TIF_NEED_RESCHED);
}

/* Reschedules if preemption is enabled. */
void preempt_schedule(void);

static __always_inline void preempt_disable(void)
{
    preempt_count_add(PREEMPT_OFFSET);
}

static __always_inline void preempt_enable_no_resched(void)
{
    preempt_count_sub(PREEMPT_OFFSET);
}

static __always_inline void preempt_enable(void)
{
    preempt_count_sub(PREEMPT_OFFSET);
    if (unlikely(preempt_count() == 0 && need_resched()))
        preempt_schedule();
}

/* For tracers, for what they trace, and for code that patches text. */
static __always_inline void preempt_disable_notrace(void)
{
    __preempt_count_add(PREEMPT_OFFSET);
}

static __always_inline void preempt_enable_notrace(void)
{
    __preempt_count_sub(PREEMPT_OFFSET);
    if (unlikely(preempt_count() == 0 && need_resched()))
        preempt_schedule();
}

#endif
