/*
 * ftrace.c - registration of ftrace_ops, and the function that sites call.
 *
 * Sites that are on call ftrace_caller, which calls ftrace_trace_function: the function of the
 * only ops, or one that walks the list of ops. ftrace_rec.c decides which sites are on,
 * ftrace_hash.c which ops want a site; a kernel with fixed sites has neither of them.
 *
 * Not instrumented.
 */
#include "ftrace_internal.h"
#include "trace.h"
#include "trace_recursion.h"
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kallsyms.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/sysctl.h>

DEFINE_MUTEX(ftrace_lock);
bool ftrace_disabled;
int ftrace_enabled = 1;

/* saved_func is set because a hart may still hold this ops when pid filtering starts. */
struct ftrace_ops ftrace_list_end = {
    .func = ftrace_stub,
    .saved_func = ftrace_stub,
    .flags = FTRACE_OPS_FL_STUB,
    INIT_OPS_HASH(ftrace_list_end),
};
struct ftrace_ops *ftrace_ops_list = &ftrace_list_end;
ftrace_func_t ftrace_trace_function = ftrace_stub;
struct ftrace_ops *function_trace_op = &ftrace_list_end;
struct ftrace_ops *set_function_trace_op = &ftrace_list_end;
/* The function that the code calls now; under ftrace_lock. */
static ftrace_func_t saved_ftrace_func = ftrace_stub;

struct ftrace_ops global_ops = {
    .func = ftrace_stub,
    .flags = FTRACE_OPS_FL_PID,
    .private = &global_trace,
    INIT_OPS_HASH(global_ops),
};

void ftrace_ops_init(struct ftrace_ops *ops)
{
    if (!ops->func_hash)
        ops->func_hash = &ops->local_hash;
}

/* ---- what the sites call ---- */

/* Calls each ops that asked for this function. */
void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                          struct ftrace_regs *fregs)
{
    bool has_regs = ftrace_get_regs(fregs);
    int bit = trace_test_and_set_recursion(TRACE_LIST_START);

    if (bit < 0)
        return;
    for_each_ftrace_op(op) {
        if (op->flags & FTRACE_OPS_FL_STUB)
            continue;
        /* The site still calls the trampoline that does not save all registers. */
        if (!has_regs && (op->flags & FTRACE_OPS_FL_SAVE_REGS))
            continue;
        if (ftrace_ops_test(op, ip))
            op->func(ip, parent_ip, op, fregs);
    }
    trace_clear_recursion(bit);
}

/* For a single ops whose function does not guard against recursion. */
static void ftrace_ops_assist_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                                   struct ftrace_regs *fregs)
{
    int bit = trace_test_and_set_recursion(TRACE_LIST_START);

    if (bit < 0)
        return;
    op->func(ip, parent_ip, op, fregs);
    trace_clear_recursion(bit);
}

/* The function to call for this ops alone, at sites that it asked for. */
ftrace_func_t ftrace_ops_get_func(const struct ftrace_ops *ops)
{
    return ops->flags & FTRACE_OPS_FL_RECURSION ? ftrace_ops_assist_func : ops->func;
}

/*
 * An ops that may be freed is called through the list even if it is the only one: after
 * ftrace_caller has loaded function_trace_op nothing guarantees that the ops still exists.
 */
static ftrace_func_t ftrace_ops_get_list_func(const struct ftrace_ops *ops)
{
    return ops->flags & FTRACE_OPS_FL_DYNAMIC ? ftrace_ops_list_func : ftrace_ops_get_func(ops);
}

#ifdef CONFIG_DYNAMIC_FTRACE

/* ftrace_modify_all_code() changes the code later. */
static void set_trace_function(ftrace_func_t func)
{
    ftrace_trace_function = func;
}

#else

static void ftrace_sync_ipi(void *info)
{
    (void)info;
    smp_rmb();
}

/*
 * Sites read ftrace_trace_function themselves, then function_trace_op: a hart that reads the
 * new function must not read the old ops.
 */
static void set_trace_function(ftrace_func_t func)
{
    WRITE_ONCE(ftrace_trace_function, ftrace_ops_list_func);
    kick_all_cpus_sync();
    WRITE_ONCE(function_trace_op, set_function_trace_op);
    smp_wmb();
    on_each_cpu(ftrace_sync_ipi, NULL);
    WRITE_ONCE(ftrace_trace_function, func);
}

#endif

static void update_ftrace_function(void)
{
    struct ftrace_ops *first = ftrace_ops_list;
    ftrace_func_t func;

    if (first == &ftrace_list_end)
        func = ftrace_stub;
    else if (first->next == &ftrace_list_end)
        func = ftrace_ops_get_list_func(first);
    else
        func = ftrace_ops_list_func;
    set_function_trace_op = func == ftrace_ops_list_func ? &ftrace_list_end : first;
    update_function_graph_func();
    if (ftrace_trace_function == func)
        return;
    /* The list function ignores the ops argument, so any will do. */
    if (func == ftrace_ops_list_func)
        WRITE_ONCE(ftrace_trace_function, func);
    else
        set_trace_function(func);
}

