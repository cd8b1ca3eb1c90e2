/* task.h - creation and end of tasks. */
#ifndef LINUX_SCHED_TASK_H
#define LINUX_SCHED_TASK_H

#include <linux/sched.h>

#define CSIGNAL              0x000000fful /* signal to the parent when the child ends */
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
    int exit_signal;   /* 0: no signal, but the parent still waits for it */
    int (*fn)(void *); /* NULL: the child continues where its parent is */
    void *fn_arg;
    const char *comm; /* NULL: its parent's */
    bool kthread;     /* a kernel thread: no parent, shares the kernel's files */
    unsigned long stack, tls;
    int *parent_tid, *child_tid; /* user addresses */
};

/* Creates a task that does not run until wake_up_new_task(). ERR_PTR() on failure. */
struct task_struct *copy_process(const struct kernel_clone_args *args);
/* Returns the child's pid, or a negative error. The child may have ended already. */
pid_t kernel_clone(const struct kernel_clone_args *args);
/* Creates a child of current whose function fn turns it into a program with kernel_execve(). */
pid_t user_mode_thread(int (*fn)(void *), void *arg, unsigned long flags);

void finish_fork(struct task_struct *prev);

_Noreturn void do_task_dead(void); /* kernel/sched/core.c */
/* How long p has run, in ns, up to now: a task that has just ended may still be on its hart. */
u64 task_sched_runtime(struct task_struct *p);

/* Called when current stops using its address space: wakes a vfork() parent. */
void exit_mm_release(struct task_struct *p);

/* Options of wait4(). */
#define WNOHANG     1
#define WUNTRACED   2
#define WCONTINUED  8
#define __WNOTHREAD 0x20000000
#define __WALL      0x40000000
#define __WCLONE    0x80000000

/*
 * Waits for a child to end (pid -1: any; 0: of the caller's group; less: of group -pid), sleeping
 * in state. Returns its pid, 0 (WNOHANG and none has ended), -ECHILD or -EINTR. *runtime: the time
 * that it ran, with its children, in ns.
 */
pid_t do_wait(pid_t pid, int *status, int options, unsigned int state, u64 *runtime);
struct rusage;
/* Writes the usage of a task that ran for this time in ns. 0 or -EFAULT. */
int put_rusage(struct rusage __user *to, u64 runtime);
void pid_sysctls_init(void);

/* Architecture hooks: registers of a new task. */
void copy_thread(struct task_struct *p, const struct kernel_clone_args *args);
void arch_dup_task_struct(struct task_struct *p);

#endif
