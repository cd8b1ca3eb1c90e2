/*
 * test_ooo_direction.c - the direction predictor of a core that executes out of order: rows that
 * are read ahead, changes that wait for a cycle in which nothing is read, and those that are lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timing/core.h"
#include "timing/ooo_direction.h"

enum { PC = 0x1000, BUFFER = 4, SOON = 3 /* cycles from fetch to decision */ };

static const struct core with_port = {
    .counters = 16384, .choices = 1024, .history = 22, .fetch_bytes = 16};
static const struct core without_port = {.counters = 16384,
                                         .choices = 1024,
                                         .history = 22,
                                         .fetch_bytes = 16,
                                         .read_ahead = 2,
                                         .branch_writes = BUFFER};

/* A branch at PC that is taken, with all of the history taken; whether it was predicted so. */
static bool take(struct ooo_direction *d, uint64_t fetched, uint64_t decided)
{
    const struct ooo_branch b = {.pc = PC, .fetched = fetched, .decided = decided, .taken = true};

    d->history = (1U << 22) - 1;
    direction_go_to(d, fetched - 2, PC);
    direction_arrive(d, PC);
    return direction_predict(d, &b).taken;
}

/* The counter of that branch in the table of those that are mostly not taken. */
static unsigned counter(const struct ooo_direction *d)
{
    return d->counters[0][0x3c00 | 0xf];
}

/*
 * Branches one after the other, 20 cycles apart, each predicted wrong: the counter, which has
 * counted them. `busy': fetch reads the tables all the time.
 */
static unsigned count(struct ooo_direction *d, unsigned branches, bool busy)
{
    for (uint64_t n = 0, cycle = 10; n < branches; n++, cycle += 20) {
        direction_read_at(d, cycle - 1);
        d->choices[PC / 16] = 0; /* it stays in that table */
        (void)take(d, cycle, cycle + SOON);
        for (uint64_t c = cycle; busy && c < cycle + SOON; c++)
            direction_read_at(d, c);
        direction_restart(d, cycle + SOON, 0);
        for (uint64_t c = cycle + SOON; busy && c < cycle + 20; c++)
            direction_read_at(d, c);
    }
    direction_read_at(d, UINT64_MAX);
    return counter(d);
}

static void a_table_with_a_port_counts_each_branch(void **state)
{
    struct ooo_direction d;

    (void)state;
    direction_init(&d, &with_port);
    assert_int_equal(count(&d, 2, true), 2);
    direction_free(&d);
}

/* The row was read before the change of the branch before: of two branches one counts. */
static void rows_that_are_read_ahead_are_old(void **state)
{
    struct ooo_direction d;

    (void)state;
    direction_init(&d, &without_port);
    assert_int_equal(count(&d, 2, false), 1);
    direction_free(&d);
    direction_init(&d, &without_port);
    assert_int_equal(count(&d, 3, false), 2);
    direction_free(&d);
}

/* Fetch reads the tables in all cycles: nothing is written. */
static void nothing_is_written_while_fetch_reads(void **state)
{
    struct ooo_direction d;

    (void)state;
    direction_init(&d, &without_port);
    assert_int_equal(count(&d, 50, true), 1); /* the four in the buffer, at the end: from 0 all */
    direction_free(&d);
}

/* A cycle without a read is enough for one change, the oldest. */
static void a_free_cycle_writes_one_change(void **state)
{
    struct ooo_direction d;

    (void)state;
    direction_init(&d, &without_port);
    for (uint64_t n = 0; n < 3; n++)
        (void)take(&d, 10 + n, 12 + n);
    for (uint64_t c = 13; c < 20; c++)
        direction_read_at(&d, c);
    assert_int_equal(d.next_change - d.first_change, 3);
    direction_read_at(&d, 21);
    assert_int_equal(d.next_change - d.first_change, 2);
    direction_read_at(&d, 30);
    assert_int_equal(d.next_change - d.first_change, 0);
    direction_free(&d);
}

/* Five branches are decided while nothing can be written: the fifth is lost, not the sixth, later.
 */
static void a_full_buffer_loses_the_newest(void **state)
{
    struct ooo_direction d;

    (void)state;
    direction_init(&d, &without_port);
    for (uint64_t n = 0; n < BUFFER + 1; n++)
        (void)take(&d, 10 + n, 11 + n);
    (void)take(&d, 15, 40);
    for (uint64_t c = 15; c < 30; c++)
        direction_read_at(&d, c);
    assert_int_equal(d.next_change - d.first_change, BUFFER + 1);
    assert_int_equal(d.changes[(d.next_change - 1) % DIRECTION_CHANGES].at, 40);
    direction_free(&d);
}

/*
 * A change in the buffer is seen by a branch with the same history to which fetch has jumped while
 * it read a row: the RTL takes bits of the choice and of the counter for it.
 */
static unsigned choice_after_jump(uint64_t told)
{
    const struct ooo_branch b = {.pc = PC, .fetched = 32, .decided = 35, .taken = true};
    struct ooo_direction d;
    unsigned choice;

    direction_init(&d, &without_port);
    d.choices[PC / 16 % 1024] = 3; /* mostly taken: its counter is 3, so it reads the choice as 3 */
    d.counters[1][0x3c00 | 0xf] = 2;
    d.history = (1U << 22) - 1;
    direction_restart(&d, 8, 0);
    (void)take(&d, 10, 12);
    for (uint64_t c = 11; c < 31; c++)
        direction_read_at(&d, c);
    d.choices[PC / 16 % 1024] = 0; /* what the table has now */
    d.history = (1U << 22) - 1;
    d.predicted = 30;
    direction_go_to(&d, told, PC);
    direction_arrive(&d, PC);
    choice = direction_predict(&d, &b).choice;
    direction_free(&d);
    return choice;
}

