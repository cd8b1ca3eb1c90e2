/*
 * ring_buffer.c - the ring buffer: writing, reset and change of size.
 *
 * Event word: type_len in the low 5 bits, time since the last event in the other 27. If the
 * time does not fit, a time-extend event comes first. The length of a payload that does not fit
 * in type_len is in the next word. Bytes of a page beyond `commit` are undefined.
 *
 * A writer reserves room with interrupts off for a few instructions, and fills it with
 * interrupts as they were. Interrupts that write meanwhile reserve the room after it and finish
 * first. Readers see none of it until the outermost write is committed: then `commit` moves
 * over all of them at once.
 *
 * Not instrumented.
 */
#include "ring_buffer_priv.h"
#include <asm/barrier.h>
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

enum { RB_MAX_SMALL_DATA = RINGBUF_TYPE_DATA_TYPE_LEN_MAX * RB_WORD };

/* ---- writing ---- */

/* In a full ring, frees the oldest page; false: that is not possible. Interrupts are off. */
static bool rb_free_oldest(struct ring_buffer_per_cpu *cb, unsigned long *slot)
{
    unsigned long oldest = READ_ONCE(*slot);
    const struct buffer_page *page = rb_slot_page(cb, oldest);

    if (oldest & RB_SLOT_FREE) /* the reader has taken the page in the meantime */
        return true;
    if (rb_slot_seq(oldest) >= cb->commit) { /* the page contains an interrupted write */
        cb->commit_overrun++;
        return false;
    }
    if (!cb->buffer->overwrite) {
        cb->dropped++;
        return false;
    }
    /* Fails if the reader has just taken the page; then its spare page is free. */
    if (rb_cmpxchg_slot(slot, oldest, oldest | RB_SLOT_FREE)) {
        cb->overrun += page->entries;
        cb->bytes_lost += page->write;
    }
    return true;
}

static struct buffer_page *rb_move_tail(struct ring_buffer_per_cpu *cb)
{
    unsigned long next = cb->tail + 1, *slot = &cb->slots[next % cb->nr_pages];
    struct buffer_page *page;

    if (!(READ_ONCE(*slot) & RB_SLOT_FREE) && !rb_free_oldest(cb, slot))
        return NULL;
    page = rb_slot_page(cb, READ_ONCE(*slot));
    page->write = page->entries = 0;
    page->first = cb->written;
    page->page->commit = 0;
    smp_store_release(slot, rb_slot(next, page - cb->pages, false));
    cb->tail = next;
    cb->tail_page = page;
    return page;
}

static unsigned int rb_event_size(unsigned int length)
{
    unsigned int data = ALIGN(length, (unsigned int)RB_WORD);

    return RB_WORD + data + (data > RB_MAX_SMALL_DATA ? RB_WORD : 0);
}

static void rb_put_time_extend(struct buffer_page *page, u64 delta)
{
    struct ring_buffer_event *event = (void *)(page->page->data + page->write);

    event->type_len = RINGBUF_TYPE_TIME_EXTEND;
    event->time_delta = delta & ((1u << TS_SHIFT) - 1);
    event->array[0] = delta >> TS_SHIFT;
    page->write += RB_TIME_EXTEND_SIZE;
}

static struct ring_buffer_event *rb_put_event(struct buffer_page *page, unsigned int length,
                                              u64 delta)
{
    struct ring_buffer_event *event = (void *)(page->page->data + page->write);
    unsigned int data = ALIGN(length, (unsigned int)RB_WORD);

    page->write += rb_event_size(length);
    page->entries++;
    event->time_delta = delta;
    event->type_len = data > RB_MAX_SMALL_DATA ? 0 : data / RB_WORD;
    if (!event->type_len)
        event->array[0] = data + RB_WORD;
    return event;
}

static struct ring_buffer_event *rb_reserve(struct ring_buffer_per_cpu *cb, unsigned int length)
{
    struct buffer_page *page = cb->tail_page;
    u64 now = max(cb->buffer->clock(), cb->write_stamp), delta = now - cb->write_stamp;
    unsigned int extend = delta >> TS_SHIFT ? RB_TIME_EXTEND_SIZE : 0;
    unsigned int size = rb_event_size(length);

    if (page->write + extend + size > BUF_PAGE_SIZE)
        page = rb_move_tail(cb);
    if (!page)
        return NULL;
    if (!page->write) {
        page->page->time_stamp = now;
        delta = extend = 0;
    }
    cb->write_stamp = now;
    cb->written++;
    cb->bytes_written += extend + size;
    cb->nest++;
    if (unlikely(extend)) {
        rb_put_time_extend(page, delta);
        delta = 0;
    }
    return rb_put_event(page, length, delta);
}

