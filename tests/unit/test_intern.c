/*
 * test_intern.c - strings by number, and sorting what is sorted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/intern.h"
#include "base/sort.h"

static void equal_strings_have_one_number_in_the_order_of_arrival(void **state)
{
    enum { STRINGS = 5000 };
    struct interned all = {0};
    uint32_t number;
    char text[16];

    (void)state;
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < STRINGS; i++) {
            snprintf(text, sizeof text, "%x", i);
            assert_int_equal(intern(&all, text, &number), round == 0);
            assert_int_equal(number, i);
            assert_string_equal(interned_text(&all, number), text);
        }
    assert_true(intern(&all, "", &number));
    assert_int_equal(number, STRINGS);
    interned_free(&all);
}

static void numbers_for_strings_elsewhere_are_between_those_of_kept_ones(void **state)
{
    struct interned all = {0};
    uint32_t number, a;

    (void)state;
    assert_int_equal(intern_elsewhere(&all), 0);
    assert_true(intern(&all, "a", &a));
    assert_int_equal(a, 1);
    assert_int_equal(intern_elsewhere(&all), 2);
    assert_true(intern(&all, "b", &number));
    assert_int_equal(number, 3);
    assert_string_equal(interned_text(&all, a), "a");
    assert_string_equal(interned_text(&all, number), "b");
    assert_false(intern(&all, "a", &number));
    assert_int_equal(number, a);
    interned_free(&all);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void an_array_is_sorted_whatever_its_order_was(void **state)
{
    int orders[][4] = {{1, 2, 2, 3}, {3, 2, 2, 1}, {1, 2, 3, 2}, {2, 1, 2, 3}};
    const int sorted[] = {1, 2, 2, 3};

    (void)state;
    sort_unless_sorted(NULL, 0, sizeof(int), compare);
    for (unsigned i = 0; i < 4; i++) {
        sort_unless_sorted(orders[i], 4, sizeof(int), compare);
        assert_memory_equal(orders[i], sorted, sizeof sorted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_strings_have_one_number_in_the_order_of_arrival),
        cmocka_unit_test(numbers_for_strings_elsewhere_are_between_those_of_kept_ones),
        cmocka_unit_test(an_array_is_sorted_whatever_its_order_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
