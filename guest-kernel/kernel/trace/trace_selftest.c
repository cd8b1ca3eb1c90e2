/*
 * trace_selftest.c - self-tests of the tracers: at boot with `ftrace_selftest`, or by the
 * shell's `selftest tracers`.
 *
 * Each step prints what it tests and then PASSED on one line, and counts calls, as in Linux. It
 * does not use tracefs.
 *
 * Not instrumented.
 */
#include "trace_selftest.h"
#include <kunit/test.h>
#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>

#define STRINGIFY(x)  #x
#define TO_STRING(x)  STRINGIFY(x)
#define TEST_FUNC_1   TO_STRING(DYN_FTRACE_TEST_NAME)
#define TEST_FUNC_2   TO_STRING(DYN_FTRACE_TEST_NAME2)
#define passed()      printk("PASSED\n")
#define testing(what) passed(), printk("Testing " what ": ")

/* ---- reading the buffer ---- */

static bool trace_valid_entry(const struct trace_entry *entry)
{
    switch (entry->type) {
    case TRACE_FN:
    case TRACE_CTX:
    case TRACE_WAKE:
    case TRACE_STACK:
    case TRACE_PRINT:
    case TRACE_BPRINT:
    case TRACE_BPUTS:
    case TRACE_BRANCH:
    case TRACE_GRAPH_ENT:
    case TRACE_GRAPH_RET: return true;
    }
    return false;
}

/* More entries than the buffer can hold: the reader goes round in a ring that is broken. */
enum { ENTRIES_MAX = 1 << 20 };

static int trace_test_buffer_cpu(struct trace_buffer *buffer, unsigned int cpu,
                                 unsigned long *count)
{
    struct ring_buffer_event *event;
    unsigned long lost;
    u64 ts;

    while ((event = ring_buffer_consume(buffer, cpu, &ts, &lost))) {
        const struct trace_entry *entry = ring_buffer_event_data(event);

        if (!trace_valid_entry(entry)) {
            printk(".. invalid entry %d .. ", entry->type);
            return -1;
        }
        if (++*count > ENTRIES_MAX) {
            printk(".. bad ring buffer .. ");
            return -1;
        }
    }
    return 0;
}

static void tracing_stop(struct trace_array *tr)
{
    ring_buffer_record_disable(tr->array_buffer.buffer);
}

static void tracing_start(struct trace_array *tr)
{
    ring_buffer_record_enable(tr->array_buffer.buffer);
}

/* Recording is disabled meanwhile. */
int trace_test_buffer(struct array_buffer *buf, unsigned long *count)
{
    unsigned int cpu;
    int ret = 0;

    *count = 0;
    tracing_stop(buf->tr);
    for_each_possible_cpu(cpu)
        if (!ret)
            ret = trace_test_buffer_cpu(buf->buffer, cpu, count);
    if (!ret)
        tracing_reset_online_cpus(buf);
    tracing_start(buf->tr);
    return ret;
}

static int start_tracer(const struct tracer *trace, struct trace_array *tr)
{
    int ret;

    tracing_reset_online_cpus(&tr->array_buffer);
    ret = trace->init(tr);
    if (ret)
        printk("Failed to init %s tracer, init returned %d ", trace->name, ret);
    return ret;
}

#ifdef CONFIG_DYNAMIC_FTRACE

/* ---- several ops ---- */

static int trace_selftest_test_probe1_cnt, trace_selftest_test_probe2_cnt,
    trace_selftest_test_probe3_cnt, trace_selftest_test_global_cnt, trace_selftest_test_dyn_cnt;

#define COUNTING(name)                                                                       \
    static void trace_selftest_test_##name##_func(                                           \
        unsigned long ip, unsigned long p, struct ftrace_ops *op, struct ftrace_regs *fregs) \
    {                                                                                        \
        (void)ip, (void)p, (void)op, (void)fregs;                                            \
        trace_selftest_test_##name##_cnt++;                                                  \
    }

