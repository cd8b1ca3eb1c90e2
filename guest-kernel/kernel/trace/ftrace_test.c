/* ftrace_test.c - which function each site calls, and the handling of replaced return addresses. */
#include "ftrace_internal.h"
#include "pid_list.h"
#include "trace_selftest.h"
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/string.h>

#define FUNC_1 "trace_selftest_dynamic_test_func"
#define FUNC_2 "trace_selftest_dynamic_test_func2"

/* An ops that counts its calls and notes the last arguments. */
struct probe {
    struct ftrace_ops ops;
    int count;
    unsigned long ip, parent_ip;
};

static notrace void probe_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                               struct ftrace_regs *fregs)
{
    struct probe *probe = container_of(op, struct probe, ops);

    (void)fregs;
    probe->count++;
    probe->ip = ip;
    probe->parent_ip = parent_ip;
}

static void call_both(void)
{
    DYN_FTRACE_TEST_NAME();
    DYN_FTRACE_TEST_NAME2();
}

/* How many times probe is called when each function is called once. */
static int calls_of(struct probe *probe)
{
    probe->count = 0;
    call_both();
    return probe->count;
}

/* Unregisters and resets it for the next case. */
static void retire(struct probe *probe)
{
    if (probe->ops.flags & FTRACE_OPS_FL_ENABLED)
        unregister_ftrace_function(&probe->ops);
    ftrace_set_filter(&probe->ops, NULL, true);
    ftrace_set_notrace(&probe->ops, NULL, true);
    probe->ops.flags = 0;
}

static struct probe a = {.ops.func = probe_func}, b = {.ops.func = probe_func};

/* The same for graph users: counts of entries and returns. */
static int entries[2], returns[2];
static bool follow[2] = {true, true};

#define GRAPH_PROBE(n)                                             \
    static notrace int entry_##n(struct ftrace_graph_ent *trace)   \
    {                                                              \
        (void)trace;                                               \
        entries[n]++;                                              \
        return follow[n];                                          \
    }                                                              \
    static notrace void return_##n(struct ftrace_graph_ret *trace) \
    {                                                              \
        (void)trace;                                               \
        returns[n]++;                                              \
    }                                                              \
    static struct fgraph_ops gops_##n = {.entryfunc = entry_##n, .retfunc = return_##n}

GRAPH_PROBE(0);
GRAPH_PROBE(1);

static void reset_graph_counts(void)
{
    memset(entries, 0, sizeof(entries));
    memset(returns, 0, sizeof(returns));
}

/* ---- filters ---- */

static void a_filter_can_change_while_it_is_in_force(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, FUNC_1, true), 0);
    KUNIT_EXPECT_EQ(test, register_ftrace_function(&a.ops), 0);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 1);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, FUNC_2, false), 0);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 2);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, "!" FUNC_1, false), 0);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 1);
    retire(&a);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 0);
}

static void notrace_overrides_the_filter(struct kunit *test)
{
    ftrace_set_filter(&a.ops, FUNC_1 "*", true);
    KUNIT_EXPECT_EQ(test, ftrace_set_notrace(&a.ops, FUNC_2, true), 0);
    register_ftrace_function(&a.ops);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 1);
    ftrace_set_notrace(&a.ops, FUNC_1, false);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 0);
    ftrace_set_notrace(&a.ops, NULL, true);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 2);
    retire(&a);
}

static void a_filter_that_matches_nothing_is_refused(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, "no_such_function", true), -EINVAL);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, FUNC_1 ":mod:no_such_module", true), -EINVAL);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, FUNC_1 ":bogus:x", true), -EINVAL);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, "0", true), -EINVAL);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, "99999999", true), -EINVAL);
    KUNIT_EXPECT_TRUE(test, ftrace_hash_empty(a.ops.func_hash->filter_hash));
}

/* `!` before a module means functions that are not in this module. */
static void the_kernel_is_in_no_module(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, FUNC_1 ":mod:!no_such_module", true), 0);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, FUNC_1 ":mod:!", true), 0);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, FUNC_1 ":mod:", true), -EINVAL);
    retire(&a);
}

/* The position in available_filter_functions. */
static unsigned long place_of(unsigned long ip)
{
    unsigned long i = 0;

    ftrace_rec_lock();
    while (ftrace_rec(i) && ftrace_rec(i)->ip != ip)
        i++;
    ftrace_rec_unlock();
    return i + 1;
}

