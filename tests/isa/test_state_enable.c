/*
 * test_state_enable.c - Ssstateen, Zkr, and pointer masking by Smnpm and Ssnpm (pointer
 * masking 1.0, chapter 2).
 */
#include "priv.h"

#define PMM(field) ((uint64_t)(field) << 32)
enum { PMM_OFF = 0, PMM_RESERVED = 1, PMM_7 = 2, PMM_16 = 3 };

/* An illegal instruction, by which a lower mode comes back to M. */
static void back_to_m(struct world *w)
{
    uint64_t at = put(w, 0);

    if (hart_mode(w->hart) == PRIV_M)
        return;
    hart_set_pc(w->hart, hart_mode(w->hart) == PRIV_U ? as_user(at) : at);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(hart_mode(w->hart), PRIV_M);
}

/* The cause with which one access of the mode ends; 0: it is made. */
static uint64_t try_at(struct world *w, enum privilege mode, uint32_t word, uint64_t va)
{
    struct hart *h = w->hart;
    uint64_t at;

    back_to_m(w);
    at = put(w, word);
    set_csr(h, MCAUSE, 0);
    enter(h, mode, mode == PRIV_U ? as_user(at) : at);
    hart_set_reg(h, A0, va);
    hart_set_reg(h, A1, 5);
    (void)!hart_run(h, 1, UINT64_MAX);
    return csr(h, MCAUSE);
}

static void mask(struct world *w, uint64_t menvcfg, uint64_t senvcfg)
{
    set_csr(w->hart, MENVCFG, csr(w->hart, MENVCFG) & ~PMM(3));
    set_csr(w->hart, MENVCFG, csr(w->hart, MENVCFG) | PMM(menvcfg));
    set_csr(w->hart, SENVCFG, PMM(senvcfg));
}

#define TAG(n, bit) ((uint64_t)(n) << (bit))

static void a_user_pointer_may_have_a_tag_of_seven_bits(void **state)
{
    struct world *w = *state;
    uint64_t va = as_user(DATA);

    build_tables(w);
    poke(w, DATA, 77, 8);
    mask(w, PMM_OFF, PMM_7);
    for (unsigned tag = 0; tag < 128; tag++) {
        assert_int_equal(try_at(w, PRIV_U, LD(A1, A0, 0), va | TAG(tag, 57)), 0);
        assert_int_equal(hart_reg(w->hart, A1), 77);
    }
    assert_int_equal(try_at(w, PRIV_U, LD(A1, A0, 0), va | TAG(1, 56)), EXC_LOAD_PAGE);
    mask(w, PMM_OFF, PMM_16);
    assert_int_equal(try_at(w, PRIV_U, LD(A1, A0, 0), va | TAG(0xfedc, 48)), 0);
    assert_int_equal(try_at(w, PRIV_U, LD(A1, A0, 0), va | TAG(1, 47)), EXC_LOAD_PAGE);
}

static void every_kind_of_access_is_masked(void **state)
{
    static const uint32_t words[] = {
        LB(A1, A0, 0),           LW(A1, A0, 4),           SB(A1, A0, 0),
        SD(A1, A0, 0),           LR_W(0, A1, A0),         AMOADD_D(0, A1, A2, A0),
        AMOCAS_W(0, A1, A2, A0), AMOCAS_Q(0, A2, A4, A0), LD(A1, A0, 2046)};
    struct world *w = *state;
    uint64_t va = as_user(DATA) | TAG(0x55, 57);

    build_tables(w);
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        mask(w, PMM_OFF, PMM_OFF);
        assert_true(try_at(w, PRIV_U, words[i], va) == EXC_LOAD_PAGE ||
                    csr(w->hart, MCAUSE) == EXC_STORE_PAGE);
        mask(w, PMM_OFF, PMM_7);
        assert_int_equal(try_at(w, PRIV_U, words[i], va), 0);
        assert_int_equal(try_at(w, PRIV_U, words[i], va), 0);
        mask(w, PMM_OFF, PMM_OFF); /* nothing is left of it */
        assert_int_not_equal(try_at(w, PRIV_U, words[i], va), 0);
    }
}

