/*
 * trace_events.h - entries of the trace, types of entries, and events: types that can be turned on
 * by name.
 *
 * An event (struct trace_event_call) has a class, which has the fields of its entries and knows how
 * to turn it on. TRACE_EVENT() makes both of one definition; other code may fill them in and call
 * trace_add_event_call(). A trace has a struct trace_event_file for each event, with its state in
 * that trace.
 */
#ifndef LINUX_TRACE_EVENTS_H
#define LINUX_TRACE_EVENTS_H

#include <linux/list.h>
#include <linux/ring_buffer.h>
#include <linux/trace_seq.h>
#include <linux/tracepoint.h>

struct array_buffer;
struct bpf_prog_array;
struct dentry;
struct event_filter;
struct event_subsystem;
struct perf_event;
struct pt_regs;
struct trace_array;
struct trace_event_call;
struct trace_event_file;
struct tracer;

/* ---- entries and their types ---- */

/* Header of every payload. */
struct trace_entry {
    u16 type;
    u8 flags;
    u8 preempt_count;
    s32 pid;
};

enum { TRACE_EVENT_TYPE_MAX = (1 << 16) - 1 };

/* A reader's position in all rings or in one, and its current entry. */
struct trace_iterator {
    struct trace_array *tr;
    struct array_buffer *array_buffer; /* what is read: the trace or its snapshot */
    const struct tracer *trace;
    int cpu_file;    /* this hart's ring only, or RING_BUFFER_ALL_CPUS */
    void *private;   /* set by the tracer's open() */
    u32 graph_flags; /* TRACE_GRAPH_*: columns of calls; 0: those of function_graph */
    /* Iterators of the rings; NULL: this reader consumes. */
    struct ring_buffer_iter *buffer_iter[NR_CPUS];
    bool annotate;            /* events were lost: mark where a hart's entries begin */
    unsigned long started;    /* harts whose begin was marked */
    bool snapshot;            /* the file `snapshot` */
    bool pauses;              /* recording is paused while it is open */
    struct trace_seq seq;     /* the current entry as text */
    struct trace_seq tmp_seq; /* parts of the current entry that are strings of their own */
    unsigned int given;       /* bytes of seq that were read */
    unsigned long lost_events;
    unsigned int cpu;
    u64 ts;
    unsigned long idx;             /* number of entries read */
    const struct trace_entry *ent; /* NULL, or into entry */
    unsigned int ent_size;
    u64 entry[BUF_MAX_DATA_SIZE / sizeof(u64)];
};

enum print_line_t {
    TRACE_TYPE_PARTIAL_LINE, /* the line did not fit */
    TRACE_TYPE_HANDLED,
    TRACE_TYPE_UNHANDLED,
    TRACE_TYPE_NO_CONSUME
};

/* For a function that prints an entry, at its end. */
static inline enum print_line_t trace_handle_return(const struct trace_seq *s)
{
    return trace_seq_has_overflowed(s) ? TRACE_TYPE_PARTIAL_LINE : TRACE_TYPE_HANDLED;
}

struct trace_event;
typedef enum print_line_t (*trace_print_func)(struct trace_iterator *iter, int flags,
                                              struct trace_event *event);

/* NULL: this form is only the number of the type. */
struct trace_event_functions {
    trace_print_func trace, raw, hex, binary;
};

/* A type of entries. */
struct trace_event {
    struct trace_event *next; /* in the hash of types */
    int type;                 /* 0: assign one */
    const struct trace_event_functions *funcs;
};

/* Returns the type, or 0 if it is taken or none is left. */
int register_trace_event(struct trace_event *event);
/* Returns when no reader uses the type any more. */
void unregister_trace_event(struct trace_event *event);

/* ---- parts of the text of an entry; each returns a string in tmp_seq ---- */

struct trace_print_flags {
    unsigned long mask;
    const char *name; /* NULL ends the list */
};

/* The names of the flags that are set, with delim between them; the rest as a number. */
const char *trace_print_flags_seq(struct trace_seq *p, const char *delim, unsigned long flags,
                                  const struct trace_print_flags *flag_array);
/* The name of the value, or the value in hexadecimal. */
const char *trace_print_symbols_seq(struct trace_seq *p, unsigned long val,
                                    const struct trace_print_flags *symbol_array);
/* A bitmap as hexadecimal numbers of 32 bits. */
const char *trace_print_bitmask_seq(struct trace_seq *p, const void *bitmask_ptr,
                                    unsigned int bitmask_size);
/* Bytes; concatenate: without blanks between them. */
const char *trace_print_hex_seq(struct trace_seq *p, const unsigned char *buf, int len,
                                bool concatenate);
/* `{0x1,0x2}`: count numbers of el_size bytes. */
const char *trace_print_array_seq(struct trace_seq *p, const void *buf, int count, size_t el_size);