static bool rb_records(const struct trace_buffer *buffer, const struct ring_buffer_per_cpu *cb)
{
    return READ_ONCE(buffer->record_on) && !atomic_read(&buffer->record_disabled) &&
           !atomic_read(&cb->record_disabled);
}

struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer, unsigned int length)
{
    struct ring_buffer_event *event = NULL;
    struct ring_buffer_per_cpu *cb;
    unsigned long flags;

    preempt_disable_notrace();
    cb = buffer->cpu[smp_processor_id()];
    if (likely(rb_records(buffer, cb) && length <= BUF_MAX_DATA_SIZE)) {
        raw_local_irq_save(flags);
        event = rb_reserve(cb, length);
        raw_local_irq_restore(flags);
    }
    if (unlikely(!event))
        preempt_enable_notrace();
    return event;
}

/*
 * Makes everything written visible to readers: the end of each page before the number of the
 * next.
 */
static void rb_set_commit(struct ring_buffer_per_cpu *cb)
{
    for (;;) {
        smp_store_release(&cb->commit_page->page->commit, (unsigned long)cb->commit_page->write);
        if (cb->commit == cb->tail)
            return;
        cb->commit_page = rb_slot_page(cb, cb->slots[(cb->commit + 1) % cb->nr_pages]);
        smp_store_release(&cb->commit, cb->commit + 1);
    }
}

/* May be called in any context, even in the scheduler, so an interrupt does the waking. */
static void rb_wakeups(struct trace_buffer *buffer)
{
    smp_mb(); /* the commit comes before the check for waiters; they do the reverse */
    if (unlikely(READ_ONCE(buffer->waiters_pending)))
        irq_work_queue(&buffer->wake);
}

void ring_buffer_unlock_commit(struct trace_buffer *buffer)
{
    struct ring_buffer_per_cpu *cb = buffer->cpu[smp_processor_id()];
    unsigned long flags;

    raw_local_irq_save(flags);
    if (--cb->nest == 0)
        rb_set_commit(cb);
    raw_local_irq_restore(flags);
    rb_wakeups(buffer);
    preempt_enable_notrace();
}

void *ring_buffer_event_data(struct ring_buffer_event *event)
{
    return event->type_len ? event->array : event->array + 1;
}

unsigned int ring_buffer_event_length(const struct ring_buffer_event *event)
{
    return event->type_len ? event->type_len * RB_WORD : event->array[0] - RB_WORD;
}

/* ---- waiting ---- */

static void rb_wake_up_waiters(struct irq_work *work)
{
    ring_buffer_wake_waiters(container_of(work, struct trace_buffer, wake));
}

void ring_buffer_wake_waiters(struct trace_buffer *buffer)
{
    WRITE_ONCE(buffer->waiters_pending, false);
    wake_up_interruptible_all(&buffer->waiters);
}

void ring_buffer_wake_later(struct trace_buffer *buffer)
{
    if (READ_ONCE(buffer->waiters_pending))
        irq_work_queue(&buffer->wake);
}

void ring_buffer_expect_wakeup(struct trace_buffer *buffer)
{
    WRITE_ONCE(buffer->waiters_pending, true);
    smp_mb();
}

/* ---- on and off ---- */

/* After the call each hart has seen the change. */
void ring_buffer_record_disable(struct trace_buffer *buffer)
{
    atomic_inc(&buffer->record_disabled);
    kick_all_cpus_sync();
}

void ring_buffer_record_enable(struct trace_buffer *buffer)
{
    atomic_dec(&buffer->record_disabled);
}

void ring_buffer_record_disable_cpu(struct trace_buffer *buffer, unsigned int cpu)
{
    atomic_inc(&buffer->cpu[cpu]->record_disabled);
}

void ring_buffer_record_enable_cpu(struct trace_buffer *buffer, unsigned int cpu)
{
    atomic_dec(&buffer->cpu[cpu]->record_disabled);
}

/* ---- exchanging rings ---- */

int ring_buffer_swap_cpu(struct trace_buffer *a, struct trace_buffer *b, unsigned int cpu)
{
    struct ring_buffer_per_cpu *of_a = a->cpu[cpu], *of_b = b->cpu[cpu];

    if (of_a->nr_pages != of_b->nr_pages)
        return -EINVAL;
    if (!rb_records(a, of_a) || !rb_records(b, of_b))
        return -EAGAIN;
    if (of_a->nest || of_b->nest)
        return -EBUSY;
    of_a->buffer = b;
    of_b->buffer = a;
    WRITE_ONCE(a->cpu[cpu], of_b);
    WRITE_ONCE(b->cpu[cpu], of_a);
    return 0;
}

/* ---- changing a ring while it is written ---- */

