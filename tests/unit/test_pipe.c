/*
 * test_pipe.c - when operations issue: dependences, units, fetch, stores, two slots.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timing/pipe.h"

static struct core *core_of(const char *text)
{
    struct diag d = {.out = stderr, .program = "test"};
    struct core *core = core_parse(text, "test.core", &d);

    assert_non_null(core);
    return core;
}

/* Operations of four bytes, at the addresses in a row. */
static unsigned cycles_of(const char *text, const struct pipe_op *ops, unsigned count)
{
    struct core *core = core_of(text);
    struct pipe_state s;
    unsigned cycles = 0;

    pipe_reset(&s);
    for (unsigned i = 0; i < count; i++) {
        struct pipe_op op = ops[i];

        op.size = 4;
        op.pc = (uint8_t)(4 * i);
        cycles += pipe_step(core, &s, &op).cycles;
    }
    core_free(core);
    return cycles;
}

#define CYCLES(text, ...)                                  \
    cycles_of(text, (const struct pipe_op[]){__VA_ARGS__}, \
              sizeof((const struct pipe_op[]){__VA_ARGS__}) / sizeof(struct pipe_op))

#define ADD(d, a, b)                                   \
    {                                                  \
        .class = CORE_alu, .rd = d, .source = { a, b } \
    }
#define LOAD(d, a, o)                                                               \
    {                                                                               \
        .class = CORE_load, .rd = d, .source = {a}, .flags = PIPE_LOAD, .offset = o \
    }
#define STORE(v, a, o)                                                          \
    {                                                                           \
        .class = CORE_store, .source = {a, v}, .flags = PIPE_STORE, .offset = o \
    }
#define MUL(d, a, b)                                   \
    {                                                  \
        .class = CORE_mul, .rd = d, .source = { a, b } \
    }
/* Floating-point registers are 32 to 63. */
#define FADD(d, a, b)                                                        \
    {                                                                        \
        .class = CORE_fadd_d, .rd = d, .source = {a, b}, .flags = PIPE_FLOAT \
    }
#define FEQ(d, a, b)                                                           \
    {                                                                          \
        .class = CORE_fcompare, .rd = d, .source = {a, b}, .flags = PIPE_FLOAT \
    }
#define FSTORE(v, a, o)                                                                      \
    {                                                                                        \
        .class = CORE_store, .source = {a, v}, .flags = PIPE_STORE | PIPE_FLOAT, .offset = o \
    }
#define NOP               \
    {                     \
        .class = CORE_alu \
    }
#define JUMP                                      \
    {                                             \
        .class = CORE_jump, .flags = PIPE_CONTROL \
    }

static void independent_operations_take_a_cycle_each(void **state)
{
    (void)state;
    assert_int_equal(CYCLES("", ADD(10, 11, 12), ADD(13, 11, 12), ADD(14, 11, 12)), 3);
}

static void a_result_is_waited_for(void **state)
{
    (void)state;
    assert_int_equal(CYCLES("latency.load = 3\n", LOAD(10, 11, 0), ADD(12, 10, 10)), 4);
    assert_int_equal(CYCLES("latency.load = 3\n", LOAD(10, 11, 0), NOP, ADD(12, 10, 10)), 4);
    assert_int_equal(CYCLES("latency.load = 3\n", LOAD(10, 11, 0), NOP, NOP, NOP), 4);
    assert_int_equal(CYCLES("latency.mul = 4\n", MUL(10, 11, 11), MUL(12, 10, 11)), 5);
}

static void x0_is_no_register(void **state)
{
    (void)state;
    assert_int_equal(CYCLES("latency.load = 3\n", LOAD(0, 11, 0), ADD(12, 0, 0)), 2);
}

static void a_unit_takes_the_next_operation_after_its_interval(void **state)
{
    (void)state;
    assert_int_equal(CYCLES("interval.mul = 4\n", MUL(10, 11, 11), MUL(12, 11, 11)), 5);
    assert_int_equal(CYCLES("interval.mul = 4\n", MUL(10, 11, 11), ADD(12, 11, 11)), 2);
}

