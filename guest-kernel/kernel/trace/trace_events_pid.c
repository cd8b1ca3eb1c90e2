/*
 * trace_events_pid.c - events of some tasks only: set_event_pid and set_event_notrace_pid.
 *
 * While a trace has a set of either kind, its events have EVENT_FILE_FL_PID_FILTER, and probes of
 * the scheduler's tracepoints say whether a hart's events are left out. An event of two tasks, a
 * switch or a wake-up, is recorded if it is of interest for one of them: so there is a probe before
 * those of the events and one after them.
 *
 * Not instrumented.
 */
#include "pid_list.h"
#include "trace.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#include <trace/events/sched.h>

enum { PRIO_FIRST = 0x7fffffff, PRIO_AFTER_EVENTS = 0, PRIO_LAST = -0x7fffffff };

static bool ignores(const struct trace_array *tr, const struct task_struct *task)
{
    return trace_ignore_pid(READ_ONCE(tr->event_pids[TRACE_PIDS]),
                            READ_ONCE(tr->event_pids[TRACE_NO_PIDS]), task->pid);
}

static bool *ignore_here(struct trace_array *tr)
{
    return &tr->array_buffer.data[raw_smp_processor_id()].ignore_pid;
}

bool trace_event_has_pids(const struct trace_array *tr)
{
    return tr->event_pids[TRACE_PIDS] || tr->event_pids[TRACE_NO_PIDS];
}

bool trace_event_ignore_this_pid(const struct trace_event_file *file)
{
    return READ_ONCE(*ignore_here(file->tr));
}

/* ---- probes; preemption is off ---- */

static void switch_begins(void *tr, bool preempt, struct task_struct *prev,
                          struct task_struct *next, unsigned int prev_state)
{
    (void)preempt;
    (void)prev_state;
    WRITE_ONCE(*ignore_here(tr), ignores(tr, prev) && ignores(tr, next));
}

static void switch_ends(void *tr, bool preempt, struct task_struct *prev, struct task_struct *next,
                        unsigned int prev_state)
{
    (void)preempt;
    (void)prev;
    (void)prev_state;
    WRITE_ONCE(*ignore_here(tr), ignores(tr, next));
}

static void wakeup_begins(void *tr, struct task_struct *task)
{
    if (*ignore_here(tr))
        WRITE_ONCE(*ignore_here(tr), ignores(tr, task));
}

static void wakeup_ends(void *tr, struct task_struct *task)
{
    (void)task;
    WRITE_ONCE(*ignore_here(tr), ignores(tr, current));
}

static void task_forks(void *data, struct task_struct *parent, struct task_struct *child)
{
    const struct trace_array *tr = data;
    unsigned int type;

    for (type = 0; type < TRACE_PID_TYPES; type++)
        trace_pid_list_fork(READ_ONCE(tr->event_pids[type]), parent->pid, child->pid);
}

static void task_ends(void *data, struct task_struct *task)
{
    const struct trace_array *tr = data;
    unsigned int type;

    for (type = 0; type < TRACE_PID_TYPES; type++)
        trace_pid_list_exit(READ_ONCE(tr->event_pids[type]), task->pid);
}

static void detach_probes(struct trace_array *tr)
{
    unregister_trace_sched_switch(switch_begins, tr);
    unregister_trace_sched_switch(switch_ends, tr);
    unregister_trace_sched_wakeup(wakeup_begins, tr);
    unregister_trace_sched_wakeup(wakeup_ends, tr);
    unregister_trace_sched_wakeup_new(wakeup_begins, tr);
    unregister_trace_sched_wakeup_new(wakeup_ends, tr);
    unregister_trace_sched_waking(wakeup_begins, tr);
    unregister_trace_sched_waking(wakeup_ends, tr);
}

