/*
 * test_reservations.c - devices that a hart reaches, and two harts that share memory: what breaks
 * the reservation of an lr.
 */
#include "priv.h"

/* ---- devices ---- */

#define DEVICE_BASE UINT64_C(0x10000000)

static enum fault device_read(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    (void)size;
    *value = *(uint64_t *)ctx + offset;
    return FAULT_NONE;
}

static enum fault device_write(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    (void)size;
    *(uint64_t *)ctx = value - offset;
    return FAULT_NONE;
}

static void add_device(struct world *w, uint64_t *held)
{
    static const struct diag silent = {.quiet = true};
    const struct device d = {.name = "test",
                             .base = DEVICE_BASE,
                             .size = 0x100,
                             .sizes = 4,
                             .ctx = held,
                             .read = device_read,
                             .write = device_write};

    assert_true(bus_map_device(w->bus, &d, &silent));
}

static uint64_t device_cause(struct world *w, uint32_t word, uint64_t address)
{
    start_hart(w->hart);
    hart_set_reg(w->hart, A0, address);
    hart_set_reg(w->hart, A2, 0x80000010);
    exec(w, word);
    if (csr(w->hart, MCAUSE))
        assert_int_equal(csr(w->hart, MTVAL), address);
    return csr(w->hart, MCAUSE);
}

static void a_device_is_reached_by_the_widths_it_allows(void **state)
{
    struct world *w = *state;
    uint64_t held = 0x80000000;

    add_device(w, &held);
    assert_int_equal(device_cause(w, LW(A1, A0, 0), DEVICE_BASE + 8), 0);
    assert_int_equal(hart_reg(w->hart, A1), 0xffffffff80000008);
    assert_int_equal(device_cause(w, LWU(A1, A0, 0), DEVICE_BASE + 8), 0);
    assert_int_equal(hart_reg(w->hart, A1), 0x80000008);
    assert_int_equal(device_cause(w, SW(A2, A0, 0), DEVICE_BASE + 16), 0);
    assert_int_equal(held, 0x80000000);
    assert_int_equal(device_cause(w, LB(A1, A0, 0), DEVICE_BASE), EXC_LOAD_ACCESS);
    assert_int_equal(device_cause(w, LD(A1, A0, 0), DEVICE_BASE), EXC_LOAD_ACCESS);
    assert_int_equal(device_cause(w, SD(A2, A0, 0), DEVICE_BASE), EXC_STORE_ACCESS);
    assert_int_equal(device_cause(w, LW(A1, A0, 0), DEVICE_BASE + 0x100), EXC_LOAD_ACCESS);
    assert_int_equal(device_cause(w, LW(A1, A0, 0), DEVICE_BASE + 2), EXC_LOAD_MISALIGNED);
    assert_int_equal(device_cause(w, SW(A2, A0, 0), DEVICE_BASE + 2), EXC_STORE_MISALIGNED);
    assert_int_equal(device_cause(w, AMOADD_W(0, A1, A2, A0), DEVICE_BASE), EXC_STORE_ACCESS);
    assert_int_equal(device_cause(w, LR_W(0, A1, A0), DEVICE_BASE), EXC_LOAD_ACCESS);
    assert_int_equal(held, 0x80000000);
    hart_set_reg(w->hart, A0, DEVICE_BASE);
    exec(w, JALR(ZERO, A0, 0));
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_trapped(w->hart, EXC_FETCH_ACCESS, DEVICE_BASE, DEVICE_BASE);
}

/* Half of such an access would be a separate access, and the other half might fault after it. */
static void no_half_of_a_misaligned_access_reaches_a_device(void **state)
{
    static const struct diag silent = {.quiet = true};
    struct world *w = *state;
    uint64_t held = 1;
    const struct device d = {.name = "test",
                             .base = DEVICE_BASE,
                             .size = 0x2000,
                             .sizes = 1 | 2 | 4 | 8,
                             .ctx = &held,
                             .read = device_read,
                             .write = device_write};

    assert_true(bus_map_device(w->bus, &d, &silent));
    for (uint64_t at = DEVICE_BASE + 0xff9; at < DEVICE_BASE + 0x1000; at++) {
        assert_int_equal(device_cause(w, LD(A1, A0, 0), at), EXC_LOAD_ACCESS);
        assert_int_equal(hart_reg(w->hart, A1), 0);
        assert_int_equal(device_cause(w, SD(A2, A0, 0), at), EXC_STORE_ACCESS);
        assert_int_equal(held, 1);
    }
}

static void a_device_gets_no_bits_beyond_the_width_of_the_store(void **state)
{
    struct world *w = *state;
    uint64_t held = 0;

    add_device(w, &held);
    hart_set_reg(w->hart, A0, DEVICE_BASE);
    hart_set_reg(w->hart, A2, 0x1234567880000010);
    exec(w, SW(A2, A0, 0));
    assert_int_equal(held, 0x80000010);
}

