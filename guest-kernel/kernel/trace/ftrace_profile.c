/*
 * ftrace_profile.c - the function profiler: number of calls and time of each function.
 *
 * It uses the function graph, besides the tracer. Each hart counts entries and returns in its
 * own table, with interrupts off.
 *
 * Not instrumented.
 */
#include "trace_graph.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/string.h>

enum { PROFILE_HASH_BITS = 12, PROFILE_HASH_SIZE = 1 << PROFILE_HASH_BITS };

struct ftrace_profile {
    unsigned long ip; /* 0: unused */
    unsigned long counter;
    u64 time;
    u64 time_squared;
};

/* One hart's functions: a hash table by address, with linear probing. */
struct ftrace_profile_stat {
    struct ftrace_profile hash[PROFILE_HASH_SIZE];
};

static DEFINE_MUTEX(ftrace_profile_lock);
static bool ftrace_profile_enabled; /* under ftrace_profile_lock */
static struct ftrace_profile_stat
    *profile_stats[NR_CPUS]; /* allocated at the first use, never freed */
static bool fgraph_graph_time = true;

void ftrace_graph_graph_time_control(bool enable)
{
    WRITE_ONCE(fgraph_graph_time, enable);
}

/* ---- counting ---- */

/* Returns the function's record or an unused one; NULL: the table is full. */
static struct ftrace_profile *profile_slot(struct ftrace_profile_stat *stat, unsigned long ip)
{
    unsigned long first = (ip >> 1) * 0x9e3779b97f4a7c15ul >> (64 - PROFILE_HASH_BITS), i;

    for (i = 0; i < PROFILE_HASH_SIZE; i++) {
        struct ftrace_profile *rec = &stat->hash[(first + i) % PROFILE_HASH_SIZE];

        if (rec->ip == ip || !rec->ip)
            return rec;
    }
    return NULL;
}

static int profile_graph_entry(struct ftrace_graph_ent *trace)
{
    struct ftrace_profile *rec;
    unsigned long flags;

    raw_local_irq_save(flags);
    rec = profile_slot(profile_stats[smp_processor_id()], trace->func);
    if (rec) {
        rec->ip = trace->func;
        rec->counter++;
    }
    raw_local_irq_restore(flags);
    return 1;
}

/*
 * Returns the time of the returning call minus its calls' time, and adds the time to the
 * caller's subtime.
 */
static u64 own_time(u64 duration)
{
    int index = current->curr_ret_stack;
    u64 subtime = current->ret_stack[index].subtime;

    if (index > 0)
        current->ret_stack[index - 1].subtime += duration;
    return subtime < duration ? duration - subtime : 0;
}

static void profile_graph_return(struct ftrace_graph_ret *trace)
{
    u64 duration = trace->rettime - trace->calltime;
    struct ftrace_profile *rec;
    unsigned long flags;

    raw_local_irq_save(flags);
    if (!READ_ONCE(fgraph_graph_time))
        duration = own_time(duration);
    rec = profile_slot(profile_stats[smp_processor_id()], trace->func);
    if (rec && rec->ip) {
        rec->time += duration;
        rec->time_squared += duration * duration;
    }
    raw_local_irq_restore(flags);
}

/* Its filter is set_ftrace_filter. */
static struct fgraph_ops fprofiler_ops = {
    .ops = {INIT_OPS_HASH(global_ops)},
    .entryfunc = profile_graph_entry,
    .retfunc = profile_graph_return,
};

/* ---- function_profile_enabled ---- */

static int init_profile(void)
{
    unsigned int cpu;

    for_each_possible_cpu(cpu) {
        if (!profile_stats[cpu])
            profile_stats[cpu] = kzalloc(sizeof(*profile_stats[cpu]));
        if (!profile_stats[cpu])
            return -ENOMEM;
        memset(profile_stats[cpu], 0, sizeof(*profile_stats[cpu]));
    }
    return 0;
}

static int enable_profile(void)
{
    int err = init_profile();

    return err ? err : register_ftrace_graph(&fprofiler_ops);
}

static int set_profile_enabled(unsigned long value)
{
    int err = 0;

    mutex_lock(&ftrace_profile_lock);
    if (!value != !ftrace_profile_enabled) {
        if (value)
            err = enable_profile();
        else
            unregister_ftrace_graph(&fprofiler_ops);
        if (!err)
            ftrace_profile_enabled = value;
    }
    mutex_unlock(&ftrace_profile_lock);
    return err;
}

