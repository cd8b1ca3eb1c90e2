/*
 * perf_event.h - counters and samples of a task or of a hart: perf_event_open(2).
 *
 * A struct perf_event counts something; its pmu knows how. The events of a task and those of a hart
 * are each in a context. A context of a task is active on the hart that runs the task, that of a
 * hart always; its counts change on that hart only, and its lists under its lock with interrupts
 * off. The hooks below cost a nop while there is no event that needs them.
 */
#ifndef LINUX_PERF_EVENT_H
#define LINUX_PERF_EVENT_H

#include <linux/jump_label.h>
#include <linux/types.h>
#include <uapi/linux/perf_event.h>

struct file;
struct linux_binprm;
struct mm_struct;
struct pt_regs;
struct task_struct;
struct vm_area_struct;

#ifdef CONFIG_PERF_EVENTS

#include <asm/ptrace.h>
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

struct bpf_prog;
struct event_filter;
struct perf_buffer;
struct perf_event;
struct trace_event_call;

enum perf_event_state {
    PERF_EVENT_STATE_DEAD = -4,  /* its file is closed */
    PERF_EVENT_STATE_EXIT = -3,  /* its task has ended */
    PERF_EVENT_STATE_ERROR = -2, /* pinned, and there was no counter for it */
    PERF_EVENT_STATE_OFF = -1,
    PERF_EVENT_STATE_INACTIVE = 0, /* on, but its context is not, or there is no counter for it */
    PERF_EVENT_STATE_ACTIVE = 1,
};

/* hw.state: it does not count; its count is up to date. */
enum { PERF_HES_STOPPED = 1, PERF_HES_UPTODATE = 2 };
/* Of add() and stop(). */
enum { PERF_EF_START = 1, PERF_EF_RELOAD = 2, PERF_EF_UPDATE = 4 };
enum { PERF_PMU_CAP_NO_INTERRUPT = 1 };

/* A part of an attr that has a name: a file in the directory `format` of a pmu. */
struct pmu_format {
    const char *name, *bits;
};

/* What counts. From add() on: on the event's hart, with interrupts off. */
struct pmu {
    struct list_head entry;
    const char *name; /* of its directory in /sys/bus/event_source/devices; NULL: none */
    const struct pmu_format *formats; /* up to one without a name; NULL: none */
    unsigned int type, capabilities;
    /* Replaces what attr points to by numbers; NULL: it never points. No lock is held. */
    int (*read_attr)(struct perf_event_attr *attr);
    /* 0; -ENOENT: not an event of this pmu; or why it is refused. May sleep. */
    int (*event_init)(struct perf_event *event);
    int (*add)(struct perf_event *event, int flags); /* 0 or an error: no counter */
    void (*del)(struct perf_event *event, int flags);
    void (*start)(struct perf_event *event, int flags);
    void (*stop)(struct perf_event *event, int flags);
    void (*read)(struct perf_event *event); /* brings count up to date */
};

struct hw_perf_event {
    u64 config;             /* the pmu's own */
    int idx;                /* the counter; -1: none */
    int state;              /* PERF_HES_* */
    u64 prev_count;         /* of the counter or clock when count was last brought up to date */
    u64 sample_period;      /* 0: it does not sample */
    u64 last_period;        /* of the present period */
    s64 period_left;        /* software: counts up to 0; hardware: what is left of the period */
    u64 interrupts_seq;     /* the tick in which ... */
    u64 interrupts;         /* ... it sampled so often */
    u64 freq_time_stamp;    /* of the last sample, or of ... */
    u64 freq_count_stamp;   /* ... this count at the last tick; for freq */
    struct hrtimer hrtimer; /* of clocks */
    struct task_struct *target;
    struct list_head link; /* of the hart's events of this kind */
};

/* What a sample is made of. */
struct perf_sample_data {
    u64 addr, period;
    const void *raw; /* raw_size bytes; NULL: none */
    u32 raw_size;
    const struct perf_callchain_entry *callchain; /* these by perf_prepare_sample() */
    u64 ip, time;
};

typedef void (*perf_overflow_handler_t)(struct perf_event *event, struct perf_sample_data *data,
                                        struct pt_regs *regs);

