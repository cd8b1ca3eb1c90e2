/*
 * test_float_insn.c - every floating-point row of the instruction table.
 *
 * float_cases.py computes the examples with exact fractions. Each runs in M, S
 * and U mode; result, flags, the state of mstatus.FS and all registers that do
 * not take part are compared. With FS off each is illegal and changes nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/isa/isa.h"
#include "world.h"

enum { CASES_WANTED = 4, FS_INITIAL = 1, FS_DIRTY = 3, FS_SHIFT = 13, FA0 = 10, FILL_BYTE = 0xa5 };
enum { FFLAGS = 1, FRM = 2 };

enum kind { VALUE, LOAD_CASE, STORE_CASE };

struct float_case {
    unsigned row;
    uint32_t word;
    enum kind kind;
    uint64_t fa1, fa2, fa3, a1; /* LOAD and STORE: fa1 is what is loaded or stored */
    unsigned frm;
    char dest; /* 'f' or 'x' */
    uint64_t result;
    unsigned flags;
};

static const struct float_case cases[] = {
#define V(row, word, a, b, c, x, frm, dest, result, flags) \
    {ROW_##row, word, VALUE, a, b, c, x, frm, dest, result, flags},
#define L(row, word, bytes, reg) {ROW_##row, word, LOAD_CASE, bytes, 0, 0, DATA, 0, 'f', reg, 0},
#define S(row, word, reg, bytes) {ROW_##row, word, STORE_CASE, reg, 0, 0, DATA, 0, 'm', bytes, 0},
#include "isa/float_cases.def"
#undef V
#undef L
#undef S
};

static uint64_t untouched(unsigned reg)
{
    return UINT64_C(0x7ff0000000000000) + reg;
}

static void set_fs(struct hart *h, unsigned fs)
{
    set_csr(h, MSTATUS, (csr(h, MSTATUS) & ~(UINT64_C(3) << FS_SHIFT)) | (uint64_t)fs << FS_SHIFT);
}

static void prepare(struct world *w, const struct float_case *c, unsigned fs)
{
    struct hart *h = w->hart;
    uint64_t fill = 0;

    memset(&fill, FILL_BYTE, sizeof fill);
    start_hart(h);
    set_fs(h, fs);
    for (unsigned reg = 0; reg < 32; reg++) {
        hart_set_reg(h, reg, untouched(reg));
        hart_set_freg(h, reg, untouched(reg));
    }
    hart_set_freg(h, 11, c->fa1);
    hart_set_freg(h, 12, c->fa2);
    hart_set_freg(h, 13, c->fa3);
    hart_set_reg(h, A1, c->a1);
    hart_set_reg(h, SP, DATA);
    if (c->kind == STORE_CASE)
        hart_set_freg(h, FA0, c->fa1);
    poke(w, DATA, c->kind == LOAD_CASE ? c->fa1 : fill, 8);
    poke(w, CODE, c->word, 4);
}

static bool same(const char *what, uint64_t is, uint64_t wanted)
{
    if (is != wanted)
        print_error("    %s is %#llx, not %#llx\n", what, (unsigned long long)is,
                    (unsigned long long)wanted);
    return is == wanted;
}

static bool others_are_untouched(struct hart *h, const struct float_case *c)
{
    bool right = true;

    for (unsigned reg = 0; reg < 32; reg++) {
        bool takes_part = reg >= 10 && reg <= 13;

        if (!takes_part)
            right &= same("another register", hart_freg(h, reg), untouched(reg));
        if (!takes_part && reg != SP && reg)
            right &= same("another integer register", hart_reg(h, reg), untouched(reg));
    }
    if (c->dest != 'f' && c->kind != STORE_CASE)
        right &= same("fa0", hart_freg(h, FA0), untouched(FA0));
    if (c->dest != 'x')
        right &= same("a0", hart_reg(h, A0), untouched(A0));
    return right;
}

static bool result_is_right(struct world *w, const struct float_case *c)
{
    struct hart *h = w->hart;
    bool dirty = c->dest == 'f' || c->flags;
    uint64_t status = csr(h, MSTATUS);
    bool right = same("pc", hart_pc(h), CODE + ((c->word & 3) == 3 ? 4 : 2));

    if (c->dest == 'f')
        right &= same("fa0", hart_freg(h, FA0), c->result);
    if (c->dest == 'x')
        right &= same("a0", hart_reg(h, A0), c->result);
    if (c->dest == 'm')
        right &= same("memory", peek(w, DATA, 8), c->result);
    right &= same("fflags", csr(h, FFLAGS), c->flags);
    right &= same("mstatus.FS", status >> FS_SHIFT & 3, dirty ? FS_DIRTY : FS_INITIAL);
    right &= same("mstatus.SD", status >> 63, dirty);
    return right & others_are_untouched(h, c);
}

static bool try_in(struct world *w, const struct float_case *c, enum privilege mode)
{
    struct hart *h = w->hart;
    bool right;

    prepare(w, c, FS_INITIAL);
    set_csr(h, FRM, c->frm); /* which dirties the state */
    set_fs(h, FS_INITIAL);
    enter(h, mode, CODE);
    (void)!hart_run(h, 1, UINT64_MAX);
    right = result_is_right(w, c);
    /* With FS off there is a trap, and nothing else changes. */
    prepare(w, c, 0);
    enter(h, mode, CODE);
    (void)!hart_run(h, 1, UINT64_MAX);
    right &= same("mcause with FS off", csr(h, MCAUSE), EXC_ILLEGAL);
    right &=
        same("mtval with FS off", csr(h, MTVAL), (c->word & 3) == 3 ? c->word : c->word & 0xffff);
    right &= same("mepc with FS off", csr(h, MEPC), CODE);
    right &=
        same("fa0 with FS off", hart_freg(h, FA0), c->kind == STORE_CASE ? c->fa1 : untouched(FA0));
    return right;
}

struct row_test {
    unsigned row;
    struct world world;
};

static void run_row(void **state)
{
    static const enum privilege in_modes[] = {PRIV_M, PRIV_S, PRIV_U};
    struct row_test *t = *state;
    unsigned found = 0, wrong = 0;

    for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
        if (cases[n].row != t->row)
            continue;
        found++;
        for (size_t m = 0; m < ARRAY_LEN(in_modes); m++)
            if (!try_in(&t->world, &cases[n], in_modes[m])) {
                print_error("  case %zu, word %08x, in mode %u\n", n, (unsigned)cases[n].word,
                            in_modes[m]);
                wrong++;
            }
    }
    if (found < CASES_WANTED)
        fail_msg("%s has %u cases, not %d", row_info(t->row)->name, found, CASES_WANTED);
    if (wrong)
        fail_msg("%s: %u runs of %u cases are wrong", row_info(t->row)->name, wrong, found);
}

