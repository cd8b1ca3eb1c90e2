/*
 * test_sbi.c - the built-in firmware, call by call (RISC-V SBI specification 3.0). Harts:
 * test_sbi_harts.c. Counters: test_sbi_pmu.c.
 */
#include "sbi_scene.h"

/* ---- base ---- */

static void the_version_is_3_0(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, BASE, 0, 0, 9, 0).error, 0);
    assert_int_equal(call(&s, BASE, 0, 0, 9, 0).value, 3 << 24);
    assert_int_equal(call(&s, BASE, 1, 0, 0, 0).error, 0);
    assert_int_equal(call(&s, BASE, 4, 0, 9, 0).value, 0);
    wreck(&s);
}

static void probing_tells_what_there_is(void **state)
{
    static const uint64_t present[] = {BASE, TIMER, IPI, RFENCE, HSM, PMU, SRST,
                                       DBCN, FWFT,  0,   1,      2,   8};
    static const uint64_t absent[] = {9, 0xf, 0x11, 0x53555350, 0x4e41434c, UINT64_MAX};
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned i = 0; i < sizeof present / sizeof present[0]; i++)
        assert_int_equal(call(&s, BASE, 3, present[i], 0, 0).value, 1);
    for (unsigned i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        assert_int_equal(call(&s, BASE, 3, absent[i], 7, 0).value, 0);
        assert_int_equal(call(&s, BASE, 3, absent[i], 7, 0).error, 0);
    }
    wreck(&s);
}

static void what_is_not_there_is_not_supported(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, 0x12345, 0, 0, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, BASE, 7, 0, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, HSM, 4, 0, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, RFENCE, 3, 0, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, 9, 0, 0, 0, 0).error, NOT_SUPPORTED);
    wreck(&s);
}

static void a_call_changes_a0_and_a1_only_and_goes_on_behind(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    h = board_hart(&s.b, 0);
    for (unsigned reg = 1; reg < 32; reg++)
        hart_set_reg(h, reg, 1000 + reg);
    (void)call(&s, BASE, 0, 5, 6, 7);
    for (unsigned reg = 1; reg < 32; reg++)
        if (reg < A0 || (reg > A2 && reg != A6 && reg != A7))
            assert_int_equal(hart_reg(h, reg), 1000 + reg);
    assert_int_equal(hart_reg(h, A2), 7);
    assert_int_equal(hart_reg(h, A6), 0);
    assert_int_equal(hart_reg(h, A7), BASE);
    assert_int_equal(hart_pc(h), BOARD_KERNEL + 4);
    assert_int_equal(hart_mode(h), PRIV_S);
    wreck(&s);
}

/* ---- timer ---- */

static void the_timer_rises_when_its_time_comes_and_falls_when_set(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, TIMER, 0, machine_ticks(s.b.m) + 100, 0, 0).error, 0);
    assert_false(pending(&s, 0, STIP));
    (void)machine_run(s.b.m, UINT64_MAX, machine_cycles(s.b.m) + 99 * CYCLES_PER_TICK);
    assert_false(pending(&s, 0, STIP));
    (void)machine_run(s.b.m, UINT64_MAX, machine_cycles(s.b.m) + 2 * CYCLES_PER_TICK);
    assert_true(pending(&s, 0, STIP));
    assert_int_equal(call(&s, TIMER, 0, UINT64_MAX, 0, 0).error, 0);
    assert_false(pending(&s, 0, STIP));
    wreck(&s);
}

static void a_timer_in_the_past_rises_at_once(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    (void)machine_run(s.b.m, 10000, UINT64_MAX);
    assert_int_equal(call_scheduled(&s, TIMER, 0, 0, 0, 0).error, 0);
    (void)machine_run(s.b.m, machine_insns(s.b.m) + 4, UINT64_MAX);
    assert_true(pending(&s, 0, STIP));
    wreck(&s);
}

/* With Sstc there is one timer, by either way of setting it. */
static void firmwares_timer_is_stimecmp(void **state)
{
    enum { STIMECMP = 0x14d };
    struct scene s;
    uint64_t value = 0;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, TIMER, 0, 12345678, 0, 0).error, 0);
    assert_true(hart_csr(board_hart(&s.b, 0), STIMECMP, &value));
    assert_int_equal(value, 12345678);
    assert_int_equal(call(&s, TIMER, 0, 0, 0, 0).error, 0);
    (void)machine_run(s.b.m, machine_insns(s.b.m) + 4, UINT64_MAX);
    assert_true(pending(&s, 0, STIP));
    assert_true(hart_set_csr(board_hart(&s.b, 0), STIMECMP, UINT64_MAX));
    assert_false(pending(&s, 0, STIP));
    wreck(&s);
}