bool ftrace_is_dead(void)
{
    return READ_ONCE(ftrace_disabled);
}

void ftrace_kill(void)
{
    WRITE_ONCE(ftrace_disabled, true);
    WRITE_ONCE(ftrace_trace_function, ftrace_stub);
}

/* ---- adding and removing ops ---- */

static void add_ftrace_ops(struct ftrace_ops *ops)
{
    ops->next = ftrace_ops_list;
    __atomic_store_n(&ftrace_ops_list, ops, __ATOMIC_RELEASE);
}

/* ops->next is not changed: a hart may be reading ops. */
static void remove_ftrace_ops(struct ftrace_ops *ops)
{
    struct ftrace_ops **p = &ftrace_ops_list;

    while (*p != ops)
        p = &(*p)->next;
    WRITE_ONCE(*p, ops->next);
}

/* Sets SAVE_REGS as the layout supports it; -EINVAL if it is required and not supported. */
static int settle_regs(struct ftrace_ops *ops)
{
    bool if_supported = ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED;

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
    if (if_supported)
        ops->flags |= FTRACE_OPS_FL_SAVE_REGS;
#else
    if (if_supported)
        ops->flags &= ~FTRACE_OPS_FL_SAVE_REGS;
    else if (ops->flags & FTRACE_OPS_FL_SAVE_REGS)
        return -EINVAL;
#endif
    return 0;
}

static int __register_ftrace_function(struct ftrace_ops *ops)
{
    int ret;

    if (WARN_ON(ops->flags & FTRACE_OPS_FL_ENABLED))
        return -EBUSY;
    ret = settle_regs(ops);
    if (ret)
        return ret;
    if (!core_kernel_data((unsigned long)ops))
        ops->flags |= FTRACE_OPS_FL_DYNAMIC;
    ops->flags |= FTRACE_OPS_FL_ENABLED;
    ops->saved_func = ops->func;
    if (ftrace_pids_enabled(ops))
        ops->func = ftrace_pid_func;
    add_ftrace_ops(ops);
    if (ftrace_enabled)
        update_ftrace_function();
    return 0;
}

static int __unregister_ftrace_function(struct ftrace_ops *ops)
{
    if (WARN_ON(!(ops->flags & FTRACE_OPS_FL_ENABLED)))
        return -EBUSY;
    remove_ftrace_ops(ops);
    ops->flags &= ~FTRACE_OPS_FL_ENABLED;
    if (ftrace_enabled)
        update_ftrace_function();
    ops->func = ops->saved_func;
    return 0;
}

static void ftrace_startup_enable(int command)
{
    if (saved_ftrace_func != ftrace_trace_function) {
        saved_ftrace_func = ftrace_trace_function;
        command |= FTRACE_UPDATE_TRACE_FUNC;
    }
#ifdef CONFIG_DYNAMIC_FTRACE
    if (command && ftrace_enabled)
        ftrace_run_update_code(command);
#endif
}

static int startup_locked(struct ftrace_ops *ops, int command)
{
    int ret;

    if (ftrace_disabled)
        return -ENODEV;
    ftrace_ops_init(ops);
    ret = __register_ftrace_function(ops);
    if (ret)
        return ret;
    ret = ftrace_hash_rec_update(&command);
    if (!ret) {
        ftrace_startup_enable(command);
        ret = ftrace_disabled ? -ENODEV : 0;
    }
    if (ret)
        __unregister_ftrace_function(ops);
    return ret;
}

int ftrace_startup(struct ftrace_ops *ops, int command)
{
    int ret;

    mutex_lock(&ftrace_lock);
    ret = startup_locked(ops, command);
    mutex_unlock(&ftrace_lock);
    return ret;
}

static int shutdown_locked(struct ftrace_ops *ops, int command)
{
    int ret;

    if (ftrace_disabled)
        return -ENODEV;
    ret = __unregister_ftrace_function(ops);
    if (ret)
        return ret;
    WARN_ON(ftrace_hash_rec_update(&command)); /* removing an ops cannot cause a conflict */
    ftrace_startup_enable(command);
    return 0;
}

int ftrace_shutdown(struct ftrace_ops *ops, int command)
{
    int ret;

    mutex_lock(&ftrace_lock);
    ret = shutdown_locked(ops, command);
    mutex_unlock(&ftrace_lock);
    /* No site calls it any more; waits until tasks that came from one have left it. */
    if (!ret && (ops->flags & FTRACE_OPS_FL_DYNAMIC))
        synchronize_rcu_tasks();
    return ret;
}

