/*
 * test_sbi_harts.c - the built-in firmware: harts that start, stop, are suspended, interrupt and
 * fence each other.
 */
#include "sbi_scene.h"

/* ---- hart state management ---- */

static void harts_start_and_stop(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, HSM, 2, 0, 0, 0).value, STARTED);
    assert_int_equal(call(&s, HSM, 2, 1, 0, 0).value, STOPPED);
    assert_int_equal(call(&s, HSM, 0, 1, BOARD_KERNEL + 4, 0x1234).error, 0);
    assert_int_equal(call(&s, HSM, 2, 1, 0, 0).value, STARTED);
    assert_int_equal(call(&s, HSM, 2, 2, 0, 0).value, STOPPED);
    h = board_hart(&s.b, 1);
    assert_int_equal(hart_pc(h), BOARD_KERNEL + 4);
    assert_int_equal(hart_reg(h, A0), 1);
    assert_int_equal(hart_reg(h, A1), 0x1234);
    assert_int_equal(hart_mode(h), PRIV_S);
    (void)call_on(&s, 1, HSM, 1, 0, 0, 0);
    assert_int_equal(s.count[EVENT_HART_STOPPED], 1);
    assert_ptr_equal(s.last[EVENT_HART_STOPPED].started.hart, board_hart(&s.b, 1));
    assert_int_equal(call(&s, HSM, 2, 1, 0, 0).value, STOPPED);
    assert_int_equal(call(&s, HSM, 0, 1, BOARD_KERNEL + 4, 0).error, 0);
    wreck(&s);
}

static void a_started_hart_begins_without_translation_or_interrupts(void **state)
{
    struct scene s;
    struct hart *h;
    uint64_t value;

    (void)state;
    build(&s);
    start(&s, 1);
    h = board_hart(&s.b, 1);
    assert_true(hart_csr(h, SATP, &value));
    assert_int_equal(value, 0);
    assert_true(hart_csr(h, 0x100, &value)); /* sstatus */
    assert_int_equal(value & 2, 0);
    wreck(&s);
}

static void a_hart_runs_once_it_is_started_and_not_before(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    (void)call(&s, BASE, 0, 0, 0, 0);
    (void)machine_run(s.b.m, 10000, UINT64_MAX);
    assert_int_equal(hart_insns(board_hart(&s.b, 1)), 0);
    assert_int_equal(call_scheduled(&s, HSM, 0, 1, BOARD_KERNEL + 4, 0).error, 0);
    (void)machine_run(s.b.m, 30000, UINT64_MAX);
    assert_true(hart_insns(board_hart(&s.b, 1)) > 5000);
    assert_int_equal(hart_insns(board_hart(&s.b, 2)), 0);
    wreck(&s);
}

/* Firmware enters S-mode by mret, and bit 0 of mepc is 0: the hart continues at the even address.
 */
static void a_start_address_loses_its_lowest_bit(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, HSM, 0, 1, BOARD_KERNEL + 5, 0).error, 0);
    assert_int_equal(hart_pc(board_hart(&s.b, 1)), BOARD_KERNEL + 4);
    wreck(&s);
}

/* ---- suspension ---- */

enum { SIE = 0x104, SSTATUS = 0x100 };
#define NON_RETENTIVE UINT64_C(0x80000000)

static uint64_t status_of(struct scene *s, unsigned hart)
{
    return call(s, HSM, 2, hart, 0, 0).value;
}

static void a_suspended_hart_waits_for_an_interrupt_and_returns(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    start(&s, 1);
    h = board_hart(&s.b, 1);
    assert_true(hart_set_csr(h, SIE, SSIP));
    (void)prepare(&s, 1, HSM, 3, 0, 0, 0);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_WAITING);
    assert_int_equal(status_of(&s, 1), SUSPENDED);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_WAITING);
    assert_int_equal(call(&s, IPI, 0, 2, 0, 0).error, 0);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_BUDGET);
    assert_int_equal(status_of(&s, 1), STARTED);
    assert_int_equal(hart_reg(h, A0), 0);
    assert_int_equal(hart_pc(h), BOARD_KERNEL + 4);
    wreck(&s);
}

