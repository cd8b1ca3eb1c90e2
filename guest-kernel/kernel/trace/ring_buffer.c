/*
 * ring_buffer.c - writing and reading the rings.
 *
 * Event word: type_len in the low 5 bits, time since the event before in the
 * other 27.  A longer pause gets a time-extend event first.  A payload longer
 * than type_len can say has its length in the next word.  What is left at the
 * end of a page lies behind `commit` and means nothing.
 *
 * In this first version a writer has interrupts off from reserve to commit, so
 * nobody can come between the two on its hart, and no other hart writes there.
 *
 * Not instrumented.
 */
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/ring_buffer.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/trace_clock.h>

enum {
    TS_SHIFT = 27,
    RB_WORD = 4,
    RB_TIME_EXTEND_SIZE = 8,
    RB_MAX_SMALL_DATA = RINGBUF_TYPE_DATA_TYPE_LEN_MAX * RB_WORD,
    BUF_PAGE_DATA = PAGE_SIZE - 16,
};

static struct buffer_data_page *page_at(const struct trace_buffer *buffer,
                                        const struct ring_buffer_per_cpu *cb, unsigned long n)
{
    return cb->pages[n % buffer->nr_pages];
}

static int alloc_cpu_pages(struct trace_buffer *buffer, struct ring_buffer_per_cpu *cb)
{
    unsigned long i;

    cb->pages = kzalloc(buffer->nr_pages * sizeof(*cb->pages));
    cb->page_entries = kzalloc(buffer->nr_pages * sizeof(*cb->page_entries));
    if (!cb->pages || !cb->page_entries)
        return -ENOMEM;
    for (i = 0; i < buffer->nr_pages; i++) {
        cb->pages[i] = __get_free_pages(0);
        if (!cb->pages[i])
            return -ENOMEM;
        cb->pages[i]->commit = 0;
    }
    return 0;
}

int ring_buffer_alloc(struct trace_buffer *buffer, unsigned long bytes_per_cpu)
{
    unsigned int cpu;
    int ret = 0;

    buffer->nr_pages = max(bytes_per_cpu / PAGE_SIZE, 2ul);
    for_each_possible_cpu(cpu)
    {
        if (!ret)
            ret = alloc_cpu_pages(buffer, &buffer->cpu[cpu]);
    }
    buffer->record_on = !ret;
    return ret;
}

/* ---- writing ---- */

/* Gives up the oldest page's events when the ring is full. */
static void next_page(struct trace_buffer *buffer, struct ring_buffer_per_cpu *cb)
{
    cb->tail++;
    if (cb->tail - cb->head == buffer->nr_pages) {
        u32 lost = cb->page_entries[cb->head % buffer->nr_pages];

        cb->overrun += lost;
        cb->entries -= lost;
        cb->head++;
    }
    cb->page_entries[cb->tail % buffer->nr_pages] = 0;
    page_at(buffer, cb, cb->tail)->commit = 0;
}

static unsigned int event_size(unsigned int length)
{
    unsigned int words = ALIGN(length, (unsigned int)RB_WORD);

    return RB_WORD + words + (words > RB_MAX_SMALL_DATA ? RB_WORD : 0);
}

static void put_time_extend(struct buffer_data_page *page, u64 delta)
{
    struct ring_buffer_event *event = (void *)(page->data + page->commit);

    event->type_len = RINGBUF_TYPE_TIME_EXTEND;
    event->time_delta = delta & ((1u << TS_SHIFT) - 1);
    event->array[0] = delta >> TS_SHIFT;
    page->commit += RB_TIME_EXTEND_SIZE;
}

static void *put_event(struct buffer_data_page *page, unsigned int length, u64 delta)
{
    struct ring_buffer_event *event = (void *)(page->data + page->commit);
    unsigned int words = ALIGN(length, (unsigned int)RB_WORD);

    page->commit += event_size(length);
    event->time_delta = delta;
    if (words <= RB_MAX_SMALL_DATA) {
        event->type_len = words / RB_WORD;
        return event->array;
    }
    event->type_len = 0;
    event->array[0] = words + RB_WORD;
    return event->array + 1;
}