static void a_register_is_written_in_order_where_the_core_says_so(void **state)
{
    (void)state;
    assert_int_equal(CYCLES("", ADD(10, 11, 12), ADD(10, 11, 12)), 2);
    assert_int_equal(
        CYCLES("issue.ordered-writes = 1\nlatency.alu = 2\n", ADD(10, 11, 12), ADD(10, 11, 12)), 3);
    assert_int_equal(
        CYCLES("issue.ordered-writes = 1\nlatency.load = 4\n", LOAD(10, 11, 0), ADD(10, 11, 12)),
        5);
    assert_int_equal(CYCLES("issue.ordered-writes = 1\nissue.ordered-loads = 0\nlatency.load = 4\n",
                            LOAD(10, 11, 0), ADD(10, 11, 12)),
                     2);
}

static void a_float_that_waits_lets_integer_operations_pass(void **state)
{
    const char *queue = "latency.fadd-d = 4\nissue.float-queue = 1\n";

    (void)state;
    assert_int_equal(
        CYCLES("latency.fadd-d = 4\n", FADD(40, 41, 41), FADD(42, 40, 40), NOP, NOP, NOP), 8);
    assert_int_equal(CYCLES(queue, FADD(40, 41, 41), FADD(42, 40, 40), NOP, NOP, NOP), 5);
    /* The third finds its place taken until cycle 5. */
    assert_int_equal(CYCLES(queue, FADD(40, 41, 41), FADD(42, 40, 40), FADD(43, 41, 41)), 6);
    assert_int_equal(CYCLES("latency.fcompare = 3\nfloat.to-integer = 1\nissue.float-queue = 1\n",
                            FEQ(10, 41, 41), ADD(11, 10, 10)),
                     5);
}

static void a_float_register_may_be_written_later_than_read(void **state)
{
    const char *core = "latency.fadd-d = 4\nissue.ordered-writes = 1\n"
                       "issue.float-write-after-write = 1\n";

    (void)state;
    assert_int_equal(CYCLES(core, FADD(40, 41, 41), FADD(42, 40, 41)), 5);
    assert_int_equal(CYCLES(core, FADD(40, 41, 41), FADD(40, 41, 41)), 6);
    assert_int_equal(CYCLES(core, ADD(10, 11, 12), ADD(10, 11, 12)), 2);
}

static void a_store_need_not_wait_for_its_data(void **state)
{
    const char *late = "latency.load = 3\nlatency.fadd-d = 4\nlatency.mul = 4\n"
                       "issue.late-store-data = 1\n";

    (void)state;
    assert_int_equal(CYCLES("latency.load = 3\n", LOAD(10, 11, 0), STORE(10, 2, 8)), 4);
    assert_int_equal(CYCLES(late, LOAD(10, 11, 0), STORE(10, 2, 8)), 2);
    assert_int_equal(CYCLES(late, LOAD(10, 11, 0), STORE(12, 10, 8)), 4); /* the address */
    assert_int_equal(CYCLES(late, FADD(40, 41, 41), FSTORE(40, 2, 8)), 2);
    assert_int_equal(CYCLES(late, MUL(10, 11, 11), STORE(10, 2, 8)), 5);
}

#define SCOREBOARD "commit.entries = 8\ncommit.width = 2\n"

static void a_register_is_written_again_when_its_last_writer_commits(void **state)
{
    const char *core = SCOREBOARD "latency.load = 3\n";

    (void)state;
    assert_int_equal(CYCLES(core, ADD(10, 11, 12), ADD(10, 11, 12)), 3);
    assert_int_equal(CYCLES(core, ADD(10, 11, 12), ADD(13, 10, 12)), 2);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), LOAD(10, 11, 0)), 5);
    /* The additions commit after the load, two in a cycle. */
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), ADD(13, 11, 12), ADD(13, 11, 12)), 5);
    assert_int_equal(
        CYCLES(core, LOAD(10, 11, 0), ADD(13, 11, 12), ADD(14, 11, 12), ADD(14, 11, 12)), 6);
    assert_int_equal(CYCLES("commit.entries = 8\nlatency.load = 3\n", LOAD(10, 11, 0),
                            ADD(13, 11, 12), ADD(13, 11, 12)),
                     6);
}

