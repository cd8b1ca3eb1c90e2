/*
 * atomic.c - load-reserved and store-conditional, on one hart and between two.
 */
#include "base/bits.h"
#include "base/compiler.h"
#include "cpu/isa/decode.h"
#include "isa/insn/special.h"

void lr_w_sign_extends(struct world *w)
{
    reserve(w, LR_W(0, A1, A0), 0x1234567880000001);
    assert_int_equal(hart_reg(w->hart, A1), 0xffffffff80000001);
    reserve(w, LR_W(2, A1, A0), 0xffffffff7fffffff);
    assert_int_equal(hart_reg(w->hart, A1), 0x7fffffff);
}

static void assert_atomic_traps(struct world *w, uint32_t word, uint64_t address, uint64_t cause)
{
    hart_set_reg(w->hart, A0, address);
    assert_word_traps(w, hart_mode(w->hart), word, cause, address);
}

void lr_w_misaligned_traps(struct world *w)
{
    assert_atomic_traps(w, LR_W(0, A1, A0), DATA + 2, EXC_LOAD_MISALIGNED);
}

void lr_w_from_nowhere_is_an_access_fault(struct world *w)
{
    assert_atomic_traps(w, LR_W(0, A1, A0), 0x40, EXC_LOAD_ACCESS);
}

void lr_w_reads_its_base_before_it_writes_it(struct world *w)
{
    reserve(w, LR_W(0, A0, A0), 77);
    assert_int_equal(hart_reg(w->hart, A0), 77);
}

void lr_d_loads_eight_bytes(struct world *w)
{
    reserve(w, LR_D(0, A1, A0), 0x8877665544332211);
    assert_int_equal(hart_reg(w->hart, A1), 0x8877665544332211);
}

void lr_d_misaligned_traps(struct world *w)
{
    assert_atomic_traps(w, LR_D(0, A1, A0), DATA + 4, EXC_LOAD_MISALIGNED);
}

void lr_d_with_every_ordering(struct world *w)
{
    for (unsigned aqrl = 0; aqrl < 4; aqrl++) {
        reserve(w, LR_D(aqrl, A1, A0), 100 + aqrl);
        assert_int_equal(hart_reg(w->hart, A1), 100 + aqrl);
    }
}

void lr_d_to_x0_still_reserves(struct world *w)
{
    reserve(w, LR_D(0, ZERO, A0), 5);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
    hart_set_reg(w->hart, A2, 6);
    assert_store_conditional(w, SC_D(0, A1, A2, A0), true, 6);
}

void sc_w_stores_and_gives_zero(struct world *w)
{
    for (unsigned aqrl = 0; aqrl < 4; aqrl++) {
        reserve(w, LR_W(0, A3, A0), 5);
        hart_set_reg(w->hart, A2, 6);
        assert_store_conditional(w, SC_W(aqrl, A1, A2, A0), true, 6);
    }
}

void sc_w_without_a_reservation_stores_nothing(struct world *w)
{
    poke(w, DATA, 5, 8);
    hart_set_reg(w->hart, A0, DATA);
    hart_set_reg(w->hart, A2, 6);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), false, 5);
}

void sc_w_elsewhere_stores_nothing(struct world *w)
{
    reserve(w, LR_W(0, A3, A0), 5);
    poke(w, DATA + 0x100, FILL, 8);
    hart_set_reg(w->hart, A0, DATA + 0x100);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), false, 5);
    assert_int_equal(peek(w, DATA + 0x100, 8), FILL);
    hart_set_reg(w->hart, A0, DATA); /* and the attempt has used the reservation up */
    assert_store_conditional(w, SC_W(0, A1, A2, A0), false, 5);
}

void sc_w_succeeds_once_only(struct world *w)
{
    reserve(w, LR_W(0, A3, A0), 5);
    hart_set_reg(w->hart, A2, 6);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), true, 6);
    hart_set_reg(w->hart, A2, 7);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), false, 6);
}

void sc_w_misaligned_traps(struct world *w)
{
    reserve(w, LR_W(0, A3, A0), 5);
    assert_atomic_traps(w, SC_W(0, A1, A2, A0), DATA + 1, EXC_STORE_MISALIGNED);
    assert_int_equal(peek(w, DATA, 8), 5);
}