static void without_retention_it_goes_on_elsewhere_with_translation_off(void **state)
{
    /* The type has 32 bits, which the calling convention sign-extends. */
    static const uint64_t types[] = {NON_RETENTIVE, ~UINT64_C(0) << 31};
    struct scene s;

    (void)state;
    for (unsigned n = 0; n < sizeof types / sizeof types[0]; n++) {
        struct hart *h;
        uint64_t value = 1;

        build(&s);
        h = board_hart(&s.b, 0);
        assert_true(hart_set_csr(h, SIE, SSIP));
        assert_true(hart_set_csr(h, SSTATUS, 2));
        (void)prepare(&s, 0, HSM, 3, types[n], BOARD_KERNEL + 4, 77);
        assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_WAITING);
        machine_send_ipi(s.b.m, 0);
        assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
        assert_int_equal(hart_pc(h), BOARD_KERNEL + 4);
        assert_int_equal(hart_reg(h, A0), 0);
        assert_int_equal(hart_reg(h, A1), 77);
        assert_true(hart_csr(h, SATP, &value));
        assert_int_equal(value, 0);
        assert_true(hart_csr(h, SSTATUS, &value));
        assert_int_equal(value & 2, 0);
        wreck(&s);
    }
}

/* The hart has been woken: a later wfi is not the suspension any more. */
static void a_hart_that_waits_after_its_suspension_is_started(void **state)
{
    struct scene s;
    struct hart *h;

    (void)state;
    build(&s);
    start(&s, 1);
    h = board_hart(&s.b, 1);
    assert_true(hart_set_csr(h, SIE, SSIP));
    (void)prepare(&s, 1, HSM, 3, 0, 0, 0);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_WAITING);
    machine_send_ipi(s.b.m, 1);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_BUDGET);
    (void)call_on(&s, 1, 3, 0, 0, 0, 0); /* legacy: clears the IPI */
    hart_set_pc(h, BOARD_KERNEL + 8);
    assert_int_equal(hart_run(h, 5, UINT64_MAX), HART_WAITING);
    assert_int_equal(status_of(&s, 1), STARTED);
    wreck(&s);
}

static void a_suspension_of_another_kind_is_refused(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_int_equal(call(&s, HSM, 3, 1, 0, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 3, NON_RETENTIVE + 1, BOARD_KERNEL, 0).error, INVALID_PARAM);
    assert_int_equal(call(&s, HSM, 3, 0x10000000, 0, 0).error, NOT_SUPPORTED);
    assert_int_equal(call(&s, HSM, 3, NON_RETENTIVE, 0x1000, 0).error, INVALID_ADDRESS);
    assert_int_equal(status_of(&s, 0), STARTED);
    wreck(&s);
}

/* ---- interrupts between harts ---- */

static void an_ipi_goes_to_the_harts_of_the_mask(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    start(&s, 1);
    start(&s, 2);
    assert_int_equal(call(&s, IPI, 0, 2, 1, 0).error, 0); /* bit 1, from hart 1: hart 2 */
    assert_false(pending(&s, 0, SSIP));
    assert_false(pending(&s, 1, SSIP));
    assert_true(pending(&s, 2, SSIP));
    assert_int_equal(call(&s, IPI, 0, 3, 0, 0).error, 0);
    assert_true(pending(&s, 0, SSIP));
    assert_true(pending(&s, 1, SSIP));
    wreck(&s);
}

static void an_ipi_to_all_goes_to_all_that_are_started(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    start(&s, 1);
    assert_int_equal(call(&s, IPI, 0, 0, UINT64_MAX, 0).error, 0);
    assert_true(pending(&s, 0, SSIP));
    assert_true(pending(&s, 1, SSIP));
    assert_false(pending(&s, 2, SSIP)); /* stopped */
    wreck(&s);
}

