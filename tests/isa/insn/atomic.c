/*
 * atomic.c - load-reserved and store-conditional, on one hart and between two.
 */
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
