/*
 * ring_buffer.c - the ring of records that a program maps.
 *
 * Only the hart that runs the events of a ring writes to it, with interrupts off from the
 * reservation to the end, so records do not nest. The program says by data_tail what it has read;
 * the kernel says by data_head what is written.
 *
 * Not instrumented.
 */
#include "internal.h"
#include <asm/barrier.h>
#include <asm/irqflags.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

/* Guards rb->event_list; taken with interrupts off. */
DEFINE_SPINLOCK(perf_rb_lock);

/* ---- memory ---- */

/* A page with a reference of its own: mappings take others. */
static void *alloc_ring_page(void)
{
    struct page *page = alloc_pages(0);

    if (!page)
        return NULL;
    atomic_set(&page->_refcount, 1);
    return memset(page_address(page), 0, PAGE_SIZE);
}

static void free_ring(struct perf_buffer *rb)
{
    unsigned int i;

    if (rb->user_page)
        put_page(virt_to_page(rb->user_page));
    for (i = 0; i < rb->nr_pages; i++)
        if (rb->data_pages[i])
            put_page(virt_to_page(rb->data_pages[i]));
    kfree(rb);
}

static u64 ring_size(const struct perf_buffer *rb)
{
    return (u64)rb->nr_pages << PAGE_SHIFT;
}

struct perf_buffer *rb_alloc(unsigned int nr_pages, long watermark, bool writable)
{
    struct perf_buffer *rb = kzalloc(sizeof(*rb) + nr_pages * sizeof(rb->data_pages[0]));
    bool failed = false;
    unsigned int i;

    if (!rb)
        return NULL;
    rb->nr_pages = nr_pages;
    rb->user_page = alloc_ring_page();
    for (i = 0; i < nr_pages; i++) {
        rb->data_pages[i] = alloc_ring_page();
        failed |= !rb->data_pages[i];
    }
    if (!rb->user_page || failed) {
        free_ring(rb);
        return NULL;
    }
    if (watermark)
        rb->watermark = min(ring_size(rb), (u64)watermark);
    if (!rb->watermark)
        rb->watermark = ring_size(rb) / 2;
    rb->overwrite = !writable;
    rb->paused = !nr_pages;
    INIT_LIST_HEAD(&rb->event_list);
    atomic_set(&rb->refcount, 1);
    return rb;
}

void ring_buffer_put(struct perf_buffer *rb)
{
    if (!rb || !atomic_dec_and_test(&rb->refcount))
        return;
    synchronize_rcu(); /* writers */
    free_ring(rb);
}

struct page *perf_mmap_to_page(struct perf_buffer *rb, unsigned long pgoff)
{
    if (pgoff > rb->nr_pages)
        return NULL;
    return virt_to_page(pgoff ? rb->data_pages[pgoff - 1] : (void *)rb->user_page);
}

/* ---- rings of events ---- */

void ring_buffer_attach(struct perf_event *event, struct perf_buffer *rb)
{
    unsigned long flags;

    raw_local_irq_save(flags);
    arch_spin_lock(&perf_rb_lock);
    if (event->rb)
        list_del_init(&event->rb_entry);
    if (rb)
        list_add_tail(&event->rb_entry, &rb->event_list);
    rcu_assign_pointer(event->rb, rb);
    arch_spin_unlock(&perf_rb_lock);
    raw_local_irq_restore(flags);
}

void ring_buffer_detach_all(struct perf_buffer *rb)
{
    struct perf_event *event, *next;
    unsigned int detached = 0;
    unsigned long flags;

    raw_local_irq_save(flags);
    arch_spin_lock(&perf_rb_lock);
    list_for_each_entry_safe(event, next, &rb->event_list, rb_entry) {
        list_del_init(&event->rb_entry);
        rcu_assign_pointer(event->rb, NULL);
        detached++;
    }
    arch_spin_unlock(&perf_rb_lock);
    raw_local_irq_restore(flags);
    while (detached--)
        ring_buffer_put(rb);
}

struct perf_buffer *ring_buffer_get(struct perf_event *event)
{
    struct perf_buffer *rb;
    unsigned long flags;

    raw_local_irq_save(flags);
    arch_spin_lock(&perf_rb_lock);
    rb = event->parent ? event->parent->rb : event->rb;
    if (rb)
        atomic_inc(&rb->refcount);
    arch_spin_unlock(&perf_rb_lock);
    raw_local_irq_restore(flags);
    return rb;
}