void sc_w_leaves_the_upper_half(struct world *w)
{
    reserve(w, LR_W(0, A3, A0), FILL);
    hart_set_reg(w->hart, A2, 0x1122334455667788);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), true, 0xa5a5a5a555667788);
}

void sc_d_stores_and_gives_zero(struct world *w)
{
    for (unsigned aqrl = 0; aqrl < 4; aqrl++) {
        reserve(w, LR_D(0, A3, A0), FILL);
        hart_set_reg(w->hart, A2, 0x1122334455667788);
        assert_store_conditional(w, SC_D(aqrl, A1, A2, A0), true, 0x1122334455667788);
    }
}

void sc_d_without_a_reservation_stores_nothing(struct world *w)
{
    poke(w, DATA, 5, 8);
    hart_set_reg(w->hart, A0, DATA);
    assert_store_conditional(w, SC_D(0, A1, A2, A0), false, 5);
}

void sc_d_with_rd_equal_to_rs2(struct world *w)
{
    reserve(w, LR_D(0, A3, A0), 5);
    assert_store_conditional(w, SC_D(0, A1, A1, A0), true, 77);
}

void sc_d_misaligned_traps_without_a_reservation(struct world *w)
{
    assert_atomic_traps(w, SC_D(0, A1, A2, A0), DATA + 4, EXC_STORE_MISALIGNED);
}

void cbo_zero_breaks_another_harts_reservation(struct world *unused)
{
    struct pair p;

    (void)unused;
    make_pair(&p);
    reserve(&p.w, LR_D(0, A3, A0), 5);
    other_hart_executes(&p, CBO_ZERO(A0), DATA + 60);
    hart_set_reg(p.w.hart, A2, 6);
    assert_store_conditional(&p.w, SC_D(0, A1, A2, A0), false, 0);
    world_free(&p.w);
}

/* The same once the address is in the translation caches, where no slow path is taken. */

static void warm(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA);
    hart_set_reg(w->hart, A2, 0);
    exec(w, AMOADD_D(0, ZERO, A2, A0));
    exec(w, LR_D(0, A3, A0));
    exec(w, SC_D(0, A1, A2, A0));
}

void lr_and_sc_mean_the_same_with_a_cached_translation(struct world *w)
{
    warm(w);
    lr_w_sign_extends(w);
    reserve(w, LR_D(0, A3, A0), 5);
    assert_int_equal(hart_reg(w->hart, A3), 5);
    hart_set_reg(w->hart, A2, 0x1122334455667788);
    assert_store_conditional(w, SC_W(0, A1, A2, A0), true, 0x55667788);
    assert_store_conditional(w, SC_D(0, A1, A2, A0), false, 0x55667788); /* used up */
    reserve(w, LR_D(0, A3, A0), 5);
    hart_set_reg(w->hart, A0, DATA + BLOCK); /* another line of the page */
    assert_store_conditional(w, SC_D(0, A1, A2, A0), false, 5);
    hart_set_reg(w->hart, A0, DATA);
    assert_store_conditional(w, SC_D(0, A1, A2, A0), false, 5);
    reserve(w, LR_D(0, A3, A0), 5);
    hart_set_reg(w->hart, A0, DATA + 8); /* the same line */
    assert_store_conditional(w, SC_D(0, A1, A2, A0), true, 5);
    assert_int_equal(peek(w, DATA + 8, 8), 0x1122334455667788);
    reserve(w, LR_D(0, ZERO, A0), 5);
    assert_store_conditional(w, SC_D(0, A1, A2, A0), true, 0x1122334455667788);
    assert_atomic_traps(w, LR_D(0, A1, A0), DATA + 4, EXC_LOAD_MISALIGNED);
    assert_atomic_traps(w, SC_D(0, A1, A2, A0), DATA + 4, EXC_STORE_MISALIGNED);
}

static void assert_conditional_fails(struct pair *p, bool fails)
{
    hart_set_reg(p->w.hart, A2, 6);
    hart_set_reg(p->w.hart, A1, 77);
    exec(&p->w, SC_D(0, A1, A2, A0));
    assert_int_equal(hart_reg(p->w.hart, A1), fails);
}

static void breaks_the_reservation(struct pair *p, uint32_t word, uint64_t at, bool breaks)
{
    reserve(&p->w, LR_D(0, A3, A0), 5);
    other_hart_executes(p, word, at);
    assert_conditional_fails(p, breaks);
}

