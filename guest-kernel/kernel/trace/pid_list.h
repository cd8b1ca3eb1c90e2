/* pid_list.h - sets of pids, for set_ftrace_pid and set_ftrace_notrace_pid. */
#ifndef KERNEL_TRACE_PID_LIST_H
#define KERNEL_TRACE_PID_LIST_H

#include <linux/types.h>

/* Larger pids cannot be in a set. */
enum { PID_MAX = 32768 };

struct task_struct;
struct trace_pid_list;

struct trace_pid_list *trace_pid_list_alloc(void);
void trace_pid_list_free(struct trace_pid_list *list);
int trace_pid_list_set(struct trace_pid_list *list, unsigned int pid);
int trace_pid_list_clear(struct trace_pid_list *list, unsigned int pid);
bool trace_pid_list_is_set(const struct trace_pid_list *list, unsigned int pid);
/* Stores the first pid in the set that is >= pid; -1: none. */
int trace_pid_list_next(const struct trace_pid_list *list, unsigned int pid, unsigned int *next);

/* Tasks in TRACE_PIDS are traced (NULL: all), except those in TRACE_NO_PIDS. See ftrace_pid.c. */
enum trace_pid_type { TRACE_PIDS, TRACE_NO_PIDS };

bool ftrace_trace_task(const struct task_struct *task);
/* Replaces the set by list, which is taken over and may be NULL. */
void ftrace_set_pids(enum trace_pid_type type, struct trace_pid_list *list);
/* A copy of the set in use, to be changed; NULL: no memory. */
struct trace_pid_list *ftrace_copy_pids(enum trace_pid_type type);
bool ftrace_has_pids(enum trace_pid_type type);
/*
 * Option function-fork: children are added to their parents' sets, and tasks that end are
 * removed.
 */
void ftrace_pid_follow_fork(bool enable);

#endif
