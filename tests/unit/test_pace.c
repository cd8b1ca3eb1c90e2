/*
 * test_pace.c - the time of an idle guest and the wall clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host/pace.h"

#define MS UINT64_C(1000000)

enum { WALL = 77 }; /* s; when the host was started does not matter */

static uint64_t wall(uint64_t ms)
{
    return WALL * 1000 * MS + ms * MS;
}

static void the_first_sleep_is_as_long_as_the_guest_says(void **state)
{
    struct pace p = {0};

    (void)state;
    assert_int_equal(pace_sleep(&p, 500 * MS, 510 * MS, wall(0)), 10 * MS);
    assert_int_equal(pace_guest(&p, 500 * MS, 510 * MS, wall(4)), 504 * MS);
    assert_int_equal(pace_guest(&p, 500 * MS, 510 * MS, wall(10)), 510 * MS);
    assert_int_equal(pace_guest(&p, 500 * MS, 510 * MS, wall(15)), 510 * MS);
}

static void who_is_behind_sleeps_less_until_it_has_caught_up(void **state)
{
    struct pace p = {0};

    (void)state;
    (void)pace_sleep(&p, 0, 10 * MS, wall(0));
    assert_int_equal(pace_sleep(&p, 11 * MS, 20 * MS, wall(15)), 5 * MS);   /* 4 ms behind */
    assert_int_equal(pace_sleep(&p, 21 * MS, 30 * MS, wall(60)), 0);        /* 39 ms */
    assert_int_equal(pace_sleep(&p, 31 * MS, 100 * MS, wall(61)), 39 * MS); /* 30 ms */
}

static void who_is_ahead_sleeps_more(void **state)
{
    struct pace p = {0};

    (void)state;
    (void)pace_sleep(&p, 0, 10 * MS, wall(0));
    assert_int_equal(pace_sleep(&p, 50 * MS, 60 * MS, wall(15)), 45 * MS);
    assert_int_equal(pace_guest(&p, 50 * MS, 60 * MS, wall(20)), 50 * MS); /* never back */
}

static void what_is_too_much_is_forgiven(void **state)
{
    struct pace p = {0};

    (void)state;
    (void)pace_sleep(&p, 0, 10 * MS, wall(0));
    assert_int_equal(pace_sleep(&p, 10 * MS, 20 * MS, wall(3600000)),
                     10 * MS); /* the process was stopped */
    assert_int_equal(pace_sleep(&p, 9000 * MS, 9010 * MS, wall(3600020)),
                     10 * MS); /* the guest computed */
    assert_int_equal(pace_sleep(&p, 9010 * MS, 9020 * MS, wall(3600030)), 10 * MS);
}

static void a_sleep_without_an_end_still_has_a_time(void **state)
{
    struct pace p = {0};

    (void)state;
    assert_int_equal(pace_sleep(&p, 5 * MS, UINT64_MAX, wall(0)), UINT64_MAX);
    assert_int_equal(pace_guest(&p, 5 * MS, UINT64_MAX, wall(86400000)), 86400005 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_sleep_is_as_long_as_the_guest_says),
        cmocka_unit_test(who_is_behind_sleeps_less_until_it_has_caught_up),
        cmocka_unit_test(who_is_ahead_sleeps_more),
        cmocka_unit_test(what_is_too_much_is_forgiven),
        cmocka_unit_test(a_sleep_without_an_end_still_has_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