static void a_jump_finds_the_choice_in_the_buffer(void **state)
{
    (void)state;
    assert_int_equal(choice_after_jump(30), 3);
    assert_int_equal(choice_after_jump(31), 0);
}

/* The choices of a block of code are read together, when fetch is told to go there. */
static void choices_are_those_of_the_jump(void **state)
{
    const struct ooo_branch b = {.pc = PC, .fetched = 12, .decided = 15};
    struct ooo_direction d;

    (void)state;
    direction_init(&d, &without_port);
    direction_go_to(&d, 10, PC + 48);
    d.choices[PC / 16 % 1024] = 3; /* too late */
    direction_arrive(&d, PC);
    assert_int_equal(direction_predict(&d, &b).choice, 0);
    direction_go_to(&d, 13, PC + 48);
    direction_arrive(&d, PC);
    assert_int_equal(direction_predict(&d, &b).choice, 3);
    direction_free(&d);
}

/* What becomes of one change in a cycle in which code comes from the loop buffer. */
enum { FREE, BRANCH = 1, FETCHED = 2, JUMPED = 4, ELSEWHERE = 0x2000 };

struct outcome {
    bool written, astray, kept;
    unsigned choice, choice_elsewhere;
};

static struct outcome pass_one(unsigned use)
{
    struct ooo_direction d;
    struct direction_cycle c = {.cycle = 20,
                                .branch = use & BRANCH,
                                .fetched = use & FETCHED,
                                .jumped = use & JUMPED ? ELSEWHERE : 0};
    struct outcome o;

    direction_init(&d, &without_port);
    (void)take(&d, 10, 20);
    direction_read_at(&d, 19);
    direction_pass_loop(&d, &c); /* with history 0: row 0 */
    o = (struct outcome){.written = counter(&d) == 1,
                         .astray = d.counters[0][0xf] == 1,
                         .kept = d.next_change != d.first_change,
                         .choice = d.choices[PC / 16 % 1024],
                         .choice_elsewhere = d.choices[ELSEWHERE / 16 % 1024]};
    direction_free(&d);
    return o;
}

static void a_loop_of_the_buffer_writes_where_nothing_is_read(void **state)
{
    struct outcome o = pass_one(FREE);

    (void)state;
    assert_true(o.written && !o.astray && !o.kept);
    assert_int_equal(o.choice, 1);
}

/* Where fetch jumps, the choice is written to the block of code to which it jumps. */
static void a_jump_ahead_of_the_buffer_diverts_a_choice(void **state)
{
    struct outcome o = pass_one(JUMPED);

    (void)state;
    assert_true(o.written && !o.astray && o.kept);
    assert_int_equal(o.choice, 0);
    assert_int_equal(o.choice_elsewhere, 1);
}

/* Its branch reads a row, and the change is written there. */
static void a_branch_from_the_buffer_diverts_a_change(void **state)
{
    struct outcome o = pass_one(BRANCH);

    (void)state;
    assert_true(!o.written && o.astray && o.kept);
}

/* Fetch, which goes round the loop for nothing, loses it, or with a read keeps it. */
static void fetch_ahead_of_the_buffer_loses_a_change(void **state)
{
    struct outcome o = pass_one(FETCHED);

    (void)state;
    assert_true(!o.written && !o.astray && !o.kept);
    o = pass_one(FETCHED | BRANCH);
    assert_true(!o.written && !o.astray && o.kept);
}

/* The loop buffer has a row of its own: the first branch from it finds the one of the last time. */
static void the_first_branch_from_the_buffer_has_an_old_row(void **state)
{
    struct ooo_branch b = {.pc = PC, .fetched = 40, .decided = 43, .taken = true, .in_loop = true};
    struct ooo_direction d;

    (void)state;
    direction_init(&d, &without_port);
    b.choice = 3;
    d.history = (1U << 22) - 1;
    direction_restart(&d, 8, 0);
    assert_true(take(&d, 10, 12) == false);
    assert_false(direction_predict(&d, &b).taken); /* nothing was in it: the table has 3 */
    b.fetched = 41;
    assert_true(direction_predict(&d, &b).taken);
    direction_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_with_a_port_counts_each_branch),
        cmocka_unit_test(rows_that_are_read_ahead_are_old),
        cmocka_unit_test(nothing_is_written_while_fetch_reads),
        cmocka_unit_test(a_free_cycle_writes_one_change),
        cmocka_unit_test(a_full_buffer_loses_the_newest),
        cmocka_unit_test(a_jump_finds_the_choice_in_the_buffer),
        cmocka_unit_test(choices_are_those_of_the_jump),
        cmocka_unit_test(a_loop_of_the_buffer_writes_where_nothing_is_read),
        cmocka_unit_test(a_jump_ahead_of_the_buffer_diverts_a_choice),
        cmocka_unit_test(a_branch_from_the_buffer_diverts_a_change),
        cmocka_unit_test(fetch_ahead_of_the_buffer_loses_a_change),
        cmocka_unit_test(the_first_branch_from_the_buffer_has_an_old_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
