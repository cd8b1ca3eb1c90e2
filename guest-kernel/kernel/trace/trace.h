/* trace.h - shared by the files of the tracers: entries, options, tracers, readers. */
#ifndef KERNEL_TRACE_H
#define KERNEL_TRACE_H

#include <asm/syscall.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/mutex.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>
#include <linux/trace_events.h>
#include <linux/tracefs.h>

/* ---- entries ---- */

enum trace_type {
    TRACE_FN = 1,
    TRACE_CTX = 2,
    TRACE_WAKE = 3,
    TRACE_STACK = 4,
    TRACE_PRINT = 5,
    TRACE_BPRINT = 6,
    TRACE_MMIO_RW = 7,
    TRACE_MMIO_MAP = 8,
    TRACE_BRANCH = 9,
    TRACE_GRAPH_RET = 10,
    TRACE_GRAPH_ENT = 11,
    TRACE_USER_STACK = 12,
    TRACE_BLK = 13,
    TRACE_BPUTS = 14,
    TRACE_RAW_DATA = 18,
    TRACE_FUNC_REPEATS = 19,
    TRACE_LAST_TYPE = 20, /* types from here on are assigned at registration */
};

enum trace_flag_type {
    TRACE_FLAG_IRQS_OFF = 0x01,
    TRACE_FLAG_NEED_RESCHED = 0x04,
    TRACE_FLAG_HARDIRQ = 0x08,
    TRACE_FLAG_SOFTIRQ = 0x10,
    TRACE_FLAG_PREEMPT_RESCHED = 0x20, /* never set: RISC-V has no such bit in preempt_count */
};

struct ftrace_entry {
    struct trace_entry ent;
    unsigned long ip;
    unsigned long parent_ip;
} __packed;

/* Of TRACE_CTX and TRACE_WAKE. The states are numbers of bits of TASK_REPORT, 0: runnable. */
struct ctx_switch_entry {
    struct trace_entry ent;
    unsigned int prev_pid, next_pid, next_cpu;
    unsigned char prev_prio, prev_state, next_prio, next_state;
};

struct stack_entry {
    struct trace_entry ent;
    int size;
    unsigned int pad;
    unsigned long caller[];
};

enum { USER_STACK_ENTRIES = 8 };

/* What was written to trace_marker_raw; the ring pads it to a multiple of four bytes. */
struct raw_data_entry {
    struct trace_entry ent;
    unsigned int id;
    char buf[];
};

struct userstack_entry {
    struct trace_entry ent;
    unsigned int tgid;
    unsigned long caller[USER_STACK_ENTRIES]; /* 0 after the last one */
} __packed;

struct func_repeats_entry {
    struct trace_entry ent;
    unsigned long ip;
    unsigned long parent_ip;
    u16 count;
    u16 top_delta_ts; /* time from the last repetition to this entry, in the clock's units */
    u32 bottom_delta_ts;
} __packed;

struct ftrace_graph_ent_entry {
    struct trace_entry ent;
    struct ftrace_graph_ent graph_ent;
} __packed;

struct ftrace_graph_ret_entry {
    struct trace_entry ent;
    struct ftrace_graph_ret ret;
} __packed;

struct print_entry {
    struct trace_entry ent;
    unsigned long ip;
    char buf[];
} __packed;

/* Of TRACE_BPRINT: a constant format, and its arguments as of vbin_printf(). */
struct bprint_entry {
    struct trace_entry ent;
    unsigned long ip;
    const char *fmt;
    u32 buf[];
};

/* Of TRACE_BPUTS: a constant string. */
struct bputs_entry {
    struct trace_entry ent;
    unsigned long ip;
    const char *str;
};

enum { TRACE_FUNC_SIZE = 30, TRACE_FILE_SIZE = 20 };

/* Of TRACE_BRANCH. */
struct trace_branch {
    struct trace_entry ent;
    unsigned int line;
    char func[TRACE_FUNC_SIZE + 1];
    char file[TRACE_FILE_SIZE + 1];
    char correct;
    char constant;
};

_Static_assert(offsetof(struct ftrace_graph_ret_entry, ret.rettime) == 40, "not Linux's layout");

/* ---- options ---- */