static void a_function_can_be_named_by_its_index(struct kunit *test)
{
    char place[24];

    snprintf(place, sizeof(place), "%lu",
             place_of(ftrace_location((unsigned long)DYN_FTRACE_TEST_NAME)));
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&a.ops, place, true), 0);
    register_ftrace_function(&a.ops);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 1);
    retire(&a);
}

static void a_function_can_be_named_by_its_address(struct kunit *test)
{
    unsigned long func = (unsigned long)DYN_FTRACE_TEST_NAME2;

    KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&a.ops, func, false, true), 0);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&a.ops, func + 1, false, false), -EINVAL);
    register_ftrace_function(&a.ops);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 1);
    KUNIT_EXPECT_EQ(test, a.ip, ftrace_location(func));
    KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&a.ops, a.ip, true, false), 0);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&a.ops, a.ip, true, false), -ENOENT);
    retire(&a);
}

/* ---- ops ---- */

/* The parent address is in this function. */
static noinline void call_from_here(void)
{
    DYN_FTRACE_TEST_NAME();
    barrier();
}

static void a_callback_gets_function_and_caller(struct kunit *test)
{
    unsigned long here = (unsigned long)call_from_here;

    ftrace_set_filter(&a.ops, FUNC_1, true);
    register_ftrace_function(&a.ops);
    call_from_here();
    KUNIT_EXPECT_EQ(test, a.ip, ftrace_location((unsigned long)DYN_FTRACE_TEST_NAME));
    KUNIT_EXPECT_TRUE(test, a.parent_ip > here && a.parent_ip < here + 64);
    retire(&a);
}

static void one_ops_is_called_directly_and_several_by_the_list(struct kunit *test)
{
    ftrace_set_filter(&a.ops, FUNC_1, true);
    ftrace_set_filter(&b.ops, FUNC_2, true);
    KUNIT_EXPECT_TRUE(test, ftrace_trace_function == ftrace_stub);
    register_ftrace_function(&a.ops);
    KUNIT_EXPECT_TRUE(test, ftrace_trace_function == probe_func && function_trace_op == &a.ops);
    register_ftrace_function(&b.ops);
    KUNIT_EXPECT_TRUE(test, ftrace_trace_function == ftrace_ops_list_func);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 1);
    KUNIT_EXPECT_EQ(test, calls_of(&b), 1);
    retire(&a);
    KUNIT_EXPECT_TRUE(test, ftrace_trace_function == probe_func && function_trace_op == &b.ops);
    KUNIT_EXPECT_EQ(test, calls_of(&b), 1);
    retire(&b);
    KUNIT_EXPECT_TRUE(test, ftrace_trace_function == ftrace_stub);
}

static void an_ops_that_may_be_freed_is_called_by_the_list(struct kunit *test)
{
    struct probe *probe = kzalloc(sizeof(*probe));

    if (!KUNIT_EXPECT_TRUE(test, probe))
        return;
    probe->ops.func = probe_func;
    ftrace_set_filter(&probe->ops, FUNC_1, true);
    register_ftrace_function(&probe->ops);
    KUNIT_EXPECT_TRUE(test, ftrace_trace_function == ftrace_ops_list_func);
    KUNIT_EXPECT_EQ(test, calls_of(probe), 1);
    retire(probe);
    kfree(probe);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

static struct pt_regs seen_regs;

static notrace void regs_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                              struct ftrace_regs *fregs)
{
    (void)ip, (void)parent_ip, (void)op;
    seen_regs = *ftrace_get_regs(fregs);
}

/* Another ops that does not ask for registers is at the same site. */
static void registers_are_those_of_the_call(struct kunit *test)
{
    struct ftrace_ops ops = {.func = regs_func, .flags = FTRACE_OPS_FL_SAVE_REGS};
    unsigned long here = (unsigned long)__builtin_frame_address(0);
    unsigned long site = ftrace_location((unsigned long)DYN_FTRACE_TEST_NAME);

    ftrace_set_filter(&ops, FUNC_1, true);
    ftrace_set_filter(&a.ops, FUNC_1 "*", true);
    register_ftrace_function(&a.ops);
    KUNIT_EXPECT_EQ(test, register_ftrace_function(&ops), 0);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 2);
    KUNIT_EXPECT_TRUE(test, seen_regs.epc > site && seen_regs.epc <= site + MCOUNT_INSN_SIZE);
    KUNIT_EXPECT_EQ(test, seen_regs.tp, (long)current);
    KUNIT_EXPECT_TRUE(test, seen_regs.sp < here && seen_regs.sp > here - 512);
    unregister_ftrace_function(&ops);
    ftrace_set_filter(&ops, NULL, true);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 2);
    retire(&a);
}

#endif