static void no_more_operations_are_in_flight_than_there_are_entries(void **state)
{
    (void)state;
    assert_int_equal(CYCLES("commit.entries = 2\nlatency.mul = 9\n", MUL(10, 11, 12), NOP, NOP),
                     12);
    assert_int_equal(CYCLES("commit.entries = 3\nlatency.mul = 9\n", MUL(10, 11, 12), NOP, NOP), 3);
    assert_int_equal(
        CYCLES("commit.entries = 3\nlatency.mul = 9\n", MUL(10, 11, 12), NOP, NOP, NOP), 12);
}

static void a_load_waits_in_the_queue_for_the_store_to_its_place(void **state)
{
    const char *core = SCOREBOARD "latency.load = 3\nlatency.store = 2\nstores.load-wait = 2\n";

    (void)state;
    /* The store commits after 3 cycles and is gone after 5, the load's result comes 3 after that.
     */
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 8), ADD(12, 11, 11)), 9);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 12), ADD(12, 11, 11)), 9);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 16), ADD(12, 11, 11)), 5);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 3, 8), ADD(12, 11, 11)), 5);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), NOP, NOP, NOP, LOAD(11, 2, 8), ADD(12, 11, 11)),
                     8);
    /* Meanwhile others issue, and one that needs the queue, but not a second. */
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 8), NOP, NOP), 4);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 8), LOAD(12, 2, 64)), 3);
    assert_int_equal(
        CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 8), LOAD(12, 2, 64), LOAD(13, 2, 128)), 9);
}

static void a_product_and_a_division_keep_others_from_the_result_bus(void **state)
{
    const char *core = "issue.result-bus = 1\nlatency.mul = 2\ninterval.div = 6\n";
    const struct pipe_op div = {.class = CORE_div, .rd = 10, .source = {11, 12}};

    (void)state;
    assert_int_equal(CYCLES(core, MUL(10, 11, 12), NOP), 3);
    assert_int_equal(CYCLES(core, MUL(10, 11, 12), MUL(13, 11, 12)), 2);
    assert_int_equal(CYCLES(core, MUL(10, 11, 12), LOAD(13, 11, 0)), 2);
    assert_int_equal(CYCLES(core, div, NOP), 7);
    assert_int_equal(CYCLES(core, div, MUL(13, 11, 12)), 7);
    assert_int_equal(CYCLES(core, div, LOAD(13, 11, 0)), 2);
}

static void an_operation_that_blocks_waits_for_all_before_it(void **state)
{
    const struct pipe_op fence = {.class = CORE_fence};
    const struct pipe_op amo = {.class = CORE_amo, .rd = 10, .source = {11, 12}};

    (void)state;
    assert_int_equal(CYCLES("interval.fence = 7\n" SCOREBOARD, fence, NOP), 8);
    assert_int_equal(
        CYCLES("interval.fence = 7\nlatency.mul = 9\n" SCOREBOARD, MUL(10, 11, 12), fence, NOP),
        17);
    assert_int_equal(CYCLES("interval.amo = 9\n", amo, NOP), 2);
    assert_int_equal(CYCLES("interval.amo = 9\nissue.amo-blocks = 1\n", amo, NOP), 10);
}

static void a_load_waits_for_the_store_to_its_place(void **state)
{
    const char *core = "stores.load-window = 5\n";

    (void)state;
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 8)), 6);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 12)), 6); /* the same doubleword */
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 16)), 2);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 3, 8)), 2);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), NOP, NOP, NOP, NOP, LOAD(11, 2, 8)), 6);
}

