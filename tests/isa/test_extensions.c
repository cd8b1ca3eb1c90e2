/*
 * test_extensions.c - what the privileged extensions change, and what a hart
 * without them does: Svadu, Svnapot, Svpbmt, Sstc, Zicntr and C.
 */
#include "cpu/isa/extension.h"
#include "world.h"

enum { V = 1, R = 2, W = 4, X = 8, A = 64, D = 128, FINE = 0 };
enum { ROOT = 0x80020000, MIDDLE = 0x80021000, LAST = 0x80022000, VA = 0x40000000 };

#define ADUE       (UINT64_C(1) << 61)
#define PBMTE      (UINT64_C(1) << 62)
#define STCE       (UINT64_C(1) << 63)
#define N          (UINT64_C(1) << 63)
#define PBMT(type) ((uint64_t)(type) << 61)
#define ENTRY(pa)  ((uint64_t)(pa) >> 12 << 10)
#define LOAD_A1    LD(A1, A0, 0)
#define STORE_A1   SD(A1, A0, 0)

/* Sv39: the gigabyte of RAM as it is, and last-level entries for VA. */
static void map(struct world *w)
{
    poke(w, ROOT + 8 * 2, ENTRY(RAM_BASE) | V | R | W | X | A | D, 8);
    poke(w, ROOT + 8 * 1, ENTRY(MIDDLE) | V, 8);
    poke(w, MIDDLE, ENTRY(LAST) | V, 8);
    set_csr(w->hart, SATP, UINT64_C(8) << 60 | ROOT >> 12);
}

/* The cause that one access of S-mode ends with; after the last change of the tables. */
static uint64_t access_at(struct world *w, uint32_t word, uint64_t va)
{
    struct hart *h = w->hart;
    uint64_t menvcfg = csr(h, MENVCFG), satp = csr(h, SATP);
    uint64_t at = put(w, word);

    start_hart(h);
    set_csr(h, MENVCFG, menvcfg);
    set_csr(h, SATP, satp);
    enter(h, PRIV_S, at);
    hart_set_reg(h, A0, va);
    (void)!hart_run(h, 1, UINT64_MAX);
    return csr(h, MCAUSE);
}

static uint64_t access_by(struct world *w, uint32_t word, uint64_t pte)
{
    poke(w, LAST, pte, 8);
    return access_at(w, word, VA);
}

static struct world without(uint64_t extensions)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT,
                                          .extensions = EXTS_ALL & ~extensions};

    return world_with(&config, 1);
}

/* ---- Svadu ---- */

static void accessed_and_dirty_are_set_or_fault_as_menvcfg_says(void **state)
{
    struct world w = world_new();
    uint64_t clear = ENTRY(DATA) | V | R | W;

    (void)state;
    map(&w);
    assert_int_equal(access_by(&w, LOAD_A1, clear), FINE);
    assert_int_equal(peek(&w, LAST, 8), clear | A);
    assert_int_equal(access_by(&w, STORE_A1, clear), FINE);
    assert_int_equal(peek(&w, LAST, 8), clear | A | D);
    set_csr(w.hart, MENVCFG, 0);
    assert_int_equal(access_by(&w, LOAD_A1, clear), EXC_LOAD_PAGE);
    assert_int_equal(access_by(&w, STORE_A1, clear | A), EXC_STORE_PAGE);
    assert_int_equal(access_by(&w, LOAD_A1, clear | A), FINE);
    assert_int_equal(peek(&w, LAST, 8), clear | A);
    world_free(&w);
}

static void without_svadu_software_sets_them(void **state)
{
    struct world w = without(EXTS_Svadu);

    (void)state;
    set_csr(w.hart, MENVCFG, UINT64_MAX);
    assert_false(csr(w.hart, MENVCFG) & ADUE);
    map(&w);
    assert_int_equal(access_by(&w, LOAD_A1, ENTRY(DATA) | V | R), EXC_LOAD_PAGE);
    world_free(&w);
}

