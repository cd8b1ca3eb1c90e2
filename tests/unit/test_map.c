/*
 * test_map.c - the hash map, compared with a plain array.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/map.h"
#include "base/rng.h"

static void an_empty_map_has_nothing(void **state)
{
    struct map m = {0};
    uint64_t value = 7;

    (void)state;
    assert_false(map_get(&m, 0, &value));
    assert_null(map_get_ptr(&m, 1));
    map_remove(&m, 0);
    map_clear(&m);
    assert_int_equal(value, 7);
    map_free(&m);
}

static void the_last_value_put_is_the_one_found(void **state)
{
    struct map m = {0};
    uint64_t value = 0;

    (void)state;
    map_put(&m, 0, 1);
    map_put(&m, 0, 2);
    assert_true(map_get(&m, 0, &value));
    assert_int_equal(value, 2);
    assert_int_equal(m.len, 1);
    map_free(&m);
}

static void pointers_come_back(void **state)
{
    struct map m = {0};
    int thing;

    (void)state;
    map_put_ptr(&m, 0x80000000, &thing);
    assert_ptr_equal(map_get_ptr(&m, 0x80000000), &thing);
    assert_null(map_get_ptr(&m, 0x80000001));
    map_free(&m);
}

static void clearing_forgets_but_the_map_goes_on(void **state)
{
    struct map m = {0};
    uint64_t value;

    (void)state;
    for (uint64_t i = 0; i < 100; i++)
        map_put(&m, i, i);
    map_clear(&m);
    assert_int_equal(m.len, 0);
    for (uint64_t i = 0; i < 100; i++)
        assert_false(map_get(&m, i, &value));
    map_put(&m, 5, 50);
    assert_true(map_get(&m, 5, &value));
    assert_int_equal(value, 50);
    map_free(&m);
}

static void page_numbers_survive_growth(void **state)
{
    struct map m = {0};
    uint64_t value;

    (void)state;
    for (uint64_t i = 0; i < 100000; i++)
        map_put(&m, 0x80000000 + (i << 12), i);
    for (uint64_t i = 0; i < 100000; i++) {
        assert_true(map_get(&m, 0x80000000 + (i << 12), &value));
        assert_int_equal(value, i);
    }
    map_free(&m);
}

/* Few keys and many removals, so that runs form, wrap around and are shifted back. */
static void random_deeds_agree_with_an_array(void **state)
{
    enum { KEYS = 61, DEEDS = 200000 };
    struct map m = {0};
    struct rng r = {.state = 1};
    uint64_t model[KEYS] = {0}, value; /* 0: absent */
    size_t count = 0;

    (void)state;
    for (unsigned i = 1; i < DEEDS; i++) {
        uint64_t key = rng_below(&r, KEYS);

        if (rng_below(&r, 2)) {
            count += !model[key];
            model[key] = i;
            map_put(&m, key * 0x1000, i);
        } else {
            count -= model[key] != 0;
            model[key] = 0;
            map_remove(&m, key * 0x1000);
        }
        assert_int_equal(m.len, count);
        key = rng_below(&r, KEYS);
        assert_int_equal(map_get(&m, key * 0x1000, &value), model[key] != 0);
        if (model[key])
            assert_int_equal(value, model[key]);
    }
    map_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(the_last_value_put_is_the_one_found),
        cmocka_unit_test(pointers_come_back),
        cmocka_unit_test(clearing_forgets_but_the_map_goes_on),
        cmocka_unit_test(page_numbers_survive_growth),
        cmocka_unit_test(random_deeds_agree_with_an_array),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