/* For the print functions that TRACE_EVENT() makes. */
enum print_line_t trace_raw_output_prep(struct trace_iterator *iter, struct trace_event *event);
void __printf(2, 3) trace_event_printf(struct trace_iterator *iter, const char *fmt, ...);
enum print_line_t __printf(3, 4)
    trace_output_call(struct trace_iterator *iter, const char *name, const char *fmt, ...);

/* ---- events ---- */

/* What perf does with an event comes with no data. */
enum trace_reg {
    TRACE_REG_REGISTER,
    TRACE_REG_UNREGISTER,
    TRACE_REG_PERF_REGISTER,
    TRACE_REG_PERF_UNREGISTER,
};

#define TRACE_FUNCTION_TYPE ((const char *)~0UL)

/* A field, as TRACE_EVENT() and other definitions list them; type NULL ends the list. */
struct trace_event_fields {
    const char *type; /* TRACE_FUNCTION_TYPE: define_fields() adds the fields */
    union {
        struct {
            const char *name;
            const int size;
            const int align;
            const int is_signed;
            const int filter_type;
        };
        int (*define_fields)(struct trace_event_call *call);
    };
};

/* What a filter does with a field. */
enum {
    FILTER_OTHER = 0, /* a number */
    FILTER_STATIC_STRING,
    FILTER_DYN_STRING,
    FILTER_RDYN_STRING,
    FILTER_PTR_STRING,
    FILTER_TRACE_FN,
    FILTER_COMM,
    FILTER_CPU,
};

/* A field of an entry. */
struct ftrace_event_field {
    struct list_head link;
    const char *name;
    const char *type;
    int filter_type;
    int offset;
    int size;
    int is_signed;
};

struct trace_event_class {
    const char *system;
    void *probe; /* of a tracepoint */
#ifdef CONFIG_PERF_EVENTS
    void *perf_probe; /* the same for perf; NULL: perf cannot have it */
#endif
    /* Turns the event on or off; data is its trace_event_file. NULL: it cannot be turned on. */
    int (*reg)(struct trace_event_call *event, enum trace_reg type, void *data);
    const struct trace_event_fields *fields_array;
    struct list_head *(*get_fields)(struct trace_event_call *call); /* NULL: fields */
    struct list_head fields;
    int (*raw_init)(struct trace_event_call *call); /* registers its type */
};

enum {
    TRACE_EVENT_FL_FILTERED = 1,
    TRACE_EVENT_FL_CAP_ANY = 2,
    TRACE_EVENT_FL_NO_SET_FILTER = 4,
    TRACE_EVENT_FL_IGNORE_ENABLE = 8, /* not in set_event, nor turned on with others */
    TRACE_EVENT_FL_TRACEPOINT = 16,   /* tp is the tracepoint, else name the name */
    TRACE_EVENT_FL_DYNAMIC = 32,      /* added and removed while the system runs */
    TRACE_EVENT_FL_KPROBE = 64,
    TRACE_EVENT_FL_UPROBE = 128,
    TRACE_EVENT_FL_EPROBE = 256,
    TRACE_EVENT_FL_FPROBE = 512,
};

struct trace_event_call {
    struct list_head list; /* ftrace_events */
    struct trace_event_class *class;
    union {
        const char *name;
        struct tracepoint *tp;
    };
    struct trace_event event;
    const char *print_fmt;
    union {
        struct module *module; /* NULL: the kernel's */
        atomic_t refcnt;       /* of a TRACE_EVENT_FL_DYNAMIC event: users */
    };
    void *data;
    int flags; /* TRACE_EVENT_FL_* */
#ifdef CONFIG_PERF_EVENTS
    int perf_refcount;                 /* users; under event_mutex */
    struct list_head *perf_events;     /* of each hart: its active events */
    struct bpf_prog_array *prog_array; /* NULL: none; readers have preemption off */
#endif
};

enum {
    EVENT_FILE_FL_ENABLED = 1,
    EVENT_FILE_FL_RECORDED_CMD = 2,
    EVENT_FILE_FL_RECORDED_TGID = 4,
    EVENT_FILE_FL_FILTERED = 8,
    EVENT_FILE_FL_NO_SET_FILTER = 16,
    EVENT_FILE_FL_SOFT_MODE = 32,     /* its probe is registered for triggers or commands */
    EVENT_FILE_FL_SOFT_DISABLED = 64, /* its probe is registered, but nothing is recorded */
    EVENT_FILE_FL_TRIGGER_MODE = 128, /* it has triggers */
    EVENT_FILE_FL_TRIGGER_COND = 256, /* a trigger needs the entry */
    EVENT_FILE_FL_PID_FILTER = 512,
    EVENT_FILE_FL_WAS_ENABLED = 1024,
};

/* A directory of events/ of one trace. */
struct trace_subsystem_dir {
    struct list_head list;
    struct event_subsystem *subsystem;
    struct trace_array *tr;
    struct dentry *entry;
    int ref_count; /* one for the directory while it has events, one for each open file */
    int nr_events;
};

