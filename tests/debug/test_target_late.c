/*
 * test_target_late.c - the debugger's target layer goes back in runs whose stores are seen late: at
 * each instruction registers, memory, the stores that wait and what each hart has seen are those of
 * the run.
 */
#include "cpu/store_order.h"
#include "debug/target_bench.h"
#include "machine/plan.h"
#include "machine/snapshot.h"

enum { LATE_RUN = 40000, PLACES = 12 };

/*
 * Each hart stores a count to two words that all harts load, and an old value changes what it does
 * next: its sum, and every other time a fence.
 */
static struct board_program racing_program(void)
{
    struct board_program p = {0};
    unsigned loop, even;

    add(&p, AUIPC(S3, 1));
    loop = add(&p, ADDI(A5, A5, 1));
    add(&p, SD(A5, S3, 0));
    add(&p, SD(A4, S3, 64));
    add(&p, LD(A2, S3, 64));
    add(&p, LD(A3, S3, 0));
    add(&p, ADD(A4, A4, A2));
    add(&p, ADD(A4, A4, A3));
    add(&p, AMOADD_D(0, A3, A5, S3));
    add(&p, ANDI(A2, A4, 1));
    even = add(&p, BEQ(A2, ZERO, 8));
    add(&p, FENCE(0, 3, 3));
    assert_int_equal(p.count, even + 2);
    add(&p, JAL(ZERO, -(int)distance(loop, p.count)));
    return p;
}

struct mode {
    enum store_mode stores;
    uint64_t seed;
    bool late_registers;
    const struct plan *plan; /* NULL: none */
};

static struct bench *late_bench(const struct mode *mode)
{
    struct board_program p = racing_program();
    struct bench *s = calloc(1, sizeof *s);
    struct target_config config = {
        .max_insns = LATE_RUN, .max_cycles = UINT64_MAX, .history_max = 64 << 20};

    board_new(&s->b, &p,
              (struct machine_config){.harts = HARTS,
                                      .seed = 1,
                                      .firmware = FIRMWARE_NONE,
                                      .plan = mode->plan,
                                      .cluster.timing = TIMING_INORDER,
                                      .cluster.stores = mode->stores,
                                      .cluster.stores_seed = mode->seed,
                                      .cluster.late_registers = mode->late_registers});
    config.machine = s->b.m;
    s->t = target_new(&config);
    return s;
}

/* What a debugger sees of the run, and all else that it depends on. */
struct state {
    uint64_t hash, order, words[2];
    unsigned waiting;
};

static struct state state_of(const struct bench *s)
{
    const struct cluster *c = machine_cluster(s->b.m);
    struct state state = {.hash = machine_state_hash(s->b.m)};

    state.order = cluster_store_order_hash(c);
    for (unsigned hart = 0; hart < HARTS; hart++)
        state.waiting += hart_waiting_stores(cluster_hart(c, hart));
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(
            target_read(s->t, 0, TARGET_BY_PHYSICAL, DATA + i * 64, &state.words[i], 8), TARGET_OK);
    return state;
}

/* The states of a run in one piece at each of the places, which are in order. */
static void run_plainly(const struct mode *mode, const uint64_t *places, struct state *states)
{
    struct bench *s = late_bench(mode);

    for (unsigned i = 0; i < PLACES; i++) {
        (void)machine_run(s->b.m, places[i], UINT64_MAX);
        assert_int_equal(target_insns(s->t), places[i]);
        states[i] = state_of(s);
    }
    bench_free(s);
}

static void expect_state(const struct bench *s, const struct state *expected)
{
    const struct state state = state_of(s);

    assert_int_equal(state.waiting, expected->waiting);
    assert_int_equal(state.order, expected->order);
    assert_int_equal(state.words[0], expected->words[0]);
    assert_int_equal(state.words[1], expected->words[1]);
    assert_int_equal(state.hash, expected->hash);
}

/* Jumps between the places, steps back to each, and returns to checkpoints at each. */
static void expect_the_same_whichever_way(const struct mode *mode, const uint64_t *places)
{
    struct state states[PLACES];
    struct bench *s = late_bench(mode);
    unsigned waiting = 0, kept[PLACES];
    struct target_stop stop;

    run_plainly(mode, places, states);
    for (unsigned i = 0; i < PLACES; i++) {
        unsigned at = i * 7 % PLACES; /* all of them, to and fro */

        waiting += states[at].waiting;
        assert_int_equal(target_goto(s->t, places[at]).reason, TARGET_STOP_DONE);
        expect_state(s, &states[at]);
        kept[at] = target_checkpoint(s->t);
    }
    assert_true(waiting > 0);
    for (unsigned at = 0; at < PLACES; at++) {
        assert_true(target_restart(s->t, kept[at], &stop));
        expect_state(s, &states[at]);
        for (unsigned hart = 0; hart < HARTS; hart++) {
            uint64_t insns = target_hart(s->t, hart).insns;

            assert_int_equal(target_step(s->t, hart, 5).reason, TARGET_STOP_DONE);
            assert_int_equal(target_reverse_step(s->t, hart, 5).reason, TARGET_STOP_DONE);
            assert_int_equal(target_hart(s->t, hart).insns, insns);
            (void)target_goto(s->t, places[at]);
            expect_state(s, &states[at]);
        }
    }
    assert_int_equal(target_goto(s->t, places[PLACES - 1]).reason, TARGET_STOP_DONE);
    expect_state(s, &states[PLACES - 1]);
    bench_free(s);
}

