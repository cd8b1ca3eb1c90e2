/* test_target_back.c - the debugger's target layer goes back to any instruction, stop or write. */
#include "debug/target_bench.h"
#include "machine/snapshot.h"

/* ---- going back ---- */

enum { LONG_RUN = 6000000, JUMPS = 12, HISTORY = 64 << 20 };

static struct bench *long_bench(unsigned harts, uint64_t history_max)
{
    struct board_program p = counting_program();

    return bench_with_history(&p, harts, LONG_RUN, history_max);
}

static uint64_t data_of(const struct bench *s)
{
    uint64_t value = 0;

    assert_int_equal(target_read(s->t, 0, TARGET_BY_PHYSICAL, DATA, &value, sizeof value),
                     TARGET_OK);
    return value;
}

/* The state is that of another machine that was run there in one piece. */
static void expect_state_of_plain_run(const struct bench *s, unsigned harts)
{
    struct bench *plain = long_bench(harts, 0);

    (void)machine_run(plain->b.m, target_insns(s->t), UINT64_MAX);
    assert_int_equal(target_insns(plain->t), target_insns(s->t));
    assert_int_equal(target_cycles(plain->t), target_cycles(s->t));
    assert_int_equal(machine_state_hash(plain->b.m), machine_state_hash(s->b.m));
    assert_int_equal(data_of(plain), data_of(s));
    bench_free(plain);
}

static void a_jump_to_an_instruction_finds_the_state_that_the_run_had_there(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (unsigned harts = 1; harts <= HARTS; harts++) {
        struct bench *s = long_bench(harts, HISTORY);
        struct target_stop stop;

        add_break(s, (struct target_point){.address = AT_CALL, .hart = TARGET_ANY_HART});
        for (unsigned i = 0; i < JUMPS; i++) {
            uint64_t to;

            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            to = (random >> 33) % (i % 2 ? LONG_RUN : LONG_RUN / 100);
            stop = target_goto(s->t, to);
            assert_int_equal(stop.reason, TARGET_STOP_DONE);
            assert_int_equal(target_insns(s->t), to);
            expect_state_of_plain_run(s, harts);
        }
        assert_int_equal(target_goto(s->t, LONG_RUN + 1).reason, TARGET_STOP_LIMIT);
        assert_int_equal(target_insns(s->t), LONG_RUN);
        bench_free(s);
    }
}

static void a_step_back_undoes_a_step_of_that_hart(void **state)
{
    (void)state;
    for (unsigned harts = 1; harts <= HARTS; harts++) {
        struct bench *s = long_bench(harts, HISTORY);
        unsigned hart = harts - 1;

        assert_int_equal(target_goto(s->t, LONG_RUN / 2).reason, TARGET_STOP_DONE);
        for (unsigned count = 1; count < 3000; count = count * 3 + 1) {
            struct target_hart before = target_hart(s->t, hart);
            uint64_t a5 = reg(s, hart, A5), a4 = reg(s, hart, A4);
            struct target_stop stop;

            assert_int_equal(target_step(s->t, hart, count).reason, TARGET_STOP_DONE);
            assert_int_equal(target_hart(s->t, hart).insns, before.insns + count);
            stop = target_reverse_step(s->t, hart, count);
            assert_int_equal(stop.reason, TARGET_STOP_DONE);
            assert_int_equal(stop.hart, hart);
            assert_int_equal(target_hart(s->t, hart).insns, before.insns);
            assert_int_equal(target_hart(s->t, hart).pc, before.pc);
            assert_int_equal(reg(s, hart, A5), a5);
            assert_int_equal(reg(s, hart, A4), a4);
            /* The very instruction before which it stopped is the next one of the machine. */
            (void)target_goto(s->t, target_insns(s->t) + 1);
            assert_int_equal(target_hart(s->t, hart).insns, before.insns + 1);
        }
        assert_int_equal(target_reverse_step(s->t, hart, LONG_RUN).reason, TARGET_STOP_HISTORY);
        assert_int_equal(target_insns(s->t), 0);
        bench_free(s);
    }
}

static bool a4_is_round(void *ctx, unsigned hart)
{
    const struct bench *s = ctx;

    return reg(s, hart, A4) % 20000 == 7;
}

enum { STOPS = 5 };