static void a_load_is_made_again_after_the_store_to_its_place(void **state)
{
    const char *core = "stores.load-window = 3\nstores.load-again = 5\n";

    (void)state;
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 8)), 7);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), NOP, LOAD(11, 2, 8)), 8);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), NOP, NOP, LOAD(11, 2, 8)), 4);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 16)), 2);
}

static void a_store_is_not_written_while_loads_have_the_cache(void **state)
{
    const char *core = "stores.load-window = 3\nstores.load-again = 5\nstores.load-idle = 1\n";
    const struct pipe_op reserved = {.class = CORE_lr, .rd = 11, .source = {2}, .offset = 8};

    (void)state;
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), NOP, NOP, LOAD(11, 2, 8)), 4);
    assert_int_equal(
        CYCLES(core, STORE(10, 2, 8), LOAD(12, 2, 16), LOAD(12, 2, 24), LOAD(11, 2, 8)), 9);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), reserved), 7);
}

static void after_a_fence_only_loads_and_stores_wait(void **state)
{
    const char *core = "interval.fence = 1\nfence.memory = 3\n";
    const struct pipe_op fence = {.class = CORE_fence};
    const struct pipe_op acquire = {
        .class = CORE_amo, .rd = 11, .source = {2, 3}, .flags = PIPE_ACQUIRE};

    (void)state;
    assert_int_equal(CYCLES(core, fence, NOP, fence, NOP), 4);
    assert_int_equal(CYCLES(core, fence, LOAD(11, 2, 8)), 4);
    assert_int_equal(CYCLES(core, fence, NOP, NOP, STORE(11, 2, 8)), 4);
    assert_int_equal(CYCLES(core, acquire, NOP, LOAD(12, 2, 8)), 5);
}

static void some_loads_take_longer(void **state)
{
    const char *core = "latency.load = 2\nload.narrow = 1\nload.float = 4\n";
    struct pipe_op word = LOAD(11, 2, 8), half = word, real = LOAD(33, 2, 8);

    (void)state;
    word.narrow = 1;
    half.narrow = 2;
    assert_int_equal(CYCLES(core, LOAD(11, 2, 8), ADD(12, 11, 11)), 3);
    assert_int_equal(CYCLES(core, word, ADD(12, 11, 11)), 3);
    assert_int_equal(CYCLES(core, half, ADD(12, 11, 11)), 4);
    assert_int_equal(CYCLES(core, real, FADD(34, 33, 33)), 7);
}

static void a_store_is_known_by_its_base_also_after_that_moved(void **state)
{
    const char *core = SCOREBOARD "latency.load = 3\nlatency.store = 2\nstores.load-wait = 7\n";
    const struct pipe_op use = ADD(12, 11, 11);
    const struct pipe_op down = {
        .class = CORE_alu, .rd = 2, .source = {2}, .flags = PIPE_ADD, .offset = -16};
    const struct pipe_op other = {.class = CORE_alu, .rd = 2, .source = {5, 6}};

    (void)state;
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), down, LOAD(11, 2, 24), use), 14);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), down, LOAD(11, 2, 8), use), 6);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), other, LOAD(11, 2, 8), use), 6);
}

static void stores_to_one_place_one_after_the_other_wait(void **state)
{
    const char *core = "stores.store-window = 2\nstores.store-wait = 3\n";

    (void)state;
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), STORE(10, 2, 8)), 4);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), NOP, STORE(10, 2, 8)), 3);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), STORE(10, 2, 16)), 2);
}

/* Of 8 >> n bytes. */
#define NARROW_LOAD(d, a, o, n)                                                                  \
    {                                                                                            \
        .class = CORE_load, .rd = d, .source = {a}, .flags = PIPE_LOAD, .offset = o, .narrow = n \
    }
#define NARROW_STORE(v, a, o, n)                                                             \
    {                                                                                        \
        .class = CORE_store, .source = {a, v}, .flags = PIPE_STORE, .offset = o, .narrow = n \
    }

