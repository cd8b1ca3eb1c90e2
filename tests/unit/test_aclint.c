/*
 * test_aclint.c - machine timer and software interrupts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dev/aclint.h"

enum { HARTS = 3, MTIMECMP = 0x4000, MTIME = 0xbff8 };

struct world {
    uint64_t now;
    bool msip[HARTS], mtip[HARTS];
    int moves;
    struct aclint *a;
    struct device dev;
};

static uint64_t ticks(void *ctx)
{
    return ((struct world *)ctx)->now;
}

static void set_msip(void *ctx, unsigned hart, bool level)
{
    ((struct world *)ctx)->msip[hart] = level;
}

static void set_mtip(void *ctx, unsigned hart, bool level)
{
    ((struct world *)ctx)->mtip[hart] = level;
}

static void count_move(void *ctx)
{
    ((struct world *)ctx)->moves++;
}

static void build(struct world *w)
{
    struct aclint_config config = {
        .base = 0x2000000,
        .hart_count = HARTS,
        .clock = {ticks, w},
        .msip = {.set = set_msip, .ctx = w},
        .mtip = {.set = set_mtip, .ctx = w},
        .deadline_moved = count_move,
        .deadline_ctx = w,
    };

    *w = (struct world){0};
    w->a = aclint_new(&config);
    w->dev = aclint_device(w->a);
}

static uint64_t get(struct world *w, uint64_t offset, unsigned size)
{
    uint64_t value = 0;

    assert_int_equal(w->dev.read(w->dev.ctx, offset, size, &value), FAULT_NONE);
    return value;
}

static void set(struct world *w, uint64_t offset, unsigned size, uint64_t value)
{
    assert_int_equal(w->dev.write(w->dev.ctx, offset, size, value), FAULT_NONE);
}

static void wreck(struct world *w)
{
    w->dev.free(w->dev.ctx);
}

static void a_timer_fires_at_its_tick_and_not_before(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, MTIMECMP + 8, 8, 100);
    assert_int_equal(aclint_next_deadline(w.a), 100);
    w.now = 99;
    aclint_update(w.a);
    assert_false(w.mtip[1]);
    w.now = 100;
    aclint_update(w.a);
    assert_true(w.mtip[1]);
    assert_false(w.mtip[0] || w.mtip[2]);
    assert_true(aclint_next_deadline(w.a) == UINT64_MAX);
    wreck(&w);
}

static void writing_a_later_time_takes_the_interrupt_back_at_once(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    w.now = 50;
    set(&w, MTIMECMP, 8, 10);
    assert_true(w.mtip[0]);
    set(&w, MTIMECMP, 8, 60);
    assert_false(w.mtip[0]);
    assert_int_equal(w.moves, 2);
    wreck(&w);
}

static void the_nearest_armed_timer_is_the_deadline(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    assert_true(aclint_next_deadline(w.a) == UINT64_MAX);
    set(&w, MTIMECMP, 8, 300);
    set(&w, MTIMECMP + 16, 8, 200);
    assert_int_equal(aclint_next_deadline(w.a), 200);
    set(&w, MTIMECMP + 8, 8, 150);
    assert_int_equal(aclint_next_deadline(w.a), 150);
    w.now = 250;
    assert_int_equal(aclint_next_deadline(w.a), 300);
    wreck(&w);
}

static void halves_of_a_compare_register_are_its_halves(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, MTIMECMP + 12, 4, 0x11223344);
    set(&w, MTIMECMP + 8, 4, 0xffffffff55667788);
    assert_true(get(&w, MTIMECMP + 8, 8) == 0x1122334455667788);
    assert_int_equal(get(&w, MTIMECMP + 12, 4), 0x11223344);
    assert_int_equal(get(&w, MTIMECMP + 8, 4), 0x55667788);
    assert_true(aclint_mtimecmp(w.a, 1) == 0x1122334455667788);
    wreck(&w);
}

static void setting_mtime_moves_the_deadline_but_not_the_clock(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    w.now = 1000;
    set(&w, MTIMECMP, 8, 5100);
    set(&w, MTIME, 8, 5000);
    assert_int_equal(get(&w, MTIME, 8), 5000);
    assert_int_equal(aclint_next_deadline(w.a), 1100);
    w.now = 1100;
    assert_int_equal(aclint_mtime(w.a), 5100);
    aclint_update(w.a);
    assert_true(w.mtip[0]);
    set(&w, MTIME + 4, 4, 1); /* the upper half alone */
    assert_true(get(&w, MTIME, 8) == 0x1000013ec);
    assert_int_equal(get(&w, MTIME + 4, 4), 1);
    wreck(&w);
}

static void a_deadline_beyond_the_clock_is_none(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    w.now = 1000;
    set(&w, MTIME, 8, 0);
    set(&w, MTIMECMP, 8, UINT64_MAX - 1);
    assert_true(aclint_next_deadline(w.a) == UINT64_MAX);
    wreck(&w);
}

static void msip_is_one_bit_for_each_hart(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, 4, 4, 0xffffffff);
    assert_true(w.msip[1]);
    assert_int_equal(get(&w, 4, 4), 1);
    assert_int_equal(get(&w, 0, 4), 0);
    set(&w, 4, 4, 2);
    assert_false(w.msip[1]);
    aclint_set_msip(w.a, 2, true);
    assert_true(w.msip[2]);
    wreck(&w);
}

static void harts_that_do_not_exist_read_zero_and_stay_silent(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, 4 * HARTS, 4, 1);
    set(&w, MTIMECMP + 8 * HARTS, 8, 0);
    set(&w, 0xfff8, 8, 7);
    assert_int_equal(get(&w, 4 * HARTS, 4), 0);
    assert_int_equal(get(&w, MTIMECMP + 8 * HARTS, 8), 0);
    assert_int_equal(get(&w, 0xfff8, 8), 0);
    assert_int_equal(w.moves, 0);
    wreck(&w);
}

static void msip_refuses_eight_bytes(void **state)
{
    struct world w;
    uint64_t value;

    (void)state;
    build(&w);
    assert_int_equal(w.dev.read(w.dev.ctx, 0, 8, &value), FAULT_ACCESS);
    assert_int_equal(w.dev.write(w.dev.ctx, 0, 8, 1), FAULT_ACCESS);
    assert_false(w.msip[0]);
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timer_fires_at_its_tick_and_not_before),
        cmocka_unit_test(writing_a_later_time_takes_the_interrupt_back_at_once),
        cmocka_unit_test(the_nearest_armed_timer_is_the_deadline),
        cmocka_unit_test(halves_of_a_compare_register_are_its_halves),
        cmocka_unit_test(setting_mtime_moves_the_deadline_but_not_the_clock),
        cmocka_unit_test(a_deadline_beyond_the_clock_is_none),
        cmocka_unit_test(msip_is_one_bit_for_each_hart),
        cmocka_unit_test(harts_that_do_not_exist_read_zero_and_stay_silent),
        cmocka_unit_test(msip_refuses_eight_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
