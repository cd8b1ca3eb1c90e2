/*
 * rcupdate.h - waiting until no reader is left.
 *
 * A reader is code that has preemption or interrupts off.  synchronize_rcu()
 * returns when every reader that was at it when it was called has ended.
 *
 * A trampoline, and the function a call site leads to, may be preempted and
 * are no readers: synchronize_rcu_tasks() waits for them.
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

/* A pointer that readers follow: what it points at is complete before they can see it. */
#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))
#define rcu_dereference(p)       smp_load_acquire(&(p))

/* Both sleep. */
void synchronize_rcu(void);
/*
 * Returns when every task has left the code it was preempted in: it has gone to
 * sleep, given up its hart of its own will, run in user mode or ended since.
 */
void synchronize_rcu_tasks(void);

/* For the scheduler, which has switched: this hart is in no reader. Interrupts off. */
void rcu_note_context_switch(void);
/* The current task is in no kernel code that it could have been preempted in. */
void rcu_tasks_qs(void);

#endif