/* ---- Svnapot ---- */

static void a_napot_entry_maps_sixty_four_kilobytes(void **state)
{
    const uint64_t pte = N | ENTRY(RAM_BASE + 0x30000 + 0x8000) | V | R | W | A | D;
    struct world w = world_new();

    (void)state;
    map(&w);
    for (unsigned n = 0; n < 16; n++)
        poke(&w, LAST + 8 * n, pte, 8);
    for (unsigned n = 0; n < 16; n++)
        poke(&w, RAM_BASE + 0x30000 + 0x1000 * n, n, 8);
    for (unsigned n = 0; n < 16; n++) {
        assert_int_equal(access_at(&w, LOAD_A1, VA + 0x1000 * n), FINE);
        assert_int_equal(hart_reg(w.hart, A1), n);
    }
    world_free(&w);
}

/* Whatever was loaded from its range before: no load depends on what is cached. */
static void each_entry_of_a_napot_range_is_for_its_own_page(void **state)
{
    const uint64_t pte = N | ENTRY(RAM_BASE + 0x38000) | V | R | A;
    struct world w = world_new();
    struct hart *h = w.hart;
    uint64_t at = put(&w, LOAD_A1);

    (void)state;
    (void)put(&w, LD(A1, A2, 0));
    map(&w);
    for (unsigned n = 0; n < 16; n++)
        poke(&w, LAST + 8 * n, n == 5 ? 0 : pte, 8);
    enter(h, PRIV_S, at);
    hart_set_reg(h, A0, VA);
    hart_set_reg(h, A2, VA + 0x5000);
    (void)!hart_run(h, 2, UINT64_MAX);
    assert_trapped(h, EXC_LOAD_PAGE, at + 4, VA + 0x5000);
    world_free(&w);
}

static void other_napot_sizes_and_levels_are_reserved(void **state)
{
    struct world w = world_new();

    (void)state;
    map(&w);
    for (unsigned low = 0; low < 16; low++)
        assert_int_equal(
            access_by(&w, LOAD_A1, N | ENTRY(RAM_BASE + 0x30000 + 0x1000 * low) | V | R | A),
            low == 8 ? FINE : EXC_LOAD_PAGE);
    poke(&w, MIDDLE, N | ENTRY(RAM_BASE + 0x8000) | V | R | A, 8);
    assert_int_equal(access_at(&w, LOAD_A1, VA), EXC_LOAD_PAGE);
    poke(&w, MIDDLE, N | ENTRY(LAST) | V, 8);
    assert_int_equal(access_at(&w, LOAD_A1, VA), EXC_LOAD_PAGE);
    world_free(&w);
}

/* A flush of one page of it flushes the translations of all its pages. */
static void an_sfence_of_one_page_reaches_the_whole_napot_range(void **state)
{
    struct world w = world_new();
    struct hart *h = w.hart;
    uint64_t at;

    (void)state;
    map(&w);
    for (unsigned n = 0; n < 16; n++)
        poke(&w, LAST + 8 * n, N | ENTRY(RAM_BASE + 0x38000) | V | R | A, 8);
    at = put(&w, LOAD_A1);
    (void)put(&w, SFENCE_VMA(A2, ZERO));
    (void)put(&w, LOAD_A1);
    enter(h, PRIV_S, at);
    hart_set_reg(h, A0, VA + 0x5000);
    hart_set_reg(h, A2, VA);
    (void)!hart_run(h, 1, UINT64_MAX);
    for (unsigned n = 0; n < 16; n++)
        poke(&w, LAST + 8 * n, 0, 8);
    (void)!hart_run(h, 2, UINT64_MAX);
    assert_trapped(h, EXC_LOAD_PAGE, at + 8, VA + 0x5000);
    world_free(&w);
}