/* ---- console ---- */

static void the_console_writes_what_lies_in_memory(void **state)
{
    const char text[] = "written by the kernel";
    const struct writer loader = {.kind = WRITER_LOADER};
    struct scene s;

    (void)state;
    build(&s);
    assert_true(bus_write(board_bus(&s.b), DATA, text, sizeof text, &loader));
    assert_int_equal(call(&s, DBCN, 0, sizeof text - 1, DATA, 0).error, 0);
    assert_string_equal(s.b.put, text);
    assert_int_equal(call(&s, DBCN, 0, 7, DATA, 0).value, 7);
    assert_int_equal(call(&s, DBCN, 2, '!', 0, 0).error, 0);
    assert_int_equal(call(&s, 1, 99, '?', 0x77, 0).error, 0); /* legacy; a6 is ignored */
    assert_string_equal(s.b.put, "written by the kernelwritten!?");
    assert_int_equal(hart_reg(board_hart(&s.b, 0), A1), 0x77); /* legacy: a0 only */
    wreck(&s);
}

/* Otherwise one call of a hostile kernel could write all of memory. */
static void the_console_writes_a_page_at_most_in_one_call(void **state)
{
    struct scene s;
    struct answer a;

    (void)state;
    build(&s);
    a = call(&s, DBCN, 0, 1 << 20, DATA, 0);
    assert_int_equal(a.error, 0);
    assert_int_equal(a.value, 4096);
    assert_int_equal(s.b.put_len, 4096);
    wreck(&s);
}

static void the_console_refuses_what_is_not_memory(void **state)
{
    static const struct {
        uint64_t length, low, high;
    } wrong[] = {{1, 0x1000, 0},
                 {1, DATA, 1},
                 {UINT64_MAX, DATA, 0},
                 {2, BOARD_RAM + (16 << 20) - 1, 0},
                 {1, BOARD_RAM + (16 << 20), 0},
                 {8, UINT64_MAX - 3, 0}};
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        for (unsigned function = 0; function < 2; function++) {
            struct answer a =
                call(&s, DBCN, function, wrong[i].length, wrong[i].low, wrong[i].high);

            assert_int_equal(a.error, INVALID_PARAM);
        }
    assert_int_equal(s.b.put_len, 0);
    assert_int_equal(call(&s, DBCN, 0, 0, DATA, 0).error, 0);
    wreck(&s);
}

static void the_console_reads_what_there_is(void **state)
{
    struct scene s;
    char got[8] = "";

    (void)state;
    build(&s);
    assert_int_equal(call(&s, DBCN, 1, 8, DATA, 0).value, 0);
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, -1); /* legacy getchar */
    s.b.input = "abcdef";
    assert_int_equal(call(&s, DBCN, 1, 4, DATA, 0).value, 4);
    assert_true(bus_read(board_bus(&s.b), DATA, got, 4));
    assert_string_equal(got, "abcd");
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, 'e');
    assert_int_equal(call(&s, DBCN, 1, 4, DATA, 0).value, 1);
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, -1);
    wreck(&s);
}

/* Bytes that the UART has received are also returned to a kernel that asks the firmware. */
static void what_the_receiver_took_in_is_read_first(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    s.b.input = "xyz";
    (void)machine_run(s.b.m, 3000000, UINT64_MAX);
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, 'x');
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, 'y');
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, 'z');
    assert_int_equal(call(&s, 2, 0, 0, 0, 0).error, -1);
    wreck(&s);
}

/* ---- the end ---- */

static void the_end_has_the_status_that_was_asked_for(void **state)
{
    static const struct {
        uint64_t extension, type, reason;
        enum stop_reason stop;
        unsigned code;
    } ends[] = {{SRST, 0, 0, STOP_EXIT, 0},           {SRST, 0, 1, STOP_EXIT, 1},
                {SRST, 0, 42, STOP_EXIT, 42},         {SRST, 0, 1 << 20, STOP_EXIT, 255},
                {SRST, 1, 0, STOP_RESET, 0},          {SRST, 2, 0, STOP_RESET, 0},
                {LEGACY_SHUTDOWN, 0, 0, STOP_EXIT, 0}};

    (void)state;
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct scene s;
        struct stop stop;

        build(&s);
        (void)call(&s, ends[i].extension, 0, ends[i].type, ends[i].reason, 0);
        stop = machine_run(s.b.m, UINT64_MAX, UINT64_MAX);
        assert_int_equal(stop.reason, ends[i].stop);
        assert_int_equal(stop.origin, ends[i].extension == LEGACY_SHUTDOWN ? ORIGIN_SBI_LEGACY
                                                                           : ORIGIN_SBI_RESET);
        if (stop.reason == STOP_EXIT)
            assert_int_equal(stop.code, ends[i].code);
        wreck(&s);
    }
}

