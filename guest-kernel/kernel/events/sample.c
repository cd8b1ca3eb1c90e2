/*
 * sample.c - writes samples, and the end of other records that says whose they are.
 *
 * What may fault or take long (chains) is done before the record is reserved.
 *
 * Not instrumented.
 */
#include "internal.h"
#include <asm/irqflags.h>
#include <asm/processor.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/smp.h>

static u64 id_of(const struct perf_event *event)
{
    return event->parent ? event->parent->id : event->id;
}

static unsigned int popcount(u64 set)
{
    unsigned int n = 0;

    for (; set; set &= set - 1)
        n++;
    return n;
}

/* ---- the end of records that are not samples ---- */

unsigned int perf_event_id_size(const struct perf_event *event)
{
    const u64 words = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
                      PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

    return event->attr.sample_id_all ? popcount(event->attr.sample_type & words) * sizeof(u64) : 0;
}

static void put_u64(struct perf_output_handle *handle, u64 value)
{
    perf_output_put(handle, value);
}

static void put_u32s(struct perf_output_handle *handle, u32 first, u32 second)
{
    const u32 pair[] = {first, second};

    perf_output_put(handle, pair);
}

void perf_output_id(struct perf_output_handle *handle, struct perf_event *event,
                    const struct task_struct *task)
{
    u64 type = event->attr.sample_type;

    if (!event->attr.sample_id_all)
        return;
    if (type & PERF_SAMPLE_TID)
        put_u32s(handle, task->pid, task->pid);
    if (type & PERF_SAMPLE_TIME)
        put_u64(handle, perf_clock());
    if (type & PERF_SAMPLE_ID)
        put_u64(handle, id_of(event));
    if (type & PERF_SAMPLE_STREAM_ID)
        put_u64(handle, event->id);
    if (type & PERF_SAMPLE_CPU)
        put_u32s(handle, smp_processor_id(), 0);
    if (type & PERF_SAMPLE_IDENTIFIER)
        put_u64(handle, id_of(event));
}

/* ---- samples ---- */

/* PERF_SAMPLE_READ. */
struct sample_values {
    unsigned int nr;
    u64 values[PERF_MAX_READ];
};

/* u32 size, the data, and zeroes so that the whole is of words. */
static unsigned int raw_size(const struct perf_sample_data *data)
{
    return ALIGN(data->raw_size + (unsigned int)sizeof(u32), 8u);
}

static unsigned int sample_size(const struct perf_event *event, const struct perf_sample_data *data,
                                const struct sample_values *read)
{
    const u64 words = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                      PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                      PERF_SAMPLE_PERIOD;
    u64 type = event->attr.sample_type;
    unsigned int size = sizeof(struct perf_event_header) + 8 * popcount(type & words);

    if (type & PERF_SAMPLE_READ)
        size += 8 * read->nr;
    if (type & PERF_SAMPLE_CALLCHAIN)
        size += 8 * (1 + data->callchain->nr);
    if (type & PERF_SAMPLE_RAW)
        size += raw_size(data);
    return size;
}

static void put_raw(struct perf_output_handle *handle, const struct perf_sample_data *data)
{
    const u64 zero = 0;
    u32 size = raw_size(data) - sizeof(u32);

    perf_output_put(handle, size);
    if (data->raw)
        perf_output_copy(handle, data->raw, data->raw_size);
    perf_output_copy(handle, &zero, size - (data->raw ? data->raw_size : 0));
}

static void put_sample(struct perf_output_handle *handle, struct perf_event *event,
                       const struct perf_sample_data *data, const struct sample_values *read)
{
    u64 type = event->attr.sample_type;

    if (type & PERF_SAMPLE_IDENTIFIER)
        put_u64(handle, id_of(event));
    if (type & PERF_SAMPLE_IP)
        put_u64(handle, data->ip);
    if (type & PERF_SAMPLE_TID)
        put_u32s(handle, current->pid, current->pid);
    if (type & PERF_SAMPLE_TIME)
        put_u64(handle, data->time);
    if (type & PERF_SAMPLE_ADDR)
        put_u64(handle, data->addr);
    if (type & PERF_SAMPLE_ID)
        put_u64(handle, id_of(event));
    if (type & PERF_SAMPLE_STREAM_ID)
        put_u64(handle, event->id);
    if (type & PERF_SAMPLE_CPU)
        put_u32s(handle, smp_processor_id(), 0);
    if (type & PERF_SAMPLE_PERIOD)
        put_u64(handle, data->period);
    if (type & PERF_SAMPLE_READ)
        perf_output_copy(handle, read->values, 8 * read->nr);
    if (type & PERF_SAMPLE_CALLCHAIN)
        perf_output_copy(handle, data->callchain, 8 * (1 + data->callchain->nr));
    if (type & PERF_SAMPLE_RAW)
        put_raw(handle, data);
}

/* With interrupts off, so that nothing else on this hart uses its buffers of chains. */
static void output_sample(struct perf_event *event, struct perf_sample_data *data,
                          struct pt_regs *regs)
{
    struct sample_values read = {.nr = 0};
    struct perf_output_handle handle;
    struct perf_event_header header = {PERF_RECORD_SAMPLE, 0, 0};

    header.misc = user_mode(regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
    data->ip = regs->epc;
    data->time = perf_clock();
    if (event->attr.sample_type & PERF_SAMPLE_READ)
        read.nr = perf_event_values(event, read.values, PERF_MAX_READ);
    if (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN && !data->callchain)
        data->callchain = perf_callchain(event, regs);
    header.size = sample_size(event, data, &read);
    if (!perf_output_begin(&handle, event, header.size))
        return;
    perf_output_put(&handle, header);
    put_sample(&handle, event, data, &read);
    perf_output_end(&handle);
}

void perf_event_output(struct perf_event *event, struct perf_sample_data *data,
                       struct pt_regs *regs)
{
    const struct perf_event *owner = event->parent ? event->parent : event;
    unsigned long flags;

    if (!READ_ONCE(owner->rb)) {
        if (event->attr.wakeup_events || atomic_read(&event->event_limit)) {
            WRITE_ONCE(event->pending_wakeup, 1);
            irq_work_queue(&event->pending_irq);
        }
        return;
    }
    raw_local_irq_save(flags);
    output_sample(event, data, regs);
    raw_local_irq_restore(flags);
}
