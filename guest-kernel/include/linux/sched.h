/*
 * sched.h - tasks and the scheduler.
 *
 * struct task_struct starts with the members that assembly uses; asm-offsets.h has their
 * offsets.
 */
#ifndef LINUX_SCHED_H
#define LINUX_SCHED_H

#include <asm/current.h>
#include <asm/processor.h>
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define TASK_COMM_LEN 16

enum { TIF_NEED_RESCHED = 1, TIF_SIGPENDING = 2, TIF_SYSCALL_TRACEPOINT = 6 };

/* Macros, because the formats of events show their values. */
#define TASK_RUNNING         0x00000000
#define TASK_INTERRUPTIBLE   0x00000001 /* a signal wakes the task */
#define TASK_UNINTERRUPTIBLE 0x00000002
#define __TASK_STOPPED       0x00000004
#define __TASK_TRACED        0x00000008
#define TASK_PARKED          0x00000040
#define TASK_DEAD            0x00000080
#define TASK_NEW             0x00000800
#define TASK_NORMAL          (TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE)

/* exit_state of a task that has ended: EXIT_ZOMBIE until its parent has waited for it. */
#define EXIT_DEAD   0x00000010
#define EXIT_ZOMBIE 0x00000020

/* The states that tools are told; the bits above are for idle tasks and for preempted ones. */
#define TASK_REPORT                                                                              \
    (TASK_RUNNING | TASK_INTERRUPTIBLE | TASK_UNINTERRUPTIBLE | __TASK_STOPPED | __TASK_TRACED | \
     EXIT_DEAD | EXIT_ZOMBIE | TASK_PARKED)
#define TASK_REPORT_IDLE (TASK_REPORT + 1)
#define TASK_REPORT_MAX  (TASK_REPORT_IDLE << 1)

enum { SCHED_NORMAL = 0, SCHED_FIFO = 1, SCHED_RR = 2, SCHED_DEADLINE = 6 };

/* Of sched_attr; the others are not supported. */
enum { SCHED_FLAG_RESET_ON_FORK = 1, SCHED_FLAG_ALL = SCHED_FLAG_RESET_ON_FORK };

/* What sched_setattr(2) takes, in its second version; times in ns. */
struct sched_attr {
    u32 size, sched_policy;
    u64 sched_flags;
    s32 sched_nice;
    u32 sched_priority;
    u64 sched_runtime, sched_deadline, sched_period;
    u32 sched_util_min, sched_util_max;
};

/* Of a task of SCHED_DEADLINE: kernel/sched/deadline.c. Under the run queue's lock. */
struct sched_dl_entity {
    u64 dl_runtime, dl_deadline, dl_period, dl_bw; /* as set; dl_bw: runtime / period */
    u64 flags;                                     /* of sched_attr */
    s64 runtime;                                   /* left of the current period */
    u64 deadline;                                  /* absolute */
    bool throttled; /* it has used its budget up; the timer gives it a new one */
    bool parked;    /* in rq->dl_throttled */
    bool yielded;   /* it gives up the rest of its budget */
    struct hrtimer timer;
};

/* Priorities, lower is more important: real-time 0 to 99, then 40 nice levels, then idle. */
#define MAX_DL_PRIO        0 /* tasks of SCHED_DEADLINE have -1 */
#define MAX_RT_PRIO        100
#define MAX_PRIO           (MAX_RT_PRIO + 40)
#define MIN_NICE           (-20)
#define MAX_NICE           19
#define DEFAULT_PRIO       NICE_TO_PRIO(0)
#define NICE_TO_PRIO(nice) ((nice) + MAX_RT_PRIO + 20)
#define PRIO_TO_NICE(prio) ((prio)-MAX_RT_PRIO - 20)

struct sched_param {
    int sched_priority; /* SCHED_FIFO and SCHED_RR: 1 to 99, 99 is the highest; else 0 */
};

struct sched_class;

struct blk_plug;
struct completion;
struct files_struct;
struct fs_struct;
struct ftrace_ret_stack;
struct kthread;
struct mm_struct;
struct perf_event_context;
struct rethook_node;
struct sighand_struct;

