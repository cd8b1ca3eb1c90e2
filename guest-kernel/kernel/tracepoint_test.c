/* tracepoint_test.c - probes: their order, their data, and what is called when the last one goes.
 */
#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/tracepoint.h>

DECLARE_TRACE(kunit_tp, TP_PROTO(int a, const char *b), TP_ARGS(a, b));
DECLARE_TRACE_CONDITION(kunit_tp_cond, TP_PROTO(int a), TP_ARGS(a), TP_CONDITION(a > 1));

static int registered; /* regfunc calls without their unregfunc */

static int kunit_reg(void)
{
    registered++;
    return 0;
}

static void kunit_unreg(void)
{
    registered--;
}

static int kunit_fails(void)
{
    return -EAGAIN;
}

DECLARE_TRACE(kunit_tp_fn, TP_PROTO(int a), TP_ARGS(a));
DECLARE_TRACE(kunit_tp_fails, TP_PROTO(int a), TP_ARGS(a));
DEFINE_TRACE(kunit_tp, TP_PROTO(int a, const char *b), TP_ARGS(a, b));
DEFINE_TRACE(kunit_tp_cond, TP_PROTO(int a), TP_ARGS(a));
DEFINE_TRACE_FN(kunit_tp_fn, kunit_reg, kunit_unreg, TP_PROTO(int a), TP_ARGS(a));
DEFINE_TRACE_FN(kunit_tp_fails, kunit_fails, NULL, TP_PROTO(int a), TP_ARGS(a));

/* The names of the probes in the order of their calls, as decimal digits. */
static int calls, last_a;
static const char *last_b;

static void probe(void *data, int a, const char *b)
{
    calls = calls * 10 + (int)(long)data;
    last_a = a;
    last_b = b;
}

static void probe_of_one(void *data, int a)
{
    (void)data;
    calls++;
    last_a = a;
}

static noinline int calls_of_a_hit(void)
{
    calls = 0;
    trace_kunit_tp(7, "text");
    return calls;
}

static void probes_are_called_by_priority_then_by_age(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, calls_of_a_hit(), 0);
    KUNIT_EXPECT_FALSE(test, trace_kunit_tp_enabled());
    KUNIT_EXPECT_EQ(test, register_trace_kunit_tp(probe, (void *)1), 0);
    KUNIT_EXPECT_EQ(test, register_trace_kunit_tp(probe, (void *)2), 0);
    KUNIT_EXPECT_EQ(test, register_trace_prio_kunit_tp(probe, (void *)3, 20), 0);
    KUNIT_EXPECT_EQ(test, register_trace_prio_kunit_tp(probe, (void *)4, 1), 0);
    KUNIT_EXPECT_TRUE(test, trace_kunit_tp_enabled());
    KUNIT_EXPECT_EQ(test, calls_of_a_hit(), 3124);
    KUNIT_EXPECT_EQ(test, last_a, 7);
    KUNIT_EXPECT_EQ(test, last_b[0], 't');
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp(probe, (void *)1), 0);
    KUNIT_EXPECT_EQ(test, calls_of_a_hit(), 324);
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp(probe, (void *)3), 0);
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp(probe, (void *)4), 0);
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp(probe, (void *)2), 0);
    KUNIT_EXPECT_FALSE(test, trace_kunit_tp_enabled());
    KUNIT_EXPECT_EQ(test, calls_of_a_hit(), 0);
}

static void a_probe_is_added_once_for_its_data(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, register_trace_kunit_tp(probe, (void *)1), 0);
    KUNIT_EXPECT_EQ(test, register_trace_kunit_tp(probe, (void *)1), -EEXIST);
    KUNIT_EXPECT_EQ(test, calls_of_a_hit(), 1);
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp(probe, (void *)2), -ENOENT);
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp(probe, (void *)1), 0);
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp(probe, (void *)1), -ENOENT);
}

static void a_condition_keeps_calls_from_the_probes(struct kunit *test)
{
    calls = 0;
    KUNIT_EXPECT_EQ(test, register_trace_kunit_tp_cond(probe_of_one, NULL), 0);
    trace_kunit_tp_cond(1);
    KUNIT_EXPECT_EQ(test, calls, 0);
    trace_kunit_tp_cond(2);
    KUNIT_EXPECT_EQ(test, calls, 1);
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp_cond(probe_of_one, NULL), 0);
}

static void regfunc_is_called_for_the_first_probe_only(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, register_trace_kunit_tp_fn(probe_of_one, (void *)1), 0);
    KUNIT_EXPECT_EQ(test, register_trace_kunit_tp_fn(probe_of_one, (void *)2), 0);
    KUNIT_EXPECT_EQ(test, registered, 1);
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp_fn(probe_of_one, (void *)1), 0);
    KUNIT_EXPECT_EQ(test, registered, 1);
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp_fn(probe_of_one, (void *)2), 0);
    KUNIT_EXPECT_EQ(test, registered, 0);
}

static void an_error_of_regfunc_leaves_the_tracepoint_off(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, register_trace_kunit_tp_fails(probe_of_one, NULL), -EAGAIN);
    KUNIT_EXPECT_FALSE(test, trace_kunit_tp_fails_enabled());
    KUNIT_EXPECT_EQ(test, unregister_trace_kunit_tp_fails(probe_of_one, NULL), -ENOENT);
}

static void find_by_name(struct tracepoint *tp, void *found)
{
    if (tp == &__tracepoint_kunit_tp)
        *(bool *)found = true;
}

static void every_tracepoint_is_in_the_list(struct kunit *test)
{
    bool found = false;

    for_each_kernel_tracepoint(find_by_name, &found);
    KUNIT_EXPECT_TRUE(test, found);
}

static const struct kunit_case tracepoint_cases[] = {
    KUNIT_CASE(probes_are_called_by_priority_then_by_age),
    KUNIT_CASE(a_probe_is_added_once_for_its_data),
    KUNIT_CASE(a_condition_keeps_calls_from_the_probes),
    KUNIT_CASE(regfunc_is_called_for_the_first_probe_only),
    KUNIT_CASE(an_error_of_regfunc_leaves_the_tracepoint_off),
    KUNIT_CASE(every_tracepoint_is_in_the_list),
    {NULL, NULL},
};

static const struct kunit_suite tracepoint_suite = {
    .name = "tracepoint",
    .test_cases = tracepoint_cases,
};
kunit_test_suite(tracepoint_suite);
