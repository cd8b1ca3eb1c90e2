/* fprobe_test.c - fprobes: entries, returns, and what they miss. Instrumented: has functions to
 * probe. */
#include <asm/ptrace.h>
#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/fprobe.h>

static unsigned long entries, exits, seen_ip, exit_ip, result;
static bool data_matches;

__attribute__((noipa)) static unsigned long fprobe_selftest_target(unsigned long n)
{
    return n * 3;
}

__attribute__((noipa)) static unsigned long fprobe_selftest_target2(unsigned long n)
{
    return n + 1;
}

__attribute__((noipa)) static unsigned long fprobe_selftest_nest(unsigned long n)
{
    unsigned long depth = n ? fprobe_selftest_nest(n - 1) + 1 : 0;

    barrier(); /* the recursion does not become a loop */
    return depth;
}

static notrace void on_entry(struct fprobe *fp, unsigned long ip, struct pt_regs *regs, void *data)
{
    entries++;
    seen_ip = ip;
    (void)regs;
    if (fp->entry_data_size)
        *(unsigned long *)data = ip ^ entries;
}

static notrace void on_exit(struct fprobe *fp, unsigned long ip, struct pt_regs *regs, void *data)
{
    exits++;
    exit_ip = ip;
    result = regs->a0;
    if (fp->entry_data_size)
        data_matches = *(unsigned long *)data == (ip ^ entries);
}

static struct fprobe probe;

static void begin(struct fprobe made)
{
    probe = made;
    entries = exits = seen_ip = exit_ip = result = 0;
    data_matches = false;
}

static void functions_are_probed_by_pattern(struct kunit *test)
{
    begin(
        (struct fprobe){.entry_handler = on_entry, .exit_handler = on_exit, .entry_data_size = 8});
    KUNIT_EXPECT_EQ(test, register_fprobe(&probe, "fprobe_selftest_target*", NULL), 0);
    KUNIT_EXPECT_EQ(test, fprobe_selftest_target(7), 21);
    KUNIT_EXPECT_EQ(test, entries, 1);
    KUNIT_EXPECT_EQ(test, exits, 1);
    KUNIT_EXPECT_EQ(test, result, 21);
    KUNIT_EXPECT_TRUE(test, data_matches);
    KUNIT_EXPECT_EQ(test, seen_ip, exit_ip);
    KUNIT_EXPECT_EQ(test, seen_ip, ftrace_location((unsigned long)fprobe_selftest_target));
    KUNIT_EXPECT_EQ(test, fprobe_selftest_target2(7), 8);
    KUNIT_EXPECT_EQ(test, entries, 2);
    KUNIT_EXPECT_EQ(test, result, 8);
    disable_fprobe(&probe);
    fprobe_selftest_target(7);
    KUNIT_EXPECT_EQ(test, entries, 2);
    enable_fprobe(&probe);
    fprobe_selftest_target(7);
    KUNIT_EXPECT_EQ(test, exits, 3);
    KUNIT_EXPECT_EQ(test, probe.nmissed, 0);
    KUNIT_EXPECT_EQ(test, unregister_fprobe(&probe), 0);
    KUNIT_EXPECT_EQ(test, unregister_fprobe(&probe), -EINVAL);
    fprobe_selftest_target(7);
    KUNIT_EXPECT_EQ(test, entries, 3);
}

static void some_functions_can_be_left_out(struct kunit *test)
{
    begin((struct fprobe){.exit_handler = on_exit});
    KUNIT_EXPECT_EQ(test, register_fprobe(&probe, "fprobe_selftest_target*", "*target2"), 0);
    fprobe_selftest_target2(1);
    KUNIT_EXPECT_EQ(test, exits, 0);
    fprobe_selftest_target(1);
    KUNIT_EXPECT_EQ(test, exits, 1);
    KUNIT_EXPECT_EQ(test, unregister_fprobe(&probe), 0);
}

