/* internal.h - what the files of kernel/events share. */
#ifndef KERNEL_EVENTS_INTERNAL_H
#define KERNEL_EVENTS_INTERNAL_H

#include <linux/perf_event.h>

/* ---- ring_buffer.c: the ring of a mapping ---- */

struct perf_buffer {
    atomic_t refcount;           /* events, mappings, a writer's */
    unsigned int nr_pages;       /* of data: a power of two, or 0 */
    bool overwrite;              /* the program cannot write data_tail */
    bool paused;                 /* nothing is written */
    u64 head;                    /* these by writers only, who have interrupts off */
    u64 wakeup, watermark;       /* bytes written since, and at which, the reader is woken */
    u64 lost;                    /* records that are not yet reported */
    unsigned int events;         /* records since the reader was woken */
    unsigned int poll;           /* what poll() returns next; atomics only */
    struct list_head event_list; /* events whose samples come here; under perf_rb_lock */
    struct perf_event_mmap_page *user_page;
    void *data_pages[];
};

/* A record that is being written; interrupts are off from begin to end. */
struct perf_output_handle {
    struct perf_event *event;
    struct perf_buffer *rb;
    u64 at; /* where the next byte goes */
    unsigned long flags;
    bool wake;
};

extern spinlock_t perf_rb_lock;

struct perf_buffer *rb_alloc(unsigned int nr_pages, long watermark, bool writable);
void ring_buffer_put(struct perf_buffer *rb);
/* The event's samples go to rb (NULL: nowhere) from now on; takes no reference over. */
void ring_buffer_attach(struct perf_event *event, struct perf_buffer *rb);
/* The ring of an event, with a reference, or NULL. */
struct perf_buffer *ring_buffer_get(struct perf_event *event);
void perf_event_wakeup(struct perf_event *event);
/* Pages of the mapping: 0 is the user page. NULL: there is none. */
struct page *perf_mmap_to_page(struct perf_buffer *rb, unsigned long pgoff);

/* Reserves a record. False: there is no ring, or it is full. */
bool perf_output_begin(struct perf_output_handle *handle, struct perf_event *event,
                       unsigned int size);
void perf_output_copy(struct perf_output_handle *handle, const void *buf, unsigned int len);
void perf_output_end(struct perf_output_handle *handle);

#define perf_output_put(handle, x) perf_output_copy((handle), &(x), sizeof(x))

/* ---- callchain.c ---- */

enum { PERF_MAX_STACK_DEPTH = 127, PERF_MAX_CONTEXTS_PER_STACK = 8, PERF_NR_CONTEXTS = 4 };

struct perf_callchain_entry {
    u64 nr;
    u64 ip[PERF_MAX_STACK_DEPTH + PERF_MAX_CONTEXTS_PER_STACK];
};

/* Memory for chains, while there are events that need it. 0 or -ENOMEM; under perf_event_mutex. */
int get_callchain_buffers(void);
void put_callchain_buffers(void);
/* The chain of the event's sample, in a buffer of this hart and context; interrupts are off. */
const struct perf_callchain_entry *perf_callchain(struct perf_event *event, struct pt_regs *regs);

/* ---- core.c ---- */

extern struct mutex perf_event_mutex;

static inline u64 perf_clock(void);
int perf_get_context_level(void);
void perf_event_disable_inatomic(struct perf_event *event);
void perf_event_update_userpage(struct perf_event *event);
/* Values for read_format, into at most PERF_MAX_READ words; returns how many. */
unsigned int perf_event_values(struct perf_event *event, u64 *values, unsigned int room);
/* Calls fn for the events of this hart and of current that may get records about tasks. */
void perf_iterate_sb(void (*fn)(struct perf_event *event, void *data), void *data);

/* ---- sample.c ---- */

enum { PERF_MAX_READ = 3 + 3 * 64 };

/* sample_id_all: the members of a record's end, and their size. */
unsigned int perf_event_id_size(const struct perf_event *event);
void perf_output_id(struct perf_output_handle *handle, struct perf_event *event,
                    const struct task_struct *task);
void perf_log_throttle(struct perf_event *event, bool enable);
void perf_event_read_record(struct perf_event *event, const struct task_struct *task);

/* ---- software.c ---- */

void perf_software_init(void);

#include <linux/timekeeping.h>

static inline u64 perf_clock(void)
{
    return sched_clock();
}

#endif
