/*
 * test_late_steps.c - single stores and loads that are late in a prompt machine: what the ISA
 * permits, and what fences forbid; and the steps of plans for them.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/store_order.h"
#include "isa/world.h"
#include "machine/plan.h"

#define X DATA
#define Y (DATA + 64)

enum { NEW = 7, NO_FENCE, FENCED, SAVED };

static struct world build(void)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT};
    struct world w = world_with(&config, 2);

    for (unsigned hart = 0; hart < 2; hart++) {
        struct hart *h = cluster_hart(w.cluster, hart);

        hart_set_reg(h, S0, X);
        hart_set_reg(h, S1, Y);
        hart_set_reg(h, A0, NEW);
    }
    return w;
}

/* The hart executes an instruction; returns its address. */
static uint64_t execute(struct world *w, unsigned hart, uint32_t insn)
{
    struct hart *h = cluster_hart(w->cluster, hart);
    uint64_t at = put(w, insn);

    hart_set_pc(h, at);
    assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
    return at;
}

static uint64_t load(struct world *w, unsigned hart, unsigned address)
{
    execute(w, hart, LD(A1, address, 0));
    return hart_reg(cluster_hart(w->cluster, hart), A1);
}

static void save_and_restore(struct world *w)
{
    struct state_io io, in;

    state_io_save(&io, 1);
    cluster_state_io(&io, w->cluster);
    cluster_keep_store_order(w->cluster, false);
    poke(w, X, 0, 8); /* which was let leave */
    state_io_load(&in, io.saved.at, io.saved.len);
    cluster_state_io(&in, w->cluster);
    assert_int_equal(state_io_end(&in), STATE_OK);
    state_io_free(&io);
}

static void a_held_store_is_seen_after_a_later_one_unless_a_fence_is_between(void **state)
{
    (void)state;
    for (unsigned how = NO_FENCE; how <= SAVED; how++) {
        struct world w = build();

        cluster_keep_store_order(w.cluster, true);
        hart_hold_next_store(w.hart);
        execute(&w, 0, SD(A0, S0, 0));
        if (how == FENCED)
            execute(&w, 0, FENCE(0, 1, 1));
        execute(&w, 0, SD(A0, S1, 0));
        if (how == SAVED)
            save_and_restore(&w);
        assert_int_equal(load(&w, 1, S1), NEW);
        assert_int_equal(load(&w, 1, S0), how == FENCED ? NEW : 0);
        assert_int_equal(load(&w, 0, S0), NEW); /* its own store */
        hart_let_stores_leave(w.hart);
        assert_int_equal(load(&w, 1, S0), NEW);
        world_free(&w);
    }
}

static void only_the_next_store_is_held(void **state)
{
    struct world w = build();

    (void)state;
    cluster_keep_store_order(w.cluster, true);
    hart_hold_next_store(w.hart);
    execute(&w, 0, ADDI(ZERO, ZERO, 0)); /* no store at all */
    execute(&w, 0, SD(A0, S0, 0));
    assert_int_equal(load(&w, 1, S0), NEW);
    world_free(&w);
}

static void what_waits_leaves_when_the_order_is_not_kept_any_more(void **state)
{
    struct world w = build();

    (void)state;
    cluster_keep_store_order(w.cluster, true);
    hart_hold_next_store(w.hart);
    execute(&w, 0, SD(A0, S0, 0));
    assert_int_equal(peek(&w, X, 8), 0);
    cluster_keep_store_order(w.cluster, false);
    assert_int_equal(peek(&w, X, 8), NEW);
    hart_hold_next_store(w.hart); /* means nothing now */
    execute(&w, 0, SD(A0, S1, 0));
    assert_int_equal(load(&w, 1, S1), NEW);
    world_free(&w);
}

static void a_late_load_is_older_than_an_earlier_one_unless_a_fence_is_between(void **state)
{
    (void)state;
    for (unsigned how = NO_FENCE; how <= FENCED; how++) {
        struct world w = build();
        struct hart *reader = cluster_hart(w.cluster, 1);
        /* Before the stores: a load is after the store of its own instruction. */
        uint64_t at = put(&w, LD(A1, S1, 0));

        put(&w, how == FENCED ? FENCE(0, 2, 2) : ADDI(ZERO, ZERO, 0));
        put(&w, LD(A2, S0, 0));
        put(&w, LD(A3, S0, 0));
        put(&w, JAL(ZERO, 0)); /* code behind it, which is stored later, is not fetched with it */
        cluster_keep_store_order(w.cluster, true);
        execute(&w, 0, SD(A0, S0, 0));
        execute(&w, 0, FENCE(0, 1, 1));
        execute(&w, 0, SD(A0, S1, 0));
        hart_load_late(reader, at + 8);
        hart_set_pc(reader, at);
        assert_int_equal(hart_run(reader, 4, UINT64_MAX), HART_BUDGET);
        assert_int_equal(hart_reg(reader, A1), NEW);
        assert_int_equal(hart_reg(reader, A2), how == FENCED ? NEW : 0);
        assert_int_equal(hart_reg(reader, A3), NEW); /* another instruction */
        world_free(&w);
    }
}

static void steps_are_written_as_they_are_read(void **state)
{
    static const char *const lines[] = {"hold hart 1 from 10 until 20",
                                        "late hart 3 by 0xffffffff80001234 from 10 until 20"};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct plan p = {0};
        struct plan_step step = {0};
        char line[PLAN_LINE];

        assert_true(plan_read_step(lines[i], &step));
        plan_write_step(line, &step);
        assert_string_equal(line, lines[i]);
        VEC_PUSH(&p.steps, step);
        assert_true(plan_is_late(&p, 10));
        assert_true(plan_is_late(&p, 19));
        assert_false(plan_is_late(&p, 9));
        assert_false(plan_is_late(&p, 20));
        assert_int_equal(plan_stalled(&p, 15), 0);
        assert_int_equal(plan_next(&p, 0), 10);
        assert_int_equal(plan_next(&p, 10), 20);
        VEC_FREE(&p.steps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_store_is_seen_after_a_later_one_unless_a_fence_is_between),
        cmocka_unit_test(only_the_next_store_is_held),
        cmocka_unit_test(what_waits_leaves_when_the_order_is_not_kept_any_more),
        cmocka_unit_test(a_late_load_is_older_than_an_earlier_one_unless_a_fence_is_between),
        cmocka_unit_test(steps_are_written_as_they_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