#ifdef CONFIG_PROFILE_BRANCHES
#define BRANCH_FLAGS C(BRANCH, "branch")
#else
#define BRANCH_FLAGS
#endif

/* Options of all tracers: C(bit, name in trace_options), in Linux's order. */
#define TRACE_FLAGS                     \
    C(PRINT_PARENT, "print-parent")     \
    C(SYM_OFFSET, "sym-offset")         \
    C(SYM_ADDR, "sym-addr")             \
    C(VERBOSE, "verbose")               \
    C(RAW, "raw")                       \
    C(HEX, "hex")                       \
    C(BIN, "bin")                       \
    C(PRINTK, "trace_printk")           \
    C(ANNOTATE, "annotate")             \
    C(USERSTACKTRACE, "userstacktrace") \
    C(CONTEXT_INFO, "context-info")     \
    C(LATENCY_FMT, "latency-format")    \
    C(RECORD_CMD, "record-cmd")         \
    C(RECORD_TGID, "record-tgid")       \
    C(OVERWRITE, "overwrite")           \
    C(STOP_ON_FREE, "disable_on_free")  \
    C(IRQ_INFO, "irq-info")             \
    C(MARKERS, "markers")               \
    C(EVENT_FORK, "event-fork")         \
    C(PAUSE_ON_TRACE, "pause-on-trace") \
    C(FUNCTION, "function-trace")       \
    C(FUNC_FORK, "function-fork")       \
    C(DISPLAY_GRAPH, "display-graph")   \
    C(STACKTRACE, "stacktrace") BRANCH_FLAGS

#define C(bit, name) TRACE_ITER_##bit##_BIT,
enum trace_iterator_bits { TRACE_FLAGS TRACE_ITER_LAST_BIT };
#undef C
#define C(bit, name) TRACE_ITER_##bit = 1u << TRACE_ITER_##bit##_BIT,
enum trace_iterator_flags { TRACE_FLAGS };
#undef C

/* How symbols are printed; for trace_seq_print_sym(). */
#define TRACE_ITER_SYM_MASK (TRACE_ITER_PRINT_PARENT | TRACE_ITER_SYM_OFFSET | TRACE_ITER_SYM_ADDR)

/* An option of one tracer. */
struct tracer_opt {
    const char *name; /* NULL ends the list */
    u32 bit;
};

struct tracer_flags {
    u32 val; /* under trace_types_lock, read by any hart */
    const struct tracer_opt *opts;
};

/* ---- the trace, and its readers ---- */

struct func_command;
struct trace_option_file;
struct trace_pid_list;
struct tracing_err_log;
struct tracer;

/* What is known of one hart's entries in a buffer, for the headers of latency tracers. */
struct trace_array_cpu {
    atomic_t disabled;             /* the hart is in a tracer: its functions are not recorded */
    bool ignore_pid;               /* events of the hart's task are not recorded */
    unsigned long skipped_entries; /* entries from before time_start, found by a reader */
    u64 saved_latency;             /* the rest describes the longest section */
    u64 preempt_timestamp;         /* when the section began */
    unsigned long critical_start, critical_end;
    unsigned long critical_sequence; /* number of the last new maximum when it began */
    int nice, policy, rt_priority, pid;
    char comm[TASK_COMM_LEN];
};

/* Rings, and what is known of their entries. */
struct array_buffer {
    struct trace_array *tr;
    struct trace_buffer *buffer;
    u64 time_start;   /* of the last reset, or of the longest section */
    unsigned int cpu; /* the hart of that section */
    struct trace_array_cpu data[NR_CPUS];
};

struct trace_array;

/* Tasks in TRACE_PIDS are traced (no set: all), except those in TRACE_NO_PIDS. */
enum trace_pid_type { TRACE_PIDS, TRACE_NO_PIDS, TRACE_PID_TYPES };

/* The private data of a file with a set of pids: trace_pid_files.c. */
struct trace_pid_file {
    struct trace_array *tr;
    enum trace_pid_type type;
    const struct trace_pid_file_ops *ops; /* below */
};

/* The private data of the files of one ring, or of all (cpu: RING_BUFFER_ALL_CPUS). */
struct trace_cpu_file {
    struct trace_array *tr;
    int cpu;
};

