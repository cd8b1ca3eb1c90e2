/*
 * spinlock.h - ticket locks.
 *
 * arch_spin_* are inline, do not change preempt_count and contain no call site: they are for
 * tracers. All other code uses spin_*, which are functions that can be traced.
 */
#ifndef LINUX_SPINLOCK_H
#define LINUX_SPINLOCK_H

#include <asm/barrier.h>
#include <asm/irqflags.h>
#include <linux/compiler.h>
#include <linux/types.h>

typedef struct {
    u32 next;  /* the next free ticket */
    u32 owner; /* the ticket being served */
} spinlock_t;

#define DEFINE_SPINLOCK(name) spinlock_t name = {0, 0}

static inline void spin_lock_init(spinlock_t *lock)
{
    lock->next = lock->owner = 0;
}

static __always_inline void arch_spin_lock(spinlock_t *lock)
{
    u32 ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

    while (smp_load_acquire(&lock->owner) != ticket)
        cpu_relax();
}

static __always_inline bool arch_spin_trylock(spinlock_t *lock)
{
    u32 ticket = smp_load_acquire(&lock->owner); /* of the word that unlocking stores to */

    return __atomic_compare_exchange_n(&lock->next, &ticket, ticket + 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static __always_inline void arch_spin_unlock(spinlock_t *lock)
{
    smp_store_release(&lock->owner, lock->owner + 1);
}

/* Functions of locks are together, if the tracers have to know them: who takes a lock is their
 * caller. */
#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
#define __lockfunc __attribute__((section(".spinlock.text")))
#else
#define __lockfunc
#endif

void _raw_spin_lock(spinlock_t *lock);
void _raw_spin_unlock(spinlock_t *lock);
unsigned long _raw_spin_lock_irqsave(spinlock_t *lock);
void _raw_spin_unlock_irqrestore(spinlock_t *lock, unsigned long flags);

#define spin_lock(lock)                     _raw_spin_lock(lock)
#define spin_unlock(lock)                   _raw_spin_unlock(lock)
#define spin_lock_irqsave(lock, flags)      ((flags) = _raw_spin_lock_irqsave(lock))
#define spin_unlock_irqrestore(lock, flags) _raw_spin_unlock_irqrestore(lock, flags)

#endif
