/*
 * manage.c - installing and removing handlers, disabling interrupts.
 *
 * The list of handlers is read without the lock while in_progress is set; who removes one waits
 * for that.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/irq.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>

static int add_action(struct irq_desc *desc, struct irqaction *action)
{
    struct irqaction **link = &desc->action;

    if (*link && !((*link)->flags & action->flags & IRQF_SHARED))
        return -EBUSY;
    while (*link)
        link = &(*link)->next;
    smp_store_release(link, action);
    return 0;
}

int request_irq(unsigned int irq, irq_handler_t handler, unsigned long flags, const char *name,
                void *dev_id)
{
    struct irq_desc *desc = &irq_desc[irq];
    struct irqaction *action;
    unsigned long irqflags;
    bool first;
    int err;

    if (!irq || irq >= NR_IRQS || !irq_chip || (flags & IRQF_SHARED && !dev_id))
        return -EINVAL;
    action = kzalloc(sizeof(*action));
    if (!action)
        return -ENOMEM;
    *action = (struct irqaction){handler, dev_id, name, flags, NULL};
    spin_lock_irqsave(&desc->lock, irqflags);
    first = !desc->action;
    err = add_action(desc, action);
    if (!err && first && !desc->depth)
        irq_chip->irq_enable(irq);
    spin_unlock_irqrestore(&desc->lock, irqflags);
    if (err)
        kfree(action);
    return err;
}
EXPORT_SYMBOL(request_irq);

void synchronize_irq(unsigned int irq)
{
    while (READ_ONCE(irq_desc[irq].in_progress))
        yield();
    smp_mb();
}
EXPORT_SYMBOL(synchronize_irq);

static struct irqaction *remove_action(struct irq_desc *desc, const void *dev_id)
{
    struct irqaction **link = &desc->action, *action;

    while (*link && (*link)->dev_id != dev_id)
        link = &(*link)->next;
    action = *link;
    if (action)
        WRITE_ONCE(*link, action->next);
    return action;
}

void free_irq(unsigned int irq, void *dev_id)
{
    struct irq_desc *desc = &irq_desc[irq];
    struct irqaction *action;
    unsigned long flags;

    spin_lock_irqsave(&desc->lock, flags);
    action = remove_action(desc, dev_id);
    if (action && !desc->action)
        irq_chip->irq_disable(irq);
    spin_unlock_irqrestore(&desc->lock, flags);
    synchronize_irq(irq);
    kfree(action);
}
EXPORT_SYMBOL(free_irq);

void disable_irq_nosync(unsigned int irq)
{
    struct irq_desc *desc = &irq_desc[irq];
    unsigned long flags;

    spin_lock_irqsave(&desc->lock, flags);
    if (!desc->depth++)
        irq_chip->irq_disable(irq);
    spin_unlock_irqrestore(&desc->lock, flags);
}
EXPORT_SYMBOL(disable_irq_nosync);

void disable_irq(unsigned int irq)
{
    disable_irq_nosync(irq);
    synchronize_irq(irq);
}
EXPORT_SYMBOL(disable_irq);

void enable_irq(unsigned int irq)
{
    struct irq_desc *desc = &irq_desc[irq];
    unsigned long flags;

    spin_lock_irqsave(&desc->lock, flags);
    if (desc->depth && !--desc->depth && desc->action)
        irq_chip->irq_enable(irq);
    spin_unlock_irqrestore(&desc->lock, flags);
}
EXPORT_SYMBOL(enable_irq);
