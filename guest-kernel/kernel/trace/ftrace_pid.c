/*
 * ftrace_pid.c - tracing of some tasks only: set_ftrace_pid and set_ftrace_notrace_pid.
 *
 * While a trace has a set of either kind, its ops with FTRACE_OPS_FL_PID are called through
 * ftrace_pid_func(). In a set in use single pids are set and cleared when tasks fork and exit;
 * other changes replace it. Readers have interrupts off.
 *
 * Not instrumented.
 */
#include "ftrace_internal.h"
#include "pid_list.h"
#include "trace.h"
#include <asm/irqflags.h>
#include <linux/smp.h>

/* Traces with option function-fork: children are traced like their parents. */
static atomic_t function_forks;

/* The trace of ops with FTRACE_OPS_FL_PID. */
static const struct trace_array *trace_of(const struct ftrace_ops *ops)
{
    return ops->private ? ops->private : &global_trace;
}

bool ftrace_pids_enabled(const struct ftrace_ops *ops)
{
    return (ops->flags & FTRACE_OPS_FL_PID) && (trace_of(ops)->function_pids[TRACE_PIDS] ||
                                                trace_of(ops)->function_pids[TRACE_NO_PIDS]);
}

bool ftrace_trace_task(const struct trace_array *tr, const struct task_struct *task)
{
    unsigned long flags;
    bool ignored;

    raw_local_irq_save(flags);
    ignored = trace_ignore_pid(READ_ONCE(tr->function_pids[TRACE_PIDS]),
                               READ_ONCE(tr->function_pids[TRACE_NO_PIDS]), task->pid);
    raw_local_irq_restore(flags);
    return !ignored;
}

void ftrace_pid_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                     struct ftrace_regs *fregs)
{
    if (ftrace_trace_task(trace_of(op), current))
        op->saved_func(ip, parent_ip, op, fregs);
}

static void ftrace_update_pid_func(void)
{
    struct ftrace_ops *op;

    for_each_ftrace_op(op)
        if (op->flags & FTRACE_OPS_FL_PID)
            WRITE_ONCE(op->func, ftrace_pids_enabled(op) ? ftrace_pid_func : op->saved_func);
    ftrace_startup_all();
}

void ftrace_set_pids(struct trace_array *tr, enum trace_pid_type type, struct trace_pid_list *list)
{
    struct trace_pid_list *old;

    mutex_lock(&ftrace_lock);
    old = tr->function_pids[type];
    WRITE_ONCE(tr->function_pids[type], list);
    ftrace_update_pid_func();
    mutex_unlock(&ftrace_lock);
    kick_all_cpus_sync();
    trace_pid_list_free(old);
}

/* ---- set_ftrace_pid, set_ftrace_notrace_pid ---- */

static int set_function_pids(struct trace_array *tr, enum trace_pid_type type,
                             struct trace_pid_list *list)
{
    ftrace_set_pids(tr, type, list);
    return 0;
}

static struct trace_pid_list *copy_function_pids(struct trace_array *tr, enum trace_pid_type type)
{
    struct trace_pid_list *copy;

    mutex_lock(&ftrace_lock);
    copy = trace_pid_list_copy(tr->function_pids[type]);
    mutex_unlock(&ftrace_lock);
    return copy;
}

static bool has_function_pids(struct trace_array *tr, enum trace_pid_type type)
{
    return READ_ONCE(tr->function_pids[type]);
}

const struct trace_pid_file_ops function_pid_file_ops = {copy_function_pids, set_function_pids,
                                                         has_function_pids, "no pid\n"};

/* ---- function-fork ---- */

void ftrace_pid_follow_fork(struct trace_array *tr, bool enable)
{
    if (tr->function_fork == enable)
        return;
    WRITE_ONCE(tr->function_fork, enable);
    if (enable)
        atomic_inc(&function_forks);
    else
        atomic_dec(&function_forks);
}

void ftrace_pid_fork(const struct task_struct *parent, const struct task_struct *child)
{
    const struct trace_array *tr;
    unsigned long flags;
    unsigned int type;

    if (!atomic_read(&function_forks))
        return;
    raw_local_irq_save(flags);
    for_each_trace_array(tr)
        for (type = 0; tr->function_fork && type < TRACE_PID_TYPES; type++)
            trace_pid_list_fork(READ_ONCE(tr->function_pids[type]), parent->pid, child->pid);
    raw_local_irq_restore(flags);
}

void ftrace_pid_exit(const struct task_struct *task)
{
    const struct trace_array *tr;
    unsigned long flags;
    unsigned int type;

    if (!atomic_read(&function_forks))
        return;
    raw_local_irq_save(flags);
    for_each_trace_array(tr)
        for (type = 0; tr->function_fork && type < TRACE_PID_TYPES; type++)
            trace_pid_list_exit(READ_ONCE(tr->function_pids[type]), task->pid);
    raw_local_irq_restore(flags);
}