static void without_svnapot_the_bit_is_reserved(void **state)
{
    struct world w = without(EXTS_Svnapot);

    (void)state;
    map(&w);
    assert_int_equal(access_by(&w, LOAD_A1, N | ENTRY(RAM_BASE + 0x38000) | V | R | A),
                     EXC_LOAD_PAGE);
    world_free(&w);
}

/* ---- Svpbmt ---- */

static void memory_types_are_taken_where_they_are_enabled(void **state)
{
    const uint64_t good = ENTRY(DATA) | V | R | A;
    struct world w = world_new();

    (void)state;
    map(&w);
    for (unsigned type = 0; type < 4; type++)
        assert_int_equal(access_by(&w, LOAD_A1, good | PBMT(type)),
                         type == 3 ? EXC_LOAD_PAGE : FINE);
    set_csr(w.hart, MENVCFG, ADUE);
    assert_int_equal(access_by(&w, LOAD_A1, good | PBMT(1)), EXC_LOAD_PAGE);
    assert_int_equal(access_by(&w, LOAD_A1, good), FINE);
    set_csr(w.hart, MENVCFG, ADUE | PBMTE);
    poke(&w, MIDDLE, ENTRY(LAST) | V | PBMT(1), 8); /* a pointer has no type */
    assert_int_equal(access_by(&w, LOAD_A1, good), EXC_LOAD_PAGE);
    world_free(&w);
}

static void without_svpbmt_they_are_reserved(void **state)
{
    struct world w = without(EXTS_Svpbmt);

    (void)state;
    set_csr(w.hart, MENVCFG, UINT64_MAX);
    assert_false(csr(w.hart, MENVCFG) & PBMTE);
    map(&w);
    assert_int_equal(access_by(&w, LOAD_A1, ENTRY(DATA) | V | R | A | PBMT(1)), EXC_LOAD_PAGE);
    world_free(&w);
}

/* ---- Sstc ---- */

enum { STIMECMP = 0x14d, STIP = 1 << 5, TM = 2 };

static void stimecmp_is_granted_by_two_registers(void **state)
{
    struct world w = world_new();
    struct hart *h = w.hart;
    uint64_t at = put(&w, CSRRW(ZERO, STIMECMP, A0));

    (void)state;
    for (unsigned granted = 0; granted < 4; granted++) {
        start_hart(h);
        set_csr(h, MENVCFG, granted & 1 ? STCE : 0);
        set_csr(h, MCOUNTEREN, granted & 2 ? TM : 0);
        enter(h, PRIV_S, at);
        (void)!hart_run(h, 1, UINT64_MAX);
        assert_int_equal(csr(h, MCAUSE), granted == 3 ? FINE : EXC_ILLEGAL);
    }
    start_hart(h);
    hart_set_reg(h, A0, 77);
    step_at(&w, at);
    assert_int_equal(csr(h, STIMECMP), 77);
    world_free(&w);
}

static void stip_is_the_comparisons_where_it_is_enabled_and_software_s_where_not(void **state)
{
    struct world w = world_new();
    struct hart *h = w.hart;

    (void)state;
    set_csr(h, MIP, STIP);
    assert_int_equal(csr(h, MIP) & STIP, STIP);
    set_csr(h, MENVCFG, STCE);
    assert_int_equal(csr(h, MIP) & STIP, 0);
    set_csr(h, MIP, STIP);
    assert_int_equal(csr(h, MIP) & STIP, 0);
    hart_set_timer(h, true);
    assert_int_equal(csr(h, MIP) & STIP, STIP);
    set_csr(h, MIP, 0);
    assert_int_equal(csr(h, MIP) & STIP, STIP);
    world_free(&w);
}

static void without_sstc_there_is_no_such_register(void **state)
{
    struct world w = without(EXTS_Sstc);
    uint64_t value;

    (void)state;
    assert_false(hart_csr(w.hart, STIMECMP, &value));
    set_csr(w.hart, MENVCFG, UINT64_MAX);
    assert_false(csr(w.hart, MENVCFG) & STCE);
    world_free(&w);
}

