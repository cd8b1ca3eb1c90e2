/*
 * test_finisher.c - how a guest ends the run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dev/finisher.h"

struct world {
    int calls;
    enum finisher_request request;
    unsigned code;
    struct device dev;
};

static void finish(void *ctx, enum finisher_request request, unsigned code)
{
    struct world *w = ctx;

    w->calls++;
    w->request = request;
    w->code = code;
}

static void build(struct world *w)
{
    struct finisher_config config = {.base = 0x100000, .finish = finish, .ctx = w};

    *w = (struct world){0};
    w->dev = finisher_device(finisher_new(&config));
}

static void set(struct world *w, uint64_t offset, unsigned size, uint64_t value)
{
    assert_int_equal(w->dev.write(w->dev.ctx, offset, size, value), FAULT_NONE);
}

static void wreck(struct world *w)
{
    w->dev.free(w->dev.ctx);
}

static void pass_fail_and_reset_are_told_apart(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, 0, 4, 0x5555);
    assert_int_equal(w.request, FINISHER_PASS);
    set(&w, 0, 2, 0x7777);
    assert_int_equal(w.request, FINISHER_RESET);
    set(&w, 0, 4, 0x3333);
    assert_int_equal(w.request, FINISHER_FAIL);
    assert_int_equal(w.code, 0);
    assert_int_equal(w.calls, 3);
    wreck(&w);
}

static void a_failure_brings_its_code(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, 0, 4, UINT64_C(42) << 16 | 0x3333);
    assert_int_equal(w.request, FINISHER_FAIL);
    assert_int_equal(w.code, 42);
    wreck(&w);
}

static void other_values_and_other_offsets_end_nothing(void **state)
{
    struct world w;
    uint64_t value = 1;

    (void)state;
    build(&w);
    set(&w, 0, 4, 0);
    set(&w, 0, 4, 0x5556);
    set(&w, 4, 4, 0x5555);
    assert_int_equal(w.calls, 0);
    assert_int_equal(w.dev.read(w.dev.ctx, 0, 4, &value), FAULT_NONE);
    assert_int_equal(value, 0);
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pass_fail_and_reset_are_told_apart),
        cmocka_unit_test(a_failure_brings_its_code),
        cmocka_unit_test(other_values_and_other_offsets_end_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
