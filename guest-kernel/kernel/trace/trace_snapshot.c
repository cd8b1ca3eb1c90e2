/*
 * trace_snapshot.c - the second set of rings: snapshots of the trace, the file `snapshot`, and the
 * longest section that a latency tracer has seen.
 *
 * A snapshot copies nothing: the rings that were written become the snapshot, and those of the
 * last snapshot, old entries included, are written from then on. A latency tracer's reader
 * therefore leaves out what is older than the section.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <asm/irqflags.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

/* ---- memory; under trace_types_lock ---- */

/* Gives the second rings the sizes of the first: one hart's ring, or all. */
static int resize_like_main(struct trace_array *tr, int only)
{
    unsigned int cpu;
    int err = 0;

    for_each_possible_cpu(cpu) {
        unsigned long size = ring_buffer_size(tr->array_buffer.buffer, cpu);

        if (err || (only != RING_BUFFER_ALL_CPUS && (unsigned int)only != cpu) ||
            ring_buffer_size(tr->max_buffer.buffer, cpu) == size)
            continue;
        err = ring_buffer_resize(tr->max_buffer.buffer, size, cpu);
    }
    return err;
}

int tracing_alloc_snapshot_instance(struct trace_array *tr)
{
    int err;

    if (tr->allocated_snapshot)
        return 0;
    err = resize_like_main(tr, RING_BUFFER_ALL_CPUS);
    if (!err)
        WRITE_ONCE(tr->allocated_snapshot, true);
    return err;
}

void tracing_free_snapshot_instance(struct trace_array *tr)
{
    if (!tr->allocated_snapshot)
        return;
    WRITE_ONCE(tr->allocated_snapshot, false);
    kick_all_cpus_sync(); /* nobody is in the middle of a snapshot */
    tracing_reset_online_cpus(&tr->max_buffer);
    ring_buffer_resize(tr->max_buffer.buffer, 0, RING_BUFFER_ALL_CPUS);
}

/* ---- exchanging the rings; with interrupts off ---- */

static void note_latency(struct trace_array *tr, struct task_struct *tsk, unsigned int cpu)
{
    const struct trace_array_cpu *data = &tr->array_buffer.data[cpu];
    struct trace_array_cpu *max = &tr->max_buffer.data[cpu];

    tr->max_buffer.cpu = cpu;
    tr->max_buffer.time_start = data->preempt_timestamp;
    max->saved_latency = tr->max_latency;
    max->critical_start = data->critical_start;
    max->critical_end = data->critical_end;
    memcpy(max->comm, tsk->comm, TASK_COMM_LEN);
    max->pid = tsk->pid;
    max->nice = tsk->static_prio - DEFAULT_PRIO;
    max->policy = tsk->policy;
    max->rt_priority = tsk->rt_priority;
    tracing_record_cmdline(tsk);
}

void update_max_tr(struct trace_array *tr, struct task_struct *tsk, unsigned int cpu)
{
    struct trace_buffer *buffer;

    if (!READ_ONCE(tr->allocated_snapshot) || READ_ONCE(tr->stop_count))
        return;
    arch_spin_lock(&tr->max_lock);
    buffer = tr->array_buffer.buffer;
    WRITE_ONCE(tr->max_buffer.buffer->record_on, READ_ONCE(buffer->record_on));
    WRITE_ONCE(tr->array_buffer.buffer, tr->max_buffer.buffer);
    WRITE_ONCE(tr->max_buffer.buffer, buffer);
    note_latency(tr, tsk, cpu);
    arch_spin_unlock(&tr->max_lock);
    ring_buffer_wake_later(buffer); /* who waits for entries has to look in the other rings */
}

void update_max_tr_single(struct trace_array *tr, struct task_struct *tsk, unsigned int cpu)
{
    if (!READ_ONCE(tr->allocated_snapshot) || READ_ONCE(tr->stop_count))
        return;
    arch_spin_lock(&tr->max_lock);
    if (ring_buffer_swap_cpu(tr->max_buffer.buffer, tr->array_buffer.buffer, cpu) == -EBUSY)
        trace_buffer_puts(tr, tr->max_buffer.buffer, (unsigned long)update_max_tr_single,
                          "Failed to swap buffers due to commit in progress\n");
    note_latency(tr, tsk, cpu);
    arch_spin_unlock(&tr->max_lock);
}

void tracing_snapshot_instance(struct trace_array *tr)
{
    unsigned long flags, here = (unsigned long)tracing_snapshot_instance;

    if (!READ_ONCE(tr->allocated_snapshot)) {
        trace_buffer_puts(tr, trace_buffer_of(tr), here, "*** SNAPSHOT NOT ALLOCATED ***\n");
        trace_buffer_puts(tr, trace_buffer_of(tr), here, "*** stopping trace here!   ***\n");
        WRITE_ONCE(trace_buffer_of(tr)->record_on, false);
        return;
    }
    if (tr->current_trace->use_max_tr) {
        trace_buffer_puts(tr, trace_buffer_of(tr), here, "*** LATENCY TRACER ACTIVE ***\n");
        trace_buffer_puts(tr, trace_buffer_of(tr), here, "*** Can not use snapshot (sorry) ***\n");
        return;
    }
    raw_local_irq_save(flags);
    update_max_tr(tr, current, smp_processor_id());
    raw_local_irq_restore(flags);
}

/* ---- for the kernel and its modules ---- */

void tracing_snapshot(void)
{
    tracing_snapshot_instance(&global_trace);
}
EXPORT_SYMBOL(tracing_snapshot);

int tracing_alloc_snapshot(void)
{
    int err;

    mutex_lock(&trace_types_lock);
    err = tracing_alloc_snapshot_instance(&global_trace);
    mutex_unlock(&trace_types_lock);
    return err;
}
EXPORT_SYMBOL(tracing_alloc_snapshot);

