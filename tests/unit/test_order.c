/*
 * test_order.c - which orders of acts are the same, and which turns are tried; and the steps of
 * plans.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "explore/order.h"
#include "ftrace/audit/order/races.h"
#include "machine/plan.h"

enum { SITE = 7, OTHER_SITE = 9 };

static struct act act(enum act_kind kind, unsigned hart, uint32_t place, unsigned offset)
{
    return (struct act){.kind = (uint8_t)kind,
                        .hart = (uint8_t)hart,
                        .other = (uint8_t)hart,
                        .place = place,
                        .page = 1,
                        .offset = (uint8_t)offset};
}

static struct act message(enum act_kind kind, unsigned hart, unsigned other)
{
    return (struct act){.kind = (uint8_t)kind, .hart = (uint8_t)hart, .other = (uint8_t)other};
}

/* A list of acts, one each hundred instructions. */
static struct act_list list(const struct act *acts, size_t count)
{
    struct act_list l = {0};

    for (size_t i = 0; i < count; i++) {
        VEC_PUSH(&l.acts, acts[i]);
        l.acts.at[i].insns = 100 * i;
    }
    return l;
}

#define LIST(...) \
    list((const struct act[]){__VA_ARGS__}, ARRAY_LEN(((const struct act[]){__VA_ARGS__})))

static uint64_t hash(struct act_list l)
{
    uint64_t h = order_hash(&l);

    VEC_FREE(&l.acts);
    return h;
}

static const struct data_races no_races;

/* ---- equivalence ---- */

static void acts_that_do_not_conflict_commute(void **state)
{
    (void)state;
    assert_int_equal(hash(LIST(act(ACT_EXECUTE, 0, SITE, 0), act(ACT_EXECUTE, 1, OTHER_SITE, 0))),
                     hash(LIST(act(ACT_EXECUTE, 1, OTHER_SITE, 0), act(ACT_EXECUTE, 0, SITE, 0))));
    assert_int_equal(hash(LIST(act(ACT_EXECUTE, 0, SITE, 0), act(ACT_STORE, 1, OTHER_SITE, 0))),
                     hash(LIST(act(ACT_STORE, 1, OTHER_SITE, 0), act(ACT_EXECUTE, 0, SITE, 0))));
    assert_int_equal(hash(LIST(act(ACT_EXECUTE, 0, SITE, 0), act(ACT_EXECUTE, 1, SITE, 0),
                               act(ACT_STORE, 2, SITE, 0))),
                     hash(LIST(act(ACT_EXECUTE, 1, SITE, 0), act(ACT_EXECUTE, 0, SITE, 0),
                               act(ACT_STORE, 2, SITE, 0))));
}

static void acts_that_conflict_do_not(void **state)
{
    (void)state;
    assert_int_not_equal(hash(LIST(act(ACT_EXECUTE, 0, SITE, 0), act(ACT_STORE, 1, SITE, 0))),
                         hash(LIST(act(ACT_STORE, 1, SITE, 0), act(ACT_EXECUTE, 0, SITE, 0))));
    assert_int_not_equal(hash(LIST(act(ACT_FENCE, 0, 0, 0), act(ACT_STORE, 1, SITE, 0))),
                         hash(LIST(act(ACT_STORE, 1, SITE, 0), act(ACT_FENCE, 0, 0, 0))));
    assert_int_not_equal(hash(LIST(act(ACT_STORE, 0, SITE, 0), act(ACT_STORE, 1, SITE, 0))),
                         hash(LIST(act(ACT_STORE, 1, SITE, 0), act(ACT_STORE, 0, SITE, 0))));
    assert_int_not_equal(hash(LIST(act(ACT_EXECUTE, 0, SITE, 0), message(ACT_SEND, 1, 0))),
                         hash(LIST(message(ACT_SEND, 1, 0), act(ACT_EXECUTE, 0, SITE, 0))));
}

static void the_order_within_a_hart_matters(void **state)
{
    (void)state;
    assert_int_not_equal(
        hash(LIST(act(ACT_EXECUTE, 0, SITE, 0), act(ACT_EXECUTE, 0, OTHER_SITE, 0))),
        hash(LIST(act(ACT_EXECUTE, 0, OTHER_SITE, 0), act(ACT_EXECUTE, 0, SITE, 0))));
}