struct task_struct {
    unsigned long flags; /* TIF_*, also set by other harts: atomics only */
    int preempt_count;
    int cpu;                 /* under the lock of that hart's run queue */
    unsigned long kernel_sp; /* sp at a trap from U-mode */
    unsigned long user_sp;   /* the interrupted sp, used at trap entry */
    struct thread_struct thread;

    unsigned int state;         /* TASK_*, under pi_lock or by the task itself */
    int on_rq;                  /* running or queued; under the run queue's lock */
    int on_cpu;                 /* its stack is in use; cleared with release */
    atomic_t usage;             /* references: one of its own until it is dead, one of its parent */
    unsigned long cpus_allowed; /* under pi_lock and the run queue's lock */

    /* All under the run queue's lock. */
    const struct sched_class *sched_class;
    int policy, prio, static_prio, rt_priority;
    struct sched_dl_entity dl;
    unsigned int rt_time_slice; /* ticks left of a SCHED_RR task's turn */
    unsigned long weight;
    u64 vruntime;          /* relative to the queue while on none: kernel/sched/fair.c */
    u64 exec_start;        /* start of the time not yet added to sum_exec_runtime */
    u64 sum_exec_runtime;  /* in nanoseconds, on all harts */
    u64 picked_at_runtime; /* sum_exec_runtime when it was last picked */
    unsigned long nvcsw, nivcsw;
    struct list_head run_list; /* under the run queue's lock */
    spinlock_t pi_lock;        /* serialises wake-ups of this task */
    bool rcu_tasks_holdout;    /* synchronize_rcu_tasks() waits for it */

    pid_t pid;
    char comm[TASK_COMM_LEN];
    void *stack;
    struct kthread *kthread; /* kernel/kthread.c */
    struct list_head tasks;  /* under tasklist_lock */

    struct files_struct *files; /* used by the task only, like fs */
    struct fs_struct *fs;
    pid_t pgrp;                     /* process group, inherited; terminal signals go to a group */
    pid_t session;                  /* inherited */
    u64 sig_allowed;                /* signals that a kernel thread accepts; used by itself only */
    u64 sig_pending;                /* atomics only */
    short sig_code[64];             /* si_code of each signal that is pending */
    u64 sig_blocked, sig_ignored;   /* of a program; used by itself only */
    u64 saved_sigmask;              /* sig_blocked before rt_sigsuspend() or ppoll() ... */
    bool restore_sigmask;           /* ... to be restored on return to U-mode */
    struct sighand_struct *sighand; /* signal handlers; NULL: none */
    unsigned long restart_a0;       /* first argument of the current system call, to restart it */
    u64 restart_until;              /* when an interrupted sleep is to end: restart_syscall() */
    void __user *restart_rest;      /* ... and where the rest of its time goes */
    bool stop_dequeued;             /* is about to stop; SIGCONT clears it. Under tasklist_lock */
    int stop_status;                /* for wait4(): has stopped or continued. Under tasklist_lock */

    struct blk_plug *plug; /* collects block requests; NULL: none */

    struct mm_struct *mm; /* NULL: a kernel thread */
    /* Under tasklist_lock. parent NULL: no task waits for this one. */
    struct task_struct *parent;
    struct list_head children, sibling;
    int exit_state;                /* EXIT_*; 0: not ended */
    int exit_code;                 /* as wait4 shows it */
    u64 children_runtime;          /* of children that were waited for, and theirs; in ns */
    int exit_signal;               /* signal to the parent at the end; 0: none */
    struct completion *vfork_done; /* the parent of a vfork() waits on it */
    int *set_child_tid;            /* user address where its pid is stored at its start */
    int *clear_child_tid;          /* user address where 0 is stored at its end */

    struct perf_event_context *perf_event_ctxp; /* NULL: no event has counted this task */
    bool perf_exited;                           /* it gets no more events; under perf_event_mutex */
    bool sched_migrated;                        /* for the event cpu-migrations */
    struct rethook_node *rethooks; /* calls with a return hook, innermost first; kernel/rethook.c */
    /* Function graph: the saved return addresses, innermost last; -1: none. */
    struct ftrace_ret_stack *ret_stack;
    int curr_ret_stack;
    int curr_ret_depth;
    atomic_t trace_overrun;
    atomic_t tracing_graph_pause;
    u64 ftrace_timestamp; /* time of the last switch to another task */
    unsigned long
        trace_recursion; /* trace_recursion.h: a bit for each context that is in a tracer */
    /* Depth + 1 at which set_graph_function or set_graph_notrace matched; 0: no match. */
    int trace_graph_depth;
    int trace_graph_notrace_depth;
};