COUNTING(probe1)
COUNTING(probe2)
COUNTING(probe3)
COUNTING(global)
COUNTING(dyn)

static struct ftrace_ops test_probe1 = {.func = trace_selftest_test_probe1_func};
static struct ftrace_ops test_probe2 = {.func = trace_selftest_test_probe2_func};
static struct ftrace_ops test_probe3 = {.func = trace_selftest_test_probe3_func};

static void reset_counts(void)
{
    trace_selftest_test_probe1_cnt = 0;
    trace_selftest_test_probe2_cnt = 0;
    trace_selftest_test_probe3_cnt = 0;
    trace_selftest_test_global_cnt = 0;
    trace_selftest_test_dyn_cnt = 0;
}

static bool counts_are(int probe1, int probe2, int probe3)
{
    printk("(%d %d %d %d %d) ", trace_selftest_test_probe1_cnt, trace_selftest_test_probe2_cnt,
           trace_selftest_test_probe3_cnt, trace_selftest_test_global_cnt,
           trace_selftest_test_dyn_cnt);
    return trace_selftest_test_probe1_cnt == probe1 && trace_selftest_test_probe2_cnt == probe2 &&
           trace_selftest_test_probe3_cnt == probe3;
}

/* Checks that the ops that trace everything were called, too. */
static bool all_are_called(bool with_global, bool with_dyn)
{
    bool global = !with_global || trace_selftest_test_global_cnt;

    trace_selftest_test_global_cnt = 0;
    return global && (!with_dyn || trace_selftest_test_dyn_cnt);
}

static bool filtered_ops_are_called(bool with_global)
{
    DYN_FTRACE_TEST_NAME();
    if (!counts_are(1, 0, 1) || !all_are_called(with_global, false))
        return false;
    DYN_FTRACE_TEST_NAME2();
    return counts_are(1, 1, 2);
}

static bool filtered_ops_are_called_with_dynamic(bool with_global)
{
    DYN_FTRACE_TEST_NAME();
    if (!counts_are(2, 1, 3) || !all_are_called(with_global, true))
        return false;
    DYN_FTRACE_TEST_NAME2();
    if (!counts_are(2, 2, 4))
        return false;
    ftrace_set_filter(&test_probe3, "!" TEST_FUNC_1, false);
    DYN_FTRACE_TEST_NAME();
    if (!counts_are(3, 2, 4) || !all_are_called(with_global, true))
        return false;
    DYN_FTRACE_TEST_NAME2();
    return counts_are(3, 3, 5);
}

/* Repeats the test with an additional, allocated ops that traces everything. */
static bool selftest_with_dynamic_ops(bool with_global)
{
    struct ftrace_ops *dyn_ops = kzalloc(sizeof(*dyn_ops));
    bool ok;

    if (!dyn_ops) {
        printk("MEMORY ERROR ");
        return false;
    }
    dyn_ops->func = trace_selftest_test_dyn_func;
    register_ftrace_function(dyn_ops);
    ok = filtered_ops_are_called_with_dynamic(with_global);
    unregister_ftrace_function(dyn_ops);
    kfree(dyn_ops);
    return ok;
}

static bool nothing_is_left(void)
{
    reset_counts();
    DYN_FTRACE_TEST_NAME();
    DYN_FTRACE_TEST_NAME();
    return !trace_selftest_test_probe1_cnt && !trace_selftest_test_probe2_cnt &&
           !trace_selftest_test_probe3_cnt && !trace_selftest_test_global_cnt &&
           !trace_selftest_test_dyn_cnt;
}

/*
 * Tests several ops while the function tracer is on or, with_global, with another ops in its
 * place.
 */