static struct dyn_ftrace *record_of(int (*func)(void))
{
    return ftrace_rec(place_of(ftrace_location((unsigned long)func)) - 1);
}

static void a_record_counts_the_ops_of_its_site(struct kunit *test)
{
    const struct dyn_ftrace *rec = record_of(DYN_FTRACE_TEST_NAME);

    ftrace_set_filter(&a.ops, FUNC_1, true);
    ftrace_set_filter(&b.ops, FUNC_1 "*", true);
    KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec), 0);
    register_ftrace_function(&a.ops);
    register_ftrace_function(&b.ops);
    KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec), 2);
    KUNIT_EXPECT_EQ(test, ftrace_rec_count(record_of(DYN_FTRACE_TEST_NAME2)), 1);
    KUNIT_EXPECT_TRUE(test, rec->flags & FTRACE_FL_ENABLED);
    retire(&a);
    KUNIT_EXPECT_EQ(test, ftrace_rec_count(rec), 1);
    retire(&b);
    KUNIT_EXPECT_EQ(test, rec->flags, 0);
}

/* -EINVAL: no filter. -EBUSY: another ops has IPMODIFY at the function. */
static void only_one_may_move_the_pc_of_a_function(struct kunit *test)
{
    a.ops.flags = b.ops.flags = FTRACE_OPS_FL_IPMODIFY;
    KUNIT_EXPECT_EQ(test, register_ftrace_function(&a.ops), -EINVAL);
    ftrace_set_filter(&a.ops, FUNC_1, true);
    ftrace_set_filter(&b.ops, FUNC_1, true);
    KUNIT_EXPECT_EQ(test, register_ftrace_function(&a.ops), 0);
    KUNIT_EXPECT_EQ(test, register_ftrace_function(&b.ops), -EBUSY);
    ftrace_set_filter(&b.ops, FUNC_2, true);
    KUNIT_EXPECT_EQ(test, register_ftrace_function(&b.ops), 0);
    KUNIT_EXPECT_EQ(test, ftrace_set_filter(&b.ops, FUNC_1, false), -EBUSY);
    KUNIT_EXPECT_EQ(test, calls_of(&b), 1);
    retire(&a);
    retire(&b);
}

/* In the layouts with a site after the prologue it is too late to replace a function. */
#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY

static noinline int replacement(void)
{
    barrier();
    return 42;
}

static notrace void replace_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                                 struct ftrace_regs *fregs)
{
    (void)ip, (void)parent_ip, (void)op;
    ftrace_regs_set_instruction_pointer(fregs, (unsigned long)replacement);
}

/* As live patching does. */
static void a_function_can_be_replaced(struct kunit *test)
{
    static struct ftrace_ops ops = {.func = replace_func};

    ops.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED;
    ftrace_set_filter(&ops, FUNC_1, true);
    KUNIT_EXPECT_EQ(test, DYN_FTRACE_TEST_NAME(), 0);
    KUNIT_EXPECT_EQ(test, register_ftrace_function(&ops), 0);
    KUNIT_EXPECT_EQ(test, DYN_FTRACE_TEST_NAME(), 42);
    reset_graph_counts();
    ftrace_set_filter(&gops_0.ops, FUNC_1, true);
    register_ftrace_graph(&gops_0);
    KUNIT_EXPECT_EQ(test, DYN_FTRACE_TEST_NAME(), 42);
    KUNIT_EXPECT_EQ(test, returns[0], 1);
    unregister_ftrace_graph(&gops_0);
    unregister_ftrace_function(&ops);
    KUNIT_EXPECT_EQ(test, DYN_FTRACE_TEST_NAME(), 0);
    ftrace_set_filter(&ops, NULL, true);
}

#endif

/* ---- pids ---- */

static int call_both_thread(void *done)
{
    call_both();
    complete(done);
    return 0;
}

static void let_another_task_call_both(struct kunit *test)
{
    struct completion done;
    struct task_struct *p = kthread_create(call_both_thread, &done, "caller");

    init_completion(&done);
    if (!KUNIT_EXPECT_FALSE(test, IS_ERR(p)))
        return;
    wake_up_new_task(p);
    wait_for_completion(&done);
}

static struct trace_pid_list *list_of_current(void)
{
    struct trace_pid_list *list = trace_pid_list_alloc();

    if (list)
        trace_pid_list_set(list, current->pid);
    return list;
}

