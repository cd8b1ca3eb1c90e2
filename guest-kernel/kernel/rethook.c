/*
 * rethook.c - replaced return addresses, and the pools of their nodes.
 *
 * Not instrumented: called from handlers of probes. A task's list is used by the task only, with
 * interrupts off.
 */
#include <asm/irqflags.h>
#include <asm/ptrace.h>
#include <linux/bug.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/slab.h>

struct rethook *rethook_alloc(void *data, rethook_handler_t handler)
{
    struct rethook *rh = kzalloc(sizeof(*rh));

    if (!rh)
        return NULL;
    rh->data = data;
    rh->handler = handler;
    spin_lock_init(&rh->lock);
    atomic_set(&rh->ref, 1);
    return rh;
}

static void __kprobes put_node(struct rethook *rh, struct rethook_node *node)
{
    unsigned long flags;

    local_irq_save(flags);
    arch_spin_lock(&rh->lock);
    node->next = rh->pool;
    rh->pool = node;
    arch_spin_unlock(&rh->lock);
    local_irq_restore(flags);
}

void rethook_add_node(struct rethook *rh, struct rethook_node *node)
{
    node->rethook = rh;
    put_node(rh, node);
}

/* Rethooks without references, to be freed: a function may return where kfree() cannot be called.
 */
static struct rethook *dead; /* pushed and taken by atomics */

static void __kprobes put_rethook(struct rethook *rh)
{
    if (!atomic_dec_and_test(&rh->ref))
        return;
    rh->next_dead = __atomic_load_n(&dead, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&dead, &rh->next_dead, rh, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

/* All nodes are in the pool. */
static void free_with_nodes(struct rethook *rh)
{
    struct rethook_node *node, *next;

    for (node = rh->pool; node; node = next) {
        next = node->next;
        kfree(node);
    }
    kfree(rh);
}

/*
 * The hart that pushed a rethook uses it no more; one that has given its node back may still be in
 * put_rethook(), but not after a grace period.
 */
void rethook_free(struct rethook *rh)
{
    struct rethook *next;

    WRITE_ONCE(rh->handler, NULL);
    synchronize_rcu();
    put_rethook(rh);
    for (rh = __atomic_exchange_n(&dead, NULL, __ATOMIC_ACQUIRE); rh; rh = next) {
        next = rh->next_dead;
        free_with_nodes(rh);
    }
}

struct rethook_node *__kprobes rethook_try_get(struct rethook *rh)
{
    struct rethook_node *node;
    unsigned long flags;

    if (!READ_ONCE(rh->handler))
        return NULL;
    local_irq_save(flags);
    arch_spin_lock(&rh->lock);
    node = rh->pool;
    if (node)
        rh->pool = node->next;
    arch_spin_unlock(&rh->lock);
    local_irq_restore(flags);
    if (node)
        atomic_inc(&rh->ref);
    return node;
}

void __kprobes rethook_recycle(struct rethook_node *node)
{
    put_node(node->rethook, node);
    put_rethook(node->rethook);
}

void __kprobes rethook_hook_slot(struct rethook_node *node, unsigned long *ra)
{
    unsigned long flags;

    node->ret_addr = *ra;
    local_irq_save(flags);
    node->next = current->rethooks;
    current->rethooks = node;
    local_irq_restore(flags);
    *ra = (unsigned long)arch_rethook_trampoline;
}

void __kprobes rethook_hook(struct rethook_node *node, struct pt_regs *regs)
{
    rethook_hook_slot(node, &regs->ra);
}

/*
 * The nodes of one call are together: several hooks on one function replace each other's address.
 * The last of them has the caller's.
 */
unsigned long __kprobes arch_rethook_trampoline_callback(struct pt_regs *regs)
{
    struct rethook_node *node;
    unsigned long ret, flags;

    local_irq_save(flags);
    do {
        node = current->rethooks;
        if (!node)
            panic("rethook: no return address is known");
        ret = node->ret_addr;
        regs->epc = ret;
        if (node->rethook->handler)
            node->rethook->handler(node, node->rethook->data, regs);
        current->rethooks = node->next;
        rethook_recycle(node);
    } while (ret == (unsigned long)arch_rethook_trampoline);
    local_irq_restore(flags);
    return ret;
}

unsigned long rethook_find_ret_addr(struct task_struct *t, struct rethook_node **cur,
                                    unsigned long ret)
{
    struct rethook_node *node = *cur;

    while (ret == (unsigned long)arch_rethook_trampoline) {
        node = node ? node->next : t->rethooks;
        if (!node)
            break;
        ret = node->ret_addr;
    }
    *cur = node;
    return ret;
}

void rethook_flush_task(struct task_struct *t)
{
    struct rethook_node *node;

    while ((node = t->rethooks)) {
        t->rethooks = node->next;
        rethook_recycle(node);
    }
}
