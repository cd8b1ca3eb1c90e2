/*
 * irq_work.h - something to be done in an interrupt of this hart, as soon as it takes one.
 *
 * For code that runs where it may do nothing itself: under any lock, in the
 * middle of the scheduler.  Queueing takes no lock and may be done from there.
 */
#ifndef LINUX_IRQ_WORK_H
#define LINUX_IRQ_WORK_H

#include <linux/types.h>

struct irq_work {
    struct irq_work *next; /* in its hart's list */
    void (*func)(struct irq_work *work);
    unsigned int pending; /* 1: queued and not yet begun; atomics only */
};

static inline void init_irq_work(struct irq_work *work, void (*func)(struct irq_work *work))
{
    work->func = func;
    work->pending = 0;
}

/* false: it is queued already, on this hart or another. */
bool irq_work_queue(struct irq_work *work);
/* From the interrupt. */
void irq_work_run(void);
/* The architecture's part: has this hart interrupt itself. */
void arch_irq_work_raise(void);

#endif
