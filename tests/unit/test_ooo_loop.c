/*
 * test_ooo_loop.c - the loop buffer of a core that executes out of order: which loops get into it,
 * when code comes from it, and what ends that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "timing/core.h"
#include "timing/ooo.h"
#include "timing/ooo_loop.h"

enum {
    HEAD = 0x1000,
    FORWARD = HEAD + 4,
    OVER = HEAD + 12,
    END = HEAD + 16,
    OTHER_HEAD = 0x2000,
    OTHER_END = OTHER_HEAD + 8,
    THIRD_HEAD = 0x3000,
    THIRD_END = THIRD_HEAD + 8,
    SURELY = 3, /* a choice: mostly taken */
};

static const struct core with_buffer = {
    .loop_buffer = 16, .fetch_bytes = 16, .taken = 1, .dispatch_width = 3};
static const struct core without_buffer = {.fetch_bytes = 16, .taken = 1};

/* A branch at pc that was predicted so. */
static void branch(struct ooo_loop *l, uint64_t pc, uint64_t target, bool predicted)
{
    const struct ooo_insn i = {.op = {.class = CORE_branch, .size = 4}, .pc = pc, .target = target};

    ooo_loop_note_branch(l, &with_buffer, &i, predicted, predicted ? SURELY : 0);
}

static void round_of(struct ooo_loop *l, uint64_t head, uint64_t end)
{
    branch(l, end, head, true);
}

/* The loop has been executed until its code comes from the buffer. */
static void activate_loop(struct ooo_loop *l)
{
    memset(l, 0, sizeof *l);
    for (unsigned n = 0; n < 3; n++)
        round_of(l, HEAD, END);
    assert_true(ooo_loop_is_active(l));
}

static void the_third_round_comes_from_the_buffer(void **state)
{
    struct ooo_loop l = {0};

    (void)state;
    round_of(&l, HEAD, END);
    assert_int_equal(l.state, LOOP_NONE);
    round_of(&l, HEAD, END);
    assert_int_equal(l.state, LOOP_FILL);
    round_of(&l, HEAD, END);
    assert_int_equal(l.state, LOOP_ACTIVE);
    round_of(&l, HEAD, END);
    assert_int_equal(l.state, LOOP_ACTIVE);
}

static void a_core_without_a_buffer_has_no_loops(void **state)
{
    const struct ooo_insn i = {.op = {.class = CORE_branch, .size = 4}, .pc = END, .target = HEAD};
    struct ooo_loop l = {0};

    (void)state;
    for (unsigned n = 0; n < 5; n++)
        ooo_loop_note_branch(&l, &without_buffer, &i, true, SURELY);
    assert_false(ooo_loop_is_active(&l));
}

/* Sixteen halfwords with the branch, not seventeen. */
static void a_longer_loop_is_not_remembered(void **state)
{
    struct ooo_loop l = {0};

    (void)state;
    for (unsigned n = 0; n < 5; n++)
        round_of(&l, HEAD, HEAD + 30);
    assert_false(ooo_loop_is_active(&l));
    for (unsigned n = 0; n < 3; n++)
        round_of(&l, HEAD, HEAD + 28);
    assert_true(ooo_loop_is_active(&l));
}

static void a_loop_with_a_jump_is_not_tried_again(void **state)
{
    struct ooo_loop l = {0};

    (void)state;
    round_of(&l, HEAD, END);
    round_of(&l, HEAD, END);
    ooo_loop_note_unfit(&l);
    for (unsigned n = 0; n < 5; n++)
        round_of(&l, HEAD, END);
    assert_int_equal(l.state, LOOP_NONE);
}

/* Two others make the buffer forget the loop, and why it was not tried again. */
static void two_loops_are_remembered(void **state)
{
    struct ooo_loop l = {0};

    (void)state;
    round_of(&l, HEAD, END);
    round_of(&l, HEAD, END);
    ooo_loop_note_unfit(&l);
    round_of(&l, OTHER_HEAD, OTHER_END);
    for (unsigned n = 0; n < 3; n++)
        round_of(&l, HEAD, END);
    assert_int_equal(l.state, LOOP_NONE);
    round_of(&l, OTHER_HEAD, OTHER_END);
    ooo_loop_stop(&l);
    round_of(&l, THIRD_HEAD, THIRD_END);
    round_of(&l, OTHER_HEAD, OTHER_END);
    ooo_loop_stop(&l);
    for (unsigned n = 0; n < 3; n++)
        round_of(&l, HEAD, END);
    assert_true(ooo_loop_is_active(&l));
}

static void a_loop_around_a_remembered_one_is_not_tried(void **state)
{
    struct ooo_loop l = {0};

    (void)state;
    round_of(&l, HEAD + 4, HEAD + 8);
    for (unsigned n = 0; n < 5; n++)
        round_of(&l, HEAD, END);
    assert_false(ooo_loop_is_active(&l));
}

static void one_branch_forward_fits_but_not_two(void **state)
{
    struct ooo_loop l = {0};

    (void)state;
    round_of(&l, HEAD, END);
    round_of(&l, HEAD, END);
    branch(&l, FORWARD, OVER, false);
    round_of(&l, HEAD, END);
    assert_true(ooo_loop_is_active(&l));
    assert_int_equal(l.pcs[LOOP_FORWARD], FORWARD);

    memset(&l, 0, sizeof l);
    round_of(&l, HEAD, END);
    round_of(&l, HEAD, END);
    branch(&l, FORWARD, OVER, false);
    branch(&l, FORWARD + 4, OVER, false);
    assert_int_equal(l.state, LOOP_NONE);
}