static void a_load_of_some_of_the_bytes_of_a_store_waits(void **state)
{
    const char *core = "stores.store-window = 2\nstores.store-wait = 3\n";

    (void)state;
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), LOAD(11, 2, 8)), 2);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), NARROW_LOAD(11, 2, 12, 1)), 4);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), NARROW_LOAD(11, 2, 8, 3)), 4);
    assert_int_equal(CYCLES(core, STORE(10, 2, 8), NOP, NARROW_LOAD(11, 2, 8, 3)), 3);
    assert_int_equal(CYCLES(core, NARROW_STORE(10, 2, 9, 3), LOAD(11, 2, 8)), 4);
    assert_int_equal(CYCLES(core, NARROW_STORE(10, 2, 9, 3), NARROW_LOAD(11, 2, 9, 3)), 2);
    assert_int_equal(CYCLES(core, NARROW_STORE(10, 2, 9, 3), NARROW_LOAD(11, 2, 10, 3)), 2);
    assert_int_equal(CYCLES(core, NARROW_STORE(10, 2, 12, 1), NARROW_STORE(10, 2, 14, 2)), 4);
    assert_int_equal(CYCLES(core, NARROW_STORE(10, 2, 9, 3), NARROW_STORE(10, 2, 10, 3)), 2);
}

static void a_loaded_register_is_written_again_later(void **state)
{
    const char *core = "issue.ordered-writes = 1\nissue.ordered-loads = 0\nlatency.load = 2\n"
                       "issue.write-after-write = 1\n";

    (void)state;
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), ADD(12, 10, 13)), 3);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), ADD(10, 10, 13)), 4);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), LOAD(10, 11, 8)), 2);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), NOP, NOP, ADD(10, 10, 13)), 4);
}

static void a_branch_waits_behind_one_with_a_late_operand(void **state)
{
    const char *core =
        "latency.load = 2\nlatency.mul = 3\nbranch.late-operands = 1\nissue.late-branch = 1\n";
    const struct pipe_op branch = {.class = CORE_branch, .source = {10}, .flags = PIPE_CONTROL};

    (void)state;
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), branch), 2);
    assert_int_equal(CYCLES(core, MUL(10, 11, 11), branch),
                     4); /* only what is loaded comes so late */
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), branch, branch), 4);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), branch, NOP, branch), 4);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), NOP, branch, branch), 4);
}

static void an_amo_holds_back_what_comes_to_its_place(void **state)
{
    const char *core = "latency.amo = 4\namo.window = 5\namo.wait = 7\nstores.store-window = 2\n"
                       "stores.store-wait = 3\nlatency.load = 2\n";
    const struct pipe_op amo = {.class = CORE_amo, .rd = 10, .source = {2, 11}};
    const struct pipe_op other = {.class = CORE_amo, .rd = 12, .source = {3, 11}};

    (void)state;
    assert_int_equal(CYCLES(core, amo, amo), 8);
    assert_int_equal(CYCLES(core, amo, NOP, NOP, amo), 8);
    assert_int_equal(CYCLES(core, amo, NOP, NOP, NOP, NOP, amo), 6);
    assert_int_equal(CYCLES(core, amo, other), 2);
    assert_int_equal(CYCLES(core, amo, LOAD(12, 2, 0)), 5);
    assert_int_equal(CYCLES(core, amo, LOAD(12, 2, 8)), 2);
    assert_int_equal(CYCLES(core, amo, STORE(12, 2, 0)), 8);
    assert_int_equal(CYCLES(core, STORE(12, 2, 0), amo), 4);
}

