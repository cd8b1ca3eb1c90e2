/*
 * ring_buffer_read.c - reading the ring buffer: consuming reads and iterators.
 *
 * Not instrumented.
 */
#include "ring_buffer_priv.h"
#include <asm/barrier.h>
#include <asm/irqflags.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

/*
 * Held for a few instructions or the copy of a page. Interrupts are off, because a function
 * called in an interrupt may have the probe `dump`, which reads, too.
 */
static void rb_lock_reader(struct ring_buffer_per_cpu *cb)
{
    unsigned long flags;

    raw_local_irq_save(flags);
    arch_spin_lock(&cb->reader_lock);
    cb->reader_flags = flags;
}

static void rb_unlock_reader(struct ring_buffer_per_cpu *cb)
{
    unsigned long flags = cb->reader_flags;

    arch_spin_unlock(&cb->reader_lock);
    raw_local_irq_restore(flags);
}

/* ---- one page ---- */

static unsigned int rb_stored_size(const struct ring_buffer_event *event)
{
    if (event->type_len == RINGBUF_TYPE_TIME_EXTEND)
        return RB_TIME_EXTEND_SIZE;
    return RB_WORD + (event->type_len ? event->type_len * RB_WORD : event->array[0]);
}

static struct ring_buffer_event *rb_cursor_event(const struct rb_cursor *c)
{
    return (void *)(c->page->data + c->offset);
}

/* Returns the next data event, NULL at the end. Skips time extends. */
static struct ring_buffer_event *rb_cursor_peek(struct rb_cursor *c, unsigned int end, u64 *ts)
{
    while (c->offset < end) {
        struct ring_buffer_event *event = rb_cursor_event(c);

        if (event->type_len != RINGBUF_TYPE_TIME_EXTEND) {
            *ts = c->stamp + event->time_delta;
            return event;
        }
        c->stamp += event->time_delta + ((u64)event->array[0] << TS_SHIFT);
        c->offset += RB_TIME_EXTEND_SIZE;
    }
    return NULL;
}

static void rb_cursor_advance(struct rb_cursor *c)
{
    const struct ring_buffer_event *event = rb_cursor_event(c);

    c->stamp += event->time_delta;
    c->offset += rb_stored_size(event);
}

/* ---- the time of an event that is being written ---- */

/* 0: it is not on this page. */
static u64 rb_time_on_page(const struct buffer_page *page, const void *data)
{
    struct rb_cursor c = {.page = page->page, .stamp = page->page->time_stamp};
    struct ring_buffer_event *event;
    u64 ts;

    while ((event = rb_cursor_peek(&c, page->write, &ts))) {
        if (ring_buffer_event_data(event) == data)
            return ts;
        rb_cursor_advance(&c);
    }
    return 0;
}

u64 ring_buffer_event_time_stamp(struct trace_buffer *buffer, const void *data, unsigned int length)
{
    const struct ring_buffer_per_cpu *cb = buffer->cpu[smp_processor_id()];
    const char *end = (const char *)data + ALIGN(length, (unsigned int)RB_WORD);
    unsigned long flags, seq;
    u64 ts = 0;

    raw_local_irq_save(flags);
    if (end == (const char *)cb->tail_page->page->data + cb->tail_page->write)
        ts = cb->write_stamp;
    /* Interrupts have written behind it: it is on one of the pages that cannot be read yet. */
    for (seq = cb->commit; !ts && seq <= cb->tail; seq++)
        ts = rb_time_on_page(seq == cb->commit ? cb->commit_page
                                               : rb_slot_page(cb, cb->slots[seq % cb->nr_pages]),
                             data);
    raw_local_irq_restore(flags);
    return ts;
}

/* ---- consuming ---- */

static unsigned int rb_committed(const struct buffer_page *page)
{
    return smp_load_acquire(&page->page->commit);
}

static unsigned long rb_oldest_seq(const struct ring_buffer_per_cpu *cb, unsigned long commit)
{
    return commit < cb->nr_pages ? cb->head : max(cb->head, commit - cb->nr_pages + 1);
}

