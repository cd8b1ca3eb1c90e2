/*
 * test_ooo_between.c - loads that find two older stores of their bytes, and perhaps a younger one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timing/ooo_between.h"

enum { PC = 0x1000, AT = 0x8000, COUNT = 50, CYCLE = 100, AFTER = 7 };

/* A load of eight bytes at AT that is dispatched in that cycle. */
static void load(struct ooo_between *b, uint64_t count, uint64_t cycle)
{
    const struct between_waiting w = {.pc = PC, .from = AT, .to = AT + 8, .dispatched = cycle};

    between_note_load(b, &w, count);
}

static void a_load_without_a_younger_store_does_not_wait(void **state)
{
    struct ooo_between b;

    (void)state;
    between_reset(&b);
    assert_false(between_is(&b, PC, CYCLE, CYCLE + 100));
    load(&b, COUNT, CYCLE);
    assert_false(between_is(&b, PC, CYCLE, CYCLE + 100));
}

/* The next time it is known how soon the younger store issues. */
static void the_younger_store_is_remembered(void **state)
{
    struct ooo_between b;

    (void)state;
    between_reset(&b);
    load(&b, COUNT, CYCLE);
    between_note_store(&b, AT, AT + 8, COUNT + 2, CYCLE + AFTER);
    assert_false(between_is(&b, PC, 2 * CYCLE, 2 * CYCLE + AFTER));
    assert_true(between_is(&b, PC, 2 * CYCLE, 2 * CYCLE + AFTER + 1));
    assert_false(between_is(&b, PC + 4, 2 * CYCLE, 2 * CYCLE + AFTER + 1));
}

static void stores_of_other_bytes_and_late_ones_do_not_count(void **state)
{
    struct ooo_between b;

    (void)state;
    between_reset(&b);
    load(&b, COUNT, CYCLE);
    between_note_store(&b, AT + 8, AT + 16, COUNT + 1, CYCLE);
    between_note_store(&b, AT - 8, AT, COUNT + 2, CYCLE);
    between_note_store(&b, AT, AT + 8, COUNT + BETWEEN_LATER, CYCLE);
    assert_false(between_is(&b, PC, CYCLE, CYCLE + 100));
    between_note_store(&b, AT + 7, AT + 8, COUNT + 3, CYCLE); /* one byte is enough */
    assert_true(between_is(&b, PC, CYCLE, CYCLE + 100));
}

/* Only the first store after the load tells. */
static void the_first_younger_store_counts(void **state)
{
    struct ooo_between b;

    (void)state;
    between_reset(&b);
    load(&b, COUNT, CYCLE);
    between_note_store(&b, AT, AT + 8, COUNT + 2, CYCLE + AFTER);
    between_note_store(&b, AT, AT + 8, COUNT + 4, CYCLE + 2 * AFTER);
    assert_true(between_is(&b, PC, CYCLE, CYCLE + AFTER + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_without_a_younger_store_does_not_wait),
        cmocka_unit_test(the_younger_store_is_remembered),
        cmocka_unit_test(stores_of_other_bytes_and_late_ones_do_not_count),
        cmocka_unit_test(the_first_younger_store_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
