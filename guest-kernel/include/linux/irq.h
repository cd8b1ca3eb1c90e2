/*
 * irq.h - the table of device interrupts, for interrupt controllers.
 *
 * The number of an interrupt is that of its source at the PLIC; 0 is none.
 */
#ifndef LINUX_IRQ_H
#define LINUX_IRQ_H

#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/spinlock.h>

enum { NR_IRQS = 128 };

/* What the controller does. All may be called with interrupts off and desc->lock held. */
struct irq_chip {
    const char *name;
    void (*irq_enable)(unsigned int irq);
    void (*irq_disable)(unsigned int irq);
};

struct irqaction {
    irq_handler_t handler;
    void *dev_id;
    const char *name;
    unsigned long flags;
    struct irqaction *next;
};

struct irq_desc {
    spinlock_t lock; /* guards all but kstat_irqs */
    struct irqaction *action;
    unsigned int depth;                     /* calls of disable_irq() */
    bool in_progress;                       /* a handler runs */
    unsigned int irq_count, irqs_unhandled; /* used by the handling hart only */
    unsigned int kstat_irqs[NR_CPUS];
};

extern struct irq_desc irq_desc[NR_IRQS];
extern const struct irq_chip *irq_chip; /* NULL: the machine has no controller */

/* Calls the handlers of an interrupt. Interrupts are off. */
void generic_handle_irq(unsigned int irq);
/* Calls each handler of the list. */
irqreturn_t handle_irq_event(unsigned int irq, struct irqaction *action);

void irq_init(void);  /* kernel/irq/proc.c: finds the controller, creates /proc/interrupts */
void plic_init(void); /* drivers/irqchip/irq-sifive-plic.c */
void plic_handle_irq(void);

#endif