/*
 * Takes page number seq out of the ring, if it is still there and not empty: the time of an
 * empty page is not known yet.
 */
static bool rb_take_page(struct ring_buffer_per_cpu *cb, unsigned long seq)
{
    unsigned long *slot = &cb->slots[seq % cb->nr_pages], found = READ_ONCE(*slot);
    unsigned long spare = cb->reader_page - cb->pages;

    if (found & RB_SLOT_FREE || rb_slot_seq(found) != seq ||
        !rb_committed(rb_slot_page(cb, found)) ||
        !rb_cmpxchg_slot(slot, found, rb_slot(seq, spare, true)))
        return false;
    cb->bytes_read += cb->cursor.offset;
    cb->reader_page = rb_slot_page(cb, found);
    cb->reading = true;
    cb->reader_seq = seq;
    cb->head = seq + 1;
    cb->cursor = (struct rb_cursor){.page = cb->reader_page->page,
                                    .stamp = cb->reader_page->page->time_stamp};
    cb->lost += cb->reader_page->first - cb->next_event;
    cb->next_event = cb->reader_page->first;
    return true;
}

static bool rb_take_oldest(struct ring_buffer_per_cpu *cb, unsigned long commit)
{
    unsigned long seq;

    for (seq = rb_oldest_seq(cb, commit); seq <= commit; seq++)
        if (rb_take_page(cb, seq))
            return true;
    return false;
}

/*
 * Returns whether there is an event to read; takes the next page if the reader's page is
 * finished, that is, read to its end and no longer written.
 */
static bool rb_reader_page_ready(struct ring_buffer_per_cpu *cb)
{
    for (;;) {
        unsigned long commit = smp_load_acquire(&cb->commit);

        if (cb->reading && cb->cursor.offset < rb_committed(cb->reader_page))
            return true;
        if ((cb->reading && cb->reader_seq == commit) || !rb_take_oldest(cb, commit))
            return false;
    }
}

static struct ring_buffer_event *rb_peek(struct ring_buffer_per_cpu *cb, u64 *ts,
                                         unsigned long *lost)
{
    struct ring_buffer_event *event = NULL;

    while (!event && rb_reader_page_ready(cb))
        event = rb_cursor_peek(&cb->cursor, rb_committed(cb->reader_page), ts);
    *lost = cb->lost;
    return event;
}

struct ring_buffer_event *ring_buffer_peek(struct trace_buffer *buffer, unsigned int cpu, u64 *ts,
                                           unsigned long *lost)
{
    struct ring_buffer_per_cpu *cb = buffer->cpu[cpu];
    struct ring_buffer_event *event;

    rb_lock_reader(cb);
    event = rb_peek(cb, ts, lost);
    rb_unlock_reader(cb);
    return event;
}

struct ring_buffer_event *ring_buffer_consume(struct trace_buffer *buffer, unsigned int cpu,
                                              u64 *ts, unsigned long *lost)
{
    struct ring_buffer_per_cpu *cb = buffer->cpu[cpu];
    struct ring_buffer_event *event;

    rb_lock_reader(cb);
    event = rb_peek(cb, ts, lost);
    if (event) {
        rb_cursor_advance(&cb->cursor);
        cb->next_event++;
        cb->read++;
        cb->lost = 0;
    }
    rb_unlock_reader(cb);
    return event;
}

/* Consumes the rest of the cursor's page; returns the number of events. */
static unsigned long rb_skip_page(struct ring_buffer_per_cpu *cb, unsigned int end)
{
    unsigned long n = 0;
    u64 ts;

    for (; rb_cursor_peek(&cb->cursor, end, &ts); n++)
        rb_cursor_advance(&cb->cursor);
    return n;
}

static void rb_note_lost(struct buffer_data_page *page, u64 lost)
{
    unsigned long end = page->commit;

    if (!lost)
        return;
    page->commit |= RB_MISSED_EVENTS;
    if (BUF_PAGE_SIZE - end < sizeof(lost))
        return;
    memcpy(page->data + end, &lost, sizeof(lost));
    page->commit |= RB_MISSED_STORED;
}