static void orders_are_counted(void **state)
{
    struct act_list l = LIST(act(ACT_EXECUTE, 0, SITE, 0), act(ACT_EXECUTE, 0, SITE, 4),
                             act(ACT_STORE, 1, SITE, 0), act(ACT_STORE, 1, SITE, 0));
    double log = order_count_log10(&l); /* 4! / (2! 2!) = 6 */

    (void)state;
    assert_true(log > 0.778 && log < 0.779);
    VEC_FREE(&l.acts);
}

/* ---- turns ---- */

static const struct turn *turn_of(const struct turn_list *turns, enum plan_kind kind, unsigned hart,
                                  uint64_t at)
{
    for (size_t i = 0; i < turns->turns.len; i++) {
        const struct turn *t = &turns->turns.at[i];

        if (t->kind == kind && t->hart == hart && t->at == at)
            return t;
    }
    return NULL;
}

/* A hart executes a pair, and another one stores to it. */
static void a_hart_stalls_inside_of_a_pair(void **state)
{
    struct act_list l = LIST(act(ACT_EXECUTE, 1, SITE, 0), act(ACT_EXECUTE, 1, SITE, 4),
                             act(ACT_STORE, 0, SITE, 0), act(ACT_EXECUTE, 1, SITE, 0));
    size_t more;
    struct turn_list turns = order_turns(&l, &no_races, 0, 0, 100, &more);
    const struct turn *inside = turn_of(&turns, PLAN_STALL, 1, 100);
    const struct turn *writer = turn_of(&turns, PLAN_STALL, 0, 200);

    (void)state;
    assert_non_null(inside);
    assert_int_equal(inside->until.kind, ACT_STORE);
    assert_true(act_is(&l.acts.at[2], &inside->until));
    assert_false(act_is(&l.acts.at[3], &inside->until));
    assert_non_null(writer); /* until the pair is executed again */
    assert_true(act_is(&l.acts.at[3], &writer->until));
    assert_non_null(turn_of(&turns, PLAN_TICK, 1, 100));
    assert_null(turn_of(&turns, PLAN_TICK, 1, 0)); /* the first instruction is not inside */
    assert_int_equal(more, 0);
    VEC_FREE(&turns.turns);
    VEC_FREE(&l.acts);
}

static void what_does_not_conflict_is_not_turned(void **state)
{
    struct act_list l = LIST(act(ACT_EXECUTE, 1, OTHER_SITE, 0), act(ACT_EXECUTE, 1, OTHER_SITE, 4),
                             act(ACT_STORE, 0, SITE, 0));
    size_t more;
    struct turn_list turns = order_turns(&l, &no_races, 0, 0, 100, &more);

    (void)state;
    assert_int_equal(turns.turns.len, 0);
    VEC_FREE(&l.acts);
}

static void a_started_hart_stalls_before_its_first_act(void **state)
{
    struct act_list l = LIST(message(ACT_START, 0, 1), act(ACT_EXECUTE, 1, OTHER_SITE, 0),
                             act(ACT_STORE, 0, SITE, 0));
    size_t more;
    struct turn_list turns = order_turns(&l, &no_races, 0, 0, 100, &more);

    (void)state;
    assert_non_null(turn_of(&turns, PLAN_STALL, 1, 100));
    VEC_FREE(&turns.turns);
    VEC_FREE(&l.acts);
}

/* Turns begin at `from`; the later of the two acts is in the window. */
static void bounds_are_kept(void **state)
{
    struct act_list l = LIST(act(ACT_EXECUTE, 1, SITE, 4), act(ACT_STORE, 0, SITE, 0),
                             act(ACT_EXECUTE, 1, SITE, 4), act(ACT_STORE, 0, SITE, 0));
    size_t more;
    struct turn_list late = order_turns(&l, &no_races, 150, 0, 100, &more);
    struct turn_list outside = order_turns(&l, &no_races, 0, 350, 100, &more);
    struct turn_list few = order_turns(&l, &no_races, 0, 0, 1, &more);

    (void)state;
    assert_null(turn_of(&late, PLAN_STALL, 1, 0));
    assert_non_null(turn_of(&late, PLAN_STALL, 1, 200));
    assert_int_equal(outside.turns.len, 0);
    assert_int_equal(few.turns.len, 1);
    assert_true(more > 0);
    VEC_FREE(&late.turns);
    VEC_FREE(&outside.turns);
    VEC_FREE(&few.turns);
    VEC_FREE(&l.acts);
}

