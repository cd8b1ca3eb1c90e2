/*
 * trace_files.c - the small files of /sys/kernel/tracing, and the calls that make the others.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

ssize_t trace_write_text(struct file *file, const char *buf, size_t count, loff_t *pos,
                         int (*store)(void *data, char *text))
{
    char text[TRACE_WRITE_MAX];
    int err;

    if (count >= sizeof(text))
        return -EINVAL;
    memcpy(text, buf, count);
    text[count] = 0;
    err = store(file->f_inode->i_private, strstrip(text));
    if (err)
        return err;
    *pos += count;
    return count;
}

/* ---- available_tracers, current_tracer ---- */

static int available_tracers_show(struct seq_file *m, void *data)
{
    const struct tracer *t;

    (void)data;
    mutex_lock(&trace_types_lock);
    for (t = trace_types; t; t = t->next)
        seq_printf(m, "%s%c", t->name, t->next ? ' ' : '\n');
    mutex_unlock(&trace_types_lock);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(available_tracers);

static int current_tracer_show(struct seq_file *m, void *data)
{
    const struct trace_array *tr = data;

    mutex_lock(&trace_types_lock);
    seq_printf(m, "%s\n", tr->current_trace->name);
    mutex_unlock(&trace_types_lock);
    return 0;
}

static int current_tracer_store(void *tr, char *name)
{
    return tracing_set_tracer(tr, name);
}

DEFINE_TRACE_TEXT_FILE(current_tracer);

/* ---- one number each ---- */

static int number_show(struct seq_file *m, void *data)
{
    const struct trace_number_file *number = data;

    seq_printf(m, "%lu\n", number->get());
    return 0;
}

static int number_open(struct inode *inode, struct file *file)
{
    return single_open(file, number_show, inode->i_private);
}

static int number_store(void *data, char *text)
{
    const struct trace_number_file *number = data;
    unsigned long value;
    int err = kstrtoul(text, 10, &value);

    return err ? err : number->set(value);
}

static ssize_t number_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    return trace_write_text(file, buf, count, pos, number_store);
}

const struct file_operations trace_number_fops = {
    .open = number_open,
    .read = seq_read,
    .write = number_write,
    .release = single_release,
};

static unsigned long get_tracing_on(void)
{
    return global_trace.buffer->record_on;
}

static int set_tracing_on(unsigned long value)
{
    tracing_set_on(&global_trace, value);
    return 0;
}

static unsigned long get_max_graph_depth(void)
{
    return fgraph_max_depth;
}

static int set_max_graph_depth(unsigned long value)
{
    WRITE_ONCE(fgraph_max_depth, value);
    return 0;
}

static const struct trace_number_file tracing_on_file = {get_tracing_on, set_tracing_on};
static const struct trace_number_file max_graph_depth_file = {get_max_graph_depth,
                                                              set_max_graph_depth};

/* ---- README ---- */

static int readme_show(struct seq_file *m, void *unused)
{
    (void)unused;
    seq_puts(
        m,
        "The tracer's files. Shown by `cat FILE`, set by `echo VALUE > FILE`.\n\n"
        "  available_tracers    what can be written to current_tracer\n"
        "  current_tracer       what is traced: function, function_graph, or nop\n"
        "  tracing_on           1: entries are recorded; 0: not, but everything stays set up\n"
        "  trace                what was recorded, in order of time; `echo > trace` empties it\n"
        "  trace_pipe           the same, each entry once; waits for more\n"
        "  trace_marker         what is written here appears in the trace\n"
        "  trace_options        how entries are shown and recorded; `noNAME` turns NAME off\n"
        "  options/             the same, a file with 0 or 1 for each\n"
        "  trace_clock          what entries are stamped with\n"
        "  buffer_size_kb       memory for entries, for each CPU\n"
        "  buffer_total_size_kb for all of them\n"
        "  free_buffer          closing it gives that memory back\n"
        "  per_cpu/cpuN/        trace, trace_pipe, buffer_size_kb and stats of one CPU;\n"
        "                       trace_pipe_raw: its memory, page by page\n"
        "  tracing_cpumask      the CPUs that record, in hexadecimal\n"
        "  saved_cmdlines       the names of the tasks in the trace, by pid\n"
        "  saved_cmdlines_size  how many of them are kept\n\n"
        "  available_filter_functions  every function that can be traced\n"
        "  enabled_functions    those that are traced now, and how many want them\n"
        "  set_ftrace_filter    trace these: names or patterns as in a shell,\n"
        "                       PATTERN:mod:MODULE those of a module;\n"
        "                       `>` replaces, `>>` adds, `!NAME` takes away, empty: all\n"
        "                       NAME:traceon, NAME:traceoff: each call turns tracing on or off;\n"
        "                       NAME:stacktrace: it records the stack; with :COUNT so often;\n"
        "                       NAME:dump, NAME:cpudump: the first call prints the trace of all\n"
        "                       CPUs, or of its own, on the console\n"
        "  set_ftrace_notrace   but not these\n"
        "  set_ftrace_pid       trace calls of these tasks only; empty: of all\n"
        "  set_ftrace_notrace_pid      but not of these\n"
        "  set_graph_function   function_graph: these, with all that they call\n"
        "  set_graph_notrace    function_graph: neither these nor what they call\n"
        "  function_profile_enabled    1: count calls and their time\n"
        "  trace_stat/functionN        what was counted on CPU N, the longest first\n"
        "  max_graph_depth      function_graph: only so deep; 0: no limit\n");
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(readme);

/* Debugfs's directory `tracing`, where tracefs was before it was a file system of its own. */
static struct vfsmount *trace_automount(struct dentry *dentry)
{
    (void)dentry;
    return vfs_kern_mount(get_fs_type("tracefs"), "tracefs", NULL);
}

void trace_create_files(void)
{
    enum { RO = S_IRUGO, RW = S_IRUGO | S_IWUSR };

    tracefs_init();
    debugfs_create_automount("tracing", trace_automount);
    tracefs_create_file("README", RO, NULL, NULL, &readme_fops);
    tracefs_create_file("available_tracers", RO, NULL, NULL, &available_tracers_fops);
    tracefs_create_file("current_tracer", RW, NULL, &global_trace, &current_tracer_fops);
    tracefs_create_file("max_graph_depth", RW, NULL, (void *)&max_graph_depth_file,
                        &trace_number_fops);
    tracefs_create_file("tracing_on", RW, NULL, (void *)&tracing_on_file, &trace_number_fops);
    trace_create_buffer_files();
    trace_create_clock_file();
    trace_create_cmdline_files();
    trace_create_filter_files();
    trace_create_marker_file();
    trace_create_option_files();
    trace_create_pid_files();
    trace_create_profile_files();
    trace_create_read_files(NULL, RING_BUFFER_ALL_CPUS);
}