static void rb_read_page(struct ring_buffer_per_cpu *cb, struct buffer_data_page *into)
{
    unsigned int end = rb_committed(cb->reader_page), from = cb->cursor.offset;
    unsigned long n;

    *into = (struct buffer_data_page){.time_stamp = cb->cursor.stamp, .commit = end - from};
    memcpy(into->data, cb->cursor.page->data + from, end - from);
    n = rb_skip_page(cb, end);
    cb->next_event += n;
    cb->read += n;
    rb_note_lost(into, cb->lost);
    cb->lost = 0;
}

bool ring_buffer_read_page(struct trace_buffer *buffer, unsigned int cpu,
                           struct buffer_data_page *into)
{
    struct ring_buffer_per_cpu *cb = buffer->cpu[cpu];
    bool ready;

    rb_lock_reader(cb);
    ready = rb_reader_page_ready(cb);
    if (ready)
        rb_read_page(cb, into);
    rb_unlock_reader(cb);
    return ready;
}

bool ring_buffer_has_full_page(struct trace_buffer *buffer, unsigned int cpu)
{
    struct ring_buffer_per_cpu *cb = buffer->cpu[cpu];
    bool full;

    rb_lock_reader(cb);
    full = rb_reader_page_ready(cb) && cb->reader_seq != smp_load_acquire(&cb->commit);
    rb_unlock_reader(cb);
    return full;
}

/* Returns whether there are unread pages, or unread events in the page being written. */
static bool rb_has_unread(struct ring_buffer_per_cpu *cb)
{
    unsigned long commit = smp_load_acquire(&cb->commit);

    if (cb->reading && cb->cursor.offset < rb_committed(cb->reader_page))
        return true;
    if (commit <= cb->head)
        return commit == cb->head &&
               rb_committed(rb_slot_page(cb, READ_ONCE(cb->slots[commit % cb->nr_pages])));
    return true;
}

bool ring_buffer_empty_cpu(struct trace_buffer *buffer, unsigned int cpu)
{
    struct ring_buffer_per_cpu *cb = buffer->cpu[cpu];
    bool unread;

    rb_lock_reader(cb);
    unread = rb_has_unread(cb);
    rb_unlock_reader(cb);
    return !unread;
}

bool ring_buffer_empty(struct trace_buffer *buffer)
{
    unsigned int cpu;

    for_each_possible_cpu(cpu)
        if (!ring_buffer_empty_cpu(buffer, cpu))
            return false;
    return true;
}

/* ---- iterating ---- */

/* Walks a copy of each page, so that the writer may overwrite the page meanwhile. */
struct ring_buffer_iter {
    struct ring_buffer_per_cpu *cb;
    unsigned long seq;        /* page to copy next */
    unsigned long last;       /* number of the last page when the iterator started */
    unsigned int last_end;    /* bytes committed to it then */
    bool started;             /* next_event is valid */
    unsigned long next_event; /* number of the event after the last one seen */
    unsigned long lost;
    unsigned int end; /* bytes in the copy */
    struct rb_cursor cursor;
    struct buffer_data_page copy;
};

static void iter_copy(struct ring_buffer_iter *iter, const struct buffer_page *page)
{
    iter->end = rb_committed(page);
    if (iter->seq == iter->last)
        iter->end = min(iter->end, iter->last_end);
    memcpy(&iter->copy, page->page, BUF_PAGE_HDR_SIZE + iter->end);
    iter->cursor = (struct rb_cursor){.page = &iter->copy, .stamp = iter->copy.time_stamp};
}

/* Counts the events lost between the last page seen and this one. */
static void iter_arrive(struct ring_buffer_iter *iter, unsigned long first)
{
    if (iter->started)
        iter->lost += first - iter->next_event;
    iter->started = true;
    iter->next_event = first;
}