static void find_places(uint64_t *places, uint64_t first, uint64_t apart)
{
    for (unsigned i = 0; i < PLACES; i++)
        places[i] = first + i * apart + i % 3 % apart;
}

static void stores_that_wait_are_again_those_of_the_run(void **state)
{
    static const struct mode modes[] = {
        {.stores = STORES_DELAYED},
        {.stores = STORES_RANDOM, .seed = 3},
        {.stores = STORES_RANDOM, .seed = 4, .late_registers = true},
    };
    uint64_t places[PLACES];

    (void)state;
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        find_places(places, 100, 97);
        expect_the_same_whichever_way(&modes[i], places);
        find_places(places, LATE_RUN / 2, 1);
        expect_the_same_whichever_way(&modes[i], places);
    }
}

/* Whether a store waits in the run of that plan after so many instructions. */
static bool waits_at(const struct plan *plan, uint64_t insns)
{
    struct bench *s = late_bench(&(struct mode){.plan = plan});
    unsigned waiting;

    (void)machine_run(s->b.m, insns, UINT64_MAX);
    waiting = state_of(s).waiting;
    bench_free(s);
    return waiting > 0;
}

/* A schedule holds one store back, and lets loads be old, in a machine that is prompt otherwise. */
static void single_stores_and_loads_that_are_late_are_again_those_of_the_run(void **state)
{
    struct plan_step *stall, *hold;
    struct plan plan = {0};
    const struct mode mode = {.plan = &plan};
    uint64_t places[PLACES];

    (void)state;
    VEC_PUSH(&plan.steps, ((struct plan_step){.kind = PLAN_STALL, .hart = 1, .at = 500}));
    VEC_PUSH(&plan.steps, ((struct plan_step){.kind = PLAN_HOLD}));
    stall = &plan.steps.at[0];
    hold = &plan.steps.at[1];
    for (hold->at = 1000; hold->at < 1100; hold->at++) { /* until hart 0 stores there */
        stall->until = hold->at + 8;
        hold->until = hold->at + 14;
        if (waits_at(&plan, hold->at + 3))
            break;
    }
    find_places(places, hold->at - 2, 1);
    VEC_PUSH(&plan.steps, ((struct plan_step){.kind = PLAN_LATE,
                                              .hart = 1,
                                              .at = hold->at + 4,
                                              .until = hold->at + 30,
                                              .pc = BOARD_RAM + 16}));
    expect_the_same_whichever_way(&mode, places);
    VEC_FREE(&plan.steps);
}

static void stops_are_found_again_backwards_where_stores_wait(void **state)
{
    const struct mode mode = {.stores = STORES_RANDOM, .seed = 5};
    enum { STOPS = 6 };
    struct bench *s = late_bench(&mode);
    struct state states[STOPS];
    uint64_t at[STOPS];

    (void)state;
    (void)add_watch(s, (struct target_point){.kind = TARGET_WATCH_WRITE});
    for (unsigned i = 0; i < STOPS; i++) {
        assert_int_equal(target_run(s->t, TARGET_ANY_HART, NULL).reason, TARGET_STOP_WATCHPOINT);
        at[i] = target_insns(s->t);
        states[i] = state_of(s);
    }
    for (unsigned i = STOPS - 1; i-- > 0;) {
        assert_int_equal(target_reverse_run(s->t).reason, TARGET_STOP_WATCHPOINT);
        assert_int_equal(target_insns(s->t), at[i]);
        expect_state(s, &states[i]);
    }
    for (unsigned i = 1; i < STOPS; i++) {
        assert_int_equal(target_run(s->t, TARGET_ANY_HART, NULL).reason, TARGET_STOP_WATCHPOINT);
        assert_int_equal(target_insns(s->t), at[i]);
        expect_state(s, &states[i]);
    }
    bench_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_that_wait_are_again_those_of_the_run),
        cmocka_unit_test(single_stores_and_loads_that_are_late_are_again_those_of_the_run),
        cmocka_unit_test(stops_are_found_again_backwards_where_stores_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