static void ops_with_pids_are_called_for_those_tasks_only(struct kunit *test)
{
    a.ops.flags = FTRACE_OPS_FL_PID;
    ftrace_set_filter(&a.ops, FUNC_1, true);
    ftrace_set_filter(&b.ops, FUNC_1, true);
    register_ftrace_function(&a.ops);
    register_ftrace_function(&b.ops);
    ftrace_set_pids(&global_trace, TRACE_PIDS, list_of_current());
    a.count = b.count = 0;
    call_both();
    let_another_task_call_both(test);
    KUNIT_EXPECT_EQ(test, a.count, 1);
    KUNIT_EXPECT_EQ(test, b.count, 2);
    ftrace_set_pids(&global_trace, TRACE_PIDS, NULL);
    ftrace_set_pids(&global_trace, TRACE_NO_PIDS, list_of_current());
    a.count = 0;
    call_both();
    let_another_task_call_both(test);
    KUNIT_EXPECT_EQ(test, a.count, 1);
    ftrace_set_pids(&global_trace, TRACE_NO_PIDS, NULL);
    KUNIT_EXPECT_TRUE(test, a.ops.func == probe_func);
    retire(&a);
    retire(&b);
}

static void children_can_inherit_being_traced(struct kunit *test)
{
    a.ops.flags = FTRACE_OPS_FL_PID;
    ftrace_set_filter(&a.ops, FUNC_1, true);
    register_ftrace_function(&a.ops);
    ftrace_set_pids(&global_trace, TRACE_PIDS, list_of_current());
    ftrace_pid_follow_fork(&global_trace, true);
    a.count = 0;
    let_another_task_call_both(test);
    KUNIT_EXPECT_EQ(test, a.count, 1);
    ftrace_pid_follow_fork(&global_trace, false);
    ftrace_set_pids(&global_trace, TRACE_PIDS, NULL);
    retire(&a);
}

/* ---- function graph ---- */

static void one_graph_user_is_called_directly(struct kunit *test)
{
    reset_graph_counts();
    ftrace_set_filter(&gops_0.ops, FUNC_1, true);
    KUNIT_EXPECT_EQ(test, register_ftrace_graph(&gops_0), 0);
    KUNIT_EXPECT_EQ(test, register_ftrace_graph(&gops_0), -EBUSY);
    KUNIT_EXPECT_TRUE(test, ftrace_graph_entry == entry_0 && ftrace_graph_return == return_0);
    call_both();
    unregister_ftrace_graph(&gops_0);
    KUNIT_EXPECT_EQ(test, entries[0], 1);
    KUNIT_EXPECT_EQ(test, returns[0], 1);
    KUNIT_EXPECT_TRUE(test, ftrace_graph_entry == ftrace_graph_entry_stub);
    call_both();
    KUNIT_EXPECT_EQ(test, entries[0], 1);
}

/* The site of the second function is on for another ops. */
static void a_graph_user_is_called_for_its_filter_only(struct kunit *test)
{
    reset_graph_counts();
    ftrace_set_filter(&gops_0.ops, FUNC_1, true);
    ftrace_set_filter(&a.ops, FUNC_1 "*", true);
    register_ftrace_function(&a.ops);
    register_ftrace_graph(&gops_0);
    KUNIT_EXPECT_TRUE(test, ftrace_graph_entry != entry_0);
    KUNIT_EXPECT_EQ(test, calls_of(&a), 2);
    KUNIT_EXPECT_EQ(test, entries[0], 1);
    retire(&a);
    KUNIT_EXPECT_TRUE(test, ftrace_graph_entry == entry_0);
    unregister_ftrace_graph(&gops_0);
}

static void several_graph_users_have_their_own_filters(struct kunit *test)
{
    reset_graph_counts();
    ftrace_set_filter(&gops_0.ops, FUNC_1, true);
    ftrace_set_filter(&gops_1.ops, FUNC_1 "*", true);
    register_ftrace_graph(&gops_0);
    register_ftrace_graph(&gops_1);
    KUNIT_EXPECT_EQ(test, ftrace_rec_count(record_of(DYN_FTRACE_TEST_NAME)), 1);
    call_both();
    KUNIT_EXPECT_EQ(test, entries[0], 1);
    KUNIT_EXPECT_EQ(test, returns[0], 1);
    KUNIT_EXPECT_EQ(test, entries[1], 2);
    KUNIT_EXPECT_EQ(test, returns[1], 2);
    unregister_ftrace_graph(&gops_0);
    KUNIT_EXPECT_TRUE(test, ftrace_graph_entry == entry_1);
    call_both();
    unregister_ftrace_graph(&gops_1);
    KUNIT_EXPECT_EQ(test, entries[0], 1);
    KUNIT_EXPECT_EQ(test, returns[1], 4);
}

