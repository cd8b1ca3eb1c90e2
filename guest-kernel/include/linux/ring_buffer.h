/*
 * ring_buffer.h - trace records, a ring of pages for each hart.
 *
 * A page is Linux's sub-buffer, in the same binary layout. Each hart writes to its own ring and
 * never waits; an interrupt may write in the middle of another write on its hart. Any hart may
 * read, one reader at a time. Consuming reads remove events from the ring; an iterator leaves
 * them there.
 */
#ifndef LINUX_RING_BUFFER_H
#define LINUX_RING_BUFFER_H

#include <asm/page.h>
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

struct ring_buffer_event {
    u32 type_len : 5, time_delta : 27;
    u32 array[];
};

enum ring_buffer_type {
    RINGBUF_TYPE_DATA_TYPE_LEN_MAX = 28, /* up to here: length of the payload in words */
    RINGBUF_TYPE_PADDING,
    RINGBUF_TYPE_TIME_EXTEND,
    RINGBUF_TYPE_TIME_STAMP,
};

enum {
    BUF_PAGE_HDR_SIZE = 16,
    BUF_PAGE_SIZE = PAGE_SIZE - BUF_PAGE_HDR_SIZE,
    /* The longest payload that fits on a page with its time extend and length words. */
    BUF_MAX_DATA_SIZE = BUF_PAGE_SIZE - 16,
    RING_BUFFER_ALL_CPUS = -1,
};

/* Flags in data->commit of a page that ring_buffer_read_page() returns. */
#define RB_MISSED_EVENTS (1UL << 31) /* events were lost before this page */
#define RB_MISSED_STORED (1UL << 30) /* their number follows the data */

struct buffer_data_page {
    u64 time_stamp;       /* of the first event */
    unsigned long commit; /* bytes of data */
    unsigned char data[BUF_PAGE_SIZE];
};

struct ring_buffer_per_cpu;

struct trace_buffer {
    atomic_t record_disabled; /* number of callers that disabled recording */
    bool record_on;           /* tracing_on */
    bool overwrite;           /* when full, overwrite the oldest events; else drop new ones */
    u64 (*clock)(void);
    struct mutex mutex; /* serialises changes of size, and resets */
    struct ring_buffer_per_cpu *cpu[NR_CPUS];
    wait_queue_head_t waiters; /* readers of empty rings */
    bool waiters_pending;      /* the next commit wakes the waiters */
    struct irq_work wake;
};

/* size: bytes of data in each hart's ring; a ring has at least two pages. NULL: no memory. */
struct trace_buffer *ring_buffer_alloc(unsigned long size, bool overwrite);
void ring_buffer_free(struct trace_buffer *buffer);
/*
 * Changes the size of one hart's ring, or of all; keeps the events that fit. Tracing may be on.
 * 0 or a negative error.
 */
int ring_buffer_resize(struct trace_buffer *buffer, unsigned long size, int cpu);
void ring_buffer_reset(struct trace_buffer *buffer);
void ring_buffer_reset_cpu(struct trace_buffer *buffer, unsigned int cpu);
/* Sets the clock; the buffer must be empty and not written to. */
void ring_buffer_set_clock(struct trace_buffer *buffer, u64 (*clock)(void));

/*
 * Writing. Returns NULL if recording is off or there is no room. The caller is not preempted
 * between reserve and commit; interrupts may write, too.
 */
struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer,
                                                   unsigned int length);
void ring_buffer_unlock_commit(struct trace_buffer *buffer);
/* The payload of an event, 4-byte aligned. */
void *ring_buffer_event_data(struct ring_buffer_event *event);
unsigned int ring_buffer_event_length(const struct ring_buffer_event *event);

/*
 * The time of an event that this hart has reserved and not yet committed; data is its payload of
 * this length.
 */
u64 ring_buffer_event_time_stamp(struct trace_buffer *buffer, const void *data,
                                 unsigned int length);

/* If all writers have interrupts off, no write is in progress when a disable function returns. */
void ring_buffer_record_disable(struct trace_buffer *buffer);
void ring_buffer_record_enable(struct trace_buffer *buffer);
void ring_buffer_record_disable_cpu(struct trace_buffer *buffer, unsigned int cpu);
void ring_buffer_record_enable_cpu(struct trace_buffer *buffer, unsigned int cpu);

/*
 * Consuming. The event returned stays valid until the next call for that hart. *ts is its time
 * stamp, *lost the number of events before it that were overwritten unread.
 */
struct ring_buffer_event *ring_buffer_peek(struct trace_buffer *buffer, unsigned int cpu, u64 *ts,
                                           unsigned long *lost);
struct ring_buffer_event *ring_buffer_consume(struct trace_buffer *buffer, unsigned int cpu,
                                              u64 *ts, unsigned long *lost);
/* Whether the oldest page that is unread is not being written any more. */
bool ring_buffer_has_full_page(struct trace_buffer *buffer, unsigned int cpu);
/* Copies the rest of one page as it is in the ring; false: nothing to read. */
bool ring_buffer_read_page(struct trace_buffer *buffer, unsigned int cpu,
                           struct buffer_data_page *into);
bool ring_buffer_empty_cpu(struct trace_buffer *buffer, unsigned int cpu);
bool ring_buffer_empty(struct trace_buffer *buffer);
/*
 * Called before a reader sleeps on buffer->waiters: the next write wakes it. The reader must
 * check for events once more after the call.
 */
void ring_buffer_expect_wakeup(struct trace_buffer *buffer);
void ring_buffer_wake_waiters(struct trace_buffer *buffer);
/* The same in any context, a little later. */
void ring_buffer_wake_later(struct trace_buffer *buffer);

/*
 * Exchanges the rings of hart cpu, which is the caller's, with interrupts off. -EBUSY: an entry is
 * being written; -EAGAIN: one of them does not record; -EINVAL: they differ in size.
 */
int ring_buffer_swap_cpu(struct trace_buffer *a, struct trace_buffer *b, unsigned int cpu);

/* Iterating over the events in the ring; writers may overwrite them meanwhile. */
struct ring_buffer_iter;
struct ring_buffer_iter *ring_buffer_read_start(struct trace_buffer *buffer, unsigned int cpu);
void ring_buffer_read_finish(struct ring_buffer_iter *iter);
struct ring_buffer_event *ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts);
void ring_buffer_iter_advance(struct ring_buffer_iter *iter);
/* Number of events overwritten before the iterator reached them, since the last call. */
unsigned long ring_buffer_iter_dropped(struct ring_buffer_iter *iter);

/* Statistics of one hart's ring. */
struct ring_buffer_stats {
    unsigned long entries;        /* in the ring, not yet consumed */
    unsigned long overrun;        /* overwritten unread */
    unsigned long commit_overrun; /* lost because interrupts filled the ring during a write */
    unsigned long bytes;
    unsigned long dropped; /* not written because the ring was full */
    unsigned long read;    /* consumed */
    u64 oldest_event_ts;
};

void ring_buffer_stats_cpu(struct trace_buffer *buffer, unsigned int cpu,
                           struct ring_buffer_stats *stats);
unsigned long ring_buffer_size(const struct trace_buffer *buffer, unsigned int cpu);

#endif
