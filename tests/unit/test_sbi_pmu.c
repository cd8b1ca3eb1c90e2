/*
 * test_sbi_pmu.c - the built-in firmware: counters (RISC-V SBI specification 3.0, chapter 11).
 */
#include "sbi_scene.h"

/* ---- performance monitoring ---- */

static struct answer pmu(struct scene *s, uint64_t function, uint64_t base, uint64_t mask,
                         uint64_t flags, uint64_t event)
{
    struct hart *h = prepare(s, 0, PMU, function, base, mask, flags);

    hart_set_reg(h, A3, event);
    hart_set_reg(h, A4, 0);
    (void)!hart_run(h, 1, UINT64_MAX);
    return answer_of(h);
}

enum { CLEAR = 2, AUTO_START = 4, UINH = 0x20, SINH = 0x40, SET_VALUE = 1, FORGET = 1 };
enum { LOADS = 0x10000, LOAD_MISSES = 0x10001 };
enum {
    ALL_COUNTERS = 0x3ffffff,
    FIXED_COUNTERS = 3,
    FIRMWARE_SET_TIMER = 0xf0005,
    FIRMWARE_IPI_SENT = 0xf0006
};

static void counters_say_what_they_are(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(pmu(&s, 0, 0, 0, 0, 0).value, 26);
    assert_int_equal(pmu(&s, 1, 0, 0, 0, 0).value, 0xc00 | 63 << 12);
    assert_int_equal(pmu(&s, 1, 1, 0, 0, 0).value, 0xc02 | 63 << 12);
    assert_int_equal(pmu(&s, 1, 2, 0, 0, 0).value, 0xc03 | 63 << 12);
    assert_int_equal(pmu(&s, 1, 9, 0, 0, 0).value, 0xc0a | 63 << 12);
    assert_int_equal(pmu(&s, 1, 10, 0, 0, 0).value, UINT64_C(1) << 63);
    assert_int_equal(pmu(&s, 1, 26, 0, 0, 0).error, INVALID_PARAM);
    wreck(&s);
}

static void a_firmware_counter_counts_its_event_while_it_runs(void **state)
{
    struct scene s;
    uint64_t counter;

    (void)state;
    build(&s);
    counter = pmu(&s, 2, 0, ALL_COUNTERS, CLEAR | AUTO_START, FIRMWARE_IPI_SENT).value;
    assert_in_range(counter, 10, 25);
    (void)call(&s, IPI, 0, 1, 0, 0);
    (void)call(&s, TIMER, 0, UINT64_MAX, 0, 0);
    (void)call(&s, IPI, 0, 1, 0, 0);
    assert_int_equal(pmu(&s, 5, counter, 0, 0, 0).value, 2);
    assert_int_equal(pmu(&s, 6, counter, 0, 0, 0).value, 0);
    assert_int_equal(pmu(&s, 3, counter, 1, 0, 0).error, ALREADY_STARTED);
    assert_int_equal(pmu(&s, 4, counter, 1, 0, 0).error, 0);
    assert_int_equal(pmu(&s, 4, counter, 1, 0, 0).error, ALREADY_STOPPED);
    (void)call(&s, IPI, 0, 1, 0, 0);
    assert_int_equal(pmu(&s, 5, counter, 0, 0, 0).value, 2);
    assert_int_equal(pmu(&s, 3, counter, 1, SET_VALUE, 100).error, 0);
    (void)call(&s, IPI, 0, 1, 0, 0);
    assert_int_equal(pmu(&s, 5, counter, 0, 0, 0).value, 101);
    assert_true(pmu(&s, 2, 0, ALL_COUNTERS, 0, FIRMWARE_SET_TIMER).value != counter);
    wreck(&s);
}

static void cycle_and_instret_match_their_events_only(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(pmu(&s, 2, 0, FIXED_COUNTERS, 0, 1).value, 0);
    assert_int_equal(pmu(&s, 2, 0, FIXED_COUNTERS, 0, 1).error, NOT_SUPPORTED); /* taken */
    assert_int_equal(pmu(&s, 2, 0, FIXED_COUNTERS, UINH, 2).error, NOT_SUPPORTED);
    assert_int_equal(pmu(&s, 2, 0, FIXED_COUNTERS, CLEAR | AUTO_START, 2).value, 1);
    assert_int_equal(pmu(&s, 2, 0, FIXED_COUNTERS, 0, LOADS).error, NOT_SUPPORTED);
    assert_int_equal(pmu(&s, 4, 1, 1, FORGET, 0).error, 0);
    assert_int_equal(pmu(&s, 3, 1, 1, 0, 0).error, INVALID_PARAM); /* not configured any more */
    wreck(&s);
}

