/*
 * trace_buffer_files.c - files for size and statistics of the rings, and per_cpu/.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

/* ---- buffer_size_kb ---- */

static bool sizes_agree(const struct trace_buffer *buffer)
{
    unsigned long first = ring_buffer_size(buffer, 0);
    unsigned int cpu;

    for_each_possible_cpu(cpu)
        if (ring_buffer_size(buffer, cpu) != first)
            return false;
    return true;
}

static int size_show(struct seq_file *m, void *data)
{
    const struct trace_cpu_file *f = data;
    const struct trace_buffer *buffer = trace_buffer_of(f->tr);
    unsigned long size = ring_buffer_size(buffer, max(f->cpu, 0));

    if (f->cpu == RING_BUFFER_ALL_CPUS && !sizes_agree(buffer))
        seq_puts(m, "X\n");
    else if (f->tr->buffer_expanded)
        seq_printf(m, "%lu\n", size >> 10);
    else
        seq_printf(m, "%lu (expanded: %lu)\n", size >> 10, trace_buf_size >> 10);
    return 0;
}

static int size_store(void *data, char *text)
{
    const struct trace_cpu_file *f = data;
    unsigned long kb;
    int err = kstrtoul(text, 10, &kb);

    if (!err && !kb)
        err = -EINVAL;
    return err ? err : tracing_resize_ring_buffer(f->tr, kb << 10, f->cpu);
}

DEFINE_TRACE_TEXT_FILE(size);

/* ---- buffer_total_size_kb ---- */

static int total_size_show(struct seq_file *m, void *data)
{
    const struct trace_array *tr = data;
    unsigned long size = 0, expanded = 0;
    unsigned int cpu;

    for_each_possible_cpu(cpu) {
        size += ring_buffer_size(trace_buffer_of(tr), cpu) >> 10;
        expanded += trace_buf_size >> 10;
    }
    if (tr->buffer_expanded)
        seq_printf(m, "%lu\n", size);
    else
        seq_printf(m, "%lu (expanded: %lu)\n", size, expanded);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(total_size);

/* ---- buffer_percent ---- */

static int percent_show(struct seq_file *m, void *data)
{
    seq_printf(m, "%u\n", ((const struct trace_array *)data)->buffer_percent);
    return 0;
}

static int percent_store(void *data, char *text)
{
    struct trace_array *tr = data;
    unsigned long percent;
    int err = kstrtoul(text, 10, &percent);

    if (!err && percent > 100)
        err = -EINVAL;
    if (!err)
        WRITE_ONCE(tr->buffer_percent, percent);
    return err;
}

DEFINE_TRACE_TEXT_FILE(percent);

/* ---- free_buffer ---- */

static ssize_t free_buffer_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    (void)file;
    (void)buf;
    *pos += count;
    return count;
}

/*
 * A tracing program keeps this file open: when the program ends for any reason, the memory is
 * freed.
 */
static int free_buffer_release(struct inode *inode, struct file *file)
{
    struct trace_array *tr = inode->i_private;

    (void)file;
    if (tr->trace_flags & TRACE_ITER_STOP_ON_FREE)
        tracing_set_on(tr, false);
    tracing_resize_ring_buffer(tr, 0, RING_BUFFER_ALL_CPUS);
    return 0;
}

static const struct file_operations free_buffer_fops = {
    .write = free_buffer_write,
    .release = free_buffer_release,
};

/* ---- stats ---- */

static void show_stamp(struct seq_file *m, const struct trace_array *tr, const char *what, u64 ts)
{
    u64 us = (ts + NSEC_PER_USEC / 2) / NSEC_PER_USEC;

    if (trace_clock_in_ns(tr))
        seq_printf(m, "%s: %5llu.%06llu\n", what, us / 1000000, us % 1000000);
    else
        seq_printf(m, "%s: %llu\n", what, ts);
}

static int stats_show(struct seq_file *m, void *data)
{
    const struct trace_cpu_file *f = data;
    struct ring_buffer_stats stats;

    ring_buffer_stats_cpu(trace_buffer_of(f->tr), f->cpu, &stats);
    seq_printf(m, "entries: %lu\n", stats.entries);
    seq_printf(m, "overrun: %lu\n", stats.overrun);
    seq_printf(m, "commit overrun: %lu\n", stats.commit_overrun);
    seq_printf(m, "bytes: %lu\n", stats.bytes);
    show_stamp(m, f->tr, "oldest event ts", stats.oldest_event_ts);
    show_stamp(m, f->tr, "now ts", trace_clock_now(f->tr));
    seq_printf(m, "dropped events: %lu\n", stats.dropped);
    seq_printf(m, "read events: %lu\n", stats.read);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(stats);

/* ---- tracing_cpumask ---- */

static unsigned long valid_cpus(void)
{
    return (1UL << nr_cpu_ids) - 1;
}

static int cpumask_show(struct seq_file *m, void *data)
{
    const struct trace_array *tr = data;

    seq_printf(m, "%0*lx\n", (int)(nr_cpu_ids + 3) / 4, tr->tracing_cpumask & valid_cpus());
    return 0;
}

static void set_cpumask(struct trace_array *tr, unsigned long mask)
{
    unsigned long changed;
    unsigned int cpu;

    mutex_lock(&trace_types_lock);
    changed = (tr->tracing_cpumask ^ mask) & READ_ONCE(cpu_possible_mask);
    for_each_cpu_in(cpu, changed) {
        if (mask >> cpu & 1)
            ring_buffer_record_enable_cpu(tr->array_buffer.buffer, cpu);
        else
            ring_buffer_record_disable_cpu(tr->array_buffer.buffer, cpu);
    }
    tr->tracing_cpumask = mask;
    mutex_unlock(&trace_types_lock);
}

static int cpumask_store(void *tr, char *text)
{
    unsigned long mask;
    int err = kstrtoul(text, 16, &mask);

    if (!err && mask & ~valid_cpus())
        err = -EOVERFLOW;
    if (!err)
        set_cpumask(tr, mask);
    return err;
}

DEFINE_TRACE_TEXT_FILE(cpumask);

/* ---- creating the files ---- */

static void create_cpu_dir(struct dentry *per_cpu, struct trace_cpu_file *file)
{
    char name[8];
    struct dentry *dir;

    snprintf(name, sizeof(name), "cpu%d", file->cpu);
    dir = tracefs_create_dir(name, per_cpu);
    trace_create_read_files(dir, file);
    trace_create_raw_file(dir, file);
    tracefs_create_file("stats", S_IRUGO, dir, file, &stats_fops);
    tracefs_create_file("buffer_size_kb", S_IRUGO | S_IWUSR, dir, file, &size_fops);
}

void trace_create_buffer_files(struct trace_array *tr, struct dentry *dir)
{
    enum { RO = S_IRUGO, RW = S_IRUGO | S_IWUSR };
    struct dentry *per_cpu = tracefs_create_dir("per_cpu", dir);
    unsigned int cpu;

    for_each_possible_cpu(cpu)
        create_cpu_dir(per_cpu, &tr->cpu_files[cpu]);
    tracefs_create_file("buffer_size_kb", RW, dir, &tr->all_cpus_file, &size_fops);
    tracefs_create_file("buffer_total_size_kb", RO, dir, tr, &total_size_fops);
    tracefs_create_file("buffer_percent", RW, dir, tr, &percent_fops);
    tracefs_create_file("free_buffer", S_IWUSR, dir, tr, &free_buffer_fops);
    tracefs_create_file("tracing_cpumask", RW, dir, tr, &cpumask_fops);
}