void *ring_buffer_lock_reserve(struct trace_buffer *buffer, unsigned int length)
{
    struct ring_buffer_per_cpu *cb = &buffer->cpu[smp_processor_id()];
    struct buffer_data_page *page;
    u64 now, delta;

    if (unlikely(!READ_ONCE(buffer->record_on) || atomic_read(&buffer->record_disabled)))
        return NULL;
    now = trace_clock_local();
    page = page_at(buffer, cb, cb->tail);
    if (page->commit + event_size(length) + RB_TIME_EXTEND_SIZE > BUF_PAGE_DATA) {
        next_page(buffer, cb);
        page = page_at(buffer, cb, cb->tail);
    }
    delta = now - cb->write_stamp;
    if (!page->commit) {
        page->time_stamp = now;
        delta = 0;
    }
    cb->write_stamp = now;
    cb->entries++;
    cb->page_entries[cb->tail % buffer->nr_pages]++;
    if (unlikely(delta >> TS_SHIFT)) {
        put_time_extend(page, delta);
        delta = 0;
    }
    return put_event(page, length, delta);
}

/* The event has been part of the page since it was reserved: only its own hart could see it. */
void ring_buffer_unlock_commit(struct trace_buffer *buffer)
{
    (void)buffer;
    barrier();
}

/* A hart that answers the call is not inside a write: those have interrupts off. */
void ring_buffer_record_disable(struct trace_buffer *buffer)
{
    atomic_inc(&buffer->record_disabled);
    kick_all_cpus_sync();
}

void ring_buffer_record_enable(struct trace_buffer *buffer)
{
    atomic_dec(&buffer->record_disabled);
}

static void reset_cpu(struct ring_buffer_per_cpu *cb)
{
    cb->head = cb->tail = 0;
    cb->entries = cb->overrun = 0;
    cb->write_stamp = 0;
    cb->page_entries[0] = 0;
    cb->pages[0]->commit = 0;
}

void ring_buffer_reset(struct trace_buffer *buffer)
{
    unsigned int cpu;

    ring_buffer_record_disable(buffer);
    for_each_possible_cpu(cpu) reset_cpu(&buffer->cpu[cpu]);
    ring_buffer_record_enable(buffer);
}

/* ---- reading ---- */

void ring_buffer_iter_init(struct ring_buffer_iter *iter, const struct trace_buffer *buffer,
                           unsigned int cpu)
{
    const struct ring_buffer_per_cpu *cb = &buffer->cpu[cpu];

    *iter = (struct ring_buffer_iter){
        .buffer = buffer,
        .cpu_buffer = cb,
        .page = cb->head,
        .stamp = page_at(buffer, cb, cb->head)->time_stamp,
    };
}

static const struct ring_buffer_event *iter_event(const struct ring_buffer_iter *iter)
{
    return (const void *)(page_at(iter->buffer, iter->cpu_buffer, iter->page)->data + iter->offset);
}

static unsigned int stored_size(const struct ring_buffer_event *event)
{
    if (event->type_len == RINGBUF_TYPE_TIME_EXTEND)
        return RB_TIME_EXTEND_SIZE;
    if (event->type_len)
        return RB_WORD + event->type_len * RB_WORD;
    return RB_WORD + event->array[0];
}

/* Moves to the next page with data; false at the end. */
static bool settle_on_page(struct ring_buffer_iter *iter)
{
    for (;;) {
        const struct buffer_data_page *page = page_at(iter->buffer, iter->cpu_buffer, iter->page);

        if (iter->offset < page->commit)
            return true;
        if (iter->page == iter->cpu_buffer->tail)
            return false;
        iter->page++;
        iter->offset = 0;
        iter->stamp = page_at(iter->buffer, iter->cpu_buffer, iter->page)->time_stamp;
    }
}

const void *ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts)
{
    while (settle_on_page(iter)) {
        const struct ring_buffer_event *event = iter_event(iter);

        if (event->type_len == RINGBUF_TYPE_TIME_EXTEND) {
            iter->stamp += event->time_delta + ((u64)event->array[0] << TS_SHIFT);
            iter->offset += RB_TIME_EXTEND_SIZE;
            continue;
        }
        *ts = iter->stamp + event->time_delta;
        return event->type_len ? event->array : event->array + 1;
    }
    return NULL;
}

void ring_buffer_iter_advance(struct ring_buffer_iter *iter)
{
    u64 ts;

    if (!ring_buffer_iter_peek(iter, &ts))
        return;
    iter->stamp = ts;
    iter->offset += stored_size(iter_event(iter));
}
