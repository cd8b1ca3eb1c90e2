/* spinlock.c - spin locks; the holder of one cannot be preempted. */
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>

void __lockfunc _raw_spin_lock(spinlock_t *lock)
{
    preempt_disable();
    arch_spin_lock(lock);
}
EXPORT_SYMBOL(_raw_spin_lock);

void __lockfunc _raw_spin_unlock(spinlock_t *lock)
{
    arch_spin_unlock(lock);
    preempt_enable();
}
EXPORT_SYMBOL(_raw_spin_unlock);

unsigned long __lockfunc _raw_spin_lock_irqsave(spinlock_t *lock)
{
    unsigned long flags;

    local_irq_save(flags);
    preempt_disable();
    arch_spin_lock(lock);
    return flags;
}
EXPORT_SYMBOL(_raw_spin_lock_irqsave);

void __lockfunc _raw_spin_unlock_irqrestore(spinlock_t *lock, unsigned long flags)
{
    arch_spin_unlock(lock);
    local_irq_restore(flags);
    preempt_enable();
}
EXPORT_SYMBOL(_raw_spin_unlock_irqrestore);