static int trace_selftest_ops(bool with_global)
{
    bool ok;

    passed();
    printk("Testing dynamic ftrace ops #%d: ", with_global ? 2 : 1);
    reset_counts();
    ftrace_set_filter(&test_probe1, "*" TEST_FUNC_1, true);
    ftrace_set_filter(&test_probe2, "*" TEST_FUNC_2, true);
    ftrace_set_filter(&test_probe3, "*" TEST_FUNC_1, true);
    ftrace_set_filter(&test_probe3, "*" TEST_FUNC_2, false);
    register_ftrace_function(&test_probe1);
    register_ftrace_function(&test_probe2);
    register_ftrace_function(&test_probe3);
    if (with_global) {
        global_ops.func = trace_selftest_test_global_func;
        register_ftrace_function(&global_ops);
    }
    ok = filtered_ops_are_called(with_global) && selftest_with_dynamic_ops(with_global);
    /* In the order of registration, on purpose. */
    unregister_ftrace_function(&test_probe1);
    unregister_ftrace_function(&test_probe2);
    unregister_ftrace_function(&test_probe3);
    if (with_global) {
        unregister_ftrace_function(&global_ops);
        global_ops.func = ftrace_stub;
    }
    return nothing_is_left() && ok ? 0 : -1;
}

/* ---- a filter ---- */

static int only_the_filtered_call(struct trace_array *tr)
{
    unsigned long count;
    int ret;

    msleep(100);
    ret = trace_test_buffer(&tr->array_buffer, &count);
    if (ret || count) {
        printk(".. filter did not filter .. ");
        return -1;
    }
    DYN_FTRACE_TEST_NAME();
    msleep(100);
    ret = trace_test_buffer(&tr->array_buffer, &count);
    if (!ret && count != 1) {
        printk(".. filter failed count=%lu ..", count);
        ret = -1;
    }
    return ret;
}

static int trace_selftest_startup_dynamic_tracing(const struct tracer *trace,
                                                  struct trace_array *tr)
{
    int ret;

    testing("dynamic ftrace");
    DYN_FTRACE_TEST_NAME();
    ftrace_set_filter(&global_ops, "*" TEST_FUNC_1, true);
    ret = start_tracer(trace, tr);
    if (!ret) {
        ret = only_the_filtered_call(tr);
        if (!ret)
            ret = trace_selftest_ops(false);
        trace->reset(tr);
    }
    ftrace_set_filter(&global_ops, NULL, true);
    return ret ? ret : trace_selftest_ops(true);
}

/* ---- recursion ---- */

static int trace_selftest_recursion_cnt;

/* Does not guard itself: without a guard by the caller it would recurse. */
static void trace_selftest_test_recursion_func(unsigned long ip, unsigned long parent_ip,
                                               struct ftrace_ops *op, struct ftrace_regs *fregs)
{
    (void)ip, (void)parent_ip, (void)op, (void)fregs;
    if (trace_selftest_recursion_cnt++ > 10)
        return;
    DYN_FTRACE_TEST_NAME();
}

/* Guards itself, by the counter. */
static void trace_selftest_test_recursion_safe_func(unsigned long ip, unsigned long parent_ip,
                                                    struct ftrace_ops *op,
                                                    struct ftrace_regs *fregs)
{
    (void)ip, (void)parent_ip, (void)op, (void)fregs;
    if (trace_selftest_recursion_cnt++)
        return;
    DYN_FTRACE_TEST_NAME();
}

static struct ftrace_ops test_rec_probe = {
    .func = trace_selftest_test_recursion_func,
    .flags = FTRACE_OPS_FL_RECURSION,
};

static struct ftrace_ops test_recsafe_probe = {
    .func = trace_selftest_test_recursion_safe_func,
};

/* Calls the traced function once; returns how many times the probe ran, or -1. */
static int call_with_probe(struct ftrace_ops *probe, int count_from)
{
    if (ftrace_set_filter(probe, "*" TEST_FUNC_1, true)) {
        printk("*Could not set filter* ");
        return -1;
    }
    if (register_ftrace_function(probe)) {
        printk("*could not register callback* ");
        return -1;
    }
    trace_selftest_recursion_cnt = count_from;
    DYN_FTRACE_TEST_NAME();
    unregister_ftrace_function(probe);
    return trace_selftest_recursion_cnt - count_from;
}