struct perf_event_context {
    spinlock_t lock;                                 /* guards the members below; interrupts off */
    int cpu;                                         /* the hart on which it is active; -1: none */
    struct list_head pinned_groups, flexible_groups; /* leaders, by group_entry */
    struct list_head event_list;                     /* all, by event_entry */
    unsigned int nr_events, nr_freq;
    bool rotate; /* there was no counter for a group */
    bool dead;   /* its task has ended */
    u64 time;    /* that it was active, in ns, until timestamp */
    u64 timestamp;
    struct task_struct *task; /* NULL: of a hart */
    atomic_t refcount;
};

struct perf_event {
    struct list_head event_entry, group_entry;
    struct list_head sibling_list; /* of a leader: the others of its group, by sibling_entry */
    struct list_head sibling_entry;
    unsigned int nr_siblings;
    struct perf_event *group_leader;
    struct pmu *pmu;
    enum perf_event_state state;
    u64 count;       /* atomics only */
    u64 child_count; /* of children that have ended, as the next two */
    u64 child_total_time_enabled, child_total_time_running;
    u64 total_time_enabled, total_time_running; /* until tstamp, a time of its context */
    u64 tstamp;
    u64 lost_samples; /* atomics only */
    u64 id;
    int cpu;   /* counts on this hart only; -1: on any */
    int oncpu; /* while it is active */
    struct perf_event_attr attr;
    struct hw_perf_event hw;
    struct perf_event_context *ctx;

    struct perf_event *parent;                /* the event that this one was inherited of */
    struct list_head child_list, child_entry; /* under perf_event_mutex */
    struct task_struct *owner;

    struct mutex mmap_mutex; /* guards the next two; rb is also read with interrupts off */
    unsigned int mmap_count;
    struct perf_buffer *rb;       /* where its samples go; NULL: nowhere */
    struct list_head rb_entry;    /* events of the same rb; under perf_rb_lock */
    struct wait_queue_head waitq; /* poll() */
    struct irq_work pending_irq;
    unsigned int pending_wakeup, pending_disable; /* what pending_irq is to do */
    u32 pending_kill;                             /* what poll() returns: POLLIN, POLLHUP */
    atomic_t event_limit;                         /* of PERF_EVENT_IOC_REFRESH; 0: none */
    perf_overflow_handler_t overflow_handler;

    struct trace_event_call *tp_event;
    struct event_filter *filter; /* of a tracepoint; readers have preemption off */
    bool filter_is_broken;
    struct bpf_prog *prog;
    void (*destroy)(struct perf_event *event);
};

/* kernel/events/core.c */
extern struct static_key perf_swevent_enabled[PERF_COUNT_SW_MAX];
DECLARE_STATIC_KEY_FALSE(perf_sched_events);
extern int sysctl_perf_event_paranoid, sysctl_perf_event_sample_rate, sysctl_perf_event_max_stack;

void perf_event_init(void);
/* drivers/perf/riscv_pmu_sbi.c */
void riscv_pmu_init(void);
void riscv_pmu_interrupt(void);
void perf_pmu_register(struct pmu *pmu, const char *name, int type);
/* For the pmus: the period is over, with this many events still to come until the next sample. */
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
                        struct pt_regs *regs);
/* Counts nr events, and samples. */
void perf_swevent_event(struct perf_event *event, u64 nr, struct perf_sample_data *data,
                        struct pt_regs *regs);
/* Restarts an event's period; returns how many have passed. */
u64 perf_swevent_set_period(struct perf_event *event);
/* Keeps an event from counting inside of itself: the level, for put; -1: it does. */
int perf_swevent_get_recursion_context(void);
void perf_swevent_put_recursion_context(int rctx);
/* Writes a sample to the event's ring; the usual overflow_handler. */
void perf_event_output(struct perf_event *event, struct perf_sample_data *data,
                       struct pt_regs *regs);
/* The event of a descriptor, with a reference to its file; ERR_PTR(-EBADF). */
struct file *perf_event_get(unsigned int fd);
struct perf_event *perf_event_of(struct file *file);