static void an_unknown_kind_of_reset_is_refused(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, SRST, 0, 3, 0, 0).error, INVALID_PARAM);
    assert_int_equal(machine_run(s.b.m, 100, UINT64_MAX).reason, STOP_INSNS);
    wreck(&s);
}

/* ---- who may call ---- */

static void a_user_programs_ecall_is_the_kernels(void **state)
{
    struct scene s;
    struct hart *h;
    uint64_t cause;

    (void)state;
    build(&s);
    h = board_hart(&s.b, 0);
    assert_true(hart_set_csr(h, STVEC, BOARD_KERNEL + 4));
    assert_true(hart_set_csr(h, 0x141, BOARD_KERNEL)); /* sepc */
    assert_true(hart_set_csr(h, 0x100, 0));            /* spp: user */
    assert_true(bus_write(board_bus(&s.b), DATA, &(uint32_t){SRET}, 4,
                          &(struct writer){.kind = WRITER_LOADER}));
    hart_set_pc(h, DATA);
    (void)!hart_run(h, 1, UINT64_MAX);
    assert_int_equal(hart_mode(h), PRIV_U);
    (void)call(&s, BASE, 0, 1, 2, 3);
    assert_int_equal(hart_mode(h), PRIV_S);
    assert_true(hart_csr(h, SCAUSE, &cause));
    assert_int_equal(cause, EXC_ECALL_U);
    assert_int_equal(hart_reg(h, A0), 1);
    wreck(&s);
}

/* A write of the firmware for one hart is a store to the others. */
static void console_input_breaks_the_reservations_of_others(void **state)
{
    static const uint32_t code[] = {LR_D(0, A2, A0), SC_D(0, A3, A2, A0)};
    const struct writer loader = {.kind = WRITER_LOADER};
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    start(&s, 1);
    h = board_hart(&s.b, 1);
    assert_true(bus_write(board_bus(&s.b), DATA + 0x100, code, sizeof code, &loader));
    for (unsigned typed = 0; typed < 2; typed++) {
        s.b.input = typed ? "x" : "";
        hart_set_reg(h, A0, DATA);
        hart_set_pc(h, DATA + 0x100);
        assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
        assert_int_equal(call(&s, DBCN, 1, 1, DATA, 0).value, typed);
        assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
        assert_int_equal(hart_reg(h, A3), typed);
    }
    wreck(&s);
}

/* ---- firmware features ---- */

enum {
    MISALIGNED,
    LANDING_PAD,
    SHADOW_STACK,
    DOUBLE_TRAP,
    HARDWARE_AD,
    POINTER_MASKING,
    NO_FEATURE
};
enum { MENVCFG = 0x30a, LOCK = 1 };

static uint64_t menvcfg(struct scene *s, unsigned hart)
{
    uint64_t value = 0;

    assert_true(hart_csr(board_hart(&s->b, hart), MENVCFG, &value));
    return value;
}

static void features_are_fields_of_menvcfg(void **state)
{
    static const struct row {
        uint64_t feature, value, bits;
    } rows[] = {{LANDING_PAD, 1, 1 << 2},
                {SHADOW_STACK, 1, 1 << 3},
                {POINTER_MASKING, 7, UINT64_C(2) << 32},
                {POINTER_MASKING, 16, UINT64_C(3) << 32}};
    struct scene s;

    (void)state;
    build_with(&s, "rv64gc_zimop_zcmop_zicfilp_zicfiss_smnpm_svadu");
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t before = menvcfg(&s, 0), other = menvcfg(&s, 1);

        assert_int_equal(call(&s, FWFT, 1, rows[i].feature, 9, 9).value, 0);
        assert_int_equal(call(&s, FWFT, 0, rows[i].feature, rows[i].value, 0).error, 0);
        assert_int_equal(menvcfg(&s, 0), before | rows[i].bits);
        assert_int_equal(menvcfg(&s, 1), other);
        assert_int_equal(call(&s, FWFT, 1, rows[i].feature, 9, 9).value, rows[i].value);
        assert_int_equal(call(&s, FWFT, 0, rows[i].feature, 0, 0).error, 0);
        assert_int_equal(menvcfg(&s, 0), before);
    }
    assert_int_equal(call(&s, FWFT, 1, HARDWARE_AD, 0, 0).value, 1);
    wreck(&s);
}