/* The last call that a hart recorded, for option func-no-repeats. Used by that hart only. */
struct func_repeats {
    unsigned long ip, parent_ip;
    unsigned int count; /* repetitions that were not recorded */
    u64 last_call;      /* time of the last repetition, by the trace clock */
};

/* A file with a set of functions; changed under filter_lock. See trace_filter_files.c. */
struct filter_set {
    struct ftrace_hash **hash;
    /* Replaces *hash by new, which is taken over. */
    int (*put)(struct ftrace_hash **hash, struct ftrace_hash *new);
    const char *empty;      /* text shown for an empty set */
    bool waits;             /* words for modules not yet loaded are kept */
    struct trace_array *tr; /* commands act on this trace; NULL: there are none */
};

/* State of a trace: the main one, or an instance (trace_instances.c). */
struct trace_array {
    struct trace_array *next; /* for_each_trace_array() */
    char *name;               /* NULL: the main trace */
    int ref; /* open files and users in the kernel: the instance stays; under trace_types_lock */
    struct dentry *dir;            /* NULL: the top directory */
    struct tracefs_owner *owner;   /* of an instance's files */
    struct ftrace_ops *ops;        /* of its tracer */
    struct func_command *commands; /* of set_ftrace_filter; NULL: none was used. ftrace_probe.c */
    struct filter_set filter_set, notrace_set; /* set_ftrace_filter, set_ftrace_notrace */
    struct func_repeats func_repeats[NR_CPUS];
    struct tracing_err_log *err_log;
    struct trace_option_file *option_files; /* under trace_types_lock */
    struct dentry *options_dir;
    struct array_buffer array_buffer;
    /* The snapshot: written by nobody; exchanged with the other as a whole or ring by ring. */
    struct array_buffer max_buffer;
    spinlock_t max_lock; /* held while they are exchanged; arch_spin_* only, with interrupts off */
    struct trace_cpu_file cpu_files[NR_CPUS], all_cpus_file;
    struct trace_pid_file function_pid_files[TRACE_PID_TYPES], event_pid_files[TRACE_PID_TYPES];
    /* The members below are under trace_types_lock; flags are read by any hart. */
    const struct tracer *current_trace;
    u32 trace_flags; /* TRACE_ITER_* */
    struct mutex stop_lock;
    int stop_count; /* open readers that pause recording; read by any hart */
    int trace_ref;  /* open trace_pipes: the tracer cannot be changed */
    unsigned int clock_id;
    unsigned int buffer_percent; /* how full a ring is before a reader of pages wakes up */
    unsigned long tracing_cpumask;
    bool allocated_snapshot;   /* max_buffer is as large as the other */
    unsigned long max_latency; /* ns; the longest section that a latency tracer has seen */
    bool buffer_expanded;      /* the first use has expanded it to trace_buf_size */
    /* Under event_mutex: the directory events/, those below it, and the events. */
    struct dentry *event_dir;
    struct trace_event_file *trace_marker_file; /* ftrace:print, for its triggers */
    struct list_head systems, events;
    int no_filter_buffering_ref; /* hists that use timestamps; read by any hart */
    bool clear_trace;            /* it had entries of a module that goes */
    /* By number; changed under syscall_trace_lock, read with preemption off. */
    struct trace_event_file *enter_syscall_files[NR_syscalls], *exit_syscall_files[NR_syscalls];
    int sys_refcount_enter, sys_refcount_exit;
    /* Replaced under ftrace_lock; readers have interrupts off. See ftrace_pid.c. */
    struct trace_pid_list *function_pids[TRACE_PID_TYPES];
    bool function_fork; /* option function-fork: children are traced like their parents */
    /* Replaced under event_mutex; readers have preemption off. See trace_events_pid.c. */
    struct trace_pid_list *event_pids[TRACE_PID_TYPES];
    bool event_fork; /* the probes of event-fork are attached; under event_mutex */
};

/* ---- printing of entries ---- */

/* Rounded, as the times in the trace. */
static inline u64 ns2usecs(u64 ns)
{
    return (ns + NSEC_PER_USEC / 2) / NSEC_PER_USEC;
}

struct trace_event *ftrace_find_event(int type);
/* For a form that a type does not have. */
enum print_line_t trace_nop_print(struct trace_iterator *iter);
void init_events(void);