void tracing_snapshot_alloc(void)
{
    if (!tracing_alloc_snapshot())
        tracing_snapshot();
}
EXPORT_SYMBOL(tracing_snapshot_alloc);

/* ---- the files snapshot ---- */

static void swap_one_ring(void *data)
{
    const struct trace_cpu_file *f = data;

    if (smp_processor_id() == f->cpu)
        update_max_tr_single(f->tr, current, f->cpu);
}

static int take_snapshot(struct trace_cpu_file *f)
{
    int err = f->tr->allocated_snapshot ? resize_like_main(f->tr, f->cpu)
                                        : tracing_alloc_snapshot_instance(f->tr);

    if (err)
        return err;
    if (f->cpu == RING_BUFFER_ALL_CPUS)
        tracing_snapshot_instance(f->tr);
    else
        on_each_cpu(swap_one_ring, f);
    return 0;
}

static void clear_snapshot(const struct trace_cpu_file *f)
{
    if (!f->tr->allocated_snapshot)
        return;
    if (f->cpu == RING_BUFFER_ALL_CPUS)
        tracing_reset_online_cpus(&f->tr->max_buffer);
    else
        ring_buffer_reset_cpu(f->tr->max_buffer.buffer, f->cpu);
}

/* 0 frees the second rings, 1 takes a snapshot, any other number clears it. */
static int change_snapshot(struct trace_cpu_file *f, unsigned long val)
{
    if (f->tr->current_trace->use_max_tr)
        return -EBUSY;
    if (val == 1)
        return take_snapshot(f);
    if (val) {
        clear_snapshot(f);
        return 0;
    }
    if (f->cpu != RING_BUFFER_ALL_CPUS)
        return -EINVAL;
    tracing_free_snapshot_instance(f->tr);
    return 0;
}

static int snapshot_store(void *data, char *text)
{
    struct trace_cpu_file *f = data;
    unsigned long val;
    int err = tracing_update_buffers(f->tr);

    if (!err)
        err = kstrtoul(text, 10, &val);
    if (err)
        return err;
    mutex_lock(&trace_types_lock);
    err = change_snapshot(f, val);
    mutex_unlock(&trace_types_lock);
    return err;
}

ssize_t trace_snapshot_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    return trace_write_text(file, buf, count, pos, snapshot_store);
}

void trace_print_snapshot_help(struct seq_file *m, const struct trace_iterator *iter)
{
    seq_printf(m, "#\n# * Snapshot is %s *\n#\n# Snapshot commands:\n",
               iter->tr->allocated_snapshot ? "allocated" : "freed");
    if (iter->cpu_file == RING_BUFFER_ALL_CPUS)
        seq_puts(m, "# echo 0 > snapshot : clears the snapshot and frees its memory\n"
                    "# echo 1 > snapshot : takes a snapshot; allocates its memory if needed\n");
    else
        seq_puts(m, "# echo 0 > snapshot : not possible for a single CPU\n"
                    "# echo 1 > snapshot : takes a snapshot of this CPU's trace\n");
    seq_puts(m,
             "# echo 2 > snapshot : clears the snapshot, and keeps its memory (so does any other\n"
             "#                      number but 0 and 1)\n");
}

/* ---- tracing_max_latency, tracing_thresh: in us, kept in ns ---- */

unsigned long tracing_thresh;
bool trace_boot_snapshot;

static void show_usecs(struct seq_file *m, unsigned long ns)
{
    if (ns == -1UL)
        seq_puts(m, "-1\n");
    else
        seq_printf(m, "%lu\n", ns / 1000);
}

static int max_latency_show(struct seq_file *m, void *data)
{
    show_usecs(m, ((const struct trace_array *)data)->max_latency);
    return 0;
}

static int max_latency_store(void *data, char *text)
{
    struct trace_array *tr = data;
    unsigned long us;
    int err = kstrtoul(text, 10, &us);

    if (!err)
        WRITE_ONCE(tr->max_latency, us * NSEC_PER_USEC);
    return err;
}

DEFINE_TRACE_TEXT_FILE(max_latency);

static int thresh_show(struct seq_file *m, void *unused)
{
    (void)unused;
    show_usecs(m, tracing_thresh);
    return 0;
}

static int thresh_store(void *data, char *text)
{
    struct trace_array *tr = data;
    unsigned long us;
    int err = kstrtoul(text, 10, &us);

    if (err)
        return err;
    mutex_lock(&trace_types_lock);
    WRITE_ONCE(tracing_thresh, us * NSEC_PER_USEC);
    if (tr->current_trace->update_thresh)
        err = tr->current_trace->update_thresh(tr);
    mutex_unlock(&trace_types_lock);
    return err;
}

DEFINE_TRACE_TEXT_FILE(thresh);

void trace_create_latency_files(struct trace_array *tr, struct dentry *dir)
{
    tracefs_create_file("tracing_max_latency", S_IRUGO | S_IWUSR, dir, tr, &max_latency_fops);
    if (tr == &global_trace)
        tracefs_create_file("tracing_thresh", S_IRUGO | S_IWUSR, dir, tr, &thresh_fops);
}

static int set_boot_thresh(char *value)
{
    unsigned long us;
    int err = kstrtoul(value, 0, &us);

    if (!err)
        tracing_thresh = us * NSEC_PER_USEC;
    return err;
}
__setup("tracing_thresh=", set_boot_thresh);

static int set_boot_snapshot(char *value)
{
    (void)value;
    trace_boot_snapshot = true;
    return 0;
}
__setup("alloc_snapshot", set_boot_snapshot);
