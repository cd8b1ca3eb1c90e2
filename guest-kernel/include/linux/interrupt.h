/* interrupt.h - handlers of device interrupts. */
#ifndef LINUX_INTERRUPT_H
#define LINUX_INTERRUPT_H

#include <linux/compiler.h>
#include <linux/types.h>

typedef enum { IRQ_NONE = 0, IRQ_HANDLED = 1 } irqreturn_t;
typedef irqreturn_t (*irq_handler_t)(int irq, void *dev_id);

enum { IRQF_SHARED = 0x80 };

/* Installs a handler, which is called with interrupts off. name: for /proc/interrupts. 0 or an
 * error. */
int __must_check request_irq(unsigned int irq, irq_handler_t handler, unsigned long flags,
                             const char *name, void *dev_id);
/* Removes the handler of dev_id, and waits until it does not run any more. */
void free_irq(unsigned int irq, void *dev_id);
/* Calls nest. disable_irq() also waits until no handler of the interrupt runs. */
void enable_irq(unsigned int irq);
void disable_irq(unsigned int irq);
void disable_irq_nosync(unsigned int irq);
/* Waits until no handler of the interrupt runs. */
void synchronize_irq(unsigned int irq);

#endif