static unsigned long get_profile_enabled(void)
{
    return ftrace_profile_enabled;
}

static const struct trace_number_file profile_enabled_file = {get_profile_enabled,
                                                              set_profile_enabled};

/* ---- trace_stat/functionN ---- */

/* A copy of a hart's records, made when the file is opened, longest time first. */
struct profile_snapshot {
    unsigned long n;
    struct ftrace_profile recs[];
};

static int compare_time(const void *a, const void *b)
{
    const struct ftrace_profile *x = a, *y = b;

    return x->time < y->time ? 1 : x->time > y->time ? -1 : 0;
}

static struct profile_snapshot *take_snapshot(unsigned int cpu)
{
    const struct ftrace_profile_stat *stat = profile_stats[cpu];
    struct profile_snapshot *snap = kmalloc(sizeof(*snap) + sizeof(*stat));
    unsigned int i;

    if (!snap)
        return NULL;
    snap->n = 0;
    for (i = 0; stat && i < PROFILE_HASH_SIZE; i++)
        if (stat->hash[i].ip)
            snap->recs[snap->n++] = stat->hash[i];
    sort(snap->recs, snap->n, sizeof(snap->recs[0]), compare_time);
    return snap;
}

static void *stat_start(struct seq_file *m, loff_t *pos)
{
    struct profile_snapshot *snap = m->private;

    return (unsigned long)*pos <= snap->n ? snap : NULL;
}

static void *stat_next(struct seq_file *m, void *v, loff_t *pos)
{
    (void)v;
    ++*pos;
    return stat_start(m, pos);
}

static void stat_stop(struct seq_file *m, void *v)
{
    (void)m;
    (void)v;
}

/* The sample variance, in square microseconds once it is printed as a duration. */
static u64 variance(const struct ftrace_profile *rec)
{
    u64 n = rec->counter;

    return n > 1 ? (n * rec->time_squared - rec->time * rec->time) / (n * (n - 1) * 1000) : 0;
}

static void show_record(struct seq_file *m, const struct ftrace_profile *rec)
{
    static struct trace_seq s; /* under ftrace_profile_lock */
    char name[64];

    snprintf(name, sizeof(name), "%ps", (void *)rec->ip);
    mutex_lock(&ftrace_profile_lock);
    trace_seq_init(&s);
    trace_seq_printf(&s, "  %-30.30s  %10lu    ", name, rec->counter);
    trace_print_graph_duration(rec->time, &s);
    trace_seq_puts(&s, "    ");
    trace_print_graph_duration(rec->counter ? rec->time / rec->counter : 0, &s);
    trace_seq_puts(&s, "    ");
    trace_print_graph_duration(variance(rec), &s);
    trace_seq_putc(&s, '\n');
    seq_write(m, s.buffer, s.len);
    mutex_unlock(&ftrace_profile_lock);
}

static int stat_show(struct seq_file *m, void *v)
{
    const struct profile_snapshot *snap = v;

    if (m->index)
        show_record(m, &snap->recs[m->index - 1]);
    else
        seq_puts(m, "  Function                               Hit    Time            Avg         "
                    "    s^2\n"
                    "  --------                               ---    ----            ---         "
                    "    ---\n");
    return 0;
}

static const struct seq_operations stat_seq_ops = {stat_start, stat_stop, stat_next, stat_show};

static int stat_open(struct inode *inode, struct file *file)
{
    struct profile_snapshot *snap = take_snapshot((long)inode->i_private);
    int err = snap ? seq_open(file, &stat_seq_ops) : -ENOMEM;

    if (err)
        kfree(snap);
    else
        ((struct seq_file *)file->private_data)->private = snap;
    return err;
}

static int stat_release(struct inode *inode, struct file *file)
{
    kfree(((struct seq_file *)file->private_data)->private);
    return seq_release(inode, file);
}

static const struct file_operations stat_fops = {
    .open = stat_open,
    .read = seq_read,
    .release = stat_release,
};

void trace_create_profile_files(void)
{
    struct dentry *dir = tracefs_create_dir("trace_stat", NULL);
    char name[16];
    long cpu;

    trace_create_branch_files(dir);
    tracefs_create_file("function_profile_enabled", S_IRUGO | S_IWUSR, NULL,
                        (void *)&profile_enabled_file, &trace_number_fops);
    for_each_possible_cpu(cpu) {
        snprintf(name, sizeof(name), "function%ld", cpu);
        tracefs_create_file(name, S_IRUGO, dir, (void *)cpu, &stat_fops);
    }
}
