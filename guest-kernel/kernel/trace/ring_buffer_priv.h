/*
 * ring_buffer_priv.h - one hart's ring, between its writer and its readers.
 *
 * Pages are numbered through the ring's life: page n stands in slot n modulo
 * the number of slots.  A slot is one word, so that writer and reader settle
 * with one compare-and-exchange who gets the oldest page:
 *
 *      63            20 19         1 0
 *      +---------------+------------+-+
 *      | page's number | its place  |F|    F: free, nothing to read here
 *      +---------------+------------+-+
 *
 * The writer takes free slots; with the ring full it frees the oldest page,
 * events and all.  The reader takes the oldest page out and leaves its spare
 * in the slot, free.  The second one finds the word changed.  The number
 * in it keeps a page from being mistaken for the one that lay there a round ago.
 *
 * The reader may take the page being written, too; the writer goes on in it
 * and the reader follows as far as `commit` says.
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
    unsigned long first; /* how many events the ring had been given before this page's */
    unsigned int entries;
    unsigned int write; /* reserved so far; what is readable ends at page->commit */
};

/* A reader's place in one page. */
struct rb_cursor {
    struct buffer_data_page *page;
    unsigned int offset;
    u64 stamp; /* of the event before */
};

struct ring_buffer_per_cpu {
    struct trace_buffer *buffer;
    atomic_t record_disabled;

    /* Changed by its hart, outside of any write, under reader_lock. */
    unsigned long size;        /* as asked for */
    unsigned long nr_pages;    /* slots */
    struct buffer_page *pages; /* one more than slots: the reader's */
    unsigned long *slots;

    /* The writer's: its hart's with interrupts off. */
    unsigned int nest; /* writes begun and not committed */
    struct buffer_page *tail_page, *commit_page;
    unsigned long tail;   /* number of the page being written */
    unsigned long commit; /* and of the one up to which readers may look; they read it, too */
    u64 write_stamp;
    unsigned long written; /* events, these four */
    unsigned long overrun;
    unsigned long commit_overrun;
    unsigned long dropped;
    unsigned long bytes_lost;
    unsigned long bytes_written;

    /* The reader's. */
    spinlock_t reader_lock;
    unsigned long reader_flags; /* interrupts of the holder, before it took the lock */
    struct buffer_page *reader_page;
    bool reading; /* reader_page is number reader_seq of the ring; else it is the spare */
    unsigned long reader_seq;
    unsigned long head; /* number of the oldest page that may still be in the ring */
    struct rb_cursor cursor;
    unsigned long next_event; /* number of the event behind the last one consumed */
    unsigned long lost;       /* before the next one, not yet told */
    unsigned long read;
    unsigned long bytes_read; /* in pages before the cursor's */
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
