/*
 * trace_events_write.c - writes the entries of events.
 *
 * Usually an entry is made in the ring. While an event has a filter, or is on only for its
 * triggers, it is made in a page of its hart, and copied to the ring when it is to be recorded.
 * That is after its triggers; before them while one of the instance uses timestamps, because
 * the time of an event that is recorded is the one that readers see.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

/* Nested entries: those of a task, of interrupts during it, and of what hist triggers of each
 * record. */
enum { BUFFERED_LEVELS = 8 };

struct buffered_events {
    int used; /* levels; changed by the hart itself, with preemption off */
    void *page[BUFFERED_LEVELS];
};

static struct buffered_events buffered[NR_CPUS];
static bool buffered_allocated; /* under event_mutex; stays set */

int trace_buffered_event_enable(void)
{
    unsigned int cpu, level;

    if (buffered_allocated)
        return 0;
    for_each_possible_cpu(cpu) {
        for (level = 0; level < BUFFERED_LEVELS; level++) {
            if (!buffered[cpu].page[level])
                WRITE_ONCE(buffered[cpu].page[level], __get_free_pages(0));
            if (!buffered[cpu].page[level])
                return -ENOMEM;
        }
    }
    buffered_allocated = true;
    return 0;
}

static void init_entry(struct trace_entry *ent, int type, unsigned int trace_ctx)
{
    ent->type = type;
    ent->flags = trace_ctx >> 16;
    ent->preempt_count = trace_ctx & 0xff;
    ent->pid = current->pid;
}

/* NULL: too many nested entries, or too long. */
static void *reserve_in_page(unsigned long len)
{
    struct buffered_events *b = &buffered[smp_processor_id()];

    if (b->used == BUFFERED_LEVELS || len > BUF_MAX_DATA_SIZE || !READ_ONCE(b->page[b->used]))
        return NULL;
    return b->page[b->used++];
}

static void release_page(void)
{
    buffered[smp_processor_id()].used--;
}

/* Without the level of preempt_disable() that the tracepoint has added. */
static unsigned int gen_ctx_of_caller(void)
{
    unsigned int trace_ctx = tracing_gen_ctx();

    return trace_ctx & 0xff ? trace_ctx - 1 : trace_ctx;
}

/* In place of the ring; for triggers only, if the ring had no room. */
static void make_in_page(struct trace_event_buffer *fbuffer, int type)
{
    fbuffer->only_triggers = fbuffer->buffer;
    fbuffer->buffer = NULL;
    fbuffer->entry = reserve_in_page(fbuffer->len);
    if (fbuffer->entry)
        init_entry(fbuffer->entry, type, fbuffer->trace_ctx);
}

void *trace_event_buffer_reserve(struct trace_event_buffer *fbuffer,
                                 struct trace_event_file *trace_file, unsigned long len)
{
    int type = trace_file->event_call->event.type;
    unsigned long flags = READ_ONCE(trace_file->flags);

    if (unlikely(flags & EVENT_FILE_FL_PID_FILTER) && trace_event_ignore_this_pid(trace_file))
        return NULL;

    *fbuffer = (struct trace_event_buffer){
        .trace_file = trace_file, .len = len, .trace_ctx = gen_ctx_of_caller()};
    preempt_disable_notrace();
    if (likely(!(flags & (EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_SOFT_DISABLED)))) {
        fbuffer->buffer = trace_buffer_of(trace_file->tr);
        fbuffer->entry = trace_buffer_lock_reserve(fbuffer->buffer, type, len, fbuffer->trace_ctx);
    }
    if (unlikely(!fbuffer->entry)) {
        if (!fbuffer->buffer || flags & EVENT_FILE_FL_TRIGGER_COND)
            make_in_page(fbuffer, type);
        if (!fbuffer->entry)
            preempt_enable_notrace();
    }
    return fbuffer->entry;
}
EXPORT_SYMBOL_GPL(trace_event_buffer_reserve);

bool __trace_trigger_soft_disabled(struct trace_event_file *file)
{
    if (READ_ONCE(file->flags) & EVENT_FILE_FL_TRIGGER_MODE)
        event_triggers_call(file, NULL, 0, 0);
    if (READ_ONCE(file->flags) & EVENT_FILE_FL_SOFT_DISABLED)
        return true;
    return (READ_ONCE(file->flags) & EVENT_FILE_FL_PID_FILTER) && trace_event_ignore_this_pid(file);
}
EXPORT_SYMBOL_GPL(__trace_trigger_soft_disabled);

/* Whether an entry in the hart's page is recorded. */
static __always_inline bool is_wanted(struct trace_event_file *file, const void *entry)
{
    unsigned long flags = READ_ONCE(file->flags);

    if (flags & EVENT_FILE_FL_SOFT_DISABLED)
        return false;
    return !(flags & EVENT_FILE_FL_FILTERED) ||
           filter_match_preds(rcu_dereference(file->filter), entry);
}

/* Moves the entry from the hart's page to the ring; if it has no room, it is for triggers only. */
static noinline void move_to_ring(struct trace_event_buffer *fbuffer)
{
    struct trace_buffer *buffer = trace_buffer_of(fbuffer->trace_file->tr);
    const struct trace_entry *ent = fbuffer->entry;
    void *to = trace_buffer_lock_reserve(buffer, ent->type, fbuffer->len, fbuffer->trace_ctx);

    fbuffer->only_triggers = !to;
    if (!to)
        return;
    memcpy(to, ent, fbuffer->len);
    release_page();
    fbuffer->buffer = buffer;
    fbuffer->entry = to;
}

/* Whether an entry in the hart's page is to be recorded. */
static __always_inline bool can_move(const struct trace_event_buffer *fbuffer)
{
    return !fbuffer->only_triggers && is_wanted(fbuffer->trace_file, fbuffer->entry);
}

/* The time that readers see, or would see: an entry that is recorded is in the ring now. */
static noinline u64 time_in_ring(struct trace_event_buffer *fbuffer)
{
    if (!fbuffer->buffer && can_move(fbuffer))
        move_to_ring(fbuffer);
    if (fbuffer->buffer)
        return ring_buffer_event_time_stamp(fbuffer->buffer, fbuffer->entry, fbuffer->len);
    return trace_clock_now(fbuffer->trace_file->tr);
}

void trace_event_buffer_commit(struct trace_event_buffer *fbuffer)
{
    struct trace_event_file *file = fbuffer->trace_file;
    unsigned int after = 0;
    u64 ts = 0;

    if (likely(fbuffer->buffer && !(READ_ONCE(file->flags) & EVENT_FILE_FL_TRIGGER_COND))) {
        trace_event_commit(file->tr, fbuffer->buffer, fbuffer->trace_ctx);
        preempt_enable_notrace();
        return;
    }
    if (READ_ONCE(file->flags) & EVENT_FILE_FL_TRIGGER_COND) {
        if (READ_ONCE(file->tr->no_filter_buffering_ref))
            ts = time_in_ring(fbuffer);
        after = event_triggers_call(file, fbuffer->entry, ts, fbuffer->trace_ctx);
    }
    if (!fbuffer->buffer && can_move(fbuffer))
        move_to_ring(fbuffer);
    if (fbuffer->buffer)
        trace_event_commit(file->tr, fbuffer->buffer, fbuffer->trace_ctx);
    else
        release_page();
    if (after)
        event_triggers_post_call(file, after, fbuffer->trace_ctx);
    preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(trace_event_buffer_commit);
