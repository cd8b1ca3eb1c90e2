/*
 * test_limits.c - where a hart_run ends: at the first instruction boundary after a
 * request to stop, from any source, and at the first one at or after the
 * requested cycle, whatever the instructions cost.
 */
#include "cpu/observer.h"
#include "isa/world.h"

enum { COUNT = 40, DIV_CYCLES = 33 };

static struct world timed_world(void)
{
    const struct cluster_config config = {.fetch = FETCH_STALE, .timing = TIMING_INORDER};

    return world_with(&config, 1);
}

/* ---- exit requests ---- */

static void ask_at_fetch(void *ctx, const struct event *e)
{
    (void)ctx;
    hart_ask_stop(e->stale_fetch.hart);
}

/* Code is fetched, written, and fetched again as part of another block, which is decoded then. */
static void a_stop_asked_for_while_a_block_is_decoded_is_at_its_first_instruction(void **state)
{
    struct world w = timed_world();
    const struct listener l = {.kinds = EVENT_BIT(EVENT_STALE_FETCH), .on_event = ask_at_fetch};
    uint64_t before;

    (void)state;
    cluster_listen(w.cluster, &l);
    put(&w, ADDI(A1, A1, 1));
    put(&w, ADDI(A1, A1, 1));
    put(&w, JAL(ZERO, -8));
    run(&w, 3);
    hart_set_reg(w.hart, A0, CODE + 4);
    hart_set_reg(w.hart, A2, ADDI(A1, A1, 2));
    poke(&w, DATA, SW(A2, A0, 0), 4);
    poke(&w, DATA + 4, JAL(ZERO, (uint32_t)(CODE - (DATA + 4))), 4);
    hart_set_pc(w.hart, DATA);
    before = hart_insns(w.hart);
    assert_int_equal(hart_run(w.hart, 1000, UINT64_MAX), HART_ASKED);
    assert_int_equal(hart_insns(w.hart) - before, 2); /* the store and the jump */
    assert_int_equal(hart_pc(w.hart), CODE);
    assert_int_equal(hart_run(w.hart, 1000, UINT64_MAX), HART_BUDGET); /* asked for once */
    assert_int_equal(hart_insns(w.hart) - before, 1002);
    world_free(&w);
}

struct prober {
    unsigned hits, asks;
    uint64_t counter;
};

static struct probe_plan plan_call(void *ctx, uint32_t id, const struct probe_code *code)
{
    struct prober *p = ctx;

    (void)code;
    if (id)
        return (struct probe_plan){.action = PROBE_COUNT, .counter = &p->counter};
    return (struct probe_plan){.action = PROBE_CALL};
}

static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    struct prober *p = ctx;

    (void)id;
    (void)cookie;
    (void)pc;
    p->hits++;
    if (p->asks) {
        p->asks--;
        hart_ask_stop(h);
    }
    return PROBE_GO_ON;
}

/* Runs eight additions and a jump back, with a probe at one of them, which requests a stop twice.
 */
