/*
 * irq_work.h - work that runs in an interrupt of this hart, as soon as interrupts are on.
 *
 * For code that cannot do the work itself, because it runs under arbitrary locks or inside the
 * scheduler. Queueing takes no lock.
 */
#ifndef LINUX_IRQ_WORK_H
#define LINUX_IRQ_WORK_H

#include <linux/types.h>

/* Queued and not yet started; queued, or its function is running. */
enum { IRQ_WORK_PENDING = 1, IRQ_WORK_BUSY = 2, IRQ_WORK_CLAIMED = 3 };

struct irq_work {
    struct irq_work *next; /* in its hart's list */
    void (*func)(struct irq_work *work);
    unsigned int pending; /* IRQ_WORK_*; atomics only */
};

static inline void init_irq_work(struct irq_work *work, void (*func)(struct irq_work *work))
{
    work->func = func;
    work->pending = 0;
}

/* Returns false if the work is queued already, on any hart. */
bool irq_work_queue(struct irq_work *work);
/* Waits until it is neither queued nor running. Interrupts are on. */
void irq_work_sync(const struct irq_work *work);
/* Runs the works of this hart. Called in the interrupt. */
void irq_work_run(void);
/* Architecture hook: makes this hart interrupt itself. */
void arch_irq_work_raise(void);

#endif