static void an_early_result_is_there_so_many_cycles_before(void **state)
{
    struct core *core = core_of("latency.fdiv_d = 33\ninterval.fdiv_d = 33\n");
    struct pipe_op divide = {
        .class = CORE_fdiv_d, .rd = 40, .source = {41, 42}, .flags = PIPE_FLOAT, .size = 4};
    struct pipe_op use = {
        .class = CORE_fadd_d, .rd = 43, .source = {40, 40}, .flags = PIPE_FLOAT, .size = 4};

    (void)state;
    for (unsigned early = 0; early <= 26; early += 26) {
        struct pipe_state s;

        pipe_reset(&s);
        (void)pipe_step(core, &s, &divide);
        pipe_hasten(&s, 40, early);
        assert_int_equal(pipe_step(core, &s, &use).cycles, 33 - early);
    }
    core_free(core);
}

static void two_operations_issue_at_a_time_unless_they_depend_or_share_a_unit(void **state)
{
    const char *core = "issue.width = 2\nfetch.bytes = 8\n";

    (void)state;
    assert_int_equal(
        CYCLES(core, ADD(10, 11, 12), ADD(13, 11, 12), ADD(14, 11, 12), ADD(15, 11, 12)), 2);
    assert_int_equal(
        CYCLES(core, ADD(10, 11, 12), ADD(13, 10, 12), ADD(14, 11, 12), ADD(15, 14, 12)), 2);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), LOAD(12, 11, 8), NOP), 2);
    assert_int_equal(CYCLES(core, JUMP, NOP, NOP), 2);
}

static void a_second_alu_takes_results_that_are_not_there_yet(void **state)
{
    const char *core = "latency.load = 3\nlatency.mul = 3\nissue.second-alu = 2\n";
    const char *two = "latency.load = 3\nissue.second-alu = 2\nissue.width = 2\nfetch.bytes = 8\n";
    const struct pipe_op branch = {.class = CORE_branch, .source = {10, 11}, .flags = PIPE_CONTROL};

    (void)state;
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), ADD(12, 10, 10)), 2);
    assert_int_equal(CYCLES(core, MUL(10, 11, 11), ADD(12, 10, 10)), 2);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), branch), 2);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), STORE(10, 2, 0)), 2);
    /* an address, and other units, need it at once */
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), LOAD(12, 10, 0)), 4);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), STORE(2, 10, 0)), 4);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), MUL(12, 10, 10)), 4);
    /* its own results are as late as those of loads */
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), ADD(12, 10, 10), ADD(13, 12, 12)), 3);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), ADD(12, 10, 10), LOAD(13, 12, 0)), 5);
    assert_int_equal(CYCLES(core, LOAD(10, 11, 0), NOP, NOP, ADD(12, 10, 10), LOAD(13, 12, 0)), 5);
    /* not in the cycle of the operation before, also not of the first ALU */
    assert_int_equal(CYCLES(two, LOAD(10, 11, 0), ADD(12, 10, 10), NOP), 2);
    assert_int_equal(CYCLES(two, ADD(10, 11, 11), ADD(12, 10, 10), NOP), 2);
}

static void four_bytes_at_2_mod_4_need_two_fetches_at_a_target(void **state)
{
    struct core *core = core_of("");
    struct pipe_op op = {.class = CORE_alu, .size = 4, .pc = 2};
    struct pipe_state s;

    (void)state;
    pipe_reset(&s);
    assert_int_equal(pipe_step(core, &s, &op).cycles, 2);
    op.pc = 6; /* ... and one from there on */
    assert_int_equal(pipe_step(core, &s, &op).cycles, 1);
    core_free(core);
}

static void a_jump_seen_in_fetch_is_hidden_where_fetch_is_ahead(void **state)
{
    struct core *core = core_of("branch.taken = 1\n");
    struct pipe_op op = {.class = CORE_alu, .size = 4};
    struct pipe_state s;

    (void)state;
    pipe_reset(&s);
    (void)pipe_step(core, &s, &op);
    assert_int_equal(pipe_leave(core, &s, LEAVE_TAKEN).cycles, 1);
    pipe_reset(&s);
    for (unsigned i = 0; i < 4; i++) { /* two of two bytes in each piece */
        op.size = 2;
        op.pc = (uint8_t)(2 * i);
        (void)pipe_step(core, &s, &op);
    }
    assert_int_equal(pipe_leave(core, &s, LEAVE_TAKEN).cycles, 0);
    core_free(core);
}