static int begin_row(void **state)
{
    struct row_test *t = *state;

    t->world = world_new();
    return 0;
}

static int end_row(void **state)
{
    struct row_test *t = *state;

    world_free(&t->world);
    return 0;
}

/* ---- rounding modes that are reserved ---- */

static void a_reserved_mode_in_frm_is_illegal_where_it_would_be_used(void **state)
{
    struct world w = world_new();
    struct hart *h = w.hart;

    (void)state;
    set_csr(h, MSTATUS, csr(h, MSTATUS) | UINT64_C(1) << FS_SHIFT);
    for (unsigned frm = 5; frm < 8; frm++) {
        uint64_t at;

        set_csr(h, FRM, frm);
        hart_reset(h, CODE, PRIV_M);
        start_hart(h);
        set_csr(h, MSTATUS, csr(h, MSTATUS) | UINT64_C(1) << FS_SHIFT);
        set_csr(h, FRM, frm);
        at = exec(&w, 0x02c5f553); /* fadd.d fa0,fa1,fa2 (dyn) */
        assert_trapped(h, EXC_ILLEGAL, at, 0x02c5f553);
        (void)exec(&w, 0x02c58553); /* the same to nearest even */
        assert_int_equal(hart_mode(h), PRIV_M);
        assert_true(hart_pc(h) != M_VECTOR);
        (void)exec(&w, 0xa2c5a553); /* feq.d does not round */
        assert_true(hart_pc(h) != M_VECTOR);
    }
    world_free(&w);
}

static void a_reserved_mode_in_the_instruction_is_illegal(void **state)
{
    struct world w = world_new();

    (void)state;
    set_csr(w.hart, MSTATUS, csr(w.hart, MSTATUS) | UINT64_C(1) << FS_SHIFT);
    for (uint32_t rm = 5; rm < 7; rm++) {
        uint32_t word = 0x02c58553 | rm << 12;
        uint64_t at = exec(&w, word);

        assert_trapped(w.hart, EXC_ILLEGAL, at, word);
    }
    world_free(&w);
}