static void functions_are_probed_by_name_and_address(struct kunit *test)
{
    static const char *const names[] = {"fprobe_selftest_target", "fprobe_selftest_target2"};
    static const char *const wrong[] = {"fprobe_selftest_target", "no_such_function"};
    unsigned long ip = (unsigned long)fprobe_selftest_target2;

    begin((struct fprobe){.entry_handler = on_entry});
    KUNIT_EXPECT_EQ(test, register_fprobe_syms(&probe, wrong, 2), -ENOENT);
    KUNIT_EXPECT_EQ(test, register_fprobe_syms(&probe, names, 2), 0);
    fprobe_selftest_target(1);
    fprobe_selftest_target2(1);
    KUNIT_EXPECT_EQ(test, entries, 2);
    KUNIT_EXPECT_EQ(test, unregister_fprobe(&probe), 0);
    KUNIT_EXPECT_EQ(test, register_fprobe_ips(&probe, &ip, 1), 0);
    fprobe_selftest_target(1);
    fprobe_selftest_target2(1);
    KUNIT_EXPECT_EQ(test, entries, 3);
    KUNIT_EXPECT_EQ(test, unregister_fprobe(&probe), 0);
    KUNIT_EXPECT_EQ(test, register_fprobe_ips(&probe, &ip, 0), -EINVAL);
    KUNIT_EXPECT_EQ(test, register_fprobe(&probe, NULL, NULL), -EINVAL);
    KUNIT_EXPECT_TRUE(test, register_fprobe(&probe, "no_such_function", NULL) < 0);
}

static void missed_without_a_node(struct kunit *test)
{
    begin((struct fprobe){.entry_handler = on_entry, .exit_handler = on_exit, .nr_maxactive = 3});
    KUNIT_EXPECT_EQ(test, register_fprobe(&probe, "fprobe_selftest_nest", NULL), 0);
    KUNIT_EXPECT_EQ(test, fprobe_selftest_nest(9), 9);
    KUNIT_EXPECT_EQ(test, entries, 3);
    KUNIT_EXPECT_EQ(test, exits, 3);
    KUNIT_EXPECT_EQ(test, probe.nmissed, 7);
    KUNIT_EXPECT_EQ(test, unregister_fprobe(&probe), 0);
}

static void handlers_shared_with_kprobes_work(struct kunit *test)
{
    begin((struct fprobe){
        .entry_handler = on_entry, .exit_handler = on_exit, .flags = FPROBE_FL_KPROBE_SHARED});
    KUNIT_EXPECT_EQ(test, register_fprobe(&probe, "fprobe_selftest_target", NULL), 0);
    KUNIT_EXPECT_EQ(test, fprobe_selftest_target(2), 6);
    KUNIT_EXPECT_EQ(test, entries, 1);
    KUNIT_EXPECT_EQ(test, exits, 1);
    KUNIT_EXPECT_EQ(test, unregister_fprobe(&probe), 0);
}

static notrace int follow(struct ftrace_graph_ent *trace)
{
    (void)trace;
    return 1;
}

static unsigned long returns;

static notrace void on_graph_return(struct ftrace_graph_ret *trace)
{
    (void)trace;
    returns++;
}

static void they_work_beside_the_graph_tracer(struct kunit *test)
{
    static struct fgraph_ops gops = {.entryfunc = follow, .retfunc = on_graph_return};
    unsigned int round;

    for (round = 0; round < 2; round++) { /* in either order */
        begin((struct fprobe){.entry_handler = on_entry, .exit_handler = on_exit});
        returns = 0;
        ftrace_set_filter(&gops.ops, "fprobe_selftest_target", true);
        KUNIT_EXPECT_EQ(test,
                        round ? register_ftrace_graph(&gops)
                              : register_fprobe(&probe, "fprobe_selftest_target", NULL),
                        0);
        KUNIT_EXPECT_EQ(test,
                        round ? register_fprobe(&probe, "fprobe_selftest_target", NULL)
                              : register_ftrace_graph(&gops),
                        0);
        KUNIT_EXPECT_EQ(test, fprobe_selftest_target(5), 15);
        KUNIT_EXPECT_EQ(test, exits, 1);
        KUNIT_EXPECT_EQ(test, result, 15);
        KUNIT_EXPECT_EQ(test, returns, 1);
        unregister_ftrace_graph(&gops);
        KUNIT_EXPECT_EQ(test, unregister_fprobe(&probe), 0);
    }
    ftrace_set_filter(&gops.ops, NULL, true);
}

static const struct kunit_case fprobe_cases[] = {
    KUNIT_CASE(functions_are_probed_by_pattern),
    KUNIT_CASE(some_functions_can_be_left_out),
    KUNIT_CASE(functions_are_probed_by_name_and_address),
    KUNIT_CASE(missed_without_a_node),
    KUNIT_CASE(handlers_shared_with_kprobes_work),
    KUNIT_CASE(they_work_beside_the_graph_tracer),
    {},
};

static const struct kunit_suite fprobe_suite = {"fprobe", fprobe_cases};
kunit_test_suite_slow(fprobe_suite);
