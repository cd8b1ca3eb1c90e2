/*
 * test_pmp.c - physical memory protection, after vol. II, 3.7.
 */
#include "world.h"

enum { OFF = 0, R = 1, W = 2, X = 4, TOR = 1 << 3, NA4 = 2 << 3, NAPOT = 3 << 3, LOCKED = 0x80 };
enum { FINE = 0 };

#define NOP      ADDI(ZERO, ZERO, 0)
#define LOAD_A1  LD(A1, A0, 0)
#define STORE_A1 SD(A1, A0, 0)

/* Entry n, by the registers that hold it. */
static void set_entry(struct hart *h, unsigned n, unsigned cfg, uint64_t addr)
{
    unsigned number = PMPCFG0 + n / 8 * 2, shift = n % 8 * 8;
    uint64_t value = csr(h, number) & ~(UINT64_C(0xff) << shift);

    set_csr(h, PMPADDR0 + n, addr);
    set_csr(h, number, value | (uint64_t)cfg << shift);
}

static unsigned cfg_of(struct hart *h, unsigned n)
{
    return csr(h, PMPCFG0 + n / 8 * 2) >> n % 8 * 8 & 0xff;
}

#define NAPOT_RANGE(base, size) (((base) | ((size) / 2 - 1)) >> 2)

/* A world whose last entry permits everything; tests set entries before it. */
static int begin(void **state)
{
    struct world *w = test_calloc(1, sizeof *w);

    *w = world_new();
    set_entry(w->hart, 0, OFF, 0);
    set_entry(w->hart, 15, NAPOT | R | W | X, UINT64_MAX);
    *state = w;
    return 0;
}

static int end(void **state)
{
    world_free(*state);
    test_free(*state);
    return 0;
}

/* The cause with which one access of S-mode ends, or FINE. */
static uint64_t try_in(struct world *w, enum privilege mode, uint32_t word, uint64_t address)
{
    struct hart *h = w->hart;
    uint64_t at = put(w, word);

    set_csr(h, MCAUSE, 0);
    if (hart_mode(h) != PRIV_M) { /* an illegal instruction leads back */
        put(w, 0);
        hart_set_pc(h, w->put_at - 2);
        (void)!hart_run(h, 1, UINT64_MAX);
        set_csr(h, MCAUSE, 0);
    }
    enter(h, mode, at);
    hart_set_reg(h, A0, address);
    hart_set_reg(h, A1, 0x1234);
    (void)!hart_run(h, 1, UINT64_MAX);
    if (csr(h, MCAUSE) == 0)
        return FINE;
    assert_int_equal(csr(h, MTVAL), address);
    assert_int_equal(csr(h, MEPC), at);
    return csr(h, MCAUSE);
}

static void s_and_u_may_nothing_where_no_entry_matches(void **state)
{
    struct world *w = *state;

    set_entry(w->hart, 15, NAPOT | R | W | X, NAPOT_RANGE(RAM_BASE, 0x8000));
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, RAM_BASE + 0x7ff8), FINE);
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, RAM_BASE + 0x8000), EXC_LOAD_ACCESS);
    assert_int_equal(try_in(w, PRIV_U, STORE_A1, RAM_BASE + 0x8000), EXC_STORE_ACCESS);
    assert_int_equal(try_in(w, PRIV_M, STORE_A1, RAM_BASE + 0x8000), FINE);
}

/* A page with other permissions between pages that S-mode may read. */
static void an_entry_divides_what_lies_around_it(void **state)
{
    struct world *w = *state;

    set_entry(w->hart, 2, NAPOT, NAPOT_RANGE(RAM_BASE + 0x40000, 0x1000));
    set_entry(w->hart, 3, NAPOT | R | W | X, NAPOT_RANGE(RAM_BASE, 0x800000));
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, DATA), FINE);
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, RAM_BASE + 0x3fff8), FINE);
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, RAM_BASE + 0x40000), EXC_LOAD_ACCESS);
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, RAM_BASE + 0x40ff8), EXC_LOAD_ACCESS);
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, RAM_BASE + 0x41000), FINE);
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, DATA), FINE);
}

