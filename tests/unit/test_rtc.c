/*
 * test_rtc.c - the goldfish clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dev/rtc.h"

enum {
    LOW,
    HIGH = 4,
    ALARM_LOW = 8,
    ALARM_HIGH = 12,
    ENABLE = 16,
    CLEAR = 20,
    ARMED = 24,
    ACK = 28
};

struct world {
    uint64_t now;
    bool irq;
    int moves;
    struct rtc *r;
    struct device dev;
};

static uint64_t ticks(void *ctx)
{
    return ((struct world *)ctx)->now;
}

static void set_irq(void *ctx, unsigned number, bool level)
{
    (void)number;
    ((struct world *)ctx)->irq = level;
}

static void count_move(void *ctx)
{
    ((struct world *)ctx)->moves++;
}

static void build(struct world *w)
{
    struct rtc_config config = {
        .base = 0x101000,
        .epoch_ns = RTC_DEFAULT_EPOCH_NS,
        .timebase_hz = 10000000,
        .clock = {ticks, w},
        .irq = {.set = set_irq, .ctx = w, .number = 11},
        .deadline_moved = count_move,
        .deadline_ctx = w,
    };

    *w = (struct world){0};
    w->r = rtc_new(&config);
    w->dev = rtc_device(w->r);
}

static uint64_t get(struct world *w, uint64_t offset)
{
    uint64_t value = 0;

    assert_int_equal(w->dev.read(w->dev.ctx, offset, 4, &value), FAULT_NONE);
    return value;
}

static void set(struct world *w, uint64_t offset, uint64_t value)
{
    assert_int_equal(w->dev.write(w->dev.ctx, offset, 4, value), FAULT_NONE);
}

static void set_alarm(struct world *w, uint64_t ns)
{
    set(w, ALARM_HIGH, ns >> 32);
    set(w, ALARM_LOW, (uint32_t)ns);
}

static void wreck(struct world *w)
{
    w->dev.free(w->dev.ctx);
}

static void time_is_the_epoch_plus_the_clock(void **state)
{
    struct world w;
    uint64_t low;

    (void)state;
    build(&w);
    w.now = 15000000; /* 1.5 s */
    low = get(&w, LOW);
    assert_true((get(&w, HIGH) << 32 | low) == RTC_DEFAULT_EPOCH_NS + 1500000000);
    wreck(&w);
}

static void reading_the_low_half_latches_the_high_one(void **state)
{
    struct world w;
    uint64_t high;

    (void)state;
    build(&w);
    get(&w, LOW);
    high = get(&w, HIGH);
    w.now += 100000000; /* ten seconds: the high half counts 4.3 s */
    assert_int_equal(get(&w, HIGH), high);
    get(&w, LOW);
    assert_true(get(&w, HIGH) > high);
    wreck(&w);
}

static void an_alarm_fires_once_at_its_deadline(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, ENABLE, 1);
    set_alarm(&w, RTC_DEFAULT_EPOCH_NS + 950);
    assert_int_equal(get(&w, ARMED), 1);
    assert_int_equal(rtc_next_deadline(w.r), 10); /* 9.5 ticks */
    w.now = 9;
    rtc_update(w.r);
    assert_false(w.irq);
    w.now = 10;
    rtc_update(w.r);
    assert_true(w.irq);
    assert_int_equal(get(&w, ARMED), 0);
    assert_true(rtc_next_deadline(w.r) == UINT64_MAX);
    set(&w, ACK, 1);
    rtc_update(w.r);
    assert_false(w.irq);
    wreck(&w);
}

static void an_alarm_in_the_past_fires_at_once(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, ENABLE, 1);
    set_alarm(&w, 5);
    assert_true(w.irq);
    wreck(&w);
}

static void a_disabled_interrupt_waits_for_its_enable(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set_alarm(&w, 5);
    assert_false(w.irq);
    set(&w, ENABLE, 1);
    assert_true(w.irq);
    wreck(&w);
}

static void a_cleared_alarm_does_not_fire(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    set(&w, ENABLE, 1);
    set_alarm(&w, RTC_DEFAULT_EPOCH_NS + 1000);
    set(&w, CLEAR, 1);
    assert_int_equal(w.moves, 2);
    w.now = 1000;
    rtc_update(w.r);
    assert_false(w.irq);
    wreck(&w);
}

static void a_time_before_the_start_still_counts_and_alarms(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    w.now = 10000000;
    set(&w, HIGH, 0);
    set(&w, LOW, 0);
    assert_int_equal(rtc_time_ns(w.r), 0);
    set_alarm(&w, 500);
    assert_int_equal(rtc_next_deadline(w.r), 10000005);
    w.now += 5;
    assert_int_equal(rtc_time_ns(w.r), 500);
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_the_epoch_plus_the_clock),
        cmocka_unit_test(reading_the_low_half_latches_the_high_one),
        cmocka_unit_test(an_alarm_fires_once_at_its_deadline),
        cmocka_unit_test(an_alarm_in_the_past_fires_at_once),
        cmocka_unit_test(a_disabled_interrupt_waits_for_its_enable),
        cmocka_unit_test(a_cleared_alarm_does_not_fire),
        cmocka_unit_test(a_time_before_the_start_still_counts_and_alarms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