struct rb_owner_call {
    struct trace_buffer *buffer;
    unsigned long pending; /* rings still to be changed; atomics only */
    void (*func)(struct ring_buffer_per_cpu *cb, void *info);
    void *info;
};

/* If it interrupts a write or a read it does nothing: the caller tries again. */
static void rb_call_here(void *data)
{
    struct rb_owner_call *call = data;
    unsigned int cpu = smp_processor_id();
    struct ring_buffer_per_cpu *cb = call->buffer->cpu[cpu];

    if (!(READ_ONCE(call->pending) >> cpu & 1) || cb->nest || !arch_spin_trylock(&cb->reader_lock))
        return;
    call->func(cb, call->info);
    arch_spin_unlock(&cb->reader_lock);
    clear_bit(cpu, &call->pending);
}

/*
 * Runs func for the rings in mask, each on its own hart with interrupts off and not during a
 * write.
 */
static void rb_call_owners(struct trace_buffer *buffer, unsigned long mask,
                           void (*func)(struct ring_buffer_per_cpu *cb, void *info), void *info)
{
    unsigned long online = READ_ONCE(cpu_online_mask);
    struct rb_owner_call call = {buffer, mask & online, func, info};
    unsigned int cpu;

    while (READ_ONCE(call.pending))
        on_each_cpu(rb_call_here, &call);
    for_each_cpu_in(cpu, mask & ~online)
        func(buffer->cpu[cpu], info);
}

static void rb_clear_counts(struct ring_buffer_per_cpu *cb)
{
    cb->write_stamp = 0;
    cb->written = cb->overrun = cb->commit_overrun = cb->dropped = 0;
    cb->bytes_written = cb->bytes_lost = cb->bytes_read = 0;
    cb->next_event = cb->lost = cb->read = 0;
}

/* The reader keeps its page: it may still be using its last event. */
static void rb_reset(struct ring_buffer_per_cpu *cb)
{
    unsigned long i, spare = cb->reader_page - cb->pages;

    for (i = 0; i < cb->nr_pages; i++)
        cb->slots[i] = rb_slot(0, i < spare ? i : i + 1, true);
    cb->tail_page = cb->commit_page = rb_slot_page(cb, cb->slots[0]);
    cb->slots[0] &= ~RB_SLOT_FREE;
    cb->tail_page->write = cb->tail_page->entries = cb->tail_page->first = 0;
    cb->tail_page->page->commit = 0;
    cb->tail = cb->commit = cb->head = 0;
    cb->reading = false;
    cb->cursor.offset = 0;
    rb_clear_counts(cb);
}

static void rb_reset_owner(struct ring_buffer_per_cpu *cb, void *unused)
{
    (void)unused;
    rb_reset(cb);
}

void ring_buffer_reset_cpu(struct trace_buffer *buffer, unsigned int cpu)
{
    mutex_lock(&buffer->mutex);
    rb_call_owners(buffer, 1UL << cpu, rb_reset_owner, NULL);
    mutex_unlock(&buffer->mutex);
}

void ring_buffer_reset(struct trace_buffer *buffer)
{
    mutex_lock(&buffer->mutex);
    rb_call_owners(buffer, READ_ONCE(cpu_possible_mask), rb_reset_owner, NULL);
    mutex_unlock(&buffer->mutex);
}

void ring_buffer_set_clock(struct trace_buffer *buffer, u64 (*clock)(void))
{
    WRITE_ONCE(buffer->clock, clock);
}

/* ---- size ---- */

struct rb_pages {
    unsigned long nr; /* number of slots; there is one page more */
    struct buffer_page *pages;
    unsigned long *slots;
};

static void rb_free_pages(struct rb_pages *set)
{
    unsigned long i;

    for (i = 0; set->pages && i <= set->nr; i++)
        if (set->pages[i].page)
            free_pages(set->pages[i].page, 0);
    kfree(set->pages);
    kfree(set->slots);
}

static int rb_alloc_pages(struct rb_pages *set, unsigned long size)
{
    unsigned long i, nr = max(size / BUF_PAGE_SIZE + !!(size % BUF_PAGE_SIZE), 2ul);

    *set = (struct rb_pages){.nr = nr};
    if (nr > RB_SLOT_PAGE_MAX)
        return -ENOMEM;
    set->pages = kzalloc((nr + 1) * sizeof(*set->pages));
    set->slots = kzalloc(nr * sizeof(*set->slots));
    for (i = 0; set->pages && set->slots && i <= nr; i++) {
        set->pages[i].page = __get_free_pages(0);
        if (!set->pages[i].page)
            break;
    }
    if (i == nr + 1)
        return 0;
    rb_free_pages(set);
    return -ENOMEM;
}

static void rb_swap_page(struct buffer_page *a, struct buffer_page *b)
{
    struct buffer_page old = *a;

    *a = *b;
    *b = old;
}