void reservations_are_exact_between_harts_with_cached_translations(struct world *unused)
{
    struct pair p;
    struct world other;

    (void)unused;
    make_pair(&p);
    for (unsigned round = 0; round < 3; round++) {
        warm(&p.w);
        other = p.w;
        other.hart = p.other;
        warm(&other);
        p.w.put_at = other.put_at;
        breaks_the_reservation(&p, AMOADD_D(0, ZERO, A2, A0), DATA, true);
        breaks_the_reservation(&p, AMOSWAP_W(0, ZERO, A2, A0), DATA + BLOCK - 4, true);
        breaks_the_reservation(&p, AMOADD_D(0, ZERO, A2, A0), DATA + BLOCK, false);
        breaks_the_reservation(&p, SD(A0, A0, 0), DATA + 8, true);
        breaks_the_reservation(&p, LR_D(0, A3, A0), DATA, false);
        reserve(&p.w, LR_D(0, A3, A0), 5);
        other_hart_executes(&p, LR_D(0, A3, A0), DATA + 8);
        other_hart_executes(&p, SC_D(0, A1, A2, A0), DATA + 8);
        assert_int_equal(hart_reg(p.other, A1), 0);
        assert_conditional_fails(&p, true);
        breaks_the_reservation(&p, SC_D(0, A1, A2, A0), DATA, false); /* it fails */
    }
    world_free(&p.w);
}

/* The set is the whole line; the manual lets an SC of another size succeed within it. */
void sc_w_within_the_line_of_lr_d_succeeds(struct world *w)
{
    reserve(w, LR_D(0, A3, A0), 5);
    hart_set_reg(w->hart, A2, 6);
    hart_set_reg(w->hart, A0, DATA + 60);
    exec(w, SC_W(0, A1, A2, A0));
    assert_int_equal(hart_reg(w->hart, A1), 0);
    assert_int_equal(peek(w, DATA + 60, 4), 6);
}

/* ---- compare and swap ---- */

static const struct {
    uint32_t word; /* rd a0, rs2 a2, rs1 a1 */
    unsigned bits;
} swaps[] = {{AMOCAS_B(0, A0, A2, A1), 8},
             {AMOCAS_H(1, A0, A2, A1), 16},
             {AMOCAS_W(2, A0, A2, A1), 32},
             {AMOCAS_D(3, A0, A2, A1), 64}};

static const uint64_t found = 0x11223344d5e6f788, stored = 0x99aabbccddeeff00;

static uint64_t low(uint64_t value, unsigned bits)
{
    return value & ~UINT64_C(0) >> (64 - bits);
}

static void compare_and_swap(struct world *w, uint32_t word, uint64_t expected)
{
    poke(w, DATA, found, 8);
    hart_set_reg(w->hart, A0, expected);
    hart_set_reg(w->hart, A1, DATA);
    hart_set_reg(w->hart, A2, stored);
    exec(w, word);
}

void amocas_stores_where_it_finds_what_it_expects(struct world *w)
{
    for (size_t i = 0; i < ARRAY_LEN(swaps); i++) {
        const unsigned bits = swaps[i].bits;

        compare_and_swap(w, swaps[i].word, found);
        assert_int_equal(hart_reg(w->hart, A0), sign_extend(found, bits));
        assert_int_equal(peek(w, DATA, 8), (found ^ low(found, bits)) | low(stored, bits));
    }
}

void amocas_leaves_what_differs(struct world *w)
{
    for (size_t i = 0; i < ARRAY_LEN(swaps); i++)
        for (unsigned bit = 0; bit < swaps[i].bits; bit++) {
            compare_and_swap(w, swaps[i].word, found ^ UINT64_C(1) << bit);
            assert_int_equal(hart_reg(w->hart, A0), sign_extend(found, swaps[i].bits));
            assert_int_equal(peek(w, DATA, 8), found);
        }
}

void amocas_compares_no_more_than_its_width(struct world *w)
{
    for (size_t i = 0; i < ARRAY_LEN(swaps); i++)
        for (unsigned bit = swaps[i].bits; bit < 64; bit++) {
            compare_and_swap(w, swaps[i].word, found ^ UINT64_C(1) << bit);
            assert_int_equal(low(peek(w, DATA, 8), swaps[i].bits), low(stored, swaps[i].bits));
        }
}