/*
 * Two calls are allowed, because the first recursion looks like an interrupt that is not
 * counted yet.
 */
static int trace_selftest_function_recursion(void)
{
    int calls;

    testing("ftrace recursion");
    calls = call_with_probe(&test_rec_probe, 0);
    if (calls != 1 && calls != 2) {
        printk("*callback not called once (or twice) (%d)* ", calls);
        return -1;
    }
    testing("ftrace recursion safe");
    calls = call_with_probe(&test_recsafe_probe, 1);
    if (calls != 1) {
        printk("*callback not called expected 1 time (%d)* ", calls);
        return -1;
    }
    return 0;
}

/* ---- registers ---- */

static enum {
    TRACE_SELFTEST_REGS_START,
    TRACE_SELFTEST_REGS_FOUND,
    TRACE_SELFTEST_REGS_NOT_FOUND,
} trace_selftest_regs_stat;

static void trace_selftest_test_regs_func(unsigned long ip, unsigned long parent_ip,
                                          struct ftrace_ops *op, struct ftrace_regs *fregs)
{
    (void)ip, (void)parent_ip, (void)op;
    trace_selftest_regs_stat =
        ftrace_get_regs(fregs) ? TRACE_SELFTEST_REGS_FOUND : TRACE_SELFTEST_REGS_NOT_FOUND;
}

static struct ftrace_ops test_regs_probe = {
    .func = trace_selftest_test_regs_func,
    .flags = FTRACE_OPS_FL_SAVE_REGS,
};

static int check_regs_stat(bool supported)
{
    switch (trace_selftest_regs_stat) {
    case TRACE_SELFTEST_REGS_START: printk("*callback never called* "); return -1;
    case TRACE_SELFTEST_REGS_FOUND:
        if (supported)
            return 0;
        printk("*callback received regs without arch support* ");
        return -1;
    default:
        if (!supported)
            return 0;
        printk("*callback received NULL regs* ");
        return -1;
    }
}

static int trace_selftest_function_regs(void)
{
    bool supported = FTRACE_REGS_ADDR != FTRACE_ADDR;
    int ret;

    passed();
    printk("Testing ftrace regs%s: ", supported ? "" : "(no arch support)");
    trace_selftest_regs_stat = TRACE_SELFTEST_REGS_START;
    test_regs_probe.flags &= ~FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED;
    test_regs_probe.flags |= FTRACE_OPS_FL_SAVE_REGS;
    ftrace_set_filter(&test_regs_probe, "*" TEST_FUNC_1, true);
    ret = register_ftrace_function(&test_regs_probe);
    if (!supported) {
        if (!ret) {
            printk("*registered save-regs without arch support* ");
            return -1;
        }
        test_regs_probe.flags |= FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED;
        ret = register_ftrace_function(&test_regs_probe);
    }
    if (ret) {
        printk("*could not register callback* ");
        return ret;
    }
    DYN_FTRACE_TEST_NAME();
    unregister_ftrace_function(&test_regs_probe);
    return check_regs_stat(supported);
}

static int trace_selftest_dynamic(const struct tracer *trace, struct trace_array *tr)
{
    int ret = trace_selftest_startup_dynamic_tracing(trace, tr);

    if (!ret)
        ret = trace_selftest_function_recursion();
    return ret ? ret : trace_selftest_function_regs();
}

#else

static int trace_selftest_dynamic(const struct tracer *trace, struct trace_array *tr)
{
    (void)trace;
    (void)tr;
    return 0;
}

#endif

/* ---- the tracers ---- */

/* Some function must have been called within 100 ms. */
static int anything_recorded(struct trace_array *tr)
{
    unsigned long count;
    int ret;

    msleep(100);
    ret = trace_test_buffer(&tr->array_buffer, &count);
    if (!ret && !count) {
        printk(".. no entries found ..");
        ret = -1;
    }
    return ret;
}

