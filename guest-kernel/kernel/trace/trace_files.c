/*
 * trace_files.c - simple files of /sys/kernel/tracing, and creation of all of them.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/bug.h>
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

static int available_tracers_show(struct seq_file *m, void *tr)
{
    const char *before = "";
    const struct tracer *t;

    mutex_lock(&trace_types_lock);
    for (t = trace_types; t; t = t->next) {
        if (!trace_ok_for_array(t, tr))
            continue;
        seq_printf(m, "%s%s", before, t->name);
        before = " ";
    }
    mutex_unlock(&trace_types_lock);
    seq_puts(m, "\n");
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

/* Tracers that cost cycles also when they are off are in kernels of their own. */
static void hint_at_flavour(const char *name)
{
    static const char *const flavours[][2] = {{"irqsoff", "latency"},
                                              {"preemptoff", "latency"},
                                              {"preemptirqsoff", "latency"},
                                              {"branch", "branch"}};
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(flavours); i++)
        if (!strcmp(name, flavours[i][0]))
            printk("tracer %s: this kernel is built without it: run "
                   "build/guest-kernel/pfe8-%s/kernel.elf (make guest LAYOUT=pfe8 FLAVOUR=%s)\n",
                   name, flavours[i][1], flavours[i][1]);
}

static int current_tracer_store(void *tr, char *name)
{
    int err = tracing_set_tracer(tr, name);

    if (err == -EINVAL && tr == &global_trace)
        hint_at_flavour(name);
    return err;
}

DEFINE_TRACE_TEXT_FILE(current_tracer);

/* ---- files with one number ---- */

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

static int tracing_on_show(struct seq_file *m, void *data)
{
    seq_printf(m, "%d\n", trace_buffer_of(data)->record_on);
    return 0;
}

static int tracing_on_store(void *tr, char *text)
{
    unsigned long value;
    int err = kstrtoul(text, 10, &value);

    if (!err)
        tracing_set_on(tr, value);
    return err;
}

DEFINE_TRACE_TEXT_FILE(tracing_on);

static unsigned long get_max_graph_depth(void)
{
    return fgraph_max_depth;
}

static int set_max_graph_depth(unsigned long value)
{
    WRITE_ONCE(fgraph_max_depth, value);
    return 0;
}

static const struct trace_number_file max_graph_depth_file = {get_max_graph_depth,
                                                              set_max_graph_depth};

/* ---- README ---- */