static void permissions_are_separate(void **state)
{
    static const struct {
        unsigned cfg;
        uint64_t load, store;
    } all[] = {{0, EXC_LOAD_ACCESS, EXC_STORE_ACCESS},
               {R, FINE, EXC_STORE_ACCESS},
               {R | W, FINE, FINE},
               {X, EXC_LOAD_ACCESS, EXC_STORE_ACCESS},
               {R | X, FINE, EXC_STORE_ACCESS},
               {R | W | X, FINE, FINE}};
    struct world *w = *state;

    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        set_entry(w->hart, 3, NAPOT | all[n].cfg, NAPOT_RANGE(DATA, 0x1000));
        assert_int_equal(try_in(w, PRIV_S, LOAD_A1, DATA), all[n].load);
        assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA), all[n].store);
        assert_int_equal(try_in(w, PRIV_S, AMOADD_D(0, ZERO, A1, A0), DATA),
                         all[n].store ? EXC_STORE_ACCESS : FINE);
        assert_int_equal(try_in(w, PRIV_M, STORE_A1, DATA), FINE);
    }
}

static void fetches_need_x_and_are_checked_parcel_by_parcel(void **state)
{
    struct world *w = *state;
    uint64_t code = DATA + 0x100;

    for (unsigned n = 0; n < 8; n++)
        poke(w, code + 4 * n, NOP, 4);
    /* The first two instructions may be fetched, the third not. */
    set_entry(w->hart, 0, TOR | R | X, (code + 8) >> 2);
    set_entry(w->hart, 1, TOR | R, (code + 64) >> 2);
    enter(w->hart, PRIV_S, code);
    assert_int_equal(hart_run(w->hart, 2, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_pc(w->hart), code + 8);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_trapped(w->hart, EXC_FETCH_ACCESS, code + 8, code + 8);
    /* The same from blocks that were decoded before. */
    enter(w->hart, PRIV_S, code);
    (void)!hart_run(w->hart, 3, UINT64_MAX);
    assert_trapped(w->hart, EXC_FETCH_ACCESS, code + 8, code + 8);
    /* M-mode may run it, but S-mode may not run the blocks that M-mode has decoded. */
    hart_set_pc(w->hart, code);
    assert_int_equal(hart_run(w->hart, 4, UINT64_MAX), HART_BUDGET);
    enter(w->hart, PRIV_S, code);
    (void)!hart_run(w->hart, 4, UINT64_MAX);
    assert_trapped(w->hart, EXC_FETCH_ACCESS, code + 8, code + 8);
}

static void an_instruction_half_in_a_forbidden_range_traps(void **state)
{
    struct world *w = *state;
    uint64_t code = DATA + 0x102; /* four bytes, of which the last two are beyond */

    poke(w, code, NOP, 4);
    set_entry(w->hart, 0, TOR | R | X, (code + 2) >> 2);
    set_entry(w->hart, 1, TOR | R, (code + 64) >> 2);
    enter(w->hart, PRIV_S, code);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_trapped(w->hart, EXC_FETCH_ACCESS, code, code + 2);
}

static void the_lowest_entry_that_matches_decides(void **state)
{
    struct world *w = *state;

    set_entry(w->hart, 2, NA4 | R, DATA >> 2);
    set_entry(w->hart, 4, NAPOT | R | W, NAPOT_RANGE(DATA, 64));
    assert_int_equal(try_in(w, PRIV_S, SW(A1, A0, 0), DATA), EXC_STORE_ACCESS);
    assert_int_equal(try_in(w, PRIV_S, SW(A1, A0, 0), DATA + 4), FINE);
    set_entry(w->hart, 1, NA4 | R | W, DATA >> 2);
    assert_int_equal(try_in(w, PRIV_S, SW(A1, A0, 0), DATA), FINE);
}

static void an_access_must_lie_in_its_entry_whole(void **state)
{
    struct world *w = *state;

    set_entry(w->hart, 2, NA4 | R | W, DATA >> 2);
    assert_int_equal(try_in(w, PRIV_S, LW(A1, A0, 0), DATA), FINE);
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, DATA), EXC_LOAD_ACCESS);
    set_entry(w->hart, 2, NA4 | R | W | LOCKED, DATA >> 2);
    assert_int_equal(try_in(w, PRIV_M, LOAD_A1, DATA), EXC_LOAD_ACCESS);
}