/* -ENOMEM: then none is attached. */
static int attach_probes(struct trace_array *tr)
{
    int err = register_trace_prio_sched_switch(switch_begins, tr, PRIO_FIRST);

    err = err ? err : register_trace_prio_sched_switch(switch_ends, tr, PRIO_AFTER_EVENTS);
    err = err ? err : register_trace_prio_sched_wakeup(wakeup_begins, tr, PRIO_FIRST);
    err = err ? err : register_trace_prio_sched_wakeup(wakeup_ends, tr, PRIO_AFTER_EVENTS);
    err = err ? err : register_trace_prio_sched_wakeup_new(wakeup_begins, tr, PRIO_FIRST);
    err = err ? err : register_trace_prio_sched_wakeup_new(wakeup_ends, tr, PRIO_AFTER_EVENTS);
    err = err ? err : register_trace_prio_sched_waking(wakeup_begins, tr, PRIO_FIRST);
    err = err ? err : register_trace_prio_sched_waking(wakeup_ends, tr, PRIO_AFTER_EVENTS);
    if (err)
        detach_probes(tr);
    return err;
}

void trace_event_follow_fork(struct trace_array *tr, bool enable)
{
    if (tr->event_fork == enable)
        return;
    tr->event_fork = enable;
    if (enable) {
        register_trace_prio_sched_process_fork(task_forks, tr, PRIO_LAST);
        register_trace_prio_sched_process_free(task_ends, tr, PRIO_FIRST);
    } else {
        unregister_trace_sched_process_fork(task_forks, tr);
        unregister_trace_sched_process_free(task_ends, tr);
    }
}

/* ---- the sets ---- */

/* Each hart judges the task that it runs by the new sets. */
static void judge_current(void *tr)
{
    WRITE_ONCE(*ignore_here(tr), ignores(tr, current));
}

static void flag_events(struct trace_array *tr, bool on)
{
    struct trace_event_file *file;

    list_for_each_entry(file, &tr->events, list) {
        if (on)
            (void)__atomic_fetch_or(&file->flags, EVENT_FILE_FL_PID_FILTER, __ATOMIC_SEQ_CST);
        else
            (void)__atomic_fetch_and(&file->flags, ~(unsigned long)EVENT_FILE_FL_PID_FILTER,
                                     __ATOMIC_SEQ_CST);
    }
}

/* event_mutex is held. */
static int replace_set(struct trace_array *tr, enum trace_pid_type type,
                       struct trace_pid_list *list)
{
    bool had = trace_event_has_pids(tr);
    int err = !had && list ? attach_probes(tr) : 0;

    if (err)
        return err;
    WRITE_ONCE(tr->event_pids[type], list);
    on_each_cpu(judge_current, tr);
    if (had != trace_event_has_pids(tr))
        flag_events(tr, !had);
    if (had && !trace_event_has_pids(tr))
        detach_probes(tr);
    return 0;
}

void trace_event_clear_pids(struct trace_array *tr)
{
    unsigned int type;

    for (type = 0; type < TRACE_PID_TYPES; type++) {
        struct trace_pid_list *old = tr->event_pids[type];

        if (!old)
            continue;
        replace_set(tr, type, NULL);
        tracepoint_synchronize_unregister();
        trace_pid_list_free(old);
    }
}

static int set_event_pids(struct trace_array *tr, enum trace_pid_type type,
                          struct trace_pid_list *list)
{
    struct trace_pid_list *old;
    int err;

    mutex_lock(&event_mutex);
    old = tr->event_pids[type];
    err = replace_set(tr, type, list);
    mutex_unlock(&event_mutex);
    tracepoint_synchronize_unregister();
    trace_pid_list_free(err ? list : old);
    return err;
}

static struct trace_pid_list *copy_event_pids(struct trace_array *tr, enum trace_pid_type type)
{
    struct trace_pid_list *copy;

    mutex_lock(&event_mutex);
    copy = trace_pid_list_copy(tr->event_pids[type]);
    mutex_unlock(&event_mutex);
    return copy;
}

static bool has_event_pids(struct trace_array *tr, enum trace_pid_type type)
{
    return READ_ONCE(tr->event_pids[type]);
}

const struct trace_pid_file_ops event_pid_file_ops = {copy_event_pids, set_event_pids,
                                                      has_event_pids, ""};