void amocas_misaligned_or_outside_traps(struct world *w)
{
    static const uint32_t q = AMOCAS_Q(0, A4, A2, A0);

    for (size_t i = 0; i < ARRAY_LEN(swaps); i++) {
        uint32_t word = A_TYPE(0x05, 0, A2, A0, i, A1);

        if (i)
            assert_atomic_traps(w, word, DATA + swaps[i].bits / 16, EXC_STORE_MISALIGNED);
        assert_atomic_traps(w, word, RAM_BASE + RAM_SIZE, EXC_STORE_ACCESS);
    }
    assert_atomic_traps(w, q, DATA + 8, EXC_STORE_MISALIGNED);
    assert_atomic_traps(w, q, RAM_BASE + RAM_SIZE, EXC_STORE_ACCESS);
}

void amocas_to_x0_expects_zero(struct world *w)
{
    hart_set_reg(w->hart, A1, DATA);
    hart_set_reg(w->hart, A2, stored);
    for (unsigned width = 0; width < 4; width++) {
        poke(w, DATA, 0, 8);
        exec(w, A_TYPE(0x05, 0, A2, A1, width, ZERO));
        assert_int_equal(peek(w, DATA, 8), low(stored, 8U << width));
        assert_int_equal(hart_reg(w->hart, ZERO), 0);
        poke(w, DATA, found, 8);
        exec(w, A_TYPE(0x05, 0, A2, A1, width, ZERO));
        assert_int_equal(peek(w, DATA, 8), found);
    }
}

static void swap_pairs(struct world *w, uint32_t word, uint64_t low_half, uint64_t high_half)
{
    poke(w, DATA, found, 8);
    poke(w, DATA + 8, ~found, 8);
    hart_set_reg(w->hart, A0, DATA);
    hart_set_reg(w->hart, A2, stored);
    hart_set_reg(w->hart, A3, ~stored);
    hart_set_reg(w->hart, A4, low_half);
    hart_set_reg(w->hart, A5, high_half);
    exec(w, word);
}

void amocas_q_swaps_pairs(struct world *w)
{
    for (unsigned aqrl = 0; aqrl < 4; aqrl++) {
        swap_pairs(w, AMOCAS_Q(aqrl, A4, A2, A0), found, ~found);
        assert_int_equal(hart_reg(w->hart, A4), found);
        assert_int_equal(hart_reg(w->hart, A5), ~found);
        assert_int_equal(peek(w, DATA, 8), stored);
        assert_int_equal(peek(w, DATA + 8, 8), ~stored);
    }
}

void amocas_q_leaves_what_differs_in_either_half(struct world *w)
{
    for (unsigned bit = 0; bit < 128; bit++) {
        swap_pairs(w, AMOCAS_Q(0, A4, A2, A0), found ^ (bit < 64 ? UINT64_C(1) << bit : 0),
                   ~found ^ (bit < 64 ? 0 : UINT64_C(1) << (bit - 64)));
        assert_int_equal(hart_reg(w->hart, A4), found);
        assert_int_equal(hart_reg(w->hart, A5), ~found);
        assert_int_equal(peek(w, DATA, 8), found);
        assert_int_equal(peek(w, DATA + 8, 8), ~found);
    }
}

void amocas_q_with_x0_means_zero(struct world *w)
{
    hart_set_reg(w->hart, RA, 5);
    swap_pairs(w, AMOCAS_Q(0, ZERO, A2, A0), 0, 0);
    assert_int_equal(peek(w, DATA, 8), found);
    swap_pairs(w, AMOCAS_Q(0, A4, ZERO, A0), found, ~found);
    assert_int_equal(peek(w, DATA, 8), 0);
    assert_int_equal(peek(w, DATA + 8, 8), 0);
    exec(w, AMOCAS_Q(0, ZERO, A2, A0));
    assert_int_equal(peek(w, DATA, 8), stored);
    assert_int_equal(peek(w, DATA + 8, 8), ~stored);
    assert_int_equal(hart_reg(w->hart, RA), 5);
}

void amocas_q_needs_even_registers(struct world *w)
{
    struct insn i;

    (void)w;
    assert_true(insn_decode(AMOCAS_Q(0, A4, A2, A0), &i));
    assert_false(insn_decode(AMOCAS_Q(0, A5, A2, A0), &i));
    assert_false(insn_decode(AMOCAS_Q(0, A4, A3, A0), &i));
}