static inline bool is_sampling_event(const struct perf_event *event)
{
    return event->attr.sample_period != 0;
}

static inline void perf_sample_data_init(struct perf_sample_data *data, u64 addr, u64 period)
{
    data->addr = addr;
    data->period = period;
    data->raw = NULL;
    data->raw_size = 0;
    data->callchain = NULL;
}

/* The registers of the caller of the function that this is inlined into, as far as they matter. */
static __always_inline void perf_fetch_caller_regs(struct pt_regs *regs)
{
    regs->epc = (unsigned long)__builtin_return_address(0);
    regs->s0 = (unsigned long)__builtin_frame_address(0);
    regs->sp = regs->s0;
    regs->status = SR_SPP;
}

/* ---- hooks ---- */

void __perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr);
void __perf_sw_event_sched(u32 event_id);
void __perf_event_task_sched_out(struct task_struct *prev);
void __perf_event_task_sched_in(struct task_struct *task);
void __perf_event_task_tick(void);

static __always_inline void perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
    if (static_key_false(&perf_swevent_enabled[event_id]))
        __perf_sw_event(event_id, nr, regs, addr);
}

static __always_inline void perf_event_task_migrate(struct task_struct *task)
{
    if (static_key_false(&perf_swevent_enabled[PERF_COUNT_SW_CPU_MIGRATIONS]))
        task->sched_migrated = 1;
}

/* Before a switch, and after it; interrupts are off and the queue is locked. */
static __always_inline void perf_event_task_sched_out(struct task_struct *prev)
{
    if (static_key_false(&perf_swevent_enabled[PERF_COUNT_SW_CONTEXT_SWITCHES]))
        __perf_sw_event_sched(PERF_COUNT_SW_CONTEXT_SWITCHES);
    if (static_branch_unlikely(&perf_sched_events))
        __perf_event_task_sched_out(prev);
}

static __always_inline void perf_event_task_sched_in(struct task_struct *task)
{
    if (static_branch_unlikely(&perf_sched_events))
        __perf_event_task_sched_in(task);
    if (static_key_false(&perf_swevent_enabled[PERF_COUNT_SW_CPU_MIGRATIONS]) &&
        task->sched_migrated) {
        __perf_sw_event_sched(PERF_COUNT_SW_CPU_MIGRATIONS);
        task->sched_migrated = 0;
    }
}

static __always_inline void perf_event_task_tick(void)
{
    if (static_branch_unlikely(&perf_sched_events))
        __perf_event_task_tick();
}

/* The child inherits events. 0 or -ENOMEM. */
int perf_event_init_task(struct task_struct *child);
void perf_event_exit_task(struct task_struct *child);
/* A task that was never run. */
void perf_event_free_task(struct task_struct *child);
/* Records for tools. */
void perf_event_fork(struct task_struct *child);
void perf_event_comm(struct task_struct *task, bool exec);
void perf_event_exec(void);
void perf_event_mmap(struct vm_area_struct *vma);
/* The program can be run from now on, or is freed: records of it, and of each function's text. */
void perf_event_bpf_event(const struct bpf_prog *prog, enum perf_bpf_event_type type);

#else

static inline void perf_event_init(void) {}
static inline void riscv_pmu_interrupt(void) {}

static inline void perf_sw_event(u32 event_id, u64 nr, struct pt_regs *regs, u64 addr)
{
    (void)event_id;
    (void)nr;
    (void)regs;
    (void)addr;
}

#define perf_event_task_migrate(task)    ((void)(task))
#define perf_event_task_sched_out(prev)  ((void)(prev))
#define perf_event_task_sched_in(task)   ((void)(task))
#define perf_event_task_tick()           ((void)0)
#define perf_event_init_task(child)      0
#define perf_event_exit_task(child)      ((void)(child))
#define perf_event_free_task(child)      ((void)(child))
#define perf_event_fork(child)           ((void)(child))
#define perf_event_comm(task, exec)      ((void)(task), (void)(exec))
#define perf_event_exec()                ((void)0)
#define perf_event_mmap(vma)             ((void)(vma))
#define perf_event_bpf_event(prog, type) ((void)(prog), (void)(type))

#endif

#endif