static void assert_probe_stops_after(unsigned index)
{
    struct world w = timed_world();
    struct prober p = {.asks = 2};
    const struct probe_owner owner = {.ctx = &p, .plan = plan_call, .hit = hit};

    for (unsigned n = 0; n < 8; n++)
        put(&w, ADDI(A0 + n % 2, A0 + n % 2, 1));
    put(&w, JAL(ZERO, -32));
    (void)cluster_plant(w.cluster, CODE + 4 * index, &owner, 1);
    (void)cluster_plant(w.cluster, CODE + 4 * index, &owner, 0);
    hart_set_pc(w.hart, CODE);
    for (unsigned turn = 1; turn <= 2; turn++) {
        assert_int_equal(hart_run(w.hart, 1000, UINT64_MAX), HART_ASKED);
        assert_int_equal(hart_pc(w.hart), index == 8 ? CODE : CODE + 4 * index + 4);
        assert_int_equal(hart_insns(w.hart), 9 * (turn - 1) + index + 1);
        assert_int_equal(p.hits, turn);
        assert_int_equal(p.counter, turn);
    }
    assert_int_equal(hart_run(w.hart, 8, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_run(w.hart, 900, UINT64_MAX), HART_BUDGET);
    assert_int_equal(p.hits, p.counter);
    assert_int_equal(p.hits, hart_insns(w.hart) / 9 + (hart_insns(w.hart) % 9 > index));
    assert_int_equal(hart_reg(w.hart, A0) + hart_reg(w.hart, A1),
                     hart_insns(w.hart) - hart_insns(w.hart) / 9);
    world_free(&w);
}

static void a_stop_that_a_probe_asks_for_is_after_its_instruction(void **state)
{
    (void)state;
    for (unsigned index = 0; index < 9; index++)
        assert_probe_stops_after(index);
}

/* ---- cycles ---- */

/* Additions and divisions, in blocks of different lengths. */
static void put_mixed_code(struct world *w)
{
    for (unsigned n = 0; n < COUNT; n++) {
        put(w, n % 3 ? ADDI(A0, A0, 1) : DIV(A1, A2, A3));
        if (n % 7 == 6)
            put(w, JAL(ZERO, 4));
    }
    put(w, JAL(ZERO, (uint32_t)(CODE - w->put_at)));
}

static void a_run_ends_at_the_first_boundary_at_or_after_its_cycle(void **state)
{
    (void)state;
    for (uint64_t step = 1; step < 3000; step = step * 3 / 2 + 1) {
        struct world w = timed_world(), by_one = timed_world();
        uint64_t until = 0;

        put_mixed_code(&w);
        put_mixed_code(&by_one);
        for (unsigned n = 0; n < 30; n++) {
            until += step;
            assert_int_equal(hart_run(w.hart, UINT64_MAX, until), HART_BUDGET);
            while (hart_cycles(by_one.hart) < until)
                assert_int_equal(hart_run(by_one.hart, 1, UINT64_MAX), HART_BUDGET);
            assert_int_equal(hart_cycles(w.hart), hart_cycles(by_one.hart));
            assert_int_equal(hart_insns(w.hart), hart_insns(by_one.hart));
            assert_int_equal(hart_pc(w.hart), hart_pc(by_one.hart));
            assert_int_equal(hart_reg(w.hart, A0), hart_reg(by_one.hart, A0));
        }
        world_free(&w);
        world_free(&by_one);
    }
}

static void a_run_whose_cycle_has_come_executes_nothing(void **state)
{
    struct world w = timed_world();

    (void)state;
    put_mixed_code(&w);
    assert_int_equal(hart_run(w.hart, 10, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_run(w.hart, 10, hart_cycles(w.hart)), HART_BUDGET);
    assert_int_equal(hart_run(w.hart, 10, 0), HART_BUDGET);
    assert_int_equal(hart_insns(w.hart), 10);
    world_free(&w);
}

static void instructions_are_exact_whatever_they_cost(void **state)
{
    (void)state;
    for (uint64_t insns = 1; insns < 4000; insns = insns * 2 + 1) {
        struct world w = timed_world();

        put_mixed_code(&w);
        assert_int_equal(hart_run(w.hart, insns, UINT64_MAX), HART_BUDGET);
        assert_int_equal(hart_insns(w.hart), insns);
        assert_int_equal(hart_run(w.hart, insns, hart_cycles(w.hart) + 1000000), HART_BUDGET);
        assert_int_equal(hart_insns(w.hart), 2 * insns);
        world_free(&w);
    }
}

/* No instruction retires, but time passes: each trap takes cycles. */
static void an_endless_fetch_fault_ends_at_its_cycle(void **state)
{
    struct world w = timed_world();
    enum hart_stop stop;

    (void)state;
    set_csr(w.hart, MTVEC, 0x100); /* not mapped */
    hart_set_pc(w.hart, 0x200);
    stop = hart_run(w.hart, UINT64_MAX, hart_cycles(w.hart) + 12);
    assert_int_equal(stop, HART_BUDGET);
    assert_in_range(hart_cycles(w.hart), 12, 15);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_asked_for_while_a_block_is_decoded_is_at_its_first_instruction),
        cmocka_unit_test(a_stop_that_a_probe_asks_for_is_after_its_instruction),
        cmocka_unit_test(a_run_ends_at_the_first_boundary_at_or_after_its_cycle),
        cmocka_unit_test(a_run_whose_cycle_has_come_executes_nothing),
        cmocka_unit_test(instructions_are_exact_whatever_they_cost),
        cmocka_unit_test(an_endless_fetch_fault_ends_at_its_cycle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