/* Runs to the last of some stops, then back through all of them, and on to the end. */
static void expect_stops_again_backwards(struct bench *s, enum target_stop_reason reason,
                                         unsigned harts)
{
    uint64_t at[STOPS];
    struct target_stop stop;

    for (unsigned i = 0; i < STOPS; i++) {
        stop = target_run(s->t, TARGET_ANY_HART, NULL);
        assert_int_equal(stop.reason, reason);
        at[i] = target_insns(s->t);
    }
    for (unsigned i = STOPS - 1; i-- > 0;) {
        stop = target_reverse_run(s->t);
        assert_int_equal(stop.reason, reason);
        assert_int_equal(stop.point, 1);
        assert_int_equal(target_insns(s->t), at[i]);
    }
    assert_int_equal(target_find_point(s->t, 1)->hits, STOPS);
    stop = target_run(s->t, TARGET_ANY_HART, NULL);
    assert_int_equal(stop.reason, reason);
    assert_int_equal(target_insns(s->t), at[1]);
    assert_int_equal(target_delete_point(s->t, 1), TARGET_OK);
    assert_int_equal(target_reverse_run(s->t).reason, TARGET_STOP_HISTORY);
    assert_int_equal(target_insns(s->t), 0);
    assert_int_equal(target_run(s->t, TARGET_ANY_HART, NULL).reason, TARGET_STOP_LIMIT);
    expect_state_of_plain_run(s, harts);
}

static void back_to_the_last_hit_of_a_breakpoint(void **state)
{
    (void)state;
    for (unsigned harts = 1; harts <= HARTS; harts++) {
        struct bench *s = long_bench(harts, HISTORY);

        add_break(s, (struct target_point){.address = AT_FUNCTION,
                                           .hart = harts - 1,
                                           .condition = {.holds = a4_is_round, .ctx = s}});
        expect_stops_again_backwards(s, TARGET_STOP_BREAKPOINT, harts);
        bench_free(s);
    }
}

static bool data_is_round(void *ctx, unsigned hart)
{
    (void)hart;
    return data_of(ctx) % 20000 == 8;
}

static void back_to_the_last_hit_of_a_watchpoint(void **state)
{
    (void)state;
    for (unsigned harts = 1; harts <= HARTS; harts++) {
        struct bench *s = long_bench(harts, HISTORY);
        const struct target_point p = {.kind = TARGET_WATCH_WRITE,
                                       .space = TARGET_BY_PHYSICAL,
                                       .address = DATA,
                                       .size = 8,
                                       .hart = TARGET_ANY_HART,
                                       .condition = {.holds = data_is_round, .ctx = s}};
        unsigned number;

        assert_int_equal(target_add_point(s->t, 0, &p, &number), TARGET_OK);
        expect_stops_again_backwards(s, TARGET_STOP_WATCHPOINT, harts);
        bench_free(s);
    }
}

static void after_a_change_of_the_run_the_history_begins_anew(void **state)
{
    struct bench *s = long_bench(HARTS, HISTORY);
    struct target_stop stop;
    unsigned before;

    (void)state;
    (void)target_goto(s->t, LONG_RUN / 2);
    before = target_checkpoint(s->t);
    (void)target_goto(s->t, LONG_RUN / 4);
    set_reg(s, 0, "a4", 12345);
    assert_int_equal(target_history_start(s->t), LONG_RUN / 4);
    (void)target_goto(s->t, LONG_RUN / 3);
    assert_int_equal(target_goto(s->t, LONG_RUN / 4).reason, TARGET_STOP_DONE);
    assert_int_equal(reg(s, 0, A4), 12345);
    assert_int_equal(target_goto(s->t, 1).reason, TARGET_STOP_HISTORY);
    assert_int_equal(target_insns(s->t), LONG_RUN / 4);
    assert_true(target_restart(s->t, before, &stop));
    assert_int_equal(target_insns(s->t), LONG_RUN / 2);
    expect_state_of_plain_run(s, HARTS);
    assert_int_equal(target_run(s->t, TARGET_ANY_HART, NULL).reason, TARGET_STOP_LIMIT);
    expect_state_of_plain_run(s, HARTS);
    assert_true(target_delete_checkpoint(s->t, before));
    assert_false(target_restart(s->t, before, &stop));
    bench_free(s);
}

static void the_history_keeps_within_its_memory(void **state)
{
    struct bench *roomy = long_bench(HARTS, HISTORY), *small = long_bench(HARTS, 1);
    size_t more, few, bytes;

    (void)state;
    (void)target_run(roomy->t, TARGET_ANY_HART, NULL);
    (void)target_run(small->t, TARGET_ANY_HART, NULL);
    bytes = target_history_bytes(roomy->t, &more);
    assert_in_range(bytes, 1, HISTORY);
    assert_true(target_history_bytes(small->t, &few) < bytes);
    assert_true(more > 4);
    assert_int_equal(few, 1);
    assert_int_equal(target_goto(small->t, LONG_RUN / 2).reason, TARGET_STOP_DONE);
    expect_state_of_plain_run(small, HARTS);
    bench_free(roomy);
    bench_free(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_to_an_instruction_finds_the_state_that_the_run_had_there),
        cmocka_unit_test(a_step_back_undoes_a_step_of_that_hart),
        cmocka_unit_test(back_to_the_last_hit_of_a_breakpoint),
        cmocka_unit_test(back_to_the_last_hit_of_a_watchpoint),
        cmocka_unit_test(after_a_change_of_the_run_the_history_begins_anew),
        cmocka_unit_test(the_history_keeps_within_its_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
