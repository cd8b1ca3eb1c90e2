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

#ifdef CONFIG_TRACE_IRQFLAGS

/* kernel/trace/trace_preemptirq.c: interrupts are about to be on; they are off now. */
void trace_hardirqs_on(void);
void trace_hardirqs_off(void);

#define local_irq_enable()      \
    do {                        \
        trace_hardirqs_on();    \
        raw_local_irq_enable(); \
    } while (0)

#define local_irq_disable()               \
    do {                                  \
        bool were_off_ = irqs_disabled(); \
        raw_local_irq_disable();          \
        if (!were_off_)                   \
            trace_hardirqs_off();         \
    } while (0)

#define local_irq_save(flags)            \
    do {                                 \
        raw_local_irq_save(flags);       \
        if (!irqs_disabled_flags(flags)) \
            trace_hardirqs_off();        \
    } while (0)

#define local_irq_restore(flags)         \
    do {                                 \
        if (!irqs_disabled_flags(flags)) \
            trace_hardirqs_on();         \
        raw_local_irq_restore(flags);    \
    } while (0)

#else

#define local_irq_enable()       raw_local_irq_enable()
#define local_irq_disable()      raw_local_irq_disable()
#define local_irq_save(flags)    raw_local_irq_save(flags)
#define local_irq_restore(flags) raw_local_irq_restore(flags)

#endif

/*
 * A hart that waits for an interrupt is in no critical section: stop before, start after it. In
 * kernels without latency tracers of sections these are nothing.
 */
#if defined(CONFIG_IRQSOFF_TRACER) || defined(CONFIG_PREEMPT_TRACER)
void stop_critical_timings(void);
void start_critical_timings(void);
#else
#define stop_critical_timings()  ((void)0)
#define start_critical_timings() ((void)0)
#endif

#endif