/* ---- tracers ---- */

struct tracer {
    const char *name;
    int (*init)(struct trace_array *tr);
    void (*reset)(struct trace_array *tr);
    void (*start)(struct trace_array *tr);    /* tracing_on was set; may be NULL, like all below */
    void (*stop)(struct trace_array *tr);     /* tracing_on was cleared */
    int (*open)(struct trace_iterator *iter); /* a reader opens trace */
    int (*pipe_open)(struct trace_iterator *iter); /* a reader opens trace_pipe */
    void (*close)(struct trace_iterator *iter);
    void (*pipe_close)(struct trace_iterator *iter);
    /* trace_pipe is read, and has given all of iter->seq: may put a text of its own there. */
    void (*read)(struct trace_iterator *iter);
    void (*print_header)(struct seq_file *m, struct trace_iterator *iter);
    enum print_line_t (*print_line)(struct trace_iterator *iter);
    /* An option of this tracer is to change: an error prevents it. */
    int (*set_flag)(struct trace_array *tr, u32 old_flags, u32 bit, bool set);
    /* A common option is to change: any value but 0 prevents it. */
    int (*flag_changed)(struct trace_array *tr, u32 mask, bool set);
    int (*selftest)(struct tracer *trace, struct trace_array *tr); /* trace_selftest.c */
    int (*update_thresh)(struct trace_array *tr);                  /* tracing_thresh has changed */
    struct tracer_flags *flags;
    bool use_max_tr;      /* keeps its longest section in max_buffer */
    bool print_max;       /* `trace` shows max_buffer */
    bool noboot;          /* not as parameter ftrace= */
    bool allow_instances; /* instances may have it, too */
    struct tracer *next;  /* under trace_types_lock */
};

enum { MAX_TRACER_SIZE = 100 };

extern struct trace_array global_trace;
/*
 * All traces, the main one first. The list changes under event_mutex and trace_types_lock; who
 * holds neither has interrupts off.
 */
#define for_each_trace_array(tr) for (tr = &global_trace; tr; tr = READ_ONCE(tr->next))
extern struct mutex trace_types_lock;
extern struct tracer *trace_types; /* under trace_types_lock */

int register_tracer(struct tracer *type);
/* Whether this trace may have the tracer. */
bool trace_ok_for_array(const struct tracer *t, const struct trace_array *tr);
/* Ends the tracer of an instance that is going away; under trace_types_lock. */
void tracing_reset_tracer(struct trace_array *tr);
const struct tracer *nop_tracer(void);
int tracing_set_tracer(struct trace_array *tr, const char *name);
void tracing_set_on(struct trace_array *tr, bool on);
void tracing_reset_online_cpus(struct array_buffer *buf);
/* Expands the buffer to its full size before its first use. 0 or a negative error. */
int tracing_update_buffers(struct trace_array *tr);
int tracing_resize_ring_buffer(struct trace_array *tr, unsigned long size, int cpu);
extern unsigned long trace_buf_size; /* bytes for each hart, once expanded */

/* ---- writing ---- */

/* Flags and preempt_count of the current context, for an entry. */
unsigned int tracing_gen_ctx_flags(unsigned long irq_flags);
unsigned int tracing_gen_ctx(void);
/*
 * The rings that entries are written to now. A snapshot may exchange them at any time, so an entry
 * is committed to the rings that its room was reserved in.
 */
static inline struct trace_buffer *trace_buffer_of(const struct trace_array *tr)
{
    return READ_ONCE(tr->array_buffer.buffer);
}

/* NULL: not recording. The caller fills in the payload after the header and commits. */
void *trace_buffer_lock_reserve(struct trace_buffer *buffer, enum trace_type type, unsigned int len,
                                unsigned int trace_ctx);
void trace_buffer_unlock_commit(struct trace_array *tr, struct trace_buffer *buffer);
void trace_function(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
                    unsigned int trace_ctx);
void trace_stack(struct trace_array *tr, const unsigned long *callers, unsigned int n,
                 unsigned int trace_ctx);
/* Records the stack of the traced function; called by a tracer's callback with interrupts off. */
void trace_function_stack(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
                          unsigned int trace_ctx);
