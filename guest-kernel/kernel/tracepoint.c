/*
 * tracepoint.c - attaches probes to tracepoints.
 *
 * A tracepoint's probes are an array that is never changed: adding or removing one replaces it, and
 * the old array is freed after a grace period. Not instrumented, as tracers call it.
 */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/syscall.h>

extern struct tracepoint *const __start___tracepoints_ptrs[], *const __stop___tracepoints_ptrs[];

/* A tracepoint's funcs change under it. */
static DEFINE_MUTEX(tracepoints_mutex);

static unsigned int count_funcs(const struct tracepoint_func *funcs)
{
    unsigned int n = 0;

    while (funcs && funcs[n].func)
        n++;
    return n;
}

static const struct tracepoint_func *find_func(const struct tracepoint *tp, const void *probe,
                                               const void *data)
{
    const struct tracepoint_func *f = tp->funcs;

    for (; f && f->func; f++)
        if (f->func == probe && f->data == data)
            return f;
    return NULL;
}

/* The array with one more, or NULL: no memory. */
static struct tracepoint_func *with_func(const struct tracepoint_func *old,
                                         const struct tracepoint_func *added)
{
    struct tracepoint_func *funcs = kzalloc((count_funcs(old) + 2) * sizeof(*funcs)), *f = funcs;

    if (!funcs)
        return NULL;
    for (; old && old->func && old->prio >= added->prio; old++)
        *f++ = *old;
    *f++ = *added;
    for (; old && old->func; old++)
        *f++ = *old;
    return funcs;
}

/* The array without one, or NULL: no memory. There are others. */
static struct tracepoint_func *without_func(const struct tracepoint_func *old,
                                            const struct tracepoint_func *removed)
{
    struct tracepoint_func *funcs = kzalloc(count_funcs(old) * sizeof(*funcs)), *f = funcs;

    for (; funcs && old->func; old++)
        if (old != removed)
            *f++ = *old;
    return funcs;
}

static void replace_funcs(struct tracepoint *tp, struct tracepoint_func *funcs)
{
    struct tracepoint_func *old = tp->funcs;

    rcu_assign_pointer(tp->funcs, funcs);
    if (!old)
        return;
    synchronize_rcu();
    kfree(old);
}

static int add_func(struct tracepoint *tp, const struct tracepoint_func *added)
{
    bool first = !tp->funcs;
    struct tracepoint_func *funcs;
    int err = 0;

    if (find_func(tp, added->func, added->data))
        return -EEXIST;
    if (first && tp->regfunc)
        err = tp->regfunc();
    if (err < 0)
        return err;
    funcs = with_func(tp->funcs, added);
    if (!funcs)
        return -ENOMEM;
    replace_funcs(tp, funcs);
    if (first)
        static_key_enable(&tp->key);
    return 0;
}

/* Without memory the probe stays where it is, but is replaced by one that does nothing. */
static notrace void removed_probe(void) {}

static int remove_func(struct tracepoint *tp, const void *probe, const void *data)
{
    const struct tracepoint_func *removed = find_func(tp, probe, data);
    struct tracepoint_func *funcs;

    if (!removed)
        return -ENOENT;
    if (count_funcs(tp->funcs) > 1) {
        funcs = without_func(tp->funcs, removed);
        if (funcs)
            replace_funcs(tp, funcs);
        else
            WRITE_ONCE(tp->funcs[removed - tp->funcs].func, (void *)removed_probe);
        return 0;
    }
    static_key_disable(&tp->key);
    if (tp->unregfunc)
        tp->unregfunc();
    replace_funcs(tp, NULL);
    return 0;
}

int tracepoint_probe_register_prio(struct tracepoint *tp, void *probe, void *data, int prio)
{
    const struct tracepoint_func added = {probe, data, prio};
    int err;

    if (WARN_ON(!probe))
        return -EINVAL;
    mutex_lock(&tracepoints_mutex);
    err = add_func(tp, &added);
    mutex_unlock(&tracepoints_mutex);
    return err;
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register_prio);

int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
    return tracepoint_probe_register_prio(tp, probe, data, TRACEPOINT_DEFAULT_PRIO);
}
EXPORT_SYMBOL_GPL(tracepoint_probe_register);

int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
    int err;

    mutex_lock(&tracepoints_mutex);
    err = remove_func(tp, probe, data);
    mutex_unlock(&tracepoints_mutex);
    return err;
}
EXPORT_SYMBOL_GPL(tracepoint_probe_unregister);

void for_each_kernel_tracepoint(void (*fct)(struct tracepoint *tp, void *priv), void *priv)
{
    struct tracepoint *const *p;

    for (p = __start___tracepoints_ptrs; p < __stop___tracepoints_ptrs; p++)
        fct(*p, priv);
}
EXPORT_SYMBOL_GPL(for_each_kernel_tracepoint);

/* ---- system calls: a flag of each task ---- */

/* The tracepoints of system calls that have probes; under tracepoints_mutex. */
static int sys_tracepoint_refcount;

static void flag_all_tasks(bool traced)
{
    struct task_struct *p;
    unsigned long flags;

    spin_lock_irqsave(&tasklist_lock, flags);
    for_each_process(p) {
        if (traced)
            (void)__atomic_fetch_or(&p->flags, 1UL << TIF_SYSCALL_TRACEPOINT, __ATOMIC_RELAXED);
        else
            (void)__atomic_fetch_and(&p->flags, ~(1UL << TIF_SYSCALL_TRACEPOINT), __ATOMIC_RELAXED);
    }
    spin_unlock_irqrestore(&tasklist_lock, flags);
}

int syscall_regfunc(void)
{
    if (!sys_tracepoint_refcount++)
        flag_all_tasks(true);
    return 0;
}

void syscall_unregfunc(void)
{
    if (!--sys_tracepoint_refcount)
        flag_all_tasks(false);
}