static struct act by_task(uint64_t task, struct act a)
{
    a.task = task;
    return a;
}

/* While a task is stopped in a place, it stores nothing; another task of the hart does, elsewhere.
 */
static void a_task_is_not_stopped_until_it_has_done_something_itself(void **state)
{
    struct act_list l =
        LIST(by_task(2, act(ACT_EXECUTE, 0, SITE, 4)), by_task(1, act(ACT_EXECUTE, 0, SITE, 4)),
             by_task(1, act(ACT_EXECUTE, 1, SITE, 4)), by_task(1, act(ACT_STORE, 0, SITE, 0)));
    struct turn_list turns;
    size_t more;

    (void)state;
    l.harts = 2;
    turns = order_turns(&l, &no_races, 0, 0, 100, &more);
    assert_non_null(turn_of(&turns, PLAN_STALL, 0, 0));
    assert_null(turn_of(&turns, PLAN_STALL, 0, 100));
    assert_null(turn_of(&turns, PLAN_STALL, 1, 200));
    VEC_FREE(&turns.turns);
    l.harts = 1;
    turns = order_turns(&l, &no_races, 0, 0, 100, &more);
    assert_null(turn_of(&turns, PLAN_STALL, 0, 0));
    assert_non_null(turn_of(&turns, PLAN_TICK, 0, 0));
    VEC_FREE(&turns.turns);
    VEC_FREE(&l.acts);
}

/* Task 3 is in the place once, the task that stores to it and another one a hundred times. */
static void each_task_is_preempted_in_a_place(void **state)
{
    enum { OFTEN = 100 };
    struct act_list l = LIST(by_task(3, act(ACT_EXECUTE, 0, SITE, 4)));
    struct turn_list turns;
    size_t more;

    (void)state;
    for (uint64_t i = 1; i <= 2 * OFTEN; i++) {
        VEC_PUSH(&l.acts, by_task(1 + i % 2, act(ACT_EXECUTE, 0, SITE + (uint32_t)i / 2, 4)));
        l.acts.at[i].insns = 100 * i;
    }
    for (uint32_t i = 0; i <= OFTEN; i++) {
        VEC_PUSH(&l.acts, by_task(1, act(ACT_STORE, 0, SITE + i, 0)));
        l.acts.at[l.acts.len - 1].insns = 100 * l.acts.len;
    }
    turns = order_turns(&l, &no_races, 0, 0, 4, &more);
    assert_non_null(turn_of(&turns, PLAN_TICK, 0, 0));
    assert_true(more > OFTEN);
    VEC_FREE(&turns.turns);
    VEC_FREE(&l.acts);
}

static void no_timer_comes_where_interrupts_are_off(void **state)
{
    struct act_list l = LIST(act(ACT_EXECUTE, 0, SITE, 4), act(ACT_EXECUTE, 1, SITE, 4),
                             act(ACT_STORE, 2, SITE, 0));
    struct turn_list turns;
    size_t more;

    (void)state;
    l.harts = 3;
    l.acts.at[0].masked = true;
    turns = order_turns(&l, &no_races, 0, 0, 100, &more);
    assert_null(turn_of(&turns, PLAN_TICK, 0, 0));
    assert_non_null(turn_of(&turns, PLAN_TICK, 1, 100));
    assert_non_null(turn_of(&turns, PLAN_STALL, 0, 0));
    VEC_FREE(&turns.turns);
    VEC_FREE(&l.acts);
}

/* ---- plans ---- */

