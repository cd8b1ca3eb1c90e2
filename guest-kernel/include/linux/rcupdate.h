/*
 * rcupdate.h - read-copy-update.
 *
 * A reader is code with preemption or interrupts off. synchronize_rcu() returns when all
 * readers that were active when it was called have ended.
 *
 * Trampolines, and the functions that call sites call, may be preempted, so they are not
 * readers in this sense: synchronize_rcu_tasks() waits for them.
 */
#ifndef LINUX_RCUPDATE_H
#define LINUX_RCUPDATE_H

#include <asm/barrier.h>
#include <linux/preempt.h>

static __always_inline void rcu_read_lock(void)
{
    preempt_disable();
}

static __always_inline void rcu_read_unlock(void)
{
    preempt_enable();
}

/* Publishes a pointer: what it points to is visible before the pointer is. */
#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))
#define rcu_dereference(p)       smp_load_acquire(&(p))

/* Both functions may sleep. */
void synchronize_rcu(void);
/*
 * Returns when every task has left the code that it may have been preempted in: it has slept,
 * switched voluntarily, run in U-mode or ended since the call.
 */
void synchronize_rcu_tasks(void);

/* Called by the scheduler after a switch: this hart is in no reader. Interrupts are off. */
void rcu_note_context_switch(void);
/* Marks that current is in no code that synchronize_rcu_tasks() waits for. */
void rcu_tasks_qs(void);

#endif