static void a_branch_out_of_the_loop_does_not_fit(void **state)
{
    struct ooo_loop l = {0};

    (void)state;
    round_of(&l, HEAD, END);
    round_of(&l, HEAD, END);
    branch(&l, FORWARD, END + 4, false);
    assert_int_equal(l.state, LOOP_NONE);
}

/* What the branch forward went over is brought when it is first predicted not taken. */
static void what_was_gone_over_is_brought_later(void **state)
{
    struct ooo_loop l = {0};

    (void)state;
    round_of(&l, HEAD, END);
    round_of(&l, HEAD, END);
    branch(&l, FORWARD, OVER, true);
    round_of(&l, HEAD, END);
    assert_true(ooo_loop_is_active(&l));
    branch(&l, FORWARD, OVER, true);
    assert_true(ooo_loop_is_active(&l));
    branch(&l, FORWARD, OVER, false);
    assert_int_equal(l.state, LOOP_REFILL);
    round_of(&l, HEAD, END);
    assert_true(ooo_loop_is_active(&l));
    branch(&l, FORWARD, OVER, false);
    assert_true(ooo_loop_is_active(&l));
}

static void the_loop_ends_where_its_branch_is_predicted_not_taken(void **state)
{
    struct ooo_loop l;

    (void)state;
    activate_loop(&l);
    branch(&l, END, HEAD, false);
    assert_int_equal(l.state, LOOP_NONE);
    round_of(&l, HEAD, END); /* it is still in the buffer */
    assert_true(ooo_loop_is_active(&l));
}

static void a_wrong_prediction_stops_the_loop_and_a_flush_forgets_it(void **state)
{
    struct ooo_loop l;

    (void)state;
    activate_loop(&l);
    ooo_loop_stop(&l);
    assert_false(ooo_loop_is_active(&l));
    round_of(&l, HEAD, END);
    assert_true(ooo_loop_is_active(&l));
    ooo_loop_flush(&l);
    round_of(&l, HEAD, END);
    assert_int_equal(l.state, LOOP_NONE);
}

/* A decided branch changes its choice from the next cycle on; one that is surely taken is kept. */
static void choices_follow_what_the_branches_do(void **state)
{
    struct ooo_loop l;

    (void)state;
    activate_loop(&l);
    assert_int_equal(ooo_loop_choice(&l, END, 10), SURELY);
    ooo_loop_note_decided(&l, &(struct loop_change){.at = 12, .taken = 0, .wrong = 1}, END);
    assert_int_equal(ooo_loop_choice(&l, END, 12), SURELY);
    assert_int_equal(ooo_loop_choice(&l, END, 13), SURELY - 1);
    ooo_loop_note_decided(&l, &(struct loop_change){.at = 20, .taken = 0, .wrong = 0}, END);
    assert_int_equal(ooo_loop_choice(&l, END, 30), SURELY - 1);
    ooo_loop_note_decided(&l, &(struct loop_change){.at = 31, .taken = 1}, OTHER_END);
    assert_int_equal(ooo_loop_choice(&l, END, 40), SURELY - 1);
}

/* The loop has two pieces: fetch has a branch every third cycle, and goes to its target then. */
static void fetch_goes_round_meanwhile(void **state)
{
    struct ooo_loop l;
    unsigned does[7];

    (void)state;
    activate_loop(&l);
    ooo_loop_begin(&l, &with_buffer, 100);
    for (unsigned n = 0; n < 7; n++)
        does[n] = ooo_loop_ahead(&l, 100 + n);
    assert_int_equal(does[0] | does[1], 0);
    assert_int_equal(does[2], AHEAD_BRANCH | AHEAD_JUMP);
    assert_int_equal(does[3] | does[4], 0);
    assert_int_equal(does[5], AHEAD_BRANCH | AHEAD_JUMP);
    l.early = 1; /* the first target buffer knows the jump: a cycle less */
    ooo_loop_begin(&l, &with_buffer, 100);
    assert_int_equal(ooo_loop_ahead(&l, 101), AHEAD_JUMP);
    assert_int_equal(ooo_loop_ahead(&l, 102), AHEAD_BRANCH);
    assert_int_equal(ooo_loop_ahead(&l, 103), AHEAD_JUMP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_third_round_comes_from_the_buffer),
        cmocka_unit_test(a_core_without_a_buffer_has_no_loops),
        cmocka_unit_test(a_longer_loop_is_not_remembered),
        cmocka_unit_test(a_loop_with_a_jump_is_not_tried_again),
        cmocka_unit_test(two_loops_are_remembered),
        cmocka_unit_test(a_loop_around_a_remembered_one_is_not_tried),
        cmocka_unit_test(one_branch_forward_fits_but_not_two),
        cmocka_unit_test(a_branch_out_of_the_loop_does_not_fit),
        cmocka_unit_test(what_was_gone_over_is_brought_later),
        cmocka_unit_test(the_loop_ends_where_its_branch_is_predicted_not_taken),
        cmocka_unit_test(a_wrong_prediction_stops_the_loop_and_a_flush_forgets_it),
        cmocka_unit_test(choices_follow_what_the_branches_do),
        cmocka_unit_test(fetch_goes_round_meanwhile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
