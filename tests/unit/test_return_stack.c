/*
 * test_return_stack.c - a return-address stack that is restored from one of calls that have
 * retired.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timing/core.h"
#include "timing/return_stack.h"

enum { ENTRIES = 12, KEPT = 6 };

static struct return_stack new_stack(uint32_t kept)
{
    const struct core core = {.ras_depth = ENTRIES, .ras_kept = kept};
    struct return_stack s;

    return_stack_reset(&s, &core);
    return s;
}

/* Calls from so many different places, from `first' on. */
static void call(struct return_stack *s, uint64_t first, uint64_t count)
{
    for (uint64_t n = 0; n < count; n++)
        return_stack_call(s, 0x1000 + 4 * (first + n));
}

/* Returns from them; how many of the returns are predicted. */
static uint64_t return_from(struct return_stack *s, uint64_t first, uint64_t count)
{
    uint64_t predicted = 0;

    for (uint64_t n = count; n-- > 0;)
        predicted += return_stack_return(s, 0x1000 + 4 * (first + n));
    return predicted;
}

/* Wraps the stack around its end: in the next round a wrong prediction leaves it full. */
static void go_to_odd_round(struct return_stack *s)
{
    for (unsigned n = 0; n < ENTRIES; n++) {
        call(s, 100 + n, 1);
        return_stack_restore(s);
    }
}

static void as_many_calls_as_entries_return(void **state)
{
    struct return_stack s = new_stack(KEPT);

    (void)state;
    call(&s, 0, ENTRIES);
    assert_int_equal(return_from(&s, 0, ENTRIES), ENTRIES);
}

static void a_deeper_call_displaces_the_oldest(void **state)
{
    struct return_stack s = new_stack(KEPT);

    (void)state;
    call(&s, 0, ENTRIES + 1);
    assert_int_equal(return_from(&s, 1, ENTRIES), ENTRIES);
    assert_int_equal(return_from(&s, 0, 1), 0);
}

static void a_wrong_prediction_empties_the_stack(void **state)
{
    struct return_stack s = new_stack(KEPT);

    (void)state;
    call(&s, 0, 3);
    return_stack_restore(&s);
    call(&s, 3, 1);
    assert_int_equal(return_from(&s, 3, 1), 1);
    assert_int_equal(return_from(&s, 0, 3), 0);
}

static void in_an_odd_round_it_is_full_instead(void **state)
{
    struct return_stack s = new_stack(KEPT);

    (void)state;
    go_to_odd_round(&s);
    call(&s, 0, KEPT);
    return_stack_restore(&s);
    assert_int_equal(return_from(&s, 0, KEPT), KEPT);
}

static void a_deeper_call_has_overwritten_what_is_restored(void **state)
{
    struct return_stack s = new_stack(KEPT);

    (void)state;
    go_to_odd_round(&s);
    call(&s, 0, KEPT + 2);
    assert_int_equal(return_from(&s, KEPT, 2), 2);
    assert_int_equal(return_from(&s, KEPT - 1, 1), 1);
    call(&s, 50, 1); /* at the place of the one before */
    return_stack_restore(&s);
    assert_int_equal(return_from(&s, 50, 1), 1);
    assert_int_equal(return_from(&s, 2, KEPT - 3), KEPT - 3);
    assert_int_equal(return_from(&s, 0, 2), 0); /* the two deeper ones came to their places */
}

static void without_a_second_stack_nothing_is_lost(void **state)
{
    struct return_stack s = new_stack(0);

    (void)state;
    call(&s, 0, ENTRIES);
    return_stack_restore(&s);
    assert_int_equal(return_from(&s, 0, ENTRIES), ENTRIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_calls_as_entries_return),
        cmocka_unit_test(a_deeper_call_displaces_the_oldest),
        cmocka_unit_test(a_wrong_prediction_empties_the_stack),
        cmocka_unit_test(in_an_odd_round_it_is_full_instead),
        cmocka_unit_test(a_deeper_call_has_overwritten_what_is_restored),
        cmocka_unit_test(without_a_second_stack_nothing_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