/* Before SYSTEM_RUNNING no code sleeps, and might_sleep() checks nothing. */
enum system_states { SYSTEM_BOOTING, SYSTEM_RUNNING };
extern enum system_states system_state;

extern struct task_struct init_task;

void sched_init(void);
void sched_rt_sysctl_init(void);
void init_idle(struct task_struct *idle, unsigned int cpu);
void schedule(void);
void preempt_schedule_irq(void);
void scheduler_tick(void);
/* Lets other runnable tasks run first. */
void yield(void);
/* For long loops: lets other tasks run if needed, and grace periods end. */
bool cond_resched(void);
/* Wakes p if it sleeps in one of these states; returns whether it did. */
bool try_to_wake_up(struct task_struct *p, unsigned int state);
bool wake_up_state(struct task_struct *p, unsigned int state);
bool wake_up_process(struct task_struct *p);
void wake_up_new_task(struct task_struct *p);
void schedule_tail(struct task_struct *prev);
/* Makes a hart call schedule() soon. */
void resched_cpu(unsigned int cpu);
void sched_set_stop_task(unsigned int cpu, struct task_struct *stop);
void sched_fork(struct task_struct *p);
/* Policy is SCHED_NORMAL, SCHED_FIFO or SCHED_RR. 0, -EINVAL or -EPERM. */
int sched_setscheduler(struct task_struct *p, int policy, const struct sched_param *param);
/* The same for all policies. -EPERM: also if p may not run on all harts; -EBUSY: too much. */
int sched_setattr(struct task_struct *p, const struct sched_attr *attr);
void sched_getattr(const struct task_struct *p, struct sched_attr *attr);
void set_user_nice(struct task_struct *p, int nice);
/* Restricts p to the harts in mask; if it runs on another one, it is rescheduled. 0 or -EINVAL. */
int set_cpus_allowed_ptr(struct task_struct *p, unsigned long mask);
_Noreturn void cpu_startup_entry(void);
_Noreturn void do_exit(long code); /* code as wait4() reports it */

static inline bool is_idle_task(const struct task_struct *p)
{
    return p->pid == 0;
}

/* Init, which must not end. */
static inline bool is_global_init(const struct task_struct *p)
{
    return p->pid == 1;
}

static inline void set_current_state(unsigned int state)
{
    __atomic_store_n(&current->state, state, __ATOMIC_SEQ_CST);
}

/* kernel/fork.c */
struct task_struct *copy_kernel_thread(int (*fn)(void *), void *data, const char *comm);
struct task_struct *fork_idle(unsigned int cpu);
/* Drops a reference; the last one frees the task. */
void put_task_struct(struct task_struct *p);

/*
 * Whether the task has been waited for. It stays on the list of tasks until its last reference
 * goes, for its stack is still in use, but no pid names it any more.
 */
static inline bool task_is_dead(const struct task_struct *p)
{
    return p->exit_state == EXIT_DEAD;
}

/*
 * Finds a task by its pid, zombies too; the idle tasks have none. NULL: no such task. The caller
 * holds tasklist_lock.
 */
struct task_struct *find_task_by_vpid(pid_t pid);
/* Finds a live task by its pid (0: the caller) and takes a reference; NULL: none. */
struct task_struct *find_get_task(pid_t pid);

static inline void get_task_struct(struct task_struct *p)
{
    atomic_inc(&p->usage);
}

void __set_task_comm(struct task_struct *p, const char *comm, bool exec);

static inline void set_task_comm(struct task_struct *p, const char *comm)
{
    __set_task_comm(p, comm, false);
}

extern spinlock_t tasklist_lock;

/*
 * All tasks in the order of creation but init_task, whose `tasks` is the head of the list; the idle
 * tasks of the other harts included. Under tasklist_lock.
 */
#define for_each_process(p) list_for_each_entry(p, &init_task.tasks, tasks)

/* arch */
struct task_struct *__switch_to(struct task_struct *prev, struct task_struct *next);
void ret_from_kernel_thread(void);

#endif
