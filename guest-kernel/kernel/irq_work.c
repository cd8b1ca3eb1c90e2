/*
 * irq_work.c - work put off to an interrupt.
 *
 * Each hart has a list to which it alone adds, in whatever it is doing, and
 * which it takes off as a whole.
 *
 * Not instrumented: the tracer queues work while it writes.
 */
#include <asm/irqflags.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/smp.h>

static struct irq_work *raised_list[NR_CPUS]; /* each hart's own, with interrupts off */

bool irq_work_queue(struct irq_work *work)
{
    struct irq_work **list;
    unsigned long flags;

    if (__atomic_exchange_n(&work->pending, 1, __ATOMIC_SEQ_CST))
        return false;
    local_irq_save(flags);
    list = &raised_list[smp_processor_id()];
    work->next = *list;
    *list = work;
    arch_irq_work_raise();
    local_irq_restore(flags);
    return true;
}

/* Once it is not pending any more, work may be queued again: so next is read before. */
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