static int readme_show(struct seq_file *m, void *unused)
{
    (void)unused;
    seq_puts(
        m,
        "The tracing files. Read with `cat FILE`, set with `echo VALUE > FILE`.\n\n"
        "  available_tracers    the values of current_tracer\n"
        "  current_tracer       the active tracer: function, function_graph or nop\n"
        "  tracing_on           1: record entries; 0: pause, all settings stay\n"
        "  trace                the recorded entries in order of time; `echo > trace` clears them\n"
        "  trace_pipe           consuming read: returns each entry once, waits for more\n"
        "  snapshot             a second trace: 1 exchanges the two, 0 frees it, 2 clears it\n"
        "  tracing_max_latency  the longest section of a latency tracer, in us; write 0 to begin "
        "anew\n"
        "  tracing_thresh       latency tracers record what takes longer, in us; 0: the maximum\n"
        "  trace_marker         text written here is added to the trace\n"
        "  trace_marker_raw     binary data: four bytes with a number, and any others\n"
        "  trace_options        options of output and recording; write `noNAME` to clear NAME\n"
        "  options/             a file with 0 or 1 for each option\n"
        "  trace_clock          the clock of the time stamps\n"
        "  timestamp_mode       how the buffer keeps them\n"
        "  buffer_size_kb       size of each CPU's buffer\n"
        "  buffer_total_size_kb size of all buffers\n"
        "  buffer_percent       how full a buffer is before a reader that waits for pages wakes "
        "up\n"
        "  free_buffer          closing it frees the buffers\n"
        "  per_cpu/cpuN/        trace, trace_pipe, buffer_size_kb and stats of one CPU;\n"
        "                       trace_pipe_raw: its pages in binary form\n"
        "  tracing_cpumask      mask of the CPUs that record, in hexadecimal\n"
        "  saved_cmdlines       pids and names of the recorded tasks\n"
        "  saved_cmdlines_size  the number of names kept\n"
        "  saved_tgids          pids and their thread groups, with option record-tgid\n\n"
        "  available_events     all events\n"
        "  set_event            the events that are on: SYSTEM:EVENT, SYSTEM: or EVENT; `!` before "
        "one "
        "turns it off\n"
        "  set_event_pid        pids of the tasks whose events are recorded; empty: all\n"
        "  set_event_notrace_pid       pids of tasks whose events are not\n"
        "  events/SYSTEM/EVENT/ enable: 1: on, 0: off; format: the fields of an entry; id: its "
        "type;\n"
        "                       filter: which entries are recorded: `prev_pid != 0 && comm ~ "
        "\"sh*\"`; 0: all\n"
        "  events/SYSTEM/enable, events/enable         all events of a system, all events\n"
        "  events/SYSTEM/filter sets the filter of all events of a system\n"
        "  events/SYSTEM/EVENT/ trigger: what it sets off: traceon, traceoff, snapshot, "
        "stacktrace,\n"
        "                       enable_event:SYSTEM:EVENT, disable_event:..., each with :COUNT "
        "and\n"
        "                       `if FILTER`; enable_hist:SYSTEM:EVENT, disable_hist:...;\n"
        "                       "
        "hist:keys=FIELD[,FIELD][:vals=FIELD][:sort=FIELD][:size=N][:name=NAME]\n"
        "                         [:<var1>=<field|var_ref|numeric_literal>][:clock=CLOCK][:pause]\n"
        "                         [:cont][:clear][:HANDLER.ACTION] counts by fields; hist shows "
        "it.\n"
        "                         Handlers: onmatch(SYSTEM.EVENT), onmax(var), onchange(var);\n"
        "                         actions: trace(<synthetic_event>,PARAMS), save(FIELDS), "
        "snapshot()\n"
        "  synthetic_events     events that hist triggers record:\n"
        "                       echo 'NAME u64 lat; char name[]' >> synthetic_events; !NAME "
        "removes one\n"
        "  instances/           mkdir makes a trace with buffers, events and settings of its own; "
        "rmdir "
        "ends it\n"
        "  error_log            the last mistakes in what was written to these files\n\n"
        "  dynamic_events, kprobe_events   events of probes: Create/append/remove, one a line:\n"
        "      p[:[<group>/][<event>]] <place> [<args>]\n"
        "      r[maxactive][:[<group>/][<event>]] <place> [<args>]      when the function returns\n"
        "      e[:[<group>/][<event>]] <attached-group>.<attached-event> [<args>] [if <filter>]\n"
        "                                                dynamic_events only: $<field> of an "
        "event\n"
        "      -:[<group>/][<event>] [<place> [<args>]]\n"
        "      s:[synthetic/]<event> <field>[;<field>]   dynamic_events only: as synthetic_events\n"
        "    place: [<module>:]<symbol>[+<offset>]|<memaddr>\n"
        "    place (kretprobe): [<module>:]<symbol>[+<offset>]%return|<memaddr>\n"
        "    args: <name>=fetcharg[:type]\n"
        "    fetcharg: %<register>, @<address>, @<symbol>[+|-<offset>], $comm,\n"
        "        $arg<N>, $stack<index>, $stack, $retval, \\imm-value, \\\"imm-string\",\n"
        "        +|-[u]<offset>(<fetcharg>)\n"
        "    type: s8/16/32/64, u8/16/32/64, x8/16/32/64, char, symbol, string, ustring,\n"
        "        b<bit-width>@<bit-offset>/<container-size>, <type>\\[<array-size>\\]\n"
        "  kprobe_profile       their hits and misses\n\n"
        "  available_filter_functions  all functions that can be traced\n"
        "  enabled_functions    functions traced now, with the number of users\n"
        "  set_ftrace_filter    functions to trace: names or glob patterns;\n"
        "                       PATTERN:mod:MODULE: functions of a module;\n"
        "                       `>` replaces, `>>` adds, `!NAME` removes; empty: all.\n"
        "                       accepts: func_full_name or glob-matching-pattern\n"
        "                       Commands: NAME:traceon, NAME:traceoff: a call turns tracing on, "
        "off;\n"
        "                       NAME:enable_event:SYSTEM:EVENT, disable_event: an event;\n"
        "                       NAME:stacktrace: a call records the stack; NAME:snapshot: a call\n"
        "                       takes a snapshot; a limit: add :COUNT;\n"
        "                       NAME:dump, NAME:cpudump: the first call prints the trace of all\n"
        "                       CPUs, or of its CPU, to the console\n"
        "  set_ftrace_notrace   functions not to trace\n"
        "  set_ftrace_pid       pids of the tasks to trace; empty: all\n"
        "  set_ftrace_notrace_pid      pids of tasks not to trace\n"
        "  set_graph_function   function_graph: trace these and all functions they call\n"
        "  set_graph_notrace    function_graph: do not trace these nor what they call\n"
        "  function_profile_enabled    1: count calls and measure their time\n"
        "  trace_stat/functionN        the profile of CPU N, longest time first\n"
        "  stack_trace          the deepest kernel stack, by function, while\n"
        "                       /proc/sys/kernel/stack_tracer_enabled is 1\n"
        "  stack_max_size       its size in bytes; write 0 to begin anew\n"
        "  stack_trace_filter   the functions at whose calls it is measured\n"
        "  max_graph_depth      function_graph: maximum depth of calls; 0: no limit\n");
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(readme);

/* For the directory `tracing` of debugfs, the old path of the tracer's files. */
static struct vfsmount *trace_automount(struct dentry *dentry)
{
    (void)dentry;
    return vfs_kern_mount(get_fs_type("tracefs"), "tracefs", NULL);
}

void trace_create_array_files(struct trace_array *tr, struct dentry *dir)
{
    enum { RO = S_IRUGO, RW = S_IRUGO | S_IWUSR };

    tracefs_create_file("available_tracers", RO, dir, tr, &available_tracers_fops);
    tracefs_create_file("current_tracer", RW, dir, tr, &current_tracer_fops);
    tracefs_create_file("tracing_on", RW, dir, tr, &tracing_on_fops);
    trace_create_buffer_files(tr, dir);
    trace_create_clock_files(tr, dir);
    trace_create_array_filter_files(tr, dir);
    trace_create_marker_files(tr, dir);
    trace_create_option_files(tr, dir);
    trace_create_pid_files(tr, dir);
    trace_create_latency_files(tr, dir);
    trace_create_read_files(dir, &tr->all_cpus_file);
}

void trace_create_files(void)
{
    enum { RO = S_IRUGO, RW = S_IRUGO | S_IWUSR };

    tracefs_init();
    debugfs_create_automount("tracing", trace_automount);
    tracefs_create_file("README", RO, NULL, NULL, &readme_fops);
    trace_create_printk_formats();
    tracefs_create_file("max_graph_depth", RW, NULL, (void *)&max_graph_depth_file,
                        &trace_number_fops);
    trace_create_array_files(&global_trace, NULL);
    BUG_ON(trace_create_error_log(&global_trace, NULL));
    trace_create_cmdline_files();
    trace_create_filter_files();
    trace_create_kprobe_files();
    trace_create_synth_file();
    trace_create_dynevent_file();
    trace_create_profile_files();
    trace_create_stack_files();
}
