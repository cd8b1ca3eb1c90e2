/*
 * ring_buffer.h - records of traces, one ring of pages a hart.
 *
 * A page is what Linux calls a sub-buffer, in its binary layout.  Writers:
 * the hart itself, with interrupts off from reserve to commit.  Readers: while
 * recording is disabled.
 */
#ifndef LINUX_RING_BUFFER_H
#define LINUX_RING_BUFFER_H

#include <asm/page.h>
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/types.h>

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

struct buffer_data_page {
    u64 time_stamp;       /* of the first event */
    unsigned long commit; /* bytes of data */
    unsigned char data[PAGE_SIZE - 16];
};

struct ring_buffer_per_cpu {
    struct buffer_data_page **pages;
    u32 *page_entries;     /* how many events each page holds */
    unsigned long head;    /* oldest page; counts up, index is the remainder */
    unsigned long tail;    /* page being written */
    u64 write_stamp;       /* of the last event */
    unsigned long entries; /* in the pages now */
    unsigned long overrun; /* lost to newer ones */
};

struct trace_buffer {
    unsigned long nr_pages;
    atomic_t record_disabled;
    bool record_on; /* tracing_on */
    struct ring_buffer_per_cpu cpu[NR_CPUS];
};

struct ring_buffer_iter {
    const struct trace_buffer *buffer;
    const struct ring_buffer_per_cpu *cpu_buffer;
    unsigned long page, offset;
    u64 stamp;
};

int ring_buffer_alloc(struct trace_buffer *buffer, unsigned long bytes_per_cpu);
/* NULL: not recording now. The payload is 4-byte aligned. Interrupts off. */
void *ring_buffer_lock_reserve(struct trace_buffer *buffer, unsigned int length);
void ring_buffer_unlock_commit(struct trace_buffer *buffer);

void ring_buffer_record_disable(struct trace_buffer *buffer);
void ring_buffer_record_enable(struct trace_buffer *buffer);
void ring_buffer_reset(struct trace_buffer *buffer);

void ring_buffer_iter_init(struct ring_buffer_iter *iter, const struct trace_buffer *buffer,
                           unsigned int cpu);
/* The next event's payload and stamp, or NULL behind the last. */
const void *ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts);
void ring_buffer_iter_advance(struct ring_buffer_iter *iter);

#endif
