/*
 * trace_branch.c - the tracer branch, and profiles of branches: trace_stat/branch_annotated and
 * branch_all. Only in kernels of the flavour `branch`.
 *
 * Each likely() and unlikely() has a record in the section _ftrace_annotated_branch, each `if` one
 * in _ftrace_branch (compiler.h). Files that the tracers use have none.
 *
 * Not instrumented.
 */
#include "trace.h"
#include "trace_selftest.h"
#include <asm/irqflags.h>
#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/string.h>

extern struct ftrace_likely_data __start_annotated_branch_profile[],
    __stop_annotated_branch_profile[];
extern struct ftrace_branch_data __start_branch_profile[], __stop_branch_profile[];

static struct trace_array *branch_tracer; /* set while branch_users is not 0 */
static int branch_users;                  /* under trace_types_lock; read by any hart */

static const char *base_name(const char *path)
{
    const char *name = path;

    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    return name;
}

/* ---- the tracer ---- */

static void record_branch(struct trace_array *tr, const struct ftrace_likely_data *f, bool correct,
                          unsigned int trace_ctx)
{
    struct trace_buffer *buffer = trace_buffer_of(tr);
    struct trace_branch *entry =
        trace_buffer_lock_reserve(buffer, TRACE_BRANCH, sizeof(*entry), trace_ctx);

    if (!entry)
        return;
    strscpy(entry->func, f->data.func, sizeof(entry->func));
    strscpy(entry->file, base_name(f->data.file), sizeof(entry->file));
    entry->line = f->data.line;
    entry->correct = correct;
    entry->constant = f->constant != 0;
    trace_buffer_unlock_commit(tr, buffer);
}

static void trace_likely_condition(const struct ftrace_likely_data *f, bool correct)
{
    struct trace_array *tr = branch_tracer;
    struct trace_array_cpu *data;
    unsigned long flags;

    raw_local_irq_save(flags);
    data = &tr->array_buffer.data[raw_smp_processor_id()];
    if (atomic_add_return(1, &data->disabled) == 1)
        record_branch(tr, f, correct, tracing_gen_ctx_flags(flags));
    atomic_dec(&data->disabled);
    raw_local_irq_restore(flags);
}

void ftrace_likely_update(struct ftrace_likely_data *f, int val, int expect, int is_constant)
{
    if (is_constant) {
        f->constant++;
        val = expect;
    }
    if (READ_ONCE(branch_users))
        trace_likely_condition(f, val == expect);
    /* Not exact if several harts count at once, as in Linux. */
    if (val == expect)
        f->data.correct++;
    else
        f->data.incorrect++;
}

int trace_branch_enable(struct trace_array *tr, bool enable)
{
    if (enable && branch_users && branch_tracer != tr)
        return -EBUSY;
    branch_tracer = tr;
    WRITE_ONCE(branch_users, branch_users + (enable ? 1 : -1));
    if (!branch_users)
        kick_all_cpus_sync();
    return 0;
}

static int branch_trace_init(struct trace_array *tr)
{
    return trace_branch_enable(tr, true);
}

static void branch_trace_reset(struct trace_array *tr)
{
    trace_branch_enable(tr, false);
}

static enum print_line_t trace_branch_print(struct trace_iterator *iter, int flags,
                                            struct trace_event *event)
{
    const struct trace_branch *field = (const void *)iter->ent;

    (void)flags;
    (void)event;
    trace_seq_printf(&iter->seq, "[%s] %s:%s:%u\n", field->correct ? "  ok  " : " MISS ",
                     field->func, field->file, field->line);
    return trace_handle_return(&iter->seq);
}

static void branch_print_header(struct seq_file *m, struct trace_iterator *iter)
{
    (void)iter;
    seq_puts(m, "#           TASK-PID    CPU#    TIMESTAMP  CORRECT  FUNC:FILE:LINE\n"
                "#              | |       |          |         |       |\n");
}

static const struct trace_event_functions trace_branch_funcs = {.trace = trace_branch_print};
static struct trace_event trace_branch_event = {.type = TRACE_BRANCH, .funcs = &trace_branch_funcs};

