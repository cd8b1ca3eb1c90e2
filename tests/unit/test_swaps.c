/*
 * test_swaps.c - how many replaced instructions are remembered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/state_io.h"
#include "cpu/observer.h"
#include "ftrace/audit/fetches/swaps.h"

enum { MAX = 1 << 18, NOP = 0x13, EBREAK = 0x00100073 };

static void replace(struct swaps *s, uint64_t number)
{
    const uint32_t before = NOP, after = EBREAK;
    struct code_write w = {.stamp = number + 1, .pa = 4 * number, .size = 4};

    memcpy(w.old_bytes, &before, 4);
    memcpy(w.new_bytes, &after, 4);
    swaps_write(s, &w, 0);
}

static void swaps_that_are_dropped_are_counted(void **state)
{
    struct swaps *s = swaps_new();

    (void)state;
    for (unsigned i = 0; i < MAX; i++)
        replace(s, i);
    assert_int_equal(swaps_left_out(s), 0);
    replace(s, MAX);
    assert_int_equal(swaps_left_out(s), MAX);
    swaps_forget(s, MAX + 1); /* all harts have fenced: none of these is needed */
    assert_int_equal(swaps_left_out(s), MAX);
    swaps_free(s);
}

static void the_count_is_in_the_state(void **state)
{
    struct swaps *s = swaps_new(), *other = swaps_new();
    struct state_io saved, loaded;

    (void)state;
    for (unsigned i = 0; i <= MAX; i++)
        replace(s, i);
    state_io_save(&saved, 0);
    swaps_state_io(&saved, s);
    state_io_load(&loaded, saved.saved.at, saved.saved.len);
    swaps_state_io(&loaded, other);
    assert_int_equal(state_io_end(&loaded), STATE_OK);
    assert_int_equal(swaps_left_out(other), MAX);
    state_io_free(&saved);
    swaps_free(s);
    swaps_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swaps_that_are_dropped_are_counted),
        cmocka_unit_test(the_count_is_in_the_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
