/*
 * sched.h - run queues and scheduling classes, for the scheduler's own files.
 *
 * A running task counts as queued (on_rq), but it is in no list: picking a task takes it off
 * the list, putting it back adds it again.
 */
#ifndef KERNEL_SCHED_SCHED_H
#define KERNEL_SCHED_SCHED_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

enum { TASK_ON_RQ_QUEUED = 1, TASK_ON_RQ_MIGRATING = 2 };

/* Why a task is put on a queue. */
enum {
    ENQUEUE_WAKEUP, /* it slept, or is new */
    ENQUEUE_MOVED,  /* it comes from another hart's queue */
    ENQUEUE_BACK,   /* it ran here until now */
};

struct rq {
    spinlock_t lock; /* held during a context switch, until the last task has left its stack */
    unsigned int cpu;
    struct task_struct *curr; /* these and the rest under lock */
    struct task_struct *idle;
    unsigned int nr_queued;        /* waiting tasks of all classes */
    struct list_head stop;         /* waiting tasks of each class */
    struct list_head dl;           /* by deadline */
    struct list_head dl_throttled; /* not in nr_queued: deadline.c */
    struct list_head rt;           /* by priority, then first come, first served */
    struct list_head fair;         /* by vruntime */
    unsigned int nr_fair;
    unsigned long fair_load; /* sum of the weights in fair */
    u64 min_vruntime;        /* what a task that joins the fair class starts from */
    unsigned int balance_ticks;
};

/* All called with rq->lock held. */
struct sched_class {
    unsigned int rank; /* lower runs first */
    void (*enqueue)(struct rq *rq, struct task_struct *p, int why);
    void (*dequeue)(struct rq *rq, struct task_struct *p);
    /* p, which runs, goes to sleep or to another hart. */
    void (*leave)(struct rq *rq, struct task_struct *p);
    /* The first queued task that may run on cpu, or NULL; it stays queued. */
    struct task_struct *(*first)(struct rq *rq, unsigned int cpu);
    void (*charge)(struct rq *rq, struct task_struct *curr, u64 delta);
    /* True: curr has run long enough. */
    bool (*tick)(struct rq *rq, struct task_struct *curr);
    /* p has just become runnable: true if it is to run before curr, which is of the same class. */
    bool (*preempts)(struct rq *rq, struct task_struct *p, struct task_struct *curr);
    void (*yield)(struct rq *rq, struct task_struct *curr);
    /* p has just joined this class. */
    void (*switched_to)(struct rq *rq, struct task_struct *p);
    /* Chooses the hart for p, which wakes up; pi_lock is held, no queue's lock is. */
    unsigned int (*select_rq)(struct task_struct *p, unsigned long allowed);
};

extern const struct sched_class stop_sched_class, dl_sched_class, rt_sched_class, fair_sched_class;
extern struct rq runqueues[NR_CPUS];

static inline bool task_allowed_on(const struct task_struct *p, unsigned int cpu)
{
    return READ_ONCE(p->cpus_allowed) >> cpu & 1;
}

/* The first task of the list that may run on cpu, or NULL. */
struct task_struct *first_allowed(struct list_head *queue, unsigned int cpu);
unsigned long nice_to_weight(int nice);

/* core.c */
struct rq *task_rq_lock(struct task_struct *p);
void resched_curr(struct rq *rq);
/* p has become runnable: reschedules the hart if p is to run before what it runs. */
void check_preempt_curr(struct rq *rq, struct task_struct *p);
/* The lists of rq have changed. */
void note_overload(struct rq *rq);

/* deadline.c */
/* Whether these are parameters of a deadline task. 0 or -EINVAL. */
int sched_dl_check(const struct sched_attr *attr);
/* Sets them; the queue's lock is held. 0 or -EBUSY: the harts cannot do all that. */
int sched_dl_set(struct task_struct *p, const struct sched_attr *attr);
/* p goes to another class. */
void sched_dl_leave(struct task_struct *p);
/* p has ended. Interrupts are off, no queue is locked. */
void sched_dl_dead(struct task_struct *p);

#endif