int register_ftrace_function(struct ftrace_ops *ops)
{
    return ftrace_startup(ops, 0);
}
EXPORT_SYMBOL_GPL(register_ftrace_function);

int unregister_ftrace_function(struct ftrace_ops *ops)
{
    return ftrace_shutdown(ops, 0);
}
EXPORT_SYMBOL_GPL(unregister_ftrace_function);

void ftrace_startup_all(void)
{
    if (!ftrace_enabled)
        return;
    update_ftrace_function();
    ftrace_startup_enable(0);
}

/* ---- ops that are called through another ops ---- */

static void link_subops(struct ftrace_ops *ops, struct ftrace_ops *subops)
{
    subops->next_subop = ops->subops;
    __atomic_store_n(&ops->subops, subops, __ATOMIC_RELEASE);
    subops->flags |= FTRACE_OPS_FL_ENABLED;
}

static void unlink_subops(struct ftrace_ops *ops, struct ftrace_ops *subops)
{
    struct ftrace_ops **p = &ops->subops;

    while (*p != subops)
        p = &(*p)->next_subop;
    WRITE_ONCE(*p, subops->next_subop);
    subops->flags &= ~FTRACE_OPS_FL_ENABLED;
}

/* Updates the sites after the subops of ops, which is in the list, have changed. */
static int subops_changed(int command)
{
    int ret = ftrace_hash_rec_update(&command);

    if (ret)
        return ret;
    if (ftrace_enabled)
        update_ftrace_function();
    ftrace_startup_enable(command);
    return ftrace_disabled ? -ENODEV : 0;
}

int ftrace_startup_subops(struct ftrace_ops *ops, struct ftrace_ops *subops, int command)
{
    int ret;

    ftrace_ops_init(subops);
    mutex_lock(&ftrace_lock);
    link_subops(ops, subops);
    if (ops->flags & FTRACE_OPS_FL_ENABLED)
        ret = ftrace_disabled ? -ENODEV : subops_changed(command);
    else
        ret = startup_locked(ops, command);
    if (ret)
        unlink_subops(ops, subops);
    mutex_unlock(&ftrace_lock);
    return ret;
}

/*
 * The last one is unlinked after its ops is removed: an ops without subops would ask for all
 * sites.
 */
int ftrace_shutdown_subops(struct ftrace_ops *ops, struct ftrace_ops *subops, int command)
{
    bool last;
    int ret;

    mutex_lock(&ftrace_lock);
    last = ops->subops == subops && !subops->next_subop;
    if (last) {
        ret = shutdown_locked(ops, command);
        unlink_subops(ops, subops);
    } else {
        unlink_subops(ops, subops);
        ret = ftrace_disabled ? -ENODEV : subops_changed(command);
    }
    mutex_unlock(&ftrace_lock);
    return ret;
}

/* ---- /proc/sys/kernel/ftrace_enabled ---- */

/* The records already hold what the ops want; now the code is changed accordingly. */
static void ftrace_startup_sysctl(void)
{
    if (ftrace_ops_list == &ftrace_list_end)
        return;
    update_ftrace_function();
    saved_ftrace_func = NULL;
#ifdef CONFIG_DYNAMIC_FTRACE
    ftrace_startup_enable(FTRACE_UPDATE_CALLS |
                          (ftrace_graph_is_active() ? FTRACE_START_FUNC_RET : 0));
#endif
}

static void ftrace_shutdown_sysctl(void)
{
#ifdef CONFIG_DYNAMIC_FTRACE
    if (ftrace_ops_list != &ftrace_list_end)
        ftrace_run_update_code(FTRACE_DISABLE_CALLS |
                               (ftrace_graph_is_active() ? FTRACE_STOP_FUNC_RET : 0));
#endif
    WRITE_ONCE(ftrace_trace_function, ftrace_stub);
}

/* Any value other than 0 is stored as 1, as in Linux. */
static int ftrace_enable_sysctl(const struct ctl_table *table, int value)
{
    int ret = 0;

    (void)table;
    mutex_lock(&ftrace_lock);
    if (ftrace_disabled) {
        ret = -ENODEV;
    } else if (!!value != ftrace_enabled) {
        if (value) {
            ftrace_enabled = 1;
            ftrace_startup_sysctl();
        } else {
            ftrace_shutdown_sysctl();
            ftrace_enabled = 0;
        }
    }
    mutex_unlock(&ftrace_lock);
    return ret;
}

static const struct ctl_table ftrace_sysctls[] = {
    {"ftrace_enabled", &ftrace_enabled, ftrace_enable_sysctl},
};

void ftrace_sysctl_init(void)
{
    register_sysctl("kernel", ftrace_sysctls, ARRAY_SIZE(ftrace_sysctls));
}