static void a_fault_shows_the_masked_address(void **state)
{
    struct world *w = *state;
    const uint64_t nowhere = UINT64_C(0x3000000000) | TAG(0x7f, 57);

    build_tables(w);
    mask(w, PMM_OFF, PMM_7);
    assert_int_equal(try_at(w, PRIV_U, SD(A1, A0, 0), nowhere), EXC_STORE_PAGE);
    assert_int_equal(csr(w->hart, MTVAL), UINT64_C(0x3000000000));
}

static void supervisor_pointers_are_masked_by_menvcfg_alone(void **state)
{
    struct world *w = *state;

    build_tables(w);
    mask(w, PMM_OFF, PMM_7);
    assert_int_equal(try_at(w, PRIV_S, LD(A1, A0, 0), DATA | TAG(1, 57)), EXC_LOAD_PAGE);
    mask(w, PMM_7, PMM_OFF);
    assert_int_equal(try_at(w, PRIV_S, LD(A1, A0, 0), DATA | TAG(1, 57)), 0);
    assert_int_equal(try_at(w, PRIV_U, LD(A1, A0, 0), as_user(DATA) | TAG(1, 57)), EXC_LOAD_PAGE);
    assert_int_equal(try_at(w, PRIV_M, LD(A1, A0, 0), DATA | TAG(1, 57)), EXC_LOAD_ACCESS);
}

/* The upper half of Sv39, with a tag of zeroes. */
static void what_is_masked_gets_the_sign_of_a_virtual_address(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, ROOT + 8 * 511, ENTRY(RAM_BASE) | RWX | VAD, 8);
    poke(w, DATA, 78, 8);
    mask(w, PMM_7, PMM_OFF);
    assert_int_equal(try_at(w, PRIV_S, LD(A1, A0, 0),
                            (DATA - RAM_BASE + UINT64_C(0xffffffffc0000000)) & ~TAG(127, 57)),
                     0);
    assert_int_equal(hart_reg(w->hart, A1), 78);
}

static void a_physical_address_gets_zeroes(void **state)
{
    struct world *w = *state;

    mask(w, PMM_7, PMM_OFF);
    poke(w, DATA, 79, 8);
    assert_int_equal(try_at(w, PRIV_S, LD(A1, A0, 0), DATA | TAG(0x7f, 57)), 0);
    assert_int_equal(hart_reg(w->hart, A1), 79);
}

static void instructions_are_fetched_from_where_they_are(void **state)
{
    struct world *w = *state;

    mask(w, PMM_7, PMM_OFF);
    assert_int_equal(try_at(w, PRIV_S, JALR(ZERO, A0, 0), CODE | TAG(1, 57)), 0);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(csr(w->hart, MCAUSE), EXC_FETCH_ACCESS);
}

static void mprv_masks_as_the_mode_does_unless_mxr_is_set(void **state)
{
    struct world *w = *state;
    uint64_t va = as_user(DATA) | TAG(3, 57);

    build_tables(w);
    mask(w, PMM_OFF, PMM_7);
    enter(w->hart, PRIV_M, CODE);
    for (unsigned mxr = 0; mxr < 2; mxr++) {
        uint64_t at = put(w, LD(A1, A0, 0));

        set_csr(w->hart, MCAUSE, 0);
        set_csr(w->hart, MSTATUS, STATUS_MPRV | MPP(PRIV_U) | (mxr ? STATUS_MXR : 0));
        hart_set_reg(w->hart, A0, va);
        hart_set_pc(w->hart, at);
        (void)!hart_run(w->hart, 1, UINT64_MAX);
        assert_int_equal(csr(w->hart, MCAUSE), mxr ? EXC_LOAD_PAGE : 0);
        set_csr(w->hart, MSTATUS, 0);
    }
}

static void the_reserved_value_is_not_kept(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, SENVCFG, PMM(PMM_7));
    set_csr(w->hart, SENVCFG, PMM(PMM_RESERVED));
    assert_int_equal(csr(w->hart, SENVCFG) >> 32 & 3, PMM_7);
}