static void a_plan_tells_who_stalls_and_what_is_next(void **state)
{
    struct plan p = {0};

    (void)state;
    VEC_PUSH(&p.steps, ((struct plan_step){.kind = PLAN_STALL, .hart = 1, .at = 10, .until = 20}));
    VEC_PUSH(&p.steps, ((struct plan_step){.kind = PLAN_TICK, .hart = 0, .at = 15}));
    VEC_PUSH(&p.steps,
             ((struct plan_step){.kind = PLAN_STALL, .hart = 3, .at = 19, .until = UINT64_MAX}));
    assert_int_equal(plan_stalled(&p, 9), 0);
    assert_int_equal(plan_stalled(&p, 10), 2);
    assert_int_equal(plan_stalled(&p, 19), 2 | 8);
    assert_int_equal(plan_stalled(&p, 20), 8);
    assert_int_equal(plan_next(&p, 0), 10);
    assert_int_equal(plan_next(&p, 10), 15);
    assert_int_equal(plan_next(&p, 15), 19);
    assert_int_equal(plan_next(&p, 19), 20);
    assert_int_equal(plan_next(&p, 20), UINT64_MAX);
    VEC_FREE(&p.steps);
}

static void steps_are_read_as_they_are_written(void **state)
{
    static const char *const wrong[] = {"",
                                        "tick hart 0",
                                        "tick hart 0 at 0x10",
                                        "tick hart 0 at 1 ",
                                        "stall hart 1 from 5",
                                        "stall hart -1 from 5 until 9",
                                        "stall  hart 1 from 5 until 9"};
    static const char *const right[] = {"tick hart 0 at 4230001",
                                        "stall hart 63 from 0 until 18446744073709551615"};
    struct plan_step step;
    char line[PLAN_LINE];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        assert_false(plan_read_step(wrong[i], &step));
    for (size_t i = 0; i < ARRAY_LEN(right); i++) {
        assert_true(plan_read_step(right[i], &step));
        plan_write_step(line, &step);
        assert_string_equal(line, right[i]);
    }
}

/* ---- accesses to data ---- */

static struct race race(enum race_rank rank, uint64_t first, uint64_t second)
{
    return (struct race){.pa = 0x80001004,
                         .va = 0xffffffff80001004,
                         .first = {.step = first, .pc = 0x100, .hart = 1, .detour = true},
                         .second = {.step = second, .pc = 0x200, .hart = 0, .store = true},
                         .rank = rank};
}

static void accesses_that_nothing_orders_are_turned(void **state)
{
    struct act_list l = {0};
    const struct race all[] = {race(RACE_OF_DETOUR, 100, 200), race(RACE_OTHER, 120, 220),
                               race(RACE_OF_UPDATE, 50, 230)};
    const struct data_races races = {.at = all, .count = ARRAY_LEN(all)};
    size_t more;
    struct turn_list turns = order_turns(&l, &races, 60, 0, 100, &more);
    const struct turn *turn = turn_of(&turns, PLAN_STALL, 1, 100);

    (void)state;
    assert_int_equal(turns.turns.len, 1); /* one is not promising, and one before `from' */
    assert_int_equal(more, 1);
    assert_non_null(turn);
    assert_int_equal(turn->until.kind, ACT_ACCESS);
    assert_int_equal(turn->until.hart, 0);
    assert_int_equal(turn->until.other, 1);
    assert_int_equal(turn->until.page, 0x80001);
    VEC_FREE(&turns.turns);
}

/* A load that comes after a store may also be late itself, or the store be seen late. */
static void loads_after_stores_are_late_in_two_more_ways(void **state)
{
    struct act_list l = {0};
    struct race all[] = {race(RACE_OF_DETOUR, 100, 200), race(RACE_OF_UPDATE, 300, 400)};
    const struct data_races races = {.at = all, .count = ARRAY_LEN(all)};
    size_t more;
    struct turn_list turns;
    const struct turn *late;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        all[i].first.store = true;
        all[i].second.store = false;
    }
    turns = order_turns(&l, &races, 0, 0, 100, &more);
    assert_int_equal(turns.turns.len, 4);
    assert_non_null(turn_of(&turns, PLAN_STALL, 1, 100));
    assert_non_null(turn_of(&turns, PLAN_HOLD, 1, 100));
    late = turn_of(&turns, PLAN_LATE, 0, 100);
    assert_non_null(late);
    assert_int_equal(late->pc, 0x200);
    assert_non_null(turn_of(&turns, PLAN_STALL, 1, 300)); /* of others only the order of harts */
    assert_int_not_equal(late->order, turn_of(&turns, PLAN_HOLD, 1, 100)->order);
    VEC_FREE(&turns.turns);
}