static void features_that_cannot_be_set_say_why(void **state)
{
    struct scene s;

    (void)state;
    build_with(&s, "rv64gc_zimop_zcmop_zicfiss_smnpm");
    assert_int_equal(call(&s, FWFT, 0, LANDING_PAD, 1, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, FWFT, 1, DOUBLE_TRAP, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, FWFT, 1, HARDWARE_AD, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, FWFT, 0, NO_FEATURE, 1, 0).error, DENIED);
    assert_int_equal(call(&s, FWFT, 1, 0xc0000000, 0, 0).error, DENIED);
    assert_int_equal(call(&s, FWFT, 0, SHADOW_STACK, 2, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, FWFT, 0, SHADOW_STACK, 1, 2).error, INVALID_PARAM);
    assert_int_equal(call(&s, FWFT, 0, POINTER_MASKING, 8, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, FWFT, 1, MISALIGNED, 0, 0).value, 1);
    assert_int_equal(call(&s, FWFT, 0, MISALIGNED, 1, 0).error, 0);
    assert_int_equal(call(&s, FWFT, 0, MISALIGNED, 0, 0).error, DENIED);
    assert_int_equal(menvcfg(&s, 0) & (1 << 3 | 1 << 2), 0);
    wreck(&s);
}

static void a_locked_feature_stays_until_its_hart_is_reset(void **state)
{
    struct scene s;

    (void)state;
    build_with(&s, "rv64gc_zimop_zcmop_zicfiss");
    start(&s, 1);
    assert_int_equal(call_on(&s, 1, FWFT, 0, SHADOW_STACK, 1, LOCK).error, 0);
    assert_int_equal(call_on(&s, 1, FWFT, 0, SHADOW_STACK, 0, 0).error, DENIED_LOCKED);
    assert_int_equal(call_on(&s, 1, FWFT, 0, SHADOW_STACK, 1, 0).error, 0);
    assert_int_equal(call_on(&s, 1, FWFT, 1, SHADOW_STACK, 0, 0).value, 1);
    assert_int_equal(call(&s, FWFT, 0, SHADOW_STACK, 1, 0).error, 0);
    assert_int_equal(call(&s, FWFT, 0, SHADOW_STACK, 0, 0).error, 0);
    (void)call_on(&s, 1, HSM, 1, 0, 0, 0);
    start(&s, 1);
    assert_int_equal(call_on(&s, 1, FWFT, 1, SHADOW_STACK, 0, 0).value, 0);
    assert_int_equal(call_on(&s, 1, FWFT, 0, SHADOW_STACK, 0, 0).error, 0);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_3_0),
        cmocka_unit_test(probing_tells_what_there_is),
        cmocka_unit_test(what_is_not_there_is_not_supported),
        cmocka_unit_test(a_call_changes_a0_and_a1_only_and_goes_on_behind),
        cmocka_unit_test(the_timer_rises_when_its_time_comes_and_falls_when_set),
        cmocka_unit_test(a_timer_in_the_past_rises_at_once),
        cmocka_unit_test(firmwares_timer_is_stimecmp),
        cmocka_unit_test(the_console_writes_what_lies_in_memory),
        cmocka_unit_test(the_console_writes_a_page_at_most_in_one_call),
        cmocka_unit_test(the_console_refuses_what_is_not_memory),
        cmocka_unit_test(the_console_reads_what_there_is),
        cmocka_unit_test(console_input_breaks_the_reservations_of_others),
        cmocka_unit_test(what_the_receiver_took_in_is_read_first),
        cmocka_unit_test(the_end_has_the_status_that_was_asked_for),
        cmocka_unit_test(an_unknown_kind_of_reset_is_refused),
        cmocka_unit_test(a_user_programs_ecall_is_the_kernels),
        cmocka_unit_test(features_are_fields_of_menvcfg),
        cmocka_unit_test(features_that_cannot_be_set_say_why),
        cmocka_unit_test(a_locked_feature_stays_until_its_hart_is_reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