/* Waiting in the scheduler passes many branches. */
static int trace_selftest_startup_branch(struct tracer *trace, struct trace_array *tr)
{
    unsigned long count = 0;
    int ret = trace->init(tr);

    if (ret)
        return ret;
    msleep(10);
    WRITE_ONCE(trace_buffer_of(tr)->record_on, false);
    ret = trace_test_buffer(&tr->array_buffer, &count);
    trace->reset(tr);
    WRITE_ONCE(trace_buffer_of(tr)->record_on, true);
    if (!ret && !count) {
        printk(".. no entries found ..");
        ret = -1;
    }
    return ret;
}

static struct tracer branch_trace = {
    .name = "branch",
    .init = branch_trace_init,
    .reset = branch_trace_reset,
    .print_header = branch_print_header,
    .selftest = trace_selftest_startup_branch,
};

int init_branch_tracer(void)
{
    BUG_ON(!register_trace_event(&trace_branch_event));
    return register_tracer(&branch_trace);
}

/* ---- trace_stat/branch_annotated, branch_all ---- */

static long incorrect_percent(const struct ftrace_branch_data *p)
{
    if (p->correct)
        return p->incorrect * 100 / (p->correct + p->incorrect);
    return p->incorrect ? 100 : -1;
}

/* The worst first. */
static int compare_branches(const void *a, const void *b)
{
    const struct ftrace_branch_data *one = *(const struct ftrace_branch_data *const *)a,
                                    *other = *(const struct ftrace_branch_data *const *)b;
    long p1 = incorrect_percent(one), p2 = incorrect_percent(other);

    if (p1 != p2)
        return p1 > p2 ? -1 : 1;
    if (one->incorrect != other->incorrect)
        return one->incorrect > other->incorrect ? -1 : 1;
    if (one->correct != other->correct) /* of those that were never wrong, the most frequent last */
        return one->correct > other->correct ? 1 : -1;
    return one < other ? -1 : one > other;
}

static void show_branch(struct seq_file *m, const struct ftrace_branch_data *p,
                        unsigned long constant)
{
    long percent = incorrect_percent(p);

    if (constant)
        seq_printf(m, "%8lu/%-8lu %lu ", p->correct, constant, p->incorrect);
    else
        seq_printf(m, "%8lu %8lu ", p->correct, p->incorrect);
    if (percent < 0)
        seq_puts(m, "  X ");
    else
        seq_printf(m, "%3ld ", percent);
    seq_printf(m, " %-30.30s %-20.20s %u\n", p->func, base_name(p->file), p->line);
}

static int show_sorted(struct seq_file *m, const struct ftrace_branch_data **list, unsigned long n,
                       bool annotated)
{
    unsigned long i;

    sort(list, n, sizeof(*list), compare_branches);
    for (i = 0; i < n; i++)
        show_branch(m, list[i],
                    annotated ? ((const struct ftrace_likely_data *)list[i])->constant : 0);
    kfree(list);
    return 0;
}

static int annotated_show(struct seq_file *m, void *unused)
{
    unsigned long i, n = __stop_annotated_branch_profile - __start_annotated_branch_profile;
    const struct ftrace_branch_data **list = kmalloc(n * sizeof(*list));

    (void)unused;
    if (!list)
        return -ENOMEM;
    for (i = 0; i < n; i++)
        list[i] = &__start_annotated_branch_profile[i].data;
    seq_puts(m, " correct incorrect  %        Function                  File              Line\n"
                " ------- ---------  -        --------                  ----              ----\n");
    return show_sorted(m, list, n, true);
}

DEFINE_SHOW_ATTRIBUTE(annotated);

static int all_branches_show(struct seq_file *m, void *unused)
{
    unsigned long i, n = __stop_branch_profile - __start_branch_profile;
    const struct ftrace_branch_data **list = kmalloc(n * sizeof(*list));

    (void)unused;
    if (!list)
        return -ENOMEM;
    for (i = 0; i < n; i++)
        list[i] = &__start_branch_profile[i];
    seq_puts(m, "   miss      hit    %        Function                  File              Line\n"
                " ------- ---------  -        --------                  ----              ----\n");
    return show_sorted(m, list, n, false);
}

DEFINE_SHOW_ATTRIBUTE(all_branches);

void trace_create_branch_files(struct dentry *dir)
{
    tracefs_create_file("branch_annotated", S_IRUGO, dir, NULL, &annotated_fops);
    tracefs_create_file("branch_all", S_IRUGO, dir, NULL, &all_branches_fops);
}