/* Of two tasks on one hart the first is interrupted, if it can be. */
static void accesses_of_two_tasks_on_one_hart_are_turned_by_a_timer(void **state)
{
    struct act_list l = {0};
    struct race all[] = {race(RACE_OF_DETOUR, 100, 200), race(RACE_OF_DETOUR, 300, 400)};
    const struct data_races races = {.at = all, .count = ARRAY_LEN(all)};
    size_t more;
    struct turn_list turns;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        all[i].second.hart = all[i].first.hart;
    all[1].first.masked = true;
    turns = order_turns(&l, &races, 0, 0, 100, &more);
    assert_int_equal(turns.turns.len, 1);
    assert_non_null(turn_of(&turns, PLAN_TICK, 1, 100));
    VEC_FREE(&turns.turns);
}

static void turns_of_runs_that_have_turned_other_accesses_differ(void **state)
{
    struct act_list l = {0};
    const struct race one = race(RACE_IN_DETOUR, 100, 200);
    struct data_races races = {.at = &one, .count = 1};
    size_t more;
    struct turn_list first = order_turns(&l, &races, 0, 0, 100, &more), second;

    (void)state;
    races.salt = 5;
    second = order_turns(&l, &races, 0, 0, 100, &more);
    assert_int_not_equal(first.turns.at[0].order, second.turns.at[0].order);
    VEC_FREE(&first.turns);
    VEC_FREE(&second.turns);
}

static void a_plan_says_where_data_is_followed(void **state)
{
    static const char *const wrong[] = {"data from 5", "data from 5 until", "data from 5 until 9 "};
    char line[PLAN_LINE];
    struct plan plan = {0};

    (void)state;
    assert_false(plan_follows_data(&plan, 0));
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        assert_false(plan_read_data(wrong[i], &plan));
    assert_true(plan_read_data("data from 5 until 9", &plan));
    plan_write_data(line, &plan);
    assert_string_equal(line, "data from 5 until 9");
    assert_false(plan_follows_data(&plan, 4));
    assert_true(plan_follows_data(&plan, 5));
    assert_true(plan_follows_data(&plan, 8));
    assert_false(plan_follows_data(&plan, 9));
    assert_int_equal(plan_next_data(&plan, 4), 5);
    assert_int_equal(plan_next_data(&plan, 5), 9);
    assert_int_equal(plan_next_data(&plan, 9), UINT64_MAX);
    assert_int_equal(plan_next(&plan, 4), UINT64_MAX); /* it ends no slice */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acts_that_do_not_conflict_commute),
        cmocka_unit_test(acts_that_conflict_do_not),
        cmocka_unit_test(the_order_within_a_hart_matters),
        cmocka_unit_test(orders_are_counted),
        cmocka_unit_test(a_hart_stalls_inside_of_a_pair),
        cmocka_unit_test(what_does_not_conflict_is_not_turned),
        cmocka_unit_test(a_started_hart_stalls_before_its_first_act),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(a_task_is_not_stopped_until_it_has_done_something_itself),
        cmocka_unit_test(each_task_is_preempted_in_a_place),
        cmocka_unit_test(no_timer_comes_where_interrupts_are_off),
        cmocka_unit_test(a_plan_tells_who_stalls_and_what_is_next),
        cmocka_unit_test(steps_are_read_as_they_are_written),
        cmocka_unit_test(accesses_that_nothing_orders_are_turned),
        cmocka_unit_test(loads_after_stores_are_late_in_two_more_ways),
        cmocka_unit_test(accesses_of_two_tasks_on_one_hart_are_turned_by_a_timer),
        cmocka_unit_test(turns_of_runs_that_have_turned_other_accesses_differ),
        cmocka_unit_test(a_plan_says_where_data_is_followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