/* Copies page iter->seq; valid if the page was in its slot before and after. */
static bool iter_load_slot(struct ring_buffer_iter *iter)
{
    struct ring_buffer_per_cpu *cb = iter->cb;
    const unsigned long *slot = &cb->slots[iter->seq % cb->nr_pages];
    unsigned long found = smp_load_acquire(slot), first;

    if (found & RB_SLOT_FREE || rb_slot_seq(found) != iter->seq)
        return false;
    first = rb_slot_page(cb, found)->first;
    iter_copy(iter, rb_slot_page(cb, found));
    smp_rmb();
    if (READ_ONCE(*slot) != found)
        return false;
    iter_arrive(iter, first);
    return true;
}

static bool iter_load(struct ring_buffer_iter *iter)
{
    struct ring_buffer_per_cpu *cb = iter->cb;
    bool loaded = false;

    rb_lock_reader(cb);
    for (; !loaded && iter->seq <= iter->last; iter->seq++) {
        if (cb->reading && cb->reader_seq == iter->seq) {
            iter_copy(iter, cb->reader_page);
            iter->cursor.offset = cb->cursor.offset;
            iter->cursor.stamp = cb->cursor.stamp;
            iter_arrive(iter, cb->next_event);
            loaded = true;
        } else {
            loaded = iter_load_slot(iter);
        }
    }
    rb_unlock_reader(cb);
    return loaded;
}

struct ring_buffer_iter *ring_buffer_read_start(struct trace_buffer *buffer, unsigned int cpu)
{
    struct ring_buffer_per_cpu *cb = buffer->cpu[cpu];
    struct ring_buffer_iter *iter = kzalloc(sizeof(*iter));

    if (!iter)
        return NULL;
    iter->cb = cb;
    rb_lock_reader(cb);
    iter->last = smp_load_acquire(&cb->commit);
    iter->last_end =
        rb_committed(cb->reading && cb->reader_seq == iter->last
                         ? cb->reader_page
                         : rb_slot_page(cb, READ_ONCE(cb->slots[iter->last % cb->nr_pages])));
    iter->seq = cb->reading ? cb->reader_seq : rb_oldest_seq(cb, iter->last);
    rb_unlock_reader(cb);
    return iter;
}

void ring_buffer_read_finish(struct ring_buffer_iter *iter)
{
    kfree(iter);
}

struct ring_buffer_event *ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts)
{
    struct ring_buffer_event *event;

    do {
        event = rb_cursor_peek(&iter->cursor, iter->end, ts);
    } while (!event && iter_load(iter));
    return event;
}

void ring_buffer_iter_advance(struct ring_buffer_iter *iter)
{
    u64 ts;

    if (!ring_buffer_iter_peek(iter, &ts))
        return;
    rb_cursor_advance(&iter->cursor);
    iter->next_event++;
}

unsigned long ring_buffer_iter_dropped(struct ring_buffer_iter *iter)
{
    unsigned long lost = iter->lost;

    iter->lost = 0;
    return lost;
}

/* ---- statistics ---- */

static u64 rb_oldest_ts(struct ring_buffer_per_cpu *cb)
{
    unsigned long commit = smp_load_acquire(&cb->commit);
    const struct buffer_page *page = cb->reader_page;

    if (!cb->reading || cb->cursor.offset >= rb_committed(page))
        page = rb_slot_page(cb, READ_ONCE(cb->slots[rb_oldest_seq(cb, commit) % cb->nr_pages]));
    return READ_ONCE(page->page->time_stamp);
}

void ring_buffer_stats_cpu(struct trace_buffer *buffer, unsigned int cpu,
                           struct ring_buffer_stats *stats)
{
    struct ring_buffer_per_cpu *cb = buffer->cpu[cpu];

    rb_lock_reader(cb);
    *stats = (struct ring_buffer_stats){
        .overrun = READ_ONCE(cb->overrun),
        .commit_overrun = READ_ONCE(cb->commit_overrun),
        .dropped = READ_ONCE(cb->dropped),
        .read = cb->read,
    };
    stats->entries = READ_ONCE(cb->written) - stats->overrun - stats->read;
    stats->bytes = READ_ONCE(cb->bytes_written) - READ_ONCE(cb->bytes_lost) - cb->bytes_read -
                   cb->cursor.offset;
    stats->oldest_event_ts = stats->entries ? rb_oldest_ts(cb) : 0;
    rb_unlock_reader(cb);
}