/* Records how many times a call was repeated, and when last. */
void trace_func_repeats(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
                        unsigned int count, u64 last_call, unsigned int trace_ctx);
/* Commits an event, and records stacks if the stacktrace options are set. */
void trace_event_commit(struct trace_array *tr, struct trace_buffer *buffer,
                        unsigned int trace_ctx);

/* Writes a message as trace_printk() does, to these rings. */
void trace_buffer_puts(struct trace_array *tr, struct trace_buffer *buffer, unsigned long ip,
                       const char *text);

/* ---- snapshots: trace_snapshot.c ---- */

extern unsigned long tracing_thresh; /* ns; 0: none */
extern bool trace_boot_snapshot;     /* parameter alloc_snapshot */

/* Under trace_types_lock. 0 or -ENOMEM. */
int tracing_alloc_snapshot_instance(struct trace_array *tr);
void tracing_free_snapshot_instance(struct trace_array *tr);
/* Takes a snapshot, in any context. Without memory for it, says so in the trace and stops it. */
void tracing_snapshot_instance(struct trace_array *tr);
/*
 * A latency tracer's longest section ends on hart cpu and was tsk's: makes its entries the
 * snapshot, of all harts or of this one. Interrupts are off.
 */
void update_max_tr(struct trace_array *tr, struct task_struct *tsk, unsigned int cpu);
void update_max_tr_single(struct trace_array *tr, struct task_struct *tsk, unsigned int cpu);
ssize_t trace_snapshot_write(struct file *file, const char *buf, size_t count, loff_t *pos);
void trace_print_snapshot_help(struct seq_file *m, const struct trace_iterator *iter);
void trace_create_latency_files(struct trace_array *tr, struct dentry *dir);

/* ---- reading ---- */

/* Takes the next entry in order of time; NULL at the end. */
const struct trace_entry *trace_find_next_entry_inc(struct trace_iterator *iter);
/* Returns the next entry of the current entry's hart without taking it; NULL: none. */
const struct trace_entry *trace_peek_same_cpu(struct trace_iterator *iter);
/* Skips that entry. */
void trace_skip_same_cpu(struct trace_iterator *iter);
/* Time of the next entry on any hart; at the end, of the current one. */
u64 trace_next_entry_ts(struct trace_iterator *iter);
bool trace_empty(struct trace_iterator *iter);
/* Formats the current entry to iter->seq. */
enum print_line_t print_trace_line(struct trace_iterator *iter);

/* trace_output.c */
void trace_seq_print_sym(struct trace_seq *s, unsigned long ip, int flags);
/* Prints the message of an entry of trace_printk() or trace_marker. False: it is none. */
bool trace_print_message(struct trace_iterator *iter);
enum print_line_t trace_print_context(struct trace_iterator *iter);
enum print_line_t trace_print_lat_context(struct trace_iterator *iter);
void trace_print_lat_fmt(struct trace_seq *s, const struct trace_entry *ent);

/* trace_headers.c */
/* The option changes unless the tracer objects; under trace_types_lock. 0 or -EINVAL. */
int set_tracer_flag(struct trace_array *tr, u32 mask, bool enabled);
void trace_print_header(struct seq_file *m, struct trace_iterator *iter);
void trace_default_header(struct seq_file *m, struct trace_iterator *iter);
void print_trace_header(struct seq_file *m, struct trace_iterator *iter); /* for latency-format */
void trace_buffer_entries(const struct array_buffer *buf, unsigned long *total,
                          unsigned long *entries);

/* trace_cmdlines.c: names of tasks by pid. */
void tracing_record_cmdline(const struct task_struct *task);
void trace_find_cmdline(int pid, char comm[TASK_COMM_LEN]);
void trace_create_cmdline_files(void);
int trace_init_cmdlines(void);

void tracing_record_tgid(const struct task_struct *task);
/* 0: it was not recorded. */
int trace_find_tgid(int pid);
/* Memory for the thread groups of pids, for option record-tgid. 0 or -ENOMEM. */
int trace_alloc_tgid_map(void);

