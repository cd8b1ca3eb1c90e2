/*
 * ring_buffer_priv.h - one hart's ring, as its writer and its readers see it.
 *
 * Pages are numbered in the order of writing: page n is in slot n modulo the number of slots. A
 * slot is one word, so that the writer and the reader can compete for the oldest page with one
 * compare-and-exchange:
 *
 *      63            20 19         1 0
 *      +---------------+------------+-+
 *      | page number   | page index |F|    F: free, nothing to read here
 *      +---------------+------------+-+
 *
 * The writer uses free slots; if the ring is full it frees the oldest page with its events. The
 * reader takes out the oldest page and leaves its spare page in the slot, free. The one that
 * comes second finds the word changed; the page number in it distinguishes a page from an older one
 * in the same slot.
 *
 * The reader may take the page that is being written, too: the writer continues in it, and the
 * reader reads up to `commit`.
 */
#ifndef KERNEL_TRACE_RING_BUFFER_PRIV_H
#define KERNEL_TRACE_RING_BUFFER_PRIV_H

#include <linux/kernel.h>
#include <linux/ring_buffer.h>
#include <linux/spinlock.h>

enum { TS_SHIFT = 27, RB_WORD = 4, RB_TIME_EXTEND_SIZE = 8 };

#define RB_SLOT_FREE     1UL
#define RB_SLOT_PAGE_MAX ((1UL << 19) - 1)

struct buffer_page {
    struct buffer_data_page *page;
    unsigned long first; /* number of events written to the ring before this page */
    unsigned int entries;
    unsigned int write; /* bytes reserved; readers may read up to page->commit */
};

/* A reader's position in one page. */
struct rb_cursor {
    struct buffer_data_page *page;
    unsigned int offset;
    u64 stamp; /* time of the event before */
};

struct ring_buffer_per_cpu {
    struct trace_buffer *buffer;
    atomic_t record_disabled;

    /* Changed by its hart, not during a write, under reader_lock. */
    unsigned long size;        /* as requested */
    unsigned long nr_pages;    /* number of slots */
    struct buffer_page *pages; /* one more than slots, for the reader */
    unsigned long *slots;

    /* The writer's members: used by its hart with interrupts off. */
    unsigned int nest; /* writes begun and not yet committed */
    struct buffer_page *tail_page, *commit_page;
    unsigned long tail;   /* number of the page being written */
    unsigned long commit; /* number of the last page that readers may read; also read by them */
    u64 write_stamp;
    unsigned long written; /* this and the next three count events */
    unsigned long overrun;
    unsigned long commit_overrun;
    unsigned long dropped;
    unsigned long bytes_lost;
    unsigned long bytes_written;

    /* The reader's members. */
    spinlock_t reader_lock;
    unsigned long reader_flags; /* interrupt state of the holder */
    struct buffer_page *reader_page;
    bool reading; /* reader_page is number reader_seq of the ring; else it is the spare */
    unsigned long reader_seq;
    unsigned long head; /* number of the oldest page that may still be in the ring */
    struct rb_cursor cursor;
    unsigned long next_event; /* number of the event after the last one consumed */
    unsigned long lost;       /* events lost before the next one, not yet reported */
    unsigned long read;
    unsigned long bytes_read; /* in pages before the cursor's page */
};

static inline unsigned long rb_slot(unsigned long seq, unsigned long page, bool is_free)
{
    return seq << 20 | page << 1 | (is_free ? RB_SLOT_FREE : 0);
}

static inline unsigned long rb_slot_seq(unsigned long slot)
{
    return slot >> 20;
}

static inline struct buffer_page *rb_slot_page(const struct ring_buffer_per_cpu *cb,
                                               unsigned long slot)
{
    return &cb->pages[slot >> 1 & RB_SLOT_PAGE_MAX];
}

static inline bool rb_cmpxchg_slot(unsigned long *slot, unsigned long from, unsigned long to)
{
    return __atomic_compare_exchange_n(slot, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

#endif
