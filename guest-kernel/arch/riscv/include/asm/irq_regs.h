/* irq_regs.h - the registers that an interrupt of this hart has saved. */
#ifndef ASM_IRQ_REGS_H
#define ASM_IRQ_REGS_H

#include <asm/ptrace.h>
#include <linux/smp.h>

extern struct pt_regs *irq_regs[NR_CPUS]; /* each used by its hart only */

/* Only in an interrupt. */
static inline struct pt_regs *get_irq_regs(void)
{
    return irq_regs[smp_processor_id()];
}

#endif
