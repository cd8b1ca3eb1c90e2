/* hardirq.h - entering and leaving interrupt context. */
#ifndef LINUX_HARDIRQ_H
#define LINUX_HARDIRQ_H

#include <linux/preempt.h>

static __always_inline void irq_enter(void)
{
    preempt_count_add(HARDIRQ_OFFSET);
}

static __always_inline void irq_exit(void)
{
    preempt_count_sub(HARDIRQ_OFFSET);
}

#endif