static void a_return_goes_to_users_that_followed_the_call(struct kunit *test)
{
    reset_graph_counts();
    ftrace_set_filter(&gops_0.ops, FUNC_1, true);
    ftrace_set_filter(&gops_1.ops, FUNC_1, true);
    register_ftrace_graph(&gops_0);
    register_ftrace_graph(&gops_1);
    follow[0] = false;
    DYN_FTRACE_TEST_NAME();
    follow[0] = true;
    KUNIT_EXPECT_EQ(test, entries[0], 1);
    KUNIT_EXPECT_EQ(test, returns[0], 0);
    KUNIT_EXPECT_EQ(test, returns[1], 1);
    unregister_ftrace_graph(&gops_0);
    unregister_ftrace_graph(&gops_1);
}

/* Registers one user and unregisters the other during the call. */
static noinline void call_that_swaps_users(void)
{
    register_ftrace_graph(&gops_1);
    unregister_ftrace_graph(&gops_0);
    barrier();
}

static void a_user_registered_during_a_call_does_not_get_its_return(struct kunit *test)
{
    reset_graph_counts();
    ftrace_set_filter(&gops_0.ops, "call_that_swaps_users", true);
    ftrace_set_filter(&gops_1.ops, FUNC_1, true);
    register_ftrace_graph(&gops_0);
    call_that_swaps_users();
    KUNIT_EXPECT_EQ(test, entries[0], 1);
    KUNIT_EXPECT_EQ(test, returns[0] + returns[1], 0);
    DYN_FTRACE_TEST_NAME();
    KUNIT_EXPECT_EQ(test, returns[1], 1);
    unregister_ftrace_graph(&gops_1);
}

/* The barrier keeps the compiler from making a loop of it. */
static noinline __attribute__((noclone)) int call_deeply(int levels)
{
    int n = levels ? call_deeply(levels - 1) : -1;

    barrier();
    return n + 1;
}

static void deep_calls_without_room_are_counted(struct kunit *test)
{
    int before;

    reset_graph_counts();
    ftrace_set_filter(&gops_0.ops, "call_deeply", true);
    register_ftrace_graph(&gops_0);
    before = atomic_read(&current->trace_overrun);
    KUNIT_EXPECT_EQ(test, call_deeply(FTRACE_RETFUNC_DEPTH + 9), FTRACE_RETFUNC_DEPTH + 9);
    unregister_ftrace_graph(&gops_0);
    KUNIT_EXPECT_EQ(test, entries[0], FTRACE_RETFUNC_DEPTH);
    KUNIT_EXPECT_EQ(test, returns[0], FTRACE_RETFUNC_DEPTH);
    KUNIT_EXPECT_EQ(test, atomic_read(&current->trace_overrun) - before, 10);
}

static const struct kunit_case ftrace_cases[] = {
    KUNIT_CASE(a_filter_can_change_while_it_is_in_force),
    KUNIT_CASE(notrace_overrides_the_filter),
    KUNIT_CASE(a_filter_that_matches_nothing_is_refused),
    KUNIT_CASE(the_kernel_is_in_no_module),
    KUNIT_CASE(a_function_can_be_named_by_its_index),
    KUNIT_CASE(a_function_can_be_named_by_its_address),
    KUNIT_CASE(a_callback_gets_function_and_caller),
    KUNIT_CASE(one_ops_is_called_directly_and_several_by_the_list),
    KUNIT_CASE(an_ops_that_may_be_freed_is_called_by_the_list),
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
    KUNIT_CASE(registers_are_those_of_the_call),
#endif
    KUNIT_CASE(a_record_counts_the_ops_of_its_site),
    KUNIT_CASE(only_one_may_move_the_pc_of_a_function),
#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY
    KUNIT_CASE(a_function_can_be_replaced),
#endif
    KUNIT_CASE(ops_with_pids_are_called_for_those_tasks_only),
    KUNIT_CASE(children_can_inherit_being_traced),
    KUNIT_CASE(one_graph_user_is_called_directly),
    KUNIT_CASE(a_graph_user_is_called_for_its_filter_only),
    KUNIT_CASE(several_graph_users_have_their_own_filters),
    KUNIT_CASE(a_return_goes_to_users_that_followed_the_call),
    KUNIT_CASE(a_user_registered_during_a_call_does_not_get_its_return),
    KUNIT_CASE(deep_calls_without_room_are_counted),
    {},
};

static const struct kunit_suite ftrace_suite = {"ftrace", ftrace_cases};
kunit_test_suite_slow(ftrace_suite);