static void a_top_of_range_entry_begins_where_the_one_below_ends(void **state)
{
    struct world *w = *state;

    set_entry(w->hart, 2, OFF, DATA >> 2);
    set_entry(w->hart, 3, TOR | R, (DATA + 16) >> 2);
    assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA - 8), FINE);
    assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA), EXC_STORE_ACCESS);
    assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA + 8), EXC_STORE_ACCESS);
    assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA + 16), FINE);
    /* An empty range matches nothing. */
    set_entry(w->hart, 2, OFF, (DATA + 16) >> 2);
    assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA + 8), FINE);
}

/* Nor does one that ends before its start, for accesses around either address. */
static void an_empty_range_matches_nothing(void **state)
{
    struct world *w = *state;

    for (uint64_t top = DATA + 4; top <= DATA + 12; top += 4) {
        set_entry(w->hart, 2, OFF, (DATA + 12) >> 2);
        set_entry(w->hart, 3, TOR, top >> 2);
        assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA), FINE);
        assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA + 6), FINE);
        assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA + 8), FINE);
        assert_int_equal(try_in(w, PRIV_M, STORE_A1, DATA + 8), FINE);
    }
}

static void a_cached_page_does_not_survive_a_change_of_the_entries(void **state)
{
    struct world *w = *state;

    assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA), FINE);
    assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA), FINE);
    set_entry(w->hart, 0, NAPOT | R, NAPOT_RANGE(DATA, 8));
    assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA), EXC_STORE_ACCESS);
    assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA + 8), FINE);
}

static void mprv_asks_as_the_other_mode(void **state)
{
    enum { STATUS_MPRV = 1 << 17 };
    struct world *w = *state;

    set_entry(w->hart, 0, NAPOT | R, NAPOT_RANGE(DATA, 64));
    set_csr(w->hart, MSTATUS, STATUS_MPRV); /* MPP: U */
    hart_set_reg(w->hart, A0, DATA);
    exec(w, STORE_A1);
    assert_int_equal(csr(w->hart, MCAUSE), EXC_STORE_ACCESS);
}

/* ---- locks and legal values ---- */

static void a_locked_entry_holds_for_m_mode_and_cannot_be_written(void **state)
{
    struct world *w = *state;

    set_entry(w->hart, 5, NAPOT | R | LOCKED, NAPOT_RANGE(DATA, 64));
    assert_int_equal(try_in(w, PRIV_M, STORE_A1, DATA), EXC_STORE_ACCESS);
    set_csr(w->hart, PMPADDR0 + 5, 0);
    assert_int_equal(csr(w->hart, PMPADDR0 + 5), NAPOT_RANGE(DATA, 64));
    set_csr(w->hart, PMPCFG0, 0);
    assert_int_equal(cfg_of(w->hart, 5), NAPOT | R | LOCKED);
    hart_reset(w->hart, CODE, PRIV_M);
    assert_int_equal(cfg_of(w->hart, 5), 0);
}

static void the_base_of_a_locked_range_is_locked(void **state)
{
    struct world *w = *state;

    set_entry(w->hart, 4, OFF, 0x111);
    set_entry(w->hart, 5, TOR | LOCKED, 0x222);
    set_csr(w->hart, PMPADDR0 + 4, 0x333);
    assert_int_equal(csr(w->hart, PMPADDR0 + 4), 0x111);
    set_csr(w->hart, PMPADDR0 + 3, 0x333);
    assert_int_equal(csr(w->hart, PMPADDR0 + 3), 0x333);
}

static void reserved_and_missing_bits_read_as_zero(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, PMPCFG0, 0x7f60); /* bits 5 and 6; then W, X without R */
    assert_int_equal(cfg_of(w->hart, 0), 0);
    assert_int_equal(cfg_of(w->hart, 1), NAPOT | R | W | X);
    set_csr(w->hart, PMPCFG0, W | X);
    assert_int_equal(cfg_of(w->hart, 0), X);
    set_csr(w->hart, PMPADDR0, UINT64_MAX);
    assert_int_equal(csr(w->hart, PMPADDR0), (UINT64_C(1) << 54) - 1);
}

