/*
 * irq_work.c - work deferred to an interrupt on the same hart.
 *
 * Each hart has its own list. Only this hart adds to it, from any context, and its interrupt
 * handler takes the whole list.
 *
 * Not instrumented: the tracer queues work while it writes.
 */
#include <asm/irqflags.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/smp.h>

static struct irq_work *raised_list[NR_CPUS]; /* each used by its hart only, with interrupts off */

bool irq_work_queue(struct irq_work *work)
{
    struct irq_work **list;
    unsigned long flags;

    if (__atomic_fetch_or(&work->pending, IRQ_WORK_CLAIMED, __ATOMIC_SEQ_CST) & IRQ_WORK_PENDING)
        return false;
    raw_local_irq_save(flags);
    list = &raised_list[smp_processor_id()];
    work->next = *list;
    *list = work;
    arch_irq_work_raise();
    raw_local_irq_restore(flags);
    return true;
}

/* Work may be queued again as soon as it is not pending, so next is read before that. */
void irq_work_run(void)
{
    struct irq_work **list = &raised_list[smp_processor_id()], *work = *list;

    *list = NULL;
    while (work) {
        struct irq_work *next = work->next;
        unsigned int busy;

        __atomic_fetch_and(&work->pending, ~IRQ_WORK_PENDING, __ATOMIC_SEQ_CST);
        work->func(work);
        busy = IRQ_WORK_BUSY; /* unless it is queued again */
        __atomic_compare_exchange_n(&work->pending, &busy, 0, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED);
        work = next;
    }
}

void irq_work_sync(const struct irq_work *work)
{
    while (__atomic_load_n(&work->pending, __ATOMIC_ACQUIRE) & IRQ_WORK_BUSY)
        cpu_relax();
}