static uint64_t counter_of(struct scene *s, unsigned number);

enum { HPMCOUNTER3 = 0xc03, MHPMEVENT3 = 0x323, RAW = 0x20000 };

static void programmable_counters_take_the_events_that_there_are(void **state)
{
    const uint64_t uinh = UINT64_C(1) << 60, sinh = UINT64_C(1) << 61;
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, UINH, 1).value, 2); /* cycles */
    assert_int_equal(counter_of(&s, MHPMEVENT3), uinh | 1);
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, SINH, LOADS).value, 3);
    assert_int_equal(counter_of(&s, MHPMEVENT3 + 1), sinh | 3);
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, LOAD_MISSES).error,
                     NOT_SUPPORTED);                                            /* no core */
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, RAW).error, NOT_SUPPORTED); /* number 0 */
    for (unsigned n = 4; n < 10; n++)
        assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, LOADS).value, n);
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, LOADS).error, NOT_SUPPORTED); /* all taken */
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, 1).value, 0); /* what else can count cycles */
    assert_int_equal(pmu(&s, 4, 3, 1, FORGET, 0).error, ALREADY_STOPPED);
    assert_int_equal(pmu(&s, 2, 0, ALL_COUNTERS, 0, LOADS).value, 3);
    wreck(&s);
}

static void a_programmable_counter_stands_still_until_it_is_started(void **state)
{
    enum { INSTRUCTIONS = 2 };
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(pmu(&s, 2, 2, 1, CLEAR, INSTRUCTIONS).value, 2);
    (void)!hart_run(board_hart(&s.b, 0), 3, UINT64_MAX);
    assert_int_equal(counter_of(&s, HPMCOUNTER3), 0);
    assert_int_equal(pmu(&s, 3, 2, 1, 0, 0).error, 0);
    (void)!hart_run(board_hart(&s.b, 0), 3, UINT64_MAX);
    assert_int_equal(counter_of(&s, HPMCOUNTER3), 3);
    assert_int_equal(pmu(&s, 4, 2, 1, 0, 0).error, 0);
    (void)!hart_run(board_hart(&s.b, 0), 3, UINT64_MAX);
    assert_int_equal(counter_of(&s, HPMCOUNTER3), 4); /* with the ecall that stopped it */
    wreck(&s);
}

static uint64_t counter_of(struct scene *s, unsigned number)
{
    uint64_t value = 0;

    assert_true(hart_csr(board_hart(&s->b, 0), number, &value));
    return value;
}

/* The call itself is over when the counter begins, and does not count. */
static void instret_begins_where_it_is_told_to(void **state)
{
    enum { INSTRET = 0xc02, INSTRET_EVENT = 2 };
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(pmu(&s, 2, 1, 1, CLEAR | AUTO_START, INSTRET_EVENT).value, 1);
    assert_int_equal(counter_of(&s, INSTRET), 0);
    (void)!hart_run(board_hart(&s.b, 0), 3, UINT64_MAX);
    assert_int_equal(counter_of(&s, INSTRET), 3);
    wreck(&s);
}

/* Stopped counters and their values do not outlive the stop of the hart. */
static void counters_of_a_hart_that_starts_run(void **state)
{
    enum { CYCLE = 0xc00, CYCLE_EVENT = 1 };
    struct scene s;
    struct hart *h;
    uint64_t value = 0;

    (void)state;
    build(&s);
    start(&s, 1);
    h = board_hart(&s.b, 1);
    hart_advance(h, 1000);
    hart_set_reg(h, A3, CYCLE_EVENT);
    assert_int_equal(call_on(&s, 1, PMU, 2, 0, 1, AUTO_START).error, 0);
    assert_int_equal(call_on(&s, 1, PMU, 4, 0, 1, 0).error, 0);
    (void)call_on(&s, 1, HSM, 1, 0, 0, 0);
    start(&s, 1);
    assert_true(hart_csr(h, CYCLE, &value));
    assert_int_equal(value, hart_cycles(h));
    wreck(&s);
}

