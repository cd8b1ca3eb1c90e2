/* handle.c - what happens when a device interrupts. */
#include <asm/smp.h>
#include <linux/irq.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/smp.h>

struct irq_desc irq_desc[NR_IRQS];
const struct irq_chip *irq_chip;

irqreturn_t handle_irq_event(unsigned int irq, struct irqaction *action)
{
    irqreturn_t ret = IRQ_NONE;

    for (; action; action = action->next)
        ret |= action->handler(irq, action->dev_id);
    return ret;
}

/* An interrupt that nobody wants would come again and again, so it is disabled. */
static void note_interrupt(unsigned int irq, irqreturn_t ret)
{
    if (ret != IRQ_NONE)
        return;
    pr_err("irq %u: nobody cared\n", irq);
    disable_irq_nosync(irq);
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
