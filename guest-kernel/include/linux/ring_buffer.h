/*
 * ring_buffer.h - records of traces, one ring of pages a hart.
 *
 * A page is what Linux calls a sub-buffer, in its binary layout.  Each hart
 * writes to its own ring and never waits; an interrupt may write while
 * the hart is in the middle of a write.  Readers, of any hart, come one at a
 * time.  There are two ways to read: consuming takes events out of the ring,
 * an iterator looks at them and leaves them there.
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
    RINGBUF_TYPE_DATA_TYPE_LEN_MAX = 28, /* up to here: the payload's length, in words */
    RINGBUF_TYPE_PADDING,
    RINGBUF_TYPE_TIME_EXTEND,
    RINGBUF_TYPE_TIME_STAMP,
};

enum {
    BUF_PAGE_HDR_SIZE = 16,
    BUF_PAGE_SIZE = PAGE_SIZE - BUF_PAGE_HDR_SIZE,
    /* The longest payload: one that fits a page with its time extend and both length words. */
    BUF_MAX_DATA_SIZE = BUF_PAGE_SIZE - 16,
    RING_BUFFER_ALL_CPUS = -1,
};

/* What goes with data->commit when a page leaves the ring by ring_buffer_read_page(). */
#define RB_MISSED_EVENTS (1UL << 31) /* events were lost before this page */
#define RB_MISSED_STORED (1UL << 30) /* how many stands behind the data */

struct buffer_data_page {
    u64 time_stamp;       /* of the first event */
    unsigned long commit; /* bytes of data */
    unsigned char data[BUF_PAGE_SIZE];
};

struct ring_buffer_per_cpu;

struct trace_buffer {
    atomic_t record_disabled; /* how many want it off for now */
    bool record_on;           /* tracing_on */
    bool overwrite;           /* full: lose the oldest events, not the newest */
    u64 (*clock)(void);
    struct mutex mutex; /* one change of size at a time, or reset */
    struct ring_buffer_per_cpu *cpu[NR_CPUS];
    wait_queue_head_t waiters; /* readers of empty rings */
    bool waiters_pending;      /* there are some; the next commit wakes them */
    struct irq_work wake;
};

/* Bytes of data in each hart's ring; a ring has two pages at least. */
struct trace_buffer *ring_buffer_alloc(unsigned long size, bool overwrite);
void ring_buffer_free(struct trace_buffer *buffer);
/* One hart's ring, or all; what is in it stays, as far as it fits. Tracing may be on. */
int ring_buffer_resize(struct trace_buffer *buffer, unsigned long size, int cpu);
void ring_buffer_reset(struct trace_buffer *buffer);
void ring_buffer_reset_cpu(struct trace_buffer *buffer, unsigned int cpu);
/* Between two buffers of one size, while neither is written to. */
void ring_buffer_set_clock(struct trace_buffer *buffer, u64 (*clock)(void));

/*
 * Writing.  NULL: not recording now, or no room.  From reserve to commit the
 * caller is not preempted; interrupts may come, and write, too.
 */
struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer,
                                                   unsigned int length);
void ring_buffer_unlock_commit(struct trace_buffer *buffer);
/* 4-byte aligned. */
void *ring_buffer_event_data(struct ring_buffer_event *event);
unsigned int ring_buffer_event_length(const struct ring_buffer_event *event);

/* No write is under way when disabling returns, if all writers have interrupts off. */
void ring_buffer_record_disable(struct trace_buffer *buffer);
void ring_buffer_record_enable(struct trace_buffer *buffer);
void ring_buffer_record_disable_cpu(struct trace_buffer *buffer, unsigned int cpu);
void ring_buffer_record_enable_cpu(struct trace_buffer *buffer, unsigned int cpu);

/*
 * Consuming.  The event answered stays where it is until the next call for
 * that hart; *ts is its stamp, *lost how many before it were overwritten unread.
 */
struct ring_buffer_event *ring_buffer_peek(struct trace_buffer *buffer, unsigned int cpu, u64 *ts,
                                           unsigned long *lost);
struct ring_buffer_event *ring_buffer_consume(struct trace_buffer *buffer, unsigned int cpu,
                                              u64 *ts, unsigned long *lost);
/* The rest of one page, as it lies in the ring; false: nothing to read. */
bool ring_buffer_read_page(struct trace_buffer *buffer, unsigned int cpu,
                           struct buffer_data_page *into);
bool ring_buffer_empty_cpu(struct trace_buffer *buffer, unsigned int cpu);
bool ring_buffer_empty(struct trace_buffer *buffer);
/*
 * Announces a reader that is about to sleep on buffer->waiters: what is written
 * from now on wakes it.  It must look once more after this call.
 */
void ring_buffer_expect_wakeup(struct trace_buffer *buffer);
void ring_buffer_wake_waiters(struct trace_buffer *buffer);

/* Iterating: over what the ring holds at the start, while it lasts. */
struct ring_buffer_iter;
struct ring_buffer_iter *ring_buffer_read_start(struct trace_buffer *buffer, unsigned int cpu);
void ring_buffer_read_finish(struct ring_buffer_iter *iter);
struct ring_buffer_event *ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts);
void ring_buffer_iter_advance(struct ring_buffer_iter *iter);
/* Events overwritten before the iterator came to them, since it was last asked. */
unsigned long ring_buffer_iter_dropped(struct ring_buffer_iter *iter);

/* One hart's figures. */
struct ring_buffer_stats {
    unsigned long entries;        /* in the ring, not yet consumed */
    unsigned long overrun;        /* overwritten unread */
    unsigned long commit_overrun; /* lost to a write that interrupts filled the ring on top of */
    unsigned long bytes;
    unsigned long dropped; /* not written, because the ring was full */
    unsigned long read;    /* consumed */
    u64 oldest_event_ts;
};

void ring_buffer_stats_cpu(struct trace_buffer *buffer, unsigned int cpu,
                           struct ring_buffer_stats *stats);
unsigned long ring_buffer_size(const struct trace_buffer *buffer, unsigned int cpu);

#endif