/* Wakes who waits for an event of the same ring, because each of them may be the one polled. */
void perf_event_wakeup(struct perf_event *event)
{
    struct perf_buffer *rb;
    struct perf_event *other;
    unsigned long flags;

    raw_local_irq_save(flags);
    arch_spin_lock(&perf_rb_lock);
    rb = event->rb;
    if (rb)
        list_for_each_entry(other, &rb->event_list, rb_entry)
            wake_up_all(&other->waitq);
    else
        wake_up_all(&event->waitq);
    arch_spin_unlock(&perf_rb_lock);
    raw_local_irq_restore(flags);
}

/* ---- writing ---- */

/* Copies to the ring at handle->at, which may be in several pages. */
void perf_output_copy(struct perf_output_handle *handle, const void *buf, unsigned int len)
{
    struct perf_buffer *rb = handle->rb;

    while (len) {
        unsigned int page = handle->at >> PAGE_SHIFT & (rb->nr_pages - 1);
        unsigned int offset = handle->at & (PAGE_SIZE - 1), n = min(len, PAGE_SIZE - offset);

        memcpy((char *)rb->data_pages[page] + offset, buf, n);
        buf = (const char *)buf + n;
        handle->at += n;
        len -= n;
    }
}

/* What PERF_RECORD_LOST has, before its sample id. */
struct lost_record {
    struct perf_event_header header;
    u64 id, lost;
};

/* As in Linux a ring is never full to its last byte. */
static bool has_room(const struct perf_buffer *rb, u64 size)
{
    u64 tail = READ_ONCE(rb->user_page->data_tail);

    return rb->overwrite || rb->head + size - tail < ring_size(rb);
}

static void write_lost(struct perf_output_handle *handle, unsigned int size)
{
    const struct perf_event *event = handle->event;
    struct lost_record record = {
        {PERF_RECORD_LOST, 0, size},
        event->id,
        handle->rb->lost,
    };

    handle->rb->lost = 0;
    perf_output_put(handle, record);
    perf_output_id(handle, handle->event, current);
}

/* Whether the reader is to be woken: by size, if attr.watermark. */
static bool note_written(struct perf_buffer *rb, unsigned int size)
{
    rb->head += size;
    if (rb->head - rb->wakeup <= rb->watermark)
        return false;
    rb->wakeup += rb->watermark;
    return true;
}

bool perf_output_begin(struct perf_output_handle *handle, struct perf_event *event,
                       unsigned int size)
{
    struct perf_buffer *rb;
    unsigned int lost_size = 0;

    raw_local_irq_save(handle->flags);
    if (event->parent)
        event = event->parent;
    rb = rcu_dereference(event->rb);
    if (!rb || rb->paused)
        goto none;
    if (rb->lost)
        lost_size = sizeof(struct lost_record) + perf_event_id_size(event);
    if (!has_room(rb, size + lost_size)) {
        rb->lost++;
        (void)__atomic_fetch_add(&event->lost_samples, 1, __ATOMIC_RELAXED);
        goto none;
    }
    smp_mb(); /* data_tail is read before what the program has read is overwritten */
    *handle = (struct perf_output_handle){event, rb, rb->head, handle->flags, false};
    handle->wake = note_written(rb, size + lost_size);
    if (lost_size)
        write_lost(handle, lost_size);
    return true;
none:
    raw_local_irq_restore(handle->flags);
    return false;
}

/* In an interrupt of its own: the event may be in the middle of a switch. */
static void wake_later(struct perf_event *event, struct perf_buffer *rb)
{
    __atomic_store_n(&rb->poll, event->pending_kill ? event->pending_kill : 1, __ATOMIC_RELAXED);
    WRITE_ONCE(event->pending_wakeup, 1);
    irq_work_queue(&event->pending_irq);
}

void perf_output_end(struct perf_output_handle *handle)
{
    struct perf_buffer *rb = handle->rb;
    struct perf_event *event = handle->event;

    if (!event->attr.watermark && event->attr.wakeup_events &&
        ++rb->events >= event->attr.wakeup_events) {
        rb->events = 0;
        handle->wake = true;
    }
    smp_wmb(); /* the record is written before data_head says so */
    WRITE_ONCE(rb->user_page->data_head, rb->head);
    if (handle->wake)
        wake_later(event, rb);
    raw_local_irq_restore(handle->flags);
}