/* ---- two harts ---- */

static int set_up_two(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT};
    struct world *w = malloc(sizeof *w);

    assert_non_null(w);
    *w = world_with(&config, 2);
    *state = w;
    return 0;
}

static void step_other(struct world *w, uint32_t word, uint64_t a0)
{
    struct hart *other = cluster_hart(w->cluster, 1);

    hart_set_reg(other, A0, a0);
    hart_set_pc(other, put(w, word));
    assert_int_equal(hart_run(other, 1, UINT64_MAX), HART_BUDGET);
}

/* Does a store-conditional still succeed after the other hart's instruction at an address? */
static bool sc_survives(struct world *w, uint32_t word, uint64_t address)
{
    hart_set_reg(w->hart, A0, DATA);
    hart_set_reg(w->hart, A1, 77);
    exec(w, LR_D(0, A2, A0));
    step_other(w, word, address);
    exec(w, SC_D(0, A1, A2, A0));
    return hart_reg(w->hart, A1) == 0;
}

static void another_harts_store_breaks_a_reservation(void **state)
{
    struct world *w = *state;

    assert_false(sc_survives(w, SD(A2, A0, 0), DATA));
    assert_false(sc_survives(w, SB(A2, A0, 7), DATA));
    assert_false(sc_survives(w, SD(A2, A0, -4), DATA)); /* misaligned, overlapping */
    assert_false(sc_survives(w, AMOADD_D(0, A1, A2, A0), DATA));
}

/* The other hart has stored there before, so its store takes the fast path. */
static void another_harts_store_through_its_caches_breaks_a_reservation(void **state)
{
    struct world *w = *state;

    for (unsigned n = 0; n < 3; n++)
        step_other(w, SD(A2, A0, 0), DATA);
    assert_false(sc_survives(w, SD(A2, A0, 0), DATA));
    for (unsigned n = 0; n < 3; n++)
        step_other(w, SD(A2, A0, 0), DATA);
    assert_false(sc_survives(w, SD(A2, A0, 0), DATA));
}

static void another_harts_successful_sc_breaks_a_reservation(void **state)
{
    struct world *w = *state;
    struct hart *other = cluster_hart(w->cluster, 1);

    hart_set_reg(w->hart, A0, DATA);
    exec(w, LR_D(0, A2, A0));
    step_other(w, LR_D(0, A2, A0), DATA);
    hart_set_reg(other, A3, 5);
    step_other(w, SC_D(0, A1, A3, A0), DATA);
    assert_int_equal(hart_reg(other, A1), 0);
    hart_set_reg(w->hart, A3, 6);
    exec(w, SC_D(0, A1, A3, A0));
    assert_int_equal(hart_reg(w->hart, A1), 1);
    assert_int_equal(peek(w, DATA, 8), 5);
}

static void another_harts_load_or_distant_store_leaves_a_reservation(void **state)
{
    struct world *w = *state;

    assert_true(sc_survives(w, LD(A2, A0, 0), DATA));
    assert_true(sc_survives(w, SD(A2, A0, 0), DATA + 0x1000));
    assert_true(sc_survives(w, NOP, DATA));
}

static void a_reservation_is_by_physical_address(void **state)
{
    struct world *w = *state;

    build_tables(w);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW);
    exec(w, LR_D(0, A2, A0));
    step_other(w, SD(A2, A0, 0), FRAME);
    exec(w, SC_D(0, A1, A2, A0));
    assert_int_equal(hart_reg(w->hart, A1), 1);
}

static void firmware_can_drop_a_reservation(void **state)
{
    struct world *w = *state;

    hart_set_reg(w->hart, A0, DATA);
    exec(w, LR_D(0, A2, A0));
    hart_drop_reservation(w->hart);
    exec(w, SC_D(0, A1, A2, A0));
    assert_int_equal(hart_reg(w->hart, A1), 1);
}

static void each_hart_knows_its_number(void **state)
{
    struct world *w = *state;

    assert_int_equal(csr(cluster_hart(w->cluster, 0), MHARTID), 0);
    assert_int_equal(csr(cluster_hart(w->cluster, 1), MHARTID), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(a_device_is_reached_by_the_widths_it_allows),
        ALONE(no_half_of_a_misaligned_access_reaches_a_device),
        ALONE(a_device_gets_no_bits_beyond_the_width_of_the_store),
        TOGETHER(another_harts_store_breaks_a_reservation),
        TOGETHER(another_harts_store_through_its_caches_breaks_a_reservation),
        TOGETHER(another_harts_successful_sc_breaks_a_reservation),
        TOGETHER(another_harts_load_or_distant_store_leaves_a_reservation),
        TOGETHER(a_reservation_is_by_physical_address),
        TOGETHER(firmware_can_drop_a_reservation),
        TOGETHER(each_hart_knows_its_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