/* trace_options.c */
int trace_set_options(struct trace_array *tr, char *option);
/* Adds the options of a tracer to options/; under trace_types_lock. 0 or -ENOMEM. */
int trace_add_tracer_options(struct trace_array *tr, const struct tracer *t);
void trace_create_option_files(struct trace_array *tr, struct dentry *dir);
void trace_free_option_files(struct trace_array *tr);

/* trace_clock.c */
int tracing_set_clock(struct trace_array *tr, const char *name);
bool trace_clock_in_ns(const struct trace_array *tr);
u64 trace_clock_now(const struct trace_array *tr);
void trace_create_clock_files(struct trace_array *tr, struct dentry *dir);

/* trace_functions_graph.c */
extern unsigned int fgraph_max_depth; /* 0: no limit; read by any hart */
/* The sets of set_graph_function and set_graph_notrace. */
extern struct ftrace_hash *ftrace_graph_hash, *ftrace_graph_notrace_hash;

int trace_graph_entry(struct ftrace_graph_ent *trace);
void trace_graph_return(struct ftrace_graph_ret *trace);

static inline int tracing_cpu_of(const struct inode *inode)
{
    return ((const struct trace_cpu_file *)inode->i_private)->cpu;
}

static inline struct trace_array *trace_array_of(const struct inode *inode)
{
    return ((const struct trace_cpu_file *)inode->i_private)->tr;
}

/* Serialises consuming readers, so that entries are returned in order. */
extern struct mutex trace_access_lock;

/* trace_read.c: files trace and trace_pipe of one hart or of all; parent NULL: top directory. */
void trace_create_read_files(struct dentry *parent, struct trace_cpu_file *file);
void trace_create_raw_file(struct dentry *dir, struct trace_cpu_file *file); /* trace_raw_pipe.c */

int init_nop_trace(void);
int init_function_trace(void);
#ifdef CONFIG_BLK_DEV_IO_TRACE
int init_blk_tracer(void);
#else
static inline int init_blk_tracer(void)
{
    return 0;
}
#endif
void trace_create_printk_formats(void); /* trace_printk.c */
int init_graph_trace(void);
int init_wakeup_tracer(void);
int init_mmio_trace(void);
bool tracer_is_noboot(const char *name);
#ifdef CONFIG_PROFILE_BRANCHES
int init_branch_tracer(void);
void trace_create_branch_files(struct dentry *dir); /* in trace_stat/ */
/* Option branch: beside any tracer. Under trace_types_lock. 0, or -EBUSY: another trace has it. */
int trace_branch_enable(struct trace_array *tr, bool enable);
#else
static inline int init_branch_tracer(void)
{
    return 0;
}

static inline void trace_create_branch_files(struct dentry *dir)
{
    (void)dir;
}
#endif
#ifdef CONFIG_IRQSOFF_TRACER
int init_irqsoff_tracer(void);
#else
static inline int init_irqsoff_tracer(void)
{
    return 0;
}
#endif
void trace_create_files(void);
/* The files that an instance has, too. */
void trace_create_array_files(struct trace_array *tr, struct dentry *dir);
/* Buffers and settings of a new trace. 0 or -ENOMEM. */
int init_trace_array(struct trace_array *tr, unsigned long size);
void trace_free_buffers(struct trace_array *tr);
void trace_create_instances(void); /* trace_instances.c */
/* Makes the ops of an instance's tracer; frees it, unregistered, after a grace period. */
int ftrace_allocate_ftrace_ops(struct trace_array *tr);
void ftrace_free_ftrace_ops(struct trace_array *tr);
void trace_sysctl_init(void);
void ftrace_sysctl_init(void);
void trace_create_buffer_files(struct trace_array *tr, struct dentry *dir);
void trace_create_marker_files(struct trace_array *tr, struct dentry *dir);

/* trace_filter_files.c: only in kernels that patch sites. */
#ifdef CONFIG_DYNAMIC_FTRACE
void trace_create_filter_files(void);
void trace_create_array_filter_files(struct trace_array *tr, struct dentry *dir);
/* Removes the commands of an instance that is going away. */
void ftrace_clear_commands(struct trace_array *tr);
/* A file with a set of functions, the filter of some ops. At boot. */
void trace_create_filter_file(const char *name, struct ftrace_hash **hash);
#else
static inline void ftrace_clear_commands(struct trace_array *tr)
{
    (void)tr;
}

