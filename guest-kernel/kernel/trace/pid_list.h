/* pid_list.h - sets of pids: for which tasks to trace, and for which not. */
#ifndef KERNEL_TRACE_PID_LIST_H
#define KERNEL_TRACE_PID_LIST_H

#include <linux/types.h>

/* Pids from here on are in no set. */
enum { PID_MAX = 32768 };

struct task_struct;
struct trace_pid_list;

struct trace_pid_list *trace_pid_list_alloc(void);
void trace_pid_list_free(struct trace_pid_list *list);
int trace_pid_list_set(struct trace_pid_list *list, unsigned int pid);
int trace_pid_list_clear(struct trace_pid_list *list, unsigned int pid);
bool trace_pid_list_is_set(const struct trace_pid_list *list, unsigned int pid);
/* The first one from pid on; -1 if there is none. */
int trace_pid_list_next(const struct trace_pid_list *list, unsigned int pid, unsigned int *next);

/*
 * Whose calls are traced: those of set_ftrace_pid (NULL: all), but not those of
 * set_ftrace_notrace_pid.  ftrace_pid.c
 */
enum trace_pid_type { TRACE_PIDS, TRACE_NO_PIDS };

bool ftrace_trace_task(const struct task_struct *task);
/* Puts list (taken over, may be NULL) into force. */
void ftrace_set_pids(enum trace_pid_type type, struct trace_pid_list *list);
/* A copy of the one in force, to be changed; NULL: no memory. */
struct trace_pid_list *ftrace_copy_pids(enum trace_pid_type type);
bool ftrace_has_pids(enum trace_pid_type type);
/* Children go where their parents are, and pids of the dead leave: option function-fork. */
void ftrace_pid_follow_fork(bool enable);

#endif