/* An event in one trace. */
struct trace_event_file {
    struct list_head list; /* tr->events */
    struct trace_event_call *event_call;
    struct event_filter *filter; /* replaced under event_mutex; readers have preemption off */
    struct dentry *dir;
    struct trace_array *tr;
    struct trace_subsystem_dir *system;
    struct list_head triggers; /* under event_mutex; readers have preemption off */
    unsigned long flags;       /* EVENT_FILE_FL_*; changed by atomics */
    atomic_t sm_ref;           /* users of SOFT_MODE */
    atomic_t tm_ref;           /* users of TRIGGER_MODE */
};

static inline const char *trace_event_name(const struct trace_event_call *call)
{
    return call->flags & TRACE_EVENT_FL_TRACEPOINT ? (call->tp ? call->tp->name : NULL)
                                                   : call->name;
}

static inline struct list_head *trace_get_fields(struct trace_event_call *call)
{
    return call->class->get_fields ? call->class->get_fields(call) : &call->class->fields;
}

/* Adds a field to the class. 0 or -ENOMEM. */
int trace_define_field(struct trace_event_call *call, const char *type, const char *name,
                       int offset, int size, int is_signed, int filter_type);
/* FILTER_* by the name of a type. */
int filter_assign_type(const char *type);

int trace_event_raw_init(struct trace_event_call *call);
int trace_event_reg(struct trace_event_call *event, enum trace_reg type, void *data);

/* Adds an event that is not in the kernel's table. 0 or an error. */
int trace_add_event_call(struct trace_event_call *call);
/* Removes it; -EBUSY: it is on in a trace. */
int trace_remove_event_call(struct trace_event_call *call);

/* Turns one event of the main trace, or of an instance (NULL: the main trace), on or off. */
int trace_set_clr_event(const char *system, const char *event, int set);

/* ---- writing entries ---- */

struct trace_event_buffer {
    struct trace_buffer *buffer; /* NULL: the entry is in a page of this hart */
    struct trace_event_file *trace_file;
    void *entry;
    unsigned int len;
    unsigned int trace_ctx;
    struct pt_regs *regs; /* NULL: unknown */
    bool only_triggers;   /* the entry is not recorded, whatever they do */
};

/* Returns the entry, len bytes with its header, or NULL: do not record. Preemption is off. */
void *trace_event_buffer_reserve(struct trace_event_buffer *fbuffer,
                                 struct trace_event_file *trace_file, unsigned long len);
/* Records the entry, if the event's filter and triggers let it. */
void trace_event_buffer_commit(struct trace_event_buffer *fbuffer);

static inline int __trace_event_vstr_len(const char *fmt, va_list *va)
{
    return vsnprintf(NULL, 0, fmt, *va) + 1; /* works on a copy of the list */
}

bool __trace_trigger_soft_disabled(struct trace_event_file *file);

/* True: the event need not make an entry. Called by a probe, with preemption off. */
static __always_inline bool trace_trigger_soft_disabled(struct trace_event_file *file)
{
    unsigned long eflags = READ_ONCE(file->flags);

    if (likely(!(eflags & (EVENT_FILE_FL_TRIGGER_MODE | EVENT_FILE_FL_SOFT_DISABLED |
                           EVENT_FILE_FL_PID_FILTER))))
        return false;
    if (likely(eflags & EVENT_FILE_FL_TRIGGER_COND))
        return false; /* decided when the entry is there */
    return __trace_trigger_soft_disabled(file);
}

#define is_signed_type(type) (((type)(-1)) < (type)1)

/* ---- events for perf: trace_event_perf.c ---- */

#ifdef CONFIG_PERF_EVENTS

#define PERF_MAX_TRACE_SIZE 8192

void perf_tp_register(void);
/* Makes the call what the event counts. 0 or an error. Under event_mutex. */
int perf_trace_init_call(struct perf_event *event, struct trace_event_call *call);
/*
 * A kprobe, or a kretprobe, that is an event of perf's alone, and in no file. ERR_PTR. The second
 * is called when no event of perf uses it any more.
 */
struct trace_event_call *create_local_trace_kprobe(unsigned long addr, bool is_return);
void destroy_local_trace_kprobe(struct trace_event_call *call);
/* 0 or an error; -EEXIST: it has one. */
int ftrace_profile_set_filter(struct perf_event *event, const char *text);
/*
 * For probes, with preemption off: a buffer for an entry of size bytes (and, with the u32 before
 * it in a sample, of whole words); NULL: this context is making one already. Then one of the next
 * two gives it back.
 */
void *perf_trace_buf_alloc(int size, struct pt_regs **regs, int *rctxp);
void perf_tp_event(u16 event_type, u64 count, void *record, int entry_size, struct pt_regs *regs,
                   struct list_head *head, int rctx);
/* With the BPF programs of the event first. */
void perf_trace_run_bpf_submit(void *raw_data, int size, int rctx, struct trace_event_call *call,
                               u64 count, struct pt_regs *regs, struct list_head *head);

static inline bool bpf_prog_array_valid(const struct trace_event_call *call)
{
    return READ_ONCE(call->prog_array);
}

#endif

#endif
