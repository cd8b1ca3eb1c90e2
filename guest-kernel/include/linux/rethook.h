/*
 * rethook.h - functions that are made to return to a trampoline, which calls a handler and goes on
 * to the caller.
 *
 * A node holds the true return address until the function returns. A rethook has a fixed number of
 * nodes; it is freed when the last of them has come back.
 */
#ifndef LINUX_RETHOOK_H
#define LINUX_RETHOOK_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct pt_regs;
struct rethook_node;
struct task_struct;

/* data: of the rethook. Called with interrupts off. */
typedef void (*rethook_handler_t)(struct rethook_node *node, void *data, struct pt_regs *regs);

struct rethook {
    void *data;
    rethook_handler_t handler; /* NULL: freed by its user, nodes only come back */
    spinlock_t lock;
    struct rethook_node *pool; /* under lock */
    atomic_t ref;              /* the user, and each node in use */
    struct rethook *next_dead;
};

/* The first member of what its user allocates. */
struct rethook_node {
    struct rethook_node *next; /* in the pool, or of the task's other hooked calls */
    struct rethook *rethook;
    unsigned long ret_addr;
};

struct rethook *rethook_alloc(void *data, rethook_handler_t handler); /* NULL: no memory */
/* Takes over a node from kmalloc(). */
void rethook_add_node(struct rethook *rh, struct rethook_node *node);
/* On return no handler runs, and none will. May sleep. */
void rethook_free(struct rethook *rh);
/* NULL: all are in use. With preemption off. */
struct rethook_node *rethook_try_get(struct rethook *rh);
/* Gives back a node that was not hooked. */
void rethook_recycle(struct rethook_node *node);
/* At the entry of a function: makes it return to the trampoline. */
void rethook_hook(struct rethook_node *node, struct pt_regs *regs);
/* The same where its return address is in memory already. */
void rethook_hook_slot(struct rethook_node *node, unsigned long *ra);
/*
 * For stack walks: the true return address if ret is the trampoline. *cur is NULL at the start of
 * each walk.
 */
unsigned long rethook_find_ret_addr(struct task_struct *t, struct rethook_node **cur,
                                    unsigned long ret);
/* The task has ended: its calls will not return. */
void rethook_flush_task(struct task_struct *t);

void arch_rethook_trampoline(void);
unsigned long arch_rethook_trampoline_callback(struct pt_regs *regs);

#endif
