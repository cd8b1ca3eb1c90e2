/* trace.h - between the parts of the tracer: entries, tracers, and turning one into text. */
#ifndef KERNEL_TRACE_H
#define KERNEL_TRACE_H

#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/mutex.h>
#include <linux/ring_buffer.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

enum trace_type {
    TRACE_FN = 1,
    TRACE_PRINT = 5,
    TRACE_GRAPH_RET = 10,
    TRACE_GRAPH_ENT = 11,
};

enum trace_flag_type {
    TRACE_FLAG_IRQS_OFF = 0x01,
    TRACE_FLAG_NEED_RESCHED = 0x04,
    TRACE_FLAG_HARDIRQ = 0x08,
    TRACE_FLAG_SOFTIRQ = 0x10,
    TRACE_FLAG_PREEMPT_RESCHED = 0x20, /* here always with NEED_RESCHED: it is one flag */
};

/* Head of every payload. */
struct trace_entry {
    u16 type;
    u8 flags;
    u8 preempt_count;
    s32 pid;
};

struct ftrace_entry {
    struct trace_entry ent;
    unsigned long ip;
    unsigned long parent_ip;
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

_Static_assert(offsetof(struct ftrace_graph_ret_entry, ret.rettime) == 32, "not Linux's layout");

/* One tracing session: the kernel's only one. */
struct tracer;
struct trace_array {
    struct trace_buffer buffer;
    const struct tracer *current_trace; /* under trace_types_lock */
};

struct trace_seq {
    unsigned int len;
    char buffer[1024];
};

/* A reader's place in all rings, and the entry it stands on. */
struct trace_iterator {
    struct trace_array *tr;
    const struct tracer *trace;
    struct trace_seq seq; /* the current entry as text */
    const struct trace_entry *ent;
    u64 ts;
    unsigned int cpu;
    loff_t pos; /* entries taken so far, headers being the first */
    struct ring_buffer_iter rings[NR_CPUS];
    void *private; /* the tracer's, from its open() */
};

enum print_line_t { TRACE_TYPE_UNHANDLED, TRACE_TYPE_HANDLED, TRACE_TYPE_NO_CONSUME };

struct tracer {
    const char *name;
    int (*init)(struct trace_array *tr);
    void (*reset)(struct trace_array *tr);
    void (*start)(struct trace_array *tr); /* tracing_on was set; may be NULL */
    void (*stop)(struct trace_array *tr);  /* it was cleared; may be NULL */
    int (*open)(struct trace_iterator *iter);
    void (*close)(struct trace_iterator *iter);
    void (*print_header)(struct seq_file *m, struct trace_iterator *iter);
    enum print_line_t (*print_line)(struct trace_iterator *iter);
    int (*selftest)(struct tracer *trace, struct trace_array *tr); /* trace_selftest.c */
    struct tracer *next;                                           /* under trace_types_lock */
};

enum { MAX_TRACER_SIZE = 100 };

extern struct trace_array global_trace;
extern struct mutex trace_types_lock;
extern struct tracer *trace_types;    /* under trace_types_lock */
extern unsigned int fgraph_max_depth; /* 0: no limit; read by any hart */

int register_tracer(struct tracer *type);
int tracing_set_tracer(struct trace_array *tr, const char *name);
void tracing_set_on(struct trace_array *tr, bool on);
void tracing_reset_online_cpus(struct trace_array *tr);

/* Writing. Interrupts off, irq_flags is sstatus from before that. */
void *trace_buffer_lock_reserve(struct trace_array *tr, enum trace_type type, unsigned int len,
                                unsigned long irq_flags);
void trace_buffer_unlock_commit(struct trace_array *tr);
void trace_function(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
                    unsigned long irq_flags);
int trace_write_marker(struct trace_array *tr, const char *text, size_t len);

/* Reading. */
void tracing_iter_start(struct trace_iterator *iter, struct trace_array *tr);
/* Takes the next entry in order of time; false at the end. */
bool trace_find_next_entry(struct trace_iterator *iter);
/* Makes iter->seq from the current entry. */
void print_trace_line(struct trace_iterator *iter);
void trace_find_cmdline(int pid, char comm[]);

/* trace_output.c */
void __printf(2, 3) trace_seq_printf(struct trace_seq *s, const char *fmt, ...);
void trace_print_context(struct trace_iterator *iter);
void trace_print_header(struct seq_file *m, struct trace_iterator *iter);
void trace_default_header(struct seq_file *m, struct trace_iterator *iter);
enum print_line_t trace_default_print_line(struct trace_iterator *iter);

/* trace_functions_graph.c: the sets of set_graph_function. */
extern struct ftrace_hash *ftrace_graph_hash;

int trace_graph_entry(struct ftrace_graph_ent *trace);
void trace_graph_return(struct ftrace_graph_ret *trace);

int init_nop_trace(void);
int init_function_trace(void);
int init_graph_trace(void);
void trace_create_files(void);

#endif