/* Each time a piece of two jumps behind them. */
static unsigned cycles_of_jumps(const char *text)
{
    struct core *core = core_of(text);
    struct pipe_op nop = {.class = CORE_alu, .size = 2}, jump = JUMP;
    struct pipe_state s;
    unsigned cycles = 0;

    jump.size = 4;
    pipe_reset(&s);
    for (unsigned i = 0; i < 6; i++) {
        nop.pc = (uint8_t)(2 * i);
        cycles += pipe_step(core, &s, &nop).cycles;
    }
    for (unsigned i = 0; i < 2; i++) {
        jump.pc = i ? 0 : 12;
        cycles += pipe_step(core, &s, &jump).cycles;
        cycles += pipe_leave(core, &s, LEAVE_TAKEN).cycles;
    }
    nop.size = 4;
    for (unsigned i = 0; i < 2; i++) {
        nop.pc = (uint8_t)(4 * i);
        cycles += pipe_step(core, &s, &nop).cycles;
    }
    core_free(core);
    return cycles;
}

static void fetch_stops_behind_two_jumps(void **state)
{
    (void)state;
    assert_int_equal(cycles_of_jumps("branch.taken = 1\n"), 10);
    assert_int_equal(cycles_of_jumps("branch.taken = 1\nfetch.two-jumps = 1\n"), 11);
}

static void where_fetch_computes_targets_it_hides_that_too(void **state)
{
    static const enum pipe_leave_by late[] = {LEAVE_LATE_BRANCH, LEAVE_LATE_JUMP,
                                              LEAVE_DROPPED_TARGET};

    (void)state;
    for (unsigned in_fetch = 0; in_fetch < 2; in_fetch++)
        for (size_t i = 0; i < 3; i++) {
            struct core *core = core_of(in_fetch ? "branch.late = 2\njump.late = 2\n"
                                                   "late.in-fetch = 1\n"
                                                 : "branch.late = 2\njump.late = 2\n");
            struct pipe_op op = {.class = CORE_alu, .size = 2};
            struct pipe_state s;

            pipe_reset(&s);
            for (op.pc = 0; op.pc < 6; op.pc = (uint8_t)(op.pc + 2))
                (void)pipe_step(core, &s, &op);
            assert_int_equal(pipe_leave(core, &s, late[i]).cycles, in_fetch ? 1 : 2);
            core_free(core);
        }
}