static inline void trace_create_array_filter_files(struct trace_array *tr, struct dentry *dir)
{
    (void)tr;
    (void)dir;
}

static inline void trace_create_filter_files(void) {}
#endif

/* trace_stack.c */
void trace_create_stack_files(void);
void trace_start_boot_stack(void);
void trace_stack_forget(unsigned long ip); /* a module's site is gone; ftrace_lock is held */

/* The sets of pids of a trace: of functions (ftrace_pid.c), of events (trace_events_pid.c). */
struct trace_pid_file_ops {
    /* A copy of the set in use, to be changed; empty if there is none. NULL: no memory. */
    struct trace_pid_list *(*copy)(struct trace_array *tr, enum trace_pid_type type);
    /* Replaces the set by list, which is taken over and may be NULL. 0 or an error. */
    int (*set)(struct trace_array *tr, enum trace_pid_type type, struct trace_pid_list *list);
    bool (*has)(struct trace_array *tr, enum trace_pid_type type);
    const char *empty; /* what the file shows if there is no set */
};
extern const struct trace_pid_file_ops function_pid_file_ops, event_pid_file_ops;
bool ftrace_trace_task(const struct trace_array *tr, const struct task_struct *task);
void ftrace_set_pids(struct trace_array *tr, enum trace_pid_type type, struct trace_pid_list *list);
/* Option function-fork; under trace_types_lock. */
void ftrace_pid_follow_fork(struct trace_array *tr, bool enable);
void trace_create_pid_files(struct trace_array *tr, struct dentry *dir);

/* trace_events_pid.c: event_mutex is held. */
/* Option event-fork: children are added to their parents' sets, and tasks that end are removed. */
void trace_event_follow_fork(struct trace_array *tr, bool enable);
/* Whether events of the current task are left out; preemption is off. */
bool trace_event_ignore_this_pid(const struct trace_event_file *file);
/* Empties the sets of an instance that is going away. */
void trace_event_clear_pids(struct trace_array *tr);
bool trace_event_has_pids(const struct trace_array *tr);
void trace_create_kprobe_files(void); /* trace_kprobe.c */
void trace_start_boot_kprobes(char *list);
void trace_create_synth_file(void); /* trace_events_synth.c */
void trace_create_dynevent_file(void);
/* `sys_read`; NULL: unknown. trace_syscalls.c */
const char *trace_syscall_name(u64 nr);

/* trace_events.c */
extern struct mutex event_mutex;       /* held before trace_types_lock */
extern struct list_head ftrace_events; /* all events; under event_mutex */
extern struct list_head ftrace_common_fields;
/* Registers the kernel's events. */
void event_trace_init(void);
/* Adds all events to a trace, with their files in its directory (NULL: the top directory). */
int event_trace_add_tracer(struct dentry *parent, struct trace_array *tr);
/* Removes them. Both under event_mutex. */
void event_trace_del_tracer(struct trace_array *tr);
/* NULL: there is none. */
struct trace_event_file *__find_event_file(struct trace_array *tr, const char *system,
                                           const char *event);
/* The same of those that can be turned on. */
struct trace_event_file *find_event_file(struct trace_array *tr, const char *system,
                                         const char *event);
/* A field of the event, or one that all have; NULL: there is none. */
struct ftrace_event_field *trace_find_event_field(struct trace_event_call *call, const char *name);
/*
 * Turns an event on or off. soft_disable: for a user that only needs its probe (a trigger, or a
 * command of set_ftrace_filter); while there is one, turning it off only stops the recording.
 * event_mutex is held.
 */
int trace_event_enable_disable(struct trace_event_file *file, bool enable, bool soft_disable);
/* Turns on or off what a word of set_event or trace_event= names. -EINVAL: there is no such. */
int ftrace_set_clr_event(struct trace_array *tr, char *word, int set);
void ftrace_clear_events(struct trace_array *tr);
/* Keeps a dynamic event, or the module of one, from going away. */
bool trace_event_try_get_ref(struct trace_event_call *call);
void trace_event_put_ref(struct trace_event_call *call);

static inline bool trace_event_is_dynamic(const struct trace_event_call *call)
{
    return call->flags & TRACE_EVENT_FL_DYNAMIC;
}

