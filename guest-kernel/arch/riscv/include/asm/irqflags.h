/*
 * irqflags.h - the interrupt enable bit of this hart.
 *
 * Always inline: tracers use these, too, and must not run into a call site.
 */
#ifndef ASM_IRQFLAGS_H
#define ASM_IRQFLAGS_H

#include <asm/csr.h>
#include <linux/compiler.h>
#include <linux/types.h>

static __always_inline void raw_local_irq_enable(void)
{
    csr_set(sstatus, SR_SIE);
}

static __always_inline void raw_local_irq_disable(void)
{
    csr_clear(sstatus, SR_SIE);
}

static __always_inline unsigned long arch_local_irq_save(void)
{
    return csr_read_clear(sstatus, SR_SIE);
}

static __always_inline void raw_local_irq_restore(unsigned long flags)
{
    csr_set(sstatus, flags & SR_SIE);
}

static __always_inline bool irqs_disabled_flags(unsigned long flags)
{
    return !(flags & SR_SIE);
}

static __always_inline bool irqs_disabled(void)
{
    return irqs_disabled_flags(csr_read(sstatus));
}

/* The tracers, and what they call, use raw_*; all other code the names without it. */
#define raw_local_irq_save(flags) ((flags) = arch_local_irq_save())

#define local_irq_enable()       raw_local_irq_enable()
#define local_irq_disable()      raw_local_irq_disable()
#define local_irq_save(flags)    raw_local_irq_save(flags)
#define local_irq_restore(flags) raw_local_irq_restore(flags)

#endif