int trace_selftest_startup_function(struct tracer *trace, struct trace_array *tr)
{
    int ret;

    msleep(1);
    ret = start_tracer(trace, tr);
    if (!ret) {
        ret = anything_recorded(tr);
        trace->reset(tr);
    }
    if (!ret)
        ret = trace_selftest_dynamic(trace, tr);
    if (ret)
        ftrace_kill();
    return ret;
}

/* More calls than this within 100 ms: the tracer traces itself. */
enum { GRAPH_MAX_FUNC_TEST = 100000000 };

static unsigned int graph_hang_thresh;

static int trace_graph_entry_watchdog(struct ftrace_graph_ent *trace)
{
    if (unlikely(++graph_hang_thresh > GRAPH_MAX_FUNC_TEST)) {
        ftrace_graph_stop();
        printk("BUG: Function graph tracer hang!\n");
        return 0;
    }
    return trace_graph_entry(trace);
}

static struct fgraph_ops fgraph_ops = {
    .entryfunc = trace_graph_entry_watchdog,
    .retfunc = trace_graph_return,
};

int trace_selftest_startup_function_graph(struct tracer *trace, struct trace_array *tr)
{
    int ret;

    graph_hang_thresh = 0;
    tracing_reset_online_cpus(&tr->array_buffer);
    ret = register_ftrace_graph(&fgraph_ops);
    if (ret) {
        printk("Failed to init %s tracer, init returned %d ", trace->name, ret);
    } else {
        ret = anything_recorded(tr);
        unregister_ftrace_graph(&fgraph_ops);
        if (graph_hang_thresh > GRAPH_MAX_FUNC_TEST)
            ret = -1;
    }
    if (ret)
        ftrace_graph_stop();
    return ret;
}

int trace_selftest_startup_nop(struct tracer *trace, struct trace_array *tr)
{
    (void)trace;
    (void)tr;
    return 0;
}

/* ---- running them ---- */

static int run_tracer_selftest(struct tracer *type, struct trace_array *tr)
{
    const struct tracer *saved_tracer = tr->current_trace;
    int ret;

    if (!type->selftest)
        return 0;
    tracing_reset_online_cpus(&tr->array_buffer);
    tr->current_trace = type;
    printk("Testing tracer %s: ", type->name);
    ret = type->selftest(type, tr);
    tr->current_trace = saved_tracer;
    if (ret) {
        printk("FAILED!\n");
        return -1;
    }
    tracing_reset_online_cpus(&tr->array_buffer);
    passed();
    return 0;
}

static int run_all(struct trace_array *tr)
{
    struct tracer **p;
    int ret = 0;

    for (p = &trace_types; *p;) {
        struct tracer *type = *p;

        if (!run_tracer_selftest(type, tr)) {
            p = &type->next;
            continue;
        }
        WARN(true, "tracer: %s failed selftest, disabling\n", type->name);
        *p = type->next;
        ret = -1;
    }
    return ret;
}

/* The tests use the tracers themselves, so no tracer may be active. */
int trace_run_selftests(void)
{
    struct trace_array *tr = &global_trace;
    int ret = -EBUSY;

    mutex_lock(&trace_types_lock);
    if (strcmp(tr->current_trace->name, "nop"))
        printk("Selftests skipped: tracer %s is on\n", tr->current_trace->name);
    else
        ret = run_all(tr);
    mutex_unlock(&trace_types_lock);
    return ret;
}

static bool selftest_at_boot;

static int set_selftest(char *value)
{
    (void)value;
    selftest_at_boot = true;
    return 0;
}
__setup("ftrace_selftest", set_selftest);

void trace_init_selftests(void)
{
    if (!selftest_at_boot)
        return;
    pr_info("Running postponed tracer tests:\n");
    trace_run_selftests();
}

static void tracers_pass_their_own_tests(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, trace_run_selftests(), 0);
}

static const struct kunit_case tracer_cases[] = {
    KUNIT_CASE(tracers_pass_their_own_tests),
    {},
};

static const struct kunit_suite tracer_suite = {"tracers", tracer_cases};
kunit_test_suite_slow(tracer_suite);