static void a_misprediction_costs_what_the_core_says(void **state)
{
    struct core *core = core_of("branch.mispredict = 5\nreturn.mispredict = 6\n"
                                "jump.mispredict = 7\ncall.mispredict = 8\nflush = 9\n"
                                "branch.late = 1\njump.late = 2\n");
    static const struct {
        enum pipe_leave_by by;
        unsigned cycles;
    } rows[] = {{LEAVE_NEXT, 0},         {LEAVE_MISPREDICT, 5},     {LEAVE_WRONG_RETURN, 6},
                {LEAVE_EMPTY_RETURN, 6}, {LEAVE_WRONG_INDIRECT, 7}, {LEAVE_WRONG_CALL, 8},
                {LEAVE_FLUSH, 9},        {LEAVE_LATE_BRANCH, 1},    {LEAVE_LATE_JUMP, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct pipe_op op = {.class = CORE_branch, .size = 4, .flags = PIPE_CONTROL};
        struct pipe_state s;

        pipe_reset(&s);
        (void)pipe_step(core, &s, &op);
        assert_int_equal(pipe_leave(core, &s, rows[i].by).cycles, rows[i].cycles);
    }
    core_free(core);
}

static void results_come_while_a_jump_stalls(void **state)
{
    struct core *core = core_of("latency.mul = 6\nbranch.mispredict = 3\n");
    struct pipe_op mul = MUL(10, 11, 11), add = ADD(12, 10, 10);
    struct pipe_state s;

    (void)state;
    mul.size = add.size = 4;
    pipe_reset(&s);
    (void)pipe_step(core, &s, &mul); /* ready in 5 more */
    (void)pipe_leave(core, &s, LEAVE_MISPREDICT);
    assert_int_equal(pipe_step(core, &s, &add).cycles, 3);
    core_free(core);
}

static void states_that_behave_alike_are_the_same_bytes(void **state)
{
    struct core *core = core_of(SCOREBOARD "latency.load = 3\nstores.load-wait = 2\n");
    struct pipe_op ops[] = {LOAD(10, 11, 0), STORE(10, 2, 8), NOP, NOP, NOP, NOP, NOP, NOP, NOP};
    struct pipe_op nop = NOP;
    struct pipe_state a, b;

    (void)state;
    pipe_reset(&a);
    pipe_reset(&b);
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        ops[i].size = nop.size = 4;
        ops[i].pc = nop.pc = (uint8_t)(4 * i);
        (void)pipe_step(core, &a, &ops[i]);
        (void)pipe_step(core, &b, &nop);
    }
    a.ahead = b.ahead;
    assert_memory_equal(&a, &b, sizeof a);
    core_free(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_operations_take_a_cycle_each),
        cmocka_unit_test(a_result_is_waited_for),
        cmocka_unit_test(x0_is_no_register),
        cmocka_unit_test(a_unit_takes_the_next_operation_after_its_interval),
        cmocka_unit_test(a_register_is_written_in_order_where_the_core_says_so),
        cmocka_unit_test(a_register_is_written_again_when_its_last_writer_commits),
        cmocka_unit_test(no_more_operations_are_in_flight_than_there_are_entries),
        cmocka_unit_test(a_load_waits_in_the_queue_for_the_store_to_its_place),
        cmocka_unit_test(a_product_and_a_division_keep_others_from_the_result_bus),
        cmocka_unit_test(an_operation_that_blocks_waits_for_all_before_it),
        cmocka_unit_test(a_float_that_waits_lets_integer_operations_pass),
        cmocka_unit_test(a_float_register_may_be_written_later_than_read),
        cmocka_unit_test(a_store_need_not_wait_for_its_data),
        cmocka_unit_test(a_load_waits_for_the_store_to_its_place),
        cmocka_unit_test(a_load_is_made_again_after_the_store_to_its_place),
        cmocka_unit_test(a_store_is_not_written_while_loads_have_the_cache),
        cmocka_unit_test(after_a_fence_only_loads_and_stores_wait),
        cmocka_unit_test(some_loads_take_longer),
        cmocka_unit_test(a_store_is_known_by_its_base_also_after_that_moved),
        cmocka_unit_test(stores_to_one_place_one_after_the_other_wait),
        cmocka_unit_test(a_load_of_some_of_the_bytes_of_a_store_waits),
        cmocka_unit_test(a_loaded_register_is_written_again_later),
        cmocka_unit_test(a_branch_waits_behind_one_with_a_late_operand),
        cmocka_unit_test(an_amo_holds_back_what_comes_to_its_place),
        cmocka_unit_test(an_early_result_is_there_so_many_cycles_before),
        cmocka_unit_test(two_operations_issue_at_a_time_unless_they_depend_or_share_a_unit),
        cmocka_unit_test(a_second_alu_takes_results_that_are_not_there_yet),
        cmocka_unit_test(four_bytes_at_2_mod_4_need_two_fetches_at_a_target),
        cmocka_unit_test(a_jump_seen_in_fetch_is_hidden_where_fetch_is_ahead),
        cmocka_unit_test(fetch_stops_behind_two_jumps),
        cmocka_unit_test(where_fetch_computes_targets_it_hides_that_too),
        cmocka_unit_test(a_misprediction_costs_what_the_core_says),
        cmocka_unit_test(results_come_while_a_jump_stalls),
        cmocka_unit_test(states_that_behave_alike_are_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