/* ---- counters ---- */

enum {
    MCOUNTINHIBIT = 0x320,
    MCYCLE_ = 0xb00,
    MINSTRET_ = 0xb02,
    CY = 1,
    IR = 4,
    PROGRAMMABLE = 0x7f8
};

static void an_inhibited_counter_stands_and_goes_on_from_there(void **state)
{
    struct world w = world_new();
    struct hart *h = w.hart;
    uint64_t cycles, insns;

    (void)state;
    exec(&w, ADDI(A0, ZERO, 1));
    set_csr(h, MCOUNTINHIBIT, UINT64_MAX);
    assert_int_equal(csr(h, MCOUNTINHIBIT), CY | IR | PROGRAMMABLE);
    cycles = csr(h, MCYCLE_);
    insns = csr(h, MINSTRET_);
    for (unsigned n = 0; n < 5; n++)
        exec(&w, ADDI(A0, ZERO, 1));
    assert_int_equal(csr(h, MCYCLE_), cycles);
    assert_int_equal(csr(h, MINSTRET_), insns);
    set_csr(h, MINSTRET_, 1000);
    assert_int_equal(csr(h, MINSTRET_), 1000);
    set_csr(h, MCOUNTINHIBIT, CY);
    for (unsigned n = 0; n < 5; n++)
        exec(&w, ADDI(A0, ZERO, 1));
    assert_int_equal(csr(h, MINSTRET_), 1005);
    assert_int_equal(csr(h, MCYCLE_), cycles);
    world_free(&w);
}

/* ---- no compressed instructions ---- */

static void without_c_targets_are_multiples_of_four(void **state)
{
    static const uint32_t jumps[] = {JAL(RA, 6), JALR(RA, A0, 2), BEQ(ZERO, ZERO, 6)};
    struct world w = without(EXTS_C);
    struct hart *h = w.hart;

    (void)state;
    for (size_t n = 0; n < sizeof jumps / sizeof *jumps; n++) {
        uint64_t at = put(&w, jumps[n]), target = n == 1 ? DATA + 2 : at + 6;

        hart_set_reg(h, RA, 99);
        hart_set_reg(h, A0, DATA);
        step_at(&w, at);
        assert_trapped(h, EXC_FETCH_MISALIGNED, at, target);
        assert_int_equal(hart_reg(h, RA), 99);
    }
    exec(&w, BNE(ZERO, ZERO, 6)); /* not taken: its target does not matter */
    assert_int_equal(hart_pc(h), w.put_at);
    set_csr(h, MEPC, UINT64_MAX);
    assert_int_equal(csr(h, MEPC) & 3, 0);
    step_at(&w, put(&w, 0x00010001)); /* two c.nop */
    assert_int_equal(csr(h, MCAUSE), EXC_ILLEGAL);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accessed_and_dirty_are_set_or_fault_as_menvcfg_says),
        cmocka_unit_test(without_svadu_software_sets_them),
        cmocka_unit_test(a_napot_entry_maps_sixty_four_kilobytes),
        cmocka_unit_test(each_entry_of_a_napot_range_is_for_its_own_page),
        cmocka_unit_test(other_napot_sizes_and_levels_are_reserved),
        cmocka_unit_test(an_sfence_of_one_page_reaches_the_whole_napot_range),
        cmocka_unit_test(without_svnapot_the_bit_is_reserved),
        cmocka_unit_test(memory_types_are_taken_where_they_are_enabled),
        cmocka_unit_test(without_svpbmt_they_are_reserved),
        cmocka_unit_test(stimecmp_is_granted_by_two_registers),
        cmocka_unit_test(stip_is_the_comparisons_where_it_is_enabled_and_software_s_where_not),
        cmocka_unit_test(without_sstc_there_is_no_such_register),
        cmocka_unit_test(an_inhibited_counter_stands_and_goes_on_from_there),
        cmocka_unit_test(without_c_targets_are_multiples_of_four),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
