/* pid_list.h - sets of pids, for set_ftrace_pid, set_event_pid and their like. */
#ifndef KERNEL_TRACE_PID_LIST_H
#define KERNEL_TRACE_PID_LIST_H

#include <linux/types.h>

/* Larger pids cannot be in a set (they do not exist); no larger ones have a tgid recorded. */
enum { PID_LIST_MAX = 4 << 20, PID_MAX = 32768 };

struct task_struct;
struct trace_pid_list;

struct trace_pid_list *trace_pid_list_alloc(void);
void trace_pid_list_free(struct trace_pid_list *list);
int trace_pid_list_set(struct trace_pid_list *list, unsigned int pid);
int trace_pid_list_clear(struct trace_pid_list *list, unsigned int pid);
bool trace_pid_list_is_set(const struct trace_pid_list *list, unsigned int pid);
/* Stores the first pid in the set that is >= pid; -1: none. */
int trace_pid_list_next(const struct trace_pid_list *list, unsigned int pid, unsigned int *next);

/* A new set with the same pids (list NULL: empty). NULL: no memory. */
struct trace_pid_list *trace_pid_list_copy(const struct trace_pid_list *list);

/* Adds the child of a task in the set, which may be NULL; removes a task. */
static inline void trace_pid_list_fork(struct trace_pid_list *list, unsigned int parent,
                                       unsigned int child)
{
    if (list && trace_pid_list_is_set(list, parent))
        trace_pid_list_set(list, child);
}

static inline void trace_pid_list_exit(struct trace_pid_list *list, unsigned int pid)
{
    if (list)
        trace_pid_list_clear(list, pid);
}

/* Whether a task is left out by the set of those to trace or by that of the others. */
static inline bool trace_ignore_pid(const struct trace_pid_list *pids,
                                    const struct trace_pid_list *no_pids, unsigned int pid)
{
    return (pids && !trace_pid_list_is_set(pids, pid)) ||
           (no_pids && trace_pid_list_is_set(no_pids, pid));
}

#endif