static void masks_beyond_the_counters_are_refused(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned function = 2; function < 5; function++) {
        assert_int_equal(pmu(&s, function, 26, 1, 0, 1).error, INVALID_PARAM);
        assert_int_equal(pmu(&s, function, 25, 3, 0, 1).error, INVALID_PARAM);
        assert_int_equal(pmu(&s, function, 0, UINT64_MAX, 0, 1).error, INVALID_PARAM);
        assert_int_equal(pmu(&s, function, UINT64_MAX, 1, 0, 1).error, INVALID_PARAM);
        assert_int_equal(pmu(&s, function, 0, 0, 0, 1).error, INVALID_PARAM);
    }
    assert_int_equal(pmu(&s, 2, 0, 1, 0, 1 << 20).error, INVALID_PARAM);
    assert_int_equal(pmu(&s, 5, 0, 0, 0, 0).error, INVALID_PARAM);
    wreck(&s);
}

static void starting_refuses_what_it_cannot_do(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, HSM, 0, 0, BOARD_KERNEL, 0).error, ALREADY_AVAILABLE);
    assert_int_equal(call(&s, HSM, 0, HARTS, BOARD_KERNEL, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 0, UINT64_MAX, BOARD_KERNEL, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 0, UINT64_C(1) << 32, BOARD_KERNEL, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 0, 1, 0x1000, 0).error, INVALID_ADDRESS);
    assert_int_equal(call(&s, HSM, 2, HARTS, 0, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 2, 1, 0, 0).value, STOPPED);
    start(&s, 1);
    assert_int_equal(call(&s, HSM, 0, 1, BOARD_KERNEL, 0).error, ALREADY_AVAILABLE);
    wreck(&s);
}

static void event_info_says_which_events_can_be_counted(void **state)
{
    static const struct row {
        uint32_t event, out;
        uint64_t data;
    } rows[] = {
        {1, 7, 0},           {2, 7, 0},       {LOADS, 7, 0},          {FIRMWARE_SET_TIMER, 7, 0},
        {0x30000, 7, 3}, /* a raw event: what LOADS selects */
        {LOAD_MISSES, 7, 0}, {0x30000, 7, 0}, {0xf0000 + 65535, 7, 0}};
    enum { ROWS = sizeof rows / sizeof rows[0], SUPPORTED = 5 };
    const struct writer loader = {.kind = WRITER_LOADER};
    struct row after[ROWS];
    struct scene s;

    (void)state;
    build(&s);
    assert_true(bus_write(board_bus(&s.b), DATA, rows, sizeof rows, &loader));
    assert_int_equal(pmu(&s, 8, DATA, 0, ROWS, 0).error, 0);
    assert_true(bus_read(board_bus(&s.b), DATA, after, sizeof after));
    for (unsigned i = 0; i < ROWS; i++)
        assert_int_equal(after[i].out, i < SUPPORTED);
    assert_int_equal(pmu(&s, 8, DATA + 8, 0, 1, 0).error, INVALID_PARAM);
    assert_int_equal(pmu(&s, 8, DATA, 0, 1, 1).error, INVALID_PARAM);
    assert_int_equal(pmu(&s, 8, 0x1000, 0, 1, 0).error, INVALID_ADDRESS);
    assert_int_equal(pmu(&s, 8, DATA, 0, UINT64_MAX / 8, 0).error, INVALID_ADDRESS);
    after[0].event = 1 << 20;
    assert_true(bus_write(board_bus(&s.b), DATA, after, sizeof after, &loader));
    assert_int_equal(pmu(&s, 8, DATA, 0, 1, 0).error, INVALID_PARAM);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_say_what_they_are),
        cmocka_unit_test(a_firmware_counter_counts_its_event_while_it_runs),
        cmocka_unit_test(cycle_and_instret_match_their_events_only),
        cmocka_unit_test(programmable_counters_take_the_events_that_there_are),
        cmocka_unit_test(a_programmable_counter_stands_still_until_it_is_started),
        cmocka_unit_test(instret_begins_where_it_is_told_to),
        cmocka_unit_test(counters_of_a_hart_that_starts_run),
        cmocka_unit_test(masks_beyond_the_counters_are_refused),
        cmocka_unit_test(starting_refuses_what_it_cannot_do),
        cmocka_unit_test(event_info_says_which_events_can_be_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
