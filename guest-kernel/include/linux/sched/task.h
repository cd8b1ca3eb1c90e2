/* task.h - tasks' beginnings and ends. */
#ifndef LINUX_SCHED_TASK_H
#define LINUX_SCHED_TASK_H

#include <linux/sched.h>

#define CSIGNAL              0x000000fful /* what the parent gets when the child ends */
#define CLONE_VM             0x00000100ul
#define CLONE_FS             0x00000200ul
#define CLONE_FILES          0x00000400ul
#define CLONE_VFORK          0x00004000ul
#define CLONE_SETTLS         0x00080000ul
#define CLONE_PARENT_SETTID  0x00100000ul
#define CLONE_CHILD_CLEARTID 0x00200000ul
#define CLONE_CHILD_SETTID   0x01000000ul

struct kernel_clone_args {
    unsigned long flags;
    int exit_signal;   /* 0: none, but the parent still waits for it */
    int (*fn)(void *); /* NULL: the child goes on where its parent is */
    void *fn_arg;
    const char *comm; /* NULL: its parent's */
    bool kthread;     /* fn is all there is: no task waits for it, it shares what kthreads share */
    unsigned long stack, tls;
    int *parent_tid, *child_tid; /* in U-mode */
};

/* Made but not yet running. ERR_PTR on failure. */
struct task_struct *copy_process(const struct kernel_clone_args *args);
/* The child's pid, which may have ended already, or an error. */
pid_t kernel_clone(const struct kernel_clone_args *args);
/* A child of current, with its descriptors, that fn is to make a program of (kernel_execve). */
pid_t user_mode_thread(int (*fn)(void *), void *arg, unsigned long flags);

void finish_fork(struct task_struct *prev);

_Noreturn void do_task_dead(void); /* kernel/sched/core.c */

/* The address space of current is of no more use to it: it ends, or runs another program. */
void exit_mm_release(struct task_struct *p);

#define WNOHANG 1

/*
 * Waits for a child to end, in state (TASK_INTERRUPTIBLE or not); pid -1 is any.
 * Its pid; 0 with WNOHANG if none has ended; -ECHILD, -EINTR.
 */
pid_t do_wait(pid_t pid, int *status, int options, unsigned int state);

/* arch: registers of a new task, see there. */
void copy_thread(struct task_struct *p, const struct kernel_clone_args *args);
void arch_dup_task_struct(struct task_struct *p);

#endif