/* ---- Ssstateen ---- */

static uint64_t reads(struct world *w, unsigned number)
{
    return try_at(w, PRIV_S, CSRRS(A1, number, ZERO), 0);
}

static void mstateen_opens_sstateen_and_senvcfg_to_s_mode(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MSTATEEN0, 0);
    assert_int_equal(reads(w, SENVCFG), EXC_ILLEGAL);
    assert_int_equal(reads(w, SSTATEEN0), EXC_ILLEGAL);
    set_csr(w->hart, MSTATEEN0, UINT64_C(1) << 62);
    assert_int_equal(reads(w, SENVCFG), 0);
    assert_int_equal(reads(w, SSTATEEN0), EXC_ILLEGAL);
    set_csr(w->hart, MSTATEEN0, UINT64_C(1) << 63);
    assert_int_equal(reads(w, SENVCFG), EXC_ILLEGAL);
    assert_int_equal(reads(w, SSTATEEN0), 0);
    assert_int_equal(reads(w, SSTATEEN0 + 3), EXC_ILLEGAL);
    set_csr(w->hart, MSTATEEN0 + 3, UINT64_MAX);
    assert_int_equal(reads(w, SSTATEEN0 + 3), 0);
}

static void only_bits_of_what_is_there_are_kept(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MSTATEEN0, UINT64_MAX);
    assert_int_equal(csr(w->hart, MSTATEEN0), UINT64_C(3) << 62);
    set_csr(w->hart, MSTATEEN0 + 1, UINT64_MAX);
    assert_int_equal(csr(w->hart, MSTATEEN0 + 1), UINT64_C(1) << 63);
    set_csr(w->hart, SSTATEEN0, UINT64_MAX);
    assert_int_equal(csr(w->hart, SSTATEEN0), 0);
}

/* ---- Zkr ---- */

enum { SEED = 0x015, MSECCFG = 0x747 };

static void seed_gives_sixteen_bits_to_whoever_may_have_them(void **state)
{
    struct world *w = *state;
    uint64_t first, second;

    assert_int_equal(try_at(w, PRIV_M, CSRRW(A1, SEED, ZERO), 0), 0);
    first = hart_reg(w->hart, A1);
    assert_int_equal(first >> 16, UINT64_C(2) << 14);
    assert_int_equal(try_at(w, PRIV_M, CSRRW(A1, SEED, ZERO), 0), 0);
    second = hart_reg(w->hart, A1);
    assert_int_not_equal(first, second);
    assert_int_equal(try_at(w, PRIV_M, CSRRS(A1, SEED, ZERO), 0), EXC_ILLEGAL);
    assert_int_equal(try_at(w, PRIV_S, CSRRW(A1, SEED, ZERO), 0), EXC_ILLEGAL);
    back_to_m(w);
    set_csr(w->hart, MSECCFG, UINT64_MAX);
    assert_int_equal(csr(w->hart, MSECCFG), 0x300);
    assert_int_equal(try_at(w, PRIV_S, CSRRW(A1, SEED, ZERO), 0), 0);
    back_to_m(w);
    set_csr(w->hart, MSECCFG, 0x200);
    build_tables(w);
    assert_int_equal(try_at(w, PRIV_U, CSRRW(A1, SEED, ZERO), 0), EXC_ILLEGAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(a_user_pointer_may_have_a_tag_of_seven_bits),
        ALONE(every_kind_of_access_is_masked),
        ALONE(a_fault_shows_the_masked_address),
        ALONE(supervisor_pointers_are_masked_by_menvcfg_alone),
        ALONE(what_is_masked_gets_the_sign_of_a_virtual_address),
        ALONE(a_physical_address_gets_zeroes),
        ALONE(instructions_are_fetched_from_where_they_are),
        ALONE(mprv_masks_as_the_mode_does_unless_mxr_is_set),
        ALONE(the_reserved_value_is_not_kept),
        ALONE(mstateen_opens_sstateen_and_senvcfg_to_s_mode),
        ALONE(seed_gives_sixteen_bits_to_whoever_may_have_them),
        ALONE(only_bits_of_what_is_there_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
