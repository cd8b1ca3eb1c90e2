/* handle.c - what happens when a device interrupts. */
#include <asm/smp.h>
#include <linux/irq.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/smp.h>

#define CREATE_TRACE_POINTS
#include <trace/events/irq.h>
#undef CREATE_TRACE_POINTS

struct irq_desc irq_desc[NR_IRQS];
const struct irq_chip *irq_chip;

irqreturn_t handle_irq_event(unsigned int irq, struct irqaction *action)
{
    irqreturn_t ret = IRQ_NONE;

    for (; action; action = action->next) {
        irqreturn_t res;

        trace_irq_handler_entry(irq, action);
        res = action->handler(irq, action->dev_id);
        trace_irq_handler_exit(irq, action, res);
        ret |= res;
    }
    return ret;
}

/*
 * A single one that nobody wants may be late: the device was served already. One that comes again
 * and again is disabled, by Linux's figures: 99,900 in 100,000.
 */
static void note_interrupt(unsigned int irq, irqreturn_t ret)
{
    enum { PERIOD = 100000, TOO_MANY = 99900 };
    struct irq_desc *desc = &irq_desc[irq];

    desc->irqs_unhandled += ret == IRQ_NONE;
    if (++desc->irq_count < PERIOD)
        return;
    if (desc->irqs_unhandled > TOO_MANY) {
        pr_err("irq %u: nobody cared\n", irq);
        disable_irq_nosync(irq);
    }
    desc->irq_count = desc->irqs_unhandled = 0;
}

void generic_handle_irq(unsigned int irq)
{
    struct irq_desc *desc = &irq_desc[irq];
    struct irqaction *action;

    desc->kstat_irqs[smp_processor_id()]++;
    spin_lock(&desc->lock);
    action = desc->depth ? NULL : desc->action;
    desc->in_progress = action;
    spin_unlock(&desc->lock);
    if (!action)
        return;
    note_interrupt(irq, handle_irq_event(irq, action));
    spin_lock(&desc->lock);
    desc->in_progress = false;
    spin_unlock(&desc->lock);
}
