/*
 * sched.h - tasks and what the scheduler offers.
 *
 * struct task_struct begins with what assembly and the innermost inlines need;
 * asm-offsets.h knows those places.
 */
#ifndef LINUX_SCHED_H
#define LINUX_SCHED_H

#include <asm/current.h>
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define TASK_COMM_LEN 16

enum { TIF_NEED_RESCHED = 1 };

enum {
    TASK_RUNNING = 0x0,
    TASK_UNINTERRUPTIBLE = 0x2,
    TASK_DEAD = 0x80,
    TASK_NEW = 0x800,
};

/* Classes in the order in which they are picked.  The idle task is in none. */
enum sched_class { SCHED_CLASS_STOP, SCHED_CLASS_FAIR, SCHED_CLASSES };

/* Callee-saved registers of a task that does not run. */
struct thread_struct {
    unsigned long ra, sp;
    unsigned long s[12];
};

struct ftrace_ret_stack;

struct task_struct {
    unsigned long flags; /* TIF_*, changed by other harts: atomically */
    int preempt_count;
    int cpu; /* under the lock of that hart's run queue */
    struct thread_struct thread;

    unsigned int state; /* TASK_*, under pi_lock or by the task itself */
    int on_rq;          /* running or queued; under the run queue's lock */
    int on_cpu;         /* still on its stack; cleared with release when it has left */
    enum sched_class sched_class;
    unsigned long cpus_allowed; /* fixed before the task first runs */
    struct list_head run_list;  /* under the run queue's lock */
    spinlock_t pi_lock;         /* serialises wake-ups of this task */
    bool rcu_tasks_holdout;     /* synchronize_rcu_tasks() waits for it */

    pid_t pid;
    char comm[TASK_COMM_LEN];
    void *stack;
    int (*threadfn)(void *data);
    void *data;
    struct list_head tasks; /* under tasklist_lock */

    /* Function graph: return addresses taken, innermost last; -1 is none. */
    struct ftrace_ret_stack *ret_stack;
    int curr_ret_stack;
    int curr_ret_depth;
    atomic_t trace_overrun;
    atomic_t tracing_graph_pause;
    u64 ftrace_timestamp; /* when it was last switched away from */
    unsigned long
        trace_recursion;   /* trace_recursion.h: one bit for each context the tracer is in */
    int trace_graph_depth; /* depth at which set_graph_function began to match */
};

extern struct task_struct init_task;

void sched_init(void);
void init_idle(struct task_struct *idle, unsigned int cpu);
void schedule(void);
void preempt_schedule_irq(void);
void scheduler_tick(void);
bool wake_up_process(struct task_struct *p);
void wake_up_new_task(struct task_struct *p);
void schedule_tail(struct task_struct *prev);
/* Has that hart go through the scheduler soon. */
void resched_cpu(unsigned int cpu);
void sched_set_stop_task(unsigned int cpu, struct task_struct *stop);
_Noreturn void cpu_startup_entry(void);
_Noreturn void do_exit(void);

static inline bool is_idle_task(const struct task_struct *p)
{
    return p->pid == 0;
}

static inline void set_current_state(unsigned int state)
{
    __atomic_store_n(&current->state, state, __ATOMIC_SEQ_CST);
}

/* kernel/fork.c */
struct task_struct *copy_kernel_thread(int (*fn)(void *), void *data, const char *comm);
struct task_struct *fork_idle(unsigned int cpu);
void free_task(struct task_struct *p);
void set_task_comm(struct task_struct *p, const char *comm);

/* All tasks, idle ones included, in order of pid then hart. */
extern struct list_head task_list;
extern spinlock_t tasklist_lock;

/* arch */
struct task_struct *__switch_to(struct task_struct *prev, struct task_struct *next);
void ret_from_kernel_thread(void);

#endif
