/*
 * trace_options.c - options of tracing and of tracers, by name.
 *
 * The file trace_options shows the common options and those of the current tracer; the
 * directory options/ has a file for each option of every tracer.
 *
 * Not instrumented.
 */
#include "pid_list.h"
#include "trace.h"
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#define C(bit, name) name,
static const char *const trace_options[] = {TRACE_FLAGS};
#undef C

/* ---- setting; under trace_types_lock ---- */

static void set_overwrite(struct trace_array *tr, bool enabled)
{
    WRITE_ONCE(tr->array_buffer.buffer->overwrite, enabled);
    WRITE_ONCE(tr->max_buffer.buffer->overwrite, enabled);
}

int set_tracer_flag(struct trace_array *tr, u32 mask, bool enabled)
{
    const struct tracer *t = tr->current_trace;

    if (!!(tr->trace_flags & mask) == enabled)
        return 0;
    if (t->flag_changed && t->flag_changed(tr, mask, enabled))
        return -EINVAL;
    if (mask == TRACE_ITER_RECORD_TGID && trace_alloc_tgid_map())
        return -ENOMEM;
#ifdef CONFIG_PROFILE_BRANCHES
    if (mask == TRACE_ITER_BRANCH && trace_branch_enable(tr, enabled))
        return -EBUSY;
#endif
    WRITE_ONCE(tr->trace_flags, tr->trace_flags ^ mask);
    if (mask == TRACE_ITER_OVERWRITE)
        set_overwrite(tr, enabled);
    if (mask == TRACE_ITER_FUNC_FORK)
        ftrace_pid_follow_fork(tr, enabled);
    if (mask == TRACE_ITER_EVENT_FORK)
        trace_event_follow_fork(tr, enabled);
    return 0;
}

static int set_tracer_option(struct trace_array *tr, const struct tracer *t,
                             const struct tracer_opt *opt, bool enabled)
{
    int ret = t->set_flag ? t->set_flag(tr, t->flags->val, opt->bit, enabled) : 0;

    if (ret)
        return ret;
    if (enabled)
        WRITE_ONCE(t->flags->val, t->flags->val | opt->bit);
    else
        WRITE_ONCE(t->flags->val, t->flags->val & ~opt->bit);
    return 0;
}

static const struct tracer_opt *find_tracer_opt(const struct tracer *t, const char *name)
{
    const struct tracer_opt *opt = t->flags ? t->flags->opts : NULL;

    for (; opt && opt->name; opt++)
        if (!strcmp(opt->name, name))
            return opt;
    return NULL;
}

static int find_trace_option(const char *name)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(trace_options); i++)
        if (!strcmp(trace_options[i], name))
            return i;
    return -EINVAL;
}

int trace_set_options(struct trace_array *tr, char *option)
{
    bool enabled = strncmp(option, "no", 2);
    const char *name = option + (enabled ? 0 : 2);
    const struct tracer_opt *opt;
    int i = find_trace_option(name), ret = -EINVAL;

    mutex_lock(&event_mutex); /* for event-fork */
    mutex_lock(&trace_types_lock);
    opt = find_tracer_opt(tr->current_trace, name);
    if (i >= 0)
        ret = set_tracer_flag(tr, 1u << i, enabled);
    else if (opt)
        ret = set_tracer_option(tr, tr->current_trace, opt, enabled);
    mutex_unlock(&trace_types_lock);
    mutex_unlock(&event_mutex);
    return ret;
}

/* ---- trace_options ---- */

static int trace_options_show(struct seq_file *m, void *data)
{
    struct trace_array *tr = data;
    const struct tracer_flags *own;
    const struct tracer_opt *opt;
    unsigned int i;

    mutex_lock(&trace_types_lock);
    own = tr->current_trace->flags;
    for (i = 0; i < ARRAY_SIZE(trace_options); i++)
        seq_printf(m, "%s%s\n", tr->trace_flags >> i & 1 ? "" : "no", trace_options[i]);
    for (opt = own ? own->opts : NULL; opt && opt->name; opt++)
        seq_printf(m, "%s%s\n", own->val & opt->bit ? "" : "no", opt->name);
    mutex_unlock(&trace_types_lock);
    return 0;
}

static int trace_options_store(void *tr, char *option)
{
    return trace_set_options(tr, option);
}

DEFINE_TRACE_TEXT_FILE(trace_options);

/* ---- options/NAME ---- */

struct trace_option_file {
    struct trace_option_file *next; /* of the same trace */
    struct trace_array *tr;
    const struct tracer *tracer; /* NULL: a common option */
    struct tracer_opt opt;
};

static int option_show(struct seq_file *m, void *data)
{
    const struct trace_option_file *f = data;
    u32 val = f->tracer ? f->tracer->flags->val : f->tr->trace_flags;

    seq_puts(m, val & f->opt.bit ? "1\n" : "0\n");
    return 0;
}

static int option_store(void *data, char *text)
{
    const struct trace_option_file *f = data;
    unsigned long val;
    int ret = kstrtoul(text, 10, &val);

    if (ret || val > 1)
        return ret ? ret : -EINVAL;
    mutex_lock(&event_mutex);
    mutex_lock(&trace_types_lock);
    if (!f->tracer)
        ret = set_tracer_flag(f->tr, f->opt.bit, val);
    else if (!!(f->tracer->flags->val & f->opt.bit) != val)
        ret = set_tracer_option(f->tr, f->tracer, &f->opt, val);
    mutex_unlock(&trace_types_lock);
    mutex_unlock(&event_mutex);
    return ret;
}

DEFINE_TRACE_TEXT_FILE(option);

static int create_option_file(struct trace_array *tr, const struct tracer *t, const char *name,
                              u32 bit)
{
    struct trace_option_file *f = kmalloc(sizeof(*f));

    if (!f)
        return -ENOMEM;
    *f = (struct trace_option_file){tr->option_files, tr, t, {name, bit}};
    if (tracefs_create_file(name, S_IRUGO | S_IWUSR, tr->options_dir, f, &option_fops)) {
        tr->option_files = f;
        return 0;
    }
    kfree(f);
    return -ENOMEM;
}

int trace_add_tracer_options(struct trace_array *tr, const struct tracer *t)
{
    const struct tracer_opt *opt = t->flags ? t->flags->opts : NULL;
    int err = 0;

    for (; !err && opt && opt->name; opt++)
        err = create_option_file(tr, t, opt->name, opt->bit);
    return err;
}

void trace_create_option_files(struct trace_array *tr, struct dentry *dir)
{
    /* What these do is the same for all traces. */
    const u32 top_level = TRACE_ITER_PRINTK | TRACE_ITER_RECORD_CMD;
    unsigned int i;

    tracefs_create_file("trace_options", S_IRUGO | S_IWUSR, dir, tr, &trace_options_fops);
    tr->options_dir = tracefs_create_dir("options", dir);
    for (i = 0; tr->options_dir && i < ARRAY_SIZE(trace_options); i++)
        if (tr == &global_trace || !(top_level >> i & 1))
            create_option_file(tr, NULL, trace_options[i], 1u << i);
}

void trace_free_option_files(struct trace_array *tr)
{
    while (tr->option_files) {
        struct trace_option_file *f = tr->option_files;

        tr->option_files = f->next;
        kfree(f);
    }
}
