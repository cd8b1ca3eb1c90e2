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
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/smp.h>

static struct irq_work *raised_list[NR_CPUS]; /* each used by its hart only, with interrupts off */

bool irq_work_queue(struct irq_work *work)
{
    struct irq_work **list;
    unsigned long flags;

    if (__atomic_exchange_n(&work->pending, 1, __ATOMIC_SEQ_CST))
        return false;
    raw_local_irq_save(flags);
    list = &raised_list[smp_processor_id()];
    work->next = *list;
    *list = work;
    arch_irq_work_raise();
    raw_local_irq_restore(flags);
    return true;
}
EXPORT_SYMBOL_GPL(irq_work_queue);

/* Work may be queued again as soon as it is not pending, so next is read before that. */
void irq_work_run(void)
{
    struct irq_work **list = &raised_list[smp_processor_id()], *work = *list;

    *list = NULL;
    while (work) {
        struct irq_work *next = work->next;

        __atomic_store_n(&work->pending, 0, __ATOMIC_SEQ_CST);
        work->func(work);
        work = next;
    }
}