static void sixteen_entries_have_two_even_configuration_registers(void **state)
{
    struct world *w = *state;
    uint64_t value;

    assert_true(hart_csr(w->hart, PMPCFG0 + 2, &value));
    assert_true(hart_csr(w->hart, PMPADDR0 + 15, &value));
    assert_false(hart_csr(w->hart, PMPCFG0 + 1, &value));
    assert_false(hart_csr(w->hart, PMPCFG0 + 4, &value));
    assert_false(hart_csr(w->hart, PMPADDR0 + 16, &value));
}

static void sixty_four_entries_have_eight(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .pmp_entries = 64};
    struct world w = world_with(&config, 1);
    uint64_t value;

    (void)state;
    set_entry(w.hart, 0, OFF, 0);
    set_entry(w.hart, 62, NAPOT | R, NAPOT_RANGE(DATA, 64));
    set_entry(w.hart, 63, NAPOT | R | W | X, UINT64_MAX);
    assert_true(hart_csr(w.hart, PMPCFG0 + 14, &value));
    assert_false(hart_csr(w.hart, PMPCFG0 + 15, &value));
    assert_int_equal(try_in(&w, PRIV_S, STORE_A1, DATA), EXC_STORE_ACCESS);
    assert_int_equal(try_in(&w, PRIV_S, STORE_A1, DATA + 64), FINE);
    world_free(&w);
}

/* ---- page tables are read, and their bits set, as by S-mode ---- */

enum { ROOT = 0x80020000, V_RWX_AD = 0xcf };

static void a_page_table_out_of_reach_is_an_access_fault(void **state)
{
    struct world *w = *state;

    poke(w, ROOT + 8 * 2, (RAM_BASE >> 12 << 10) | V_RWX_AD, 8);
    set_csr(w->hart, SATP, UINT64_C(8) << 60 | ROOT >> 12);
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, DATA), FINE);
    set_entry(w->hart, 0, NAPOT | X | W, NAPOT_RANGE(ROOT, 0x1000));
    assert_int_equal(try_in(w, PRIV_M, LOAD_A1, DATA), FINE);
    enter(w->hart, PRIV_S, CODE);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(csr(w->hart, MCAUSE), EXC_FETCH_ACCESS);
}

static void an_accessed_bit_that_cannot_be_set_is_an_access_fault(void **state)
{
    enum { A_AND_D = 0xc0 };
    struct world *w = *state;

    poke(w, ROOT + 8 * 2, (RAM_BASE >> 12 << 10) | (V_RWX_AD & ~A_AND_D) | 0x40, 8);
    set_csr(w->hart, SATP, UINT64_C(8) << 60 | ROOT >> 12);
    set_entry(w->hart, 0, NAPOT | R, NAPOT_RANGE(ROOT, 0x1000));
    assert_int_equal(try_in(w, PRIV_S, LOAD_A1, DATA), FINE);
    assert_int_equal(try_in(w, PRIV_S, STORE_A1, DATA), EXC_STORE_ACCESS);
}

#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(s_and_u_may_nothing_where_no_entry_matches),
        T(an_entry_divides_what_lies_around_it),
        T(permissions_are_separate),
        T(fetches_need_x_and_are_checked_parcel_by_parcel),
        T(an_instruction_half_in_a_forbidden_range_traps),
        T(the_lowest_entry_that_matches_decides),
        T(an_access_must_lie_in_its_entry_whole),
        T(a_top_of_range_entry_begins_where_the_one_below_ends),
        T(an_empty_range_matches_nothing),
        T(a_cached_page_does_not_survive_a_change_of_the_entries),
        T(mprv_asks_as_the_other_mode),
        T(a_locked_entry_holds_for_m_mode_and_cannot_be_written),
        T(the_base_of_a_locked_range_is_locked),
        T(reserved_and_missing_bits_read_as_zero),
        T(sixteen_entries_have_two_even_configuration_registers),
        T(sixty_four_entries_have_eight),
        T(a_page_table_out_of_reach_is_an_access_fault),
        T(an_accessed_bit_that_cannot_be_set_is_an_access_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