/* fcsr is part of the state that FS controls. */
static void fcsr_is_there_when_fs_is_on_and_dirties_it(void **state)
{
    enum { FCSR = 3, CSRRW_FCSR = 0x00359573, CSRRS_FRM = 0x00202573 };
    struct world w = world_new();
    struct hart *h = w.hart;
    uint64_t at = exec(&w, CSRRS_FRM);

    (void)state;
    assert_trapped(h, EXC_ILLEGAL, at, CSRRS_FRM);
    set_csr(h, MSTATUS, csr(h, MSTATUS) | UINT64_C(2) << FS_SHIFT);
    hart_set_reg(h, A1, 0xfff);
    (void)exec(&w, CSRRS_FRM);
    assert_int_equal(csr(h, MSTATUS) >> FS_SHIFT & 3, 2); /* only read */
    (void)exec(&w, CSRRW_FCSR);
    assert_int_equal(csr(h, FCSR), 0xff);
    assert_int_equal(csr(h, FFLAGS), 31);
    assert_int_equal(csr(h, FRM), 7);
    assert_int_equal(csr(h, MSTATUS) >> FS_SHIFT & 3, FS_DIRTY);
    world_free(&w);
}

/* Within one block only the first use checks FS. */
static void fs_is_looked_at_again_in_a_block_that_was_decoded_with_it_on(void **state)
{
    struct world w = world_new();
    struct hart *h = w.hart;
    uint64_t first;

    (void)state;
    set_csr(h, MSTATUS, csr(h, MSTATUS) | UINT64_C(1) << FS_SHIFT);
    (void)put(&w, ADDI(A0, ZERO, 1));
    first = put(&w, 0xa2c5a553); /* feq.d */
    (void)put(&w, 0x02c58553);   /* fadd.d */
    (void)put(&w, JAL(ZERO, 0));
    run(&w, 3);
    assert_int_equal(hart_pc(h), CODE + 12);
    set_csr(h, MSTATUS, csr(h, MSTATUS) & ~(UINT64_C(3) << FS_SHIFT));
    hart_set_reg(h, A0, 0);
    run(&w, 3);
    assert_int_equal(csr(h, MEPC), first);
    assert_int_equal(hart_reg(h, A0), 1);
    assert_int_equal(csr(h, MCAUSE), EXC_ILLEGAL);
    world_free(&w);
}

static void without_f_the_state_is_off_for_ever(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT,
                                          .extensions = EXTS_ALL & ~(uint64_t)(EXTS_F | EXTS_D)};
    struct world w = world_with(&config, 1);
    uint64_t value, at;

    (void)state;
    set_csr(w.hart, MSTATUS, csr(w.hart, MSTATUS) | UINT64_C(3) << FS_SHIFT);
    assert_int_equal(csr(w.hart, MSTATUS) >> FS_SHIFT & 3, 0);
    assert_false(hart_csr(w.hart, FRM, &value));
    at = exec(&w, 0x02c58553);
    assert_trapped(w.hart, EXC_ILLEGAL, at, 0x02c58553);
    world_free(&w);
}

static const char *const claims[ROW_COUNT] = {
#define I(ext, name, match, mask, format, class) \
    [ROW_##name] = #name "_computes_as_exact_fractions_do",
#define C(ext, name, match, mask, format, base) \
    [ROW_##name] = #name "_computes_as_exact_fractions_do",
#include "cpu/isa/insn.def"
#undef I
#undef C
};

int main(void)
{
    const struct CMUnitTest whole[] = {
        cmocka_unit_test(a_reserved_mode_in_frm_is_illegal_where_it_would_be_used),
        cmocka_unit_test(a_reserved_mode_in_the_instruction_is_illegal),
        cmocka_unit_test(fcsr_is_there_when_fs_is_on_and_dirties_it),
        cmocka_unit_test(fs_is_looked_at_again_in_a_block_that_was_decoded_with_it_on),
        cmocka_unit_test(without_f_the_state_is_off_for_ever),
    };
    struct CMUnitTest tests[ROW_COUNT + ARRAY_LEN(whole)];
    struct row_test rows[ROW_COUNT];
    size_t count = ARRAY_LEN(whole);

    memset(tests, 0, sizeof tests);
    memcpy(tests, whole, sizeof whole);
    for (unsigned row = 0; row < ROW_COUNT; row++) {
        rows[row] = (struct row_test){.row = row};
        if (op_floating(row_info(row)->op) == FLOATING_X || row_info(row)->op >= FIRST_VECTOR_OP)
            continue;
        tests[count++] = (struct CMUnitTest){.name = claims[row],
                                             .test_func = run_row,
                                             .setup_func = begin_row,
                                             .teardown_func = end_row,
                                             .initial_state = &rows[row]};
    }
    return _cmocka_run_group_tests("floating point", tests, count, NULL, NULL);
}