/* Moves the newest pages of cb to `to`, as many as it has slots; counts the lost events. */
static void rb_keep_pages(struct ring_buffer_per_cpu *cb, struct rb_pages *to)
{
    unsigned long seq, oldest = cb->tail < cb->nr_pages ? 0 : cb->tail - cb->nr_pages + 1;

    for (seq = max(oldest, cb->head); seq <= cb->tail; seq++) {
        unsigned long slot = cb->slots[seq % cb->nr_pages];
        struct buffer_page *page = rb_slot_page(cb, slot), *place = &to->pages[seq % to->nr];

        if (slot & RB_SLOT_FREE || rb_slot_seq(slot) != seq)
            continue;
        if (cb->tail - seq >= to->nr) {
            cb->overrun += page->entries;
            cb->bytes_lost += page->write;
            continue;
        }
        rb_swap_page(place, page);
        to->slots[seq % to->nr] = rb_slot(seq, seq % to->nr, false);
        if (page == cb->tail_page)
            cb->tail_page = place;
    }
}

/* Exchanges the pages of cb and those in info. */
static void rb_replace_pages(struct ring_buffer_per_cpu *cb, void *info)
{
    struct rb_pages *set = info, old = {cb->nr_pages, cb->pages, cb->slots};
    struct buffer_page *reader = &set->pages[set->nr];
    unsigned long i;

    for (i = 0; i < set->nr; i++)
        set->slots[i] = rb_slot(0, i, true);
    rb_keep_pages(cb, set);
    rb_swap_page(reader, cb->reader_page);
    if (cb->tail_page == cb->reader_page)
        cb->tail_page = reader;
    cb->commit_page = cb->tail_page; /* no write is under way */
    cb->reader_page = reader;
    cb->nr_pages = set->nr;
    cb->pages = set->pages;
    cb->slots = set->slots;
    *set = old;
}

static int rb_resize_cpu(struct trace_buffer *buffer, unsigned int cpu, unsigned long size)
{
    struct rb_pages set;
    int err = rb_alloc_pages(&set, size);

    if (err)
        return err;
    rb_call_owners(buffer, 1UL << cpu, rb_replace_pages, &set);
    buffer->cpu[cpu]->size = size;
    rb_free_pages(&set);
    return 0;
}

int ring_buffer_resize(struct trace_buffer *buffer, unsigned long size, int cpu)
{
    unsigned int each;
    int err = 0;

    mutex_lock(&buffer->mutex);
    for_each_possible_cpu(each) {
        if (!err && (cpu == RING_BUFFER_ALL_CPUS || (unsigned int)cpu == each))
            err = rb_resize_cpu(buffer, each, size);
    }
    mutex_unlock(&buffer->mutex);
    return err;
}

unsigned long ring_buffer_size(const struct trace_buffer *buffer, unsigned int cpu)
{
    return buffer->cpu[cpu]->size;
}

static struct ring_buffer_per_cpu *rb_alloc_cpu(struct trace_buffer *buffer, unsigned long size)
{
    struct ring_buffer_per_cpu *cb = kzalloc(sizeof(*cb));
    struct rb_pages set;

    if (!cb || rb_alloc_pages(&set, size)) {
        kfree(cb);
        return NULL;
    }
    cb->buffer = buffer;
    cb->size = size;
    cb->nr_pages = set.nr;
    cb->pages = set.pages;
    cb->slots = set.slots;
    cb->reader_page = &set.pages[set.nr];
    rb_reset(cb);
    return cb;
}

struct trace_buffer *ring_buffer_alloc(unsigned long size, bool overwrite)
{
    struct trace_buffer *buffer = kzalloc(sizeof(*buffer));
    unsigned int cpu;
    bool failed = !buffer;

    if (failed)
        return NULL;
    buffer->record_on = true;
    buffer->overwrite = overwrite;
    buffer->clock = sched_clock;
    mutex_init(&buffer->mutex);
    init_waitqueue_head(&buffer->waiters);
    init_irq_work(&buffer->wake, rb_wake_up_waiters);
    for_each_possible_cpu(cpu) {
        buffer->cpu[cpu] = rb_alloc_cpu(buffer, size);
        failed |= !buffer->cpu[cpu];
    }
    if (!failed)
        return buffer;
    ring_buffer_free(buffer);
    return NULL;
}

void ring_buffer_free(struct trace_buffer *buffer)
{
    unsigned int cpu;

    for (cpu = 0; cpu < NR_CPUS; cpu++) {
        struct ring_buffer_per_cpu *cb = buffer->cpu[cpu];

        if (cb)
            rb_free_pages(&(struct rb_pages){cb->nr_pages, cb->pages, cb->slots});
        kfree(cb);
    }
    kfree(buffer);
}