static void a_mask_with_harts_that_are_not_there_reaches_nobody(void **state)
{
    static const struct {
        uint64_t mask, base;
    } wrong[] = {{8, 0}, {9, 0}, {UINT64_MAX, 0},     {4, 1},
                 {1, 3}, {0, 3}, {1, UINT64_MAX - 1}, {UINT64_C(1) << 63, 1}};
    struct scene s;

    (void)state;
    build(&s);
    start(&s, 1);
    start(&s, 2);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(call(&s, IPI, 0, wrong[i].mask, wrong[i].base, 0).error, INVALID_PARAM);
        assert_int_equal(call(&s, RFENCE, 0, wrong[i].mask, wrong[i].base, 0).error, INVALID_PARAM);
    }
    for (unsigned hart = 0; hart < HARTS; hart++)
        assert_false(pending(&s, hart, SSIP));
    assert_int_equal(s.fence_count, 0); /* a start is no fence */
    assert_int_equal(call(&s, IPI, 0, 0, 0, 0).error, 0);
    assert_false(pending(&s, 0, SSIP));
    wreck(&s);
}

/* ---- remote fences ---- */

static void a_remote_fence_is_told_for_each_hart_of_the_mask(void **state)
{
    struct scene s;
    unsigned before;

    (void)state;
    build(&s);
    start(&s, 1);
    start(&s, 2);
    before = s.fence_count;
    assert_int_equal(call(&s, RFENCE, 0, 6, 0, 0).error, 0);
    assert_int_equal(s.fence_count, before + 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct fence_event *f = &s.fence[before + i];

        assert_int_equal(f->origin, FENCE_REMOTE);
        assert_ptr_equal(f->hart, board_hart(&s.b, i + 1));
        assert_int_equal(f->requester, 0);
        assert_int_equal(f->pc, BOARD_KERNEL);
        assert_int_equal(hart_sync_stamp(f->hart), f->stamp);
    }
    wreck(&s);
}

static void a_remote_fence_to_all_includes_oneself(void **state)
{
    struct scene s;
    unsigned before;

    (void)state;
    build(&s);
    start(&s, 1);
    before = s.fence_count;
    assert_int_equal(call(&s, RFENCE, 0, 0, UINT64_MAX, 0).error, 0);
    assert_int_equal(s.fence_count, before + 2); /* not hart 2: stopped */
    wreck(&s);
}

static void a_remote_sfence_is_no_fence_i(void **state)
{
    struct scene s;
    unsigned before;
    uint64_t stamp;

    (void)state;
    build(&s);
    start(&s, 1);
    before = s.fence_count;
    stamp = hart_sync_stamp(board_hart(&s.b, 1));
    assert_int_equal(call(&s, RFENCE, 1, 2, 0, 0).error, 0);
    assert_int_equal(call(&s, RFENCE, 2, 2, 0, 0).error, 0);
    assert_int_equal(s.fence_count, before);
    assert_int_equal(hart_sync_stamp(board_hart(&s.b, 1)), stamp);
    wreck(&s);
}

static void a_remote_sfence_is_an_event_like_a_local_one(void **state)
{
    struct scene s;
    const struct fence_event *f = &s.last[EVENT_SFENCE_VMA].fence;
    unsigned before;

    (void)state;
    build(&s);
    start(&s, 1);
    before = s.count[EVENT_SFENCE_VMA];
    assert_int_equal(call(&s, RFENCE, 1, 2, 0, 0).error, 0);
    assert_int_equal(call(&s, RFENCE, 2, 3, 0, 0).error, 0);
    assert_int_equal(s.count[EVENT_SFENCE_VMA], before + 3);
    assert_ptr_equal(f->hart, board_hart(&s.b, 1));
    assert_int_equal(f->origin, FENCE_REMOTE);
    assert_int_equal(f->requester, 0);
    assert_int_equal(f->pc, BOARD_KERNEL);
    wreck(&s);
}