/* trace_events_files.c: under event_mutex. 0 or -ENOMEM. */
int event_create_dir(struct trace_event_file *file);
void event_remove_dir(struct trace_event_file *file);
int event_create_toplevel_files(struct dentry *parent, struct trace_array *tr);

/* A name of a system, shared by the traces' directories of it: here one for each directory. */
struct event_subsystem {
    char *name;
    struct event_filter *filter; /* only an error, to be shown; NULL: none */
};

/* ---- filters of events: trace_events_filter.c; all but the first under event_mutex ---- */

/* Whether the entry is to be recorded. Preemption is off. */
int filter_match_preds(const struct event_filter *filter, const void *rec);
/*
 * Compiles the text for an event. 0, -EINVAL or -ENOMEM; after an error *filterp may be NULL or a
 * filter that lets everything pass. set_str: then its text, and error_log, show the error.
 */
int create_event_filter(struct trace_array *tr, struct trace_event_call *call, const char *text,
                        bool set_str, struct event_filter **filterp);
/* After a grace period, if probes have used it. */
void free_event_filter(struct event_filter *filter);
/* Sets the filter of an event, or of all events of a system that have its fields; "0": none. */
int apply_event_filter(struct trace_event_file *file, char *text);
int apply_subsystem_event_filter(struct trace_subsystem_dir *dir, char *text);
void print_event_filter(const struct trace_event_file *file, struct seq_file *m);
void print_subsystem_event_filter(const struct event_subsystem *system, struct seq_file *m);

/* ---- triggers of events: trace_events_trigger.c; all but the first two under event_mutex ---- */

/*
 * Acts as the event's triggers say; rec is its entry, NULL: there is none; ts is its time, if one
 * of the instance uses timestamps. Returns the types of those that are to act after it is
 * recorded, for event_triggers_post_call(). Preemption is off.
 */
unsigned int event_triggers_call(struct trace_event_file *file, const void *rec, u64 ts,
                                 unsigned int trace_ctx);
void event_triggers_post_call(struct trace_event_file *file, unsigned int after,
                              unsigned int trace_ctx);
/* Adds or removes what a line of the file says. */
int trigger_process_regex(struct trace_event_file *file, char *text);
void clear_event_triggers(struct trace_event_file *file);
/* Text of the file `hist`; file is the trace_event_file. */
int event_hist_show(struct seq_file *m, void *file);
/* Removes the event's enable_hist, and its hist triggers unless another event uses a variable of
 * one. */
void hist_unregister_all(struct trace_event_file *file);
void print_event_triggers(const struct trace_event_file *file, struct seq_file *m);

/* trace_error_log.c: adds error errs[type] at this place of a command to error_log; may sleep. */
void tracing_log_err(struct trace_array *tr, const char *loc, const char *cmd,
                     const char *const *errs, u8 type, u16 pos);
/* 0 or -ENOMEM. */
int trace_create_error_log(struct trace_array *tr, struct dentry *dir);
void trace_free_error_log(struct trace_array *tr);

/* trace_events_write.c: entries that may not be recorded are made in pages of each hart. */
int trace_buffered_event_enable(void);
void trace_create_profile_files(void);

/*
 * Passes what is written to a file to store(inode's private data, text), without blanks at both
 * ends. A text longer than TRACE_WRITE_MAX is -EINVAL.
 */
enum { TRACE_WRITE_MAX = 512 };
ssize_t trace_write_text(struct file *file, const char *buf, size_t count, loff_t *pos,
                         int (*store)(void *data, char *text));

/* Defines NAME_fops for a file with the functions NAME_show() and NAME_store(). */
#define DEFINE_TRACE_TEXT_FILE(name)                                                           \
    static ssize_t name##_write(struct file *file, const char *buf, size_t count, loff_t *pos) \
    {                                                                                          \
        return trace_write_text(file, buf, count, pos, name##_store);                          \
    }                                                                                          \
    DEFINE_SHOW_STORE_ATTRIBUTE(name)

/* A file with one number. */
struct trace_number_file {
    unsigned long (*get)(void);
    int (*set)(unsigned long value);
};
extern const struct file_operations trace_number_fops;

#endif
