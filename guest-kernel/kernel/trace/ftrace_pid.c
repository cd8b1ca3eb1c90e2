/*
 * ftrace_pid.c - tracing of some tasks only: set_ftrace_pid and set_ftrace_notrace_pid.
 *
 * While there is a set of either kind, ops with FTRACE_OPS_FL_PID are called through
 * ftrace_pid_func(). In a set in use single pids are set and cleared when tasks fork and exit;
 * other changes replace it. Readers have interrupts off.
 *
 * Not instrumented.
 */
#include "ftrace_internal.h"
#include "pid_list.h"
#include <asm/irqflags.h>
#include <linux/sched.h>
#include <linux/smp.h>

/* Changed under ftrace_lock. NULL: trace all tasks; exclude none. */
static struct trace_pid_list *function_pids, *function_no_pids;
/* Option function-fork: children are traced like their parents. */
static bool function_fork;

static struct trace_pid_list **list_of(enum trace_pid_type type)
{
    return type == TRACE_PIDS ? &function_pids : &function_no_pids;
}

bool ftrace_pids_enabled(const struct ftrace_ops *ops)
{
    return (ops->flags & FTRACE_OPS_FL_PID) && (function_pids || function_no_pids);
}

bool ftrace_trace_task(const struct task_struct *task)
{
    const struct trace_pid_list *pids, *no_pids;
    unsigned long flags;
    bool traced;

    raw_local_irq_save(flags);
    pids = READ_ONCE(function_pids);
    no_pids = READ_ONCE(function_no_pids);
    traced = (!pids || trace_pid_list_is_set(pids, task->pid)) &&
             !(no_pids && trace_pid_list_is_set(no_pids, task->pid));
    raw_local_irq_restore(flags);
    return traced;
}

void ftrace_pid_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                     struct ftrace_regs *fregs)
{
    if (ftrace_trace_task(current))
        op->saved_func(ip, parent_ip, op, fregs);
}

static void ftrace_update_pid_func(void)
{
    struct ftrace_ops *op;

    for_each_ftrace_op(op) if (op->flags & FTRACE_OPS_FL_PID)
        WRITE_ONCE(op->func, ftrace_pids_enabled(op) ? ftrace_pid_func : op->saved_func);
    ftrace_startup_all();
}

void ftrace_set_pids(enum trace_pid_type type, struct trace_pid_list *list)
{
    struct trace_pid_list **p = list_of(type), *old;

    mutex_lock(&ftrace_lock);
    old = *p;
    WRITE_ONCE(*p, list);
    ftrace_update_pid_func();
    mutex_unlock(&ftrace_lock);
    kick_all_cpus_sync();
    trace_pid_list_free(old);
}

struct trace_pid_list *ftrace_copy_pids(enum trace_pid_type type)
{
    struct trace_pid_list *copy = trace_pid_list_alloc(), *list;
    unsigned int pid;

    mutex_lock(&ftrace_lock);
    list = *list_of(type);
    for (pid = 0; copy && list && !trace_pid_list_next(list, pid, &pid); pid++)
        trace_pid_list_set(copy, pid);
    mutex_unlock(&ftrace_lock);
    return copy;
}

bool ftrace_has_pids(enum trace_pid_type type)
{
    return READ_ONCE(*list_of(type));
}

void ftrace_pid_follow_fork(bool enable)
{
    WRITE_ONCE(function_fork, enable);
}

static void inherit(struct trace_pid_list *list, const struct task_struct *parent,
                    const struct task_struct *child)
{
    if (list && trace_pid_list_is_set(list, parent->pid))
        trace_pid_list_set(list, child->pid);
}

void ftrace_pid_fork(const struct task_struct *parent, const struct task_struct *child)
{
    unsigned long flags;

    if (!READ_ONCE(function_fork))
        return;
    raw_local_irq_save(flags);
    inherit(READ_ONCE(function_pids), parent, child);
    inherit(READ_ONCE(function_no_pids), parent, child);
    raw_local_irq_restore(flags);
}

void ftrace_pid_exit(const struct task_struct *task)
{
    struct trace_pid_list *list;
    unsigned long flags;

    if (!READ_ONCE(function_fork))
        return;
    raw_local_irq_save(flags);
    if ((list = READ_ONCE(function_pids)))
        trace_pid_list_clear(list, task->pid);
    if ((list = READ_ONCE(function_no_pids)))
        trace_pid_list_clear(list, task->pid);
    raw_local_irq_restore(flags);
}