static void what_firmware_does_is_in_the_stream_of_events(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    start(&s, 1);
    assert_int_equal(s.count[EVENT_HART_STARTED], 1); /* hart 0 was, before there was a listener */
    assert_ptr_equal(s.last[EVENT_HART_STARTED].started.hart, board_hart(&s.b, 1));
    assert_int_equal(call(&s, IPI, 0, 2, 0, 0).error, 0);
    assert_int_equal(s.count[EVENT_IPI_SENT], 1);
    assert_ptr_equal(s.last[EVENT_IPI_SENT].ipi.hart, board_hart(&s.b, 1));
    assert_ptr_equal(s.last[EVENT_IPI_SENT].ipi.sender, board_hart(&s.b, 0));
    assert_int_equal(s.last[EVENT_IPI_SENT].ipi.interrupt, IRQ_SSI);
    assert_int_equal(s.last[EVENT_SBI_CALL].sbi.extension, IPI);
    assert_int_equal(s.last[EVENT_SBI_CALL].sbi.function, 0);
    assert_ptr_equal(s.last[EVENT_SBI_CALL].sbi.hart, board_hart(&s.b, 0));
    wreck(&s);
}

/* ---- legacy masks ---- */

static void legacy_masks_are_read_from_memory(void **state)
{
    const uint64_t mask = 4;
    const struct writer loader = {.kind = WRITER_LOADER};
    struct scene s;
    unsigned before;

    (void)state;
    build(&s);
    start(&s, 1);
    start(&s, 2);
    assert_true(bus_write(board_bus(&s.b), DATA, &mask, sizeof mask, &loader));
    assert_int_equal(call(&s, 4, 0, DATA, 0, 0).error, 0);
    assert_true(pending(&s, 2, SSIP));
    assert_false(pending(&s, 1, SSIP));
    before = s.fence_count;
    assert_int_equal(call(&s, 5, 0, DATA, 0, 0).error, 0);
    assert_int_equal(s.fence_count, before + 1);
    assert_ptr_equal(s.fence[before].hart, board_hart(&s.b, 2));
    assert_int_equal(call(&s, 4, 0, 0, 0, 0).error, 0); /* no mask: all */
    assert_true(pending(&s, 1, SSIP));
    assert_int_equal(call_on(&s, 1, 3, 0, 0, 0, 0).error, 0); /* clear */
    assert_false(pending(&s, 1, SSIP));
    assert_true(call(&s, 4, 0, 0x10, 0, 0).error < 0);
    wreck(&s);
}

/* Linux without its PMU driver does not set scounteren, but its vDSO reads the time. */
static void user_programs_may_read_cycle_time_and_instret(void **state)
{
    struct scene s;
    uint64_t enabled = 0;

    (void)state;
    build(&s);
    assert_true(hart_csr(board_hart(&s.b, 0), SCOUNTEREN, &enabled));
    assert_int_equal(enabled, 7);
    start(&s, 1);
    assert_true(hart_csr(board_hart(&s.b, 1), SCOUNTEREN, &enabled));
    assert_int_equal(enabled, 7);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harts_start_and_stop),
        cmocka_unit_test(a_started_hart_begins_without_translation_or_interrupts),
        cmocka_unit_test(a_hart_runs_once_it_is_started_and_not_before),
        cmocka_unit_test(a_start_address_loses_its_lowest_bit),
        cmocka_unit_test(a_suspended_hart_waits_for_an_interrupt_and_returns),
        cmocka_unit_test(without_retention_it_goes_on_elsewhere_with_translation_off),
        cmocka_unit_test(a_hart_that_waits_after_its_suspension_is_started),
        cmocka_unit_test(a_suspension_of_another_kind_is_refused),
        cmocka_unit_test(an_ipi_goes_to_the_harts_of_the_mask),
        cmocka_unit_test(an_ipi_to_all_goes_to_all_that_are_started),
        cmocka_unit_test(a_mask_with_harts_that_are_not_there_reaches_nobody),
        cmocka_unit_test(a_remote_fence_is_told_for_each_hart_of_the_mask),
        cmocka_unit_test(a_remote_fence_to_all_includes_oneself),
        cmocka_unit_test(a_remote_sfence_is_no_fence_i),
        cmocka_unit_test(a_remote_sfence_is_an_event_like_a_local_one),
        cmocka_unit_test(what_firmware_does_is_in_the_stream_of_events),
        cmocka_unit_test(legacy_masks_are_read_from_memory),
        cmocka_unit_test(user_programs_may_read_cycle_time_and_instret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
