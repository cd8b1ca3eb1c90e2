/*
 * jump.c - jumps and calls, of four bytes and of two.
 */
#include "isa/insn/special.h"

/* ---- jumps of full size ---- */

static void assert_jump(struct world *w, uint32_t word, uint64_t target, unsigned link)
{
    uint64_t at = exec(w, word);

    assert_int_equal(hart_pc(w->hart), target);
    if (link)
        assert_int_equal(hart_reg(w->hart, link), at + ((word & 3) == 3 ? 4 : 2));
}

void jal_links_the_next_instruction(struct world *w)
{
    assert_jump(w, JAL(RA, 16), CODE + 16, RA);
}

void jal_backwards_without_a_link(struct world *w)
{
    assert_jump(w, JAL(ZERO, -16), CODE - 16, ZERO);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
    assert_int_equal(hart_reg(w->hart, RA), 0);
}

void jal_reaches_to_its_limits(struct world *w)
{
    w->put_at = RAM_BASE + 0x80000;
    assert_jump(w, JAL(T0, 0xffffe), RAM_BASE + 0x80000 + 0xffffe, T0);
    w->put_at = RAM_BASE + 0x80000;
    assert_jump(w, JAL(T0, -0x100000), RAM_BASE + 0x80000 - 0x100000, T0);
}

void jal_to_itself_stays(struct world *w)
{
    assert_jump(w, JAL(RA, 0), CODE, RA);
}

void jal_to_a_compressed_boundary(struct world *w)
{
    poke(w, CODE + 6, C_LI(A0, 9), 2);
    assert_jump(w, JAL(RA, 6), CODE + 6, RA);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A0), 9);
    assert_int_equal(hart_pc(w->hart), CODE + 8);
}

void jalr_links_and_goes(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA);
    assert_jump(w, JALR(RA, A0, 2046), DATA + 2046, RA);
}

void jalr_reads_rs1_before_it_writes_rd(struct world *w)
{
    hart_set_reg(w->hart, RA, DATA);
    assert_jump(w, JALR(RA, RA, 4), DATA + 4, RA);
}

void jalr_clears_bit_0_of_an_odd_target(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA + 1);
    assert_jump(w, JALR(RA, A0, 0), DATA, RA);
    assert_jump(w, JALR(RA, A0, 1), DATA + 2, RA);
    hart_set_reg(w->hart, A0, DATA);
    assert_jump(w, JALR(RA, A0, -1), DATA - 2, RA);
}

void jalr_with_a_negative_offset(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA);
    assert_jump(w, JALR(T0, A0, -2048), DATA - 2048, T0);
}

void jalr_from_x0_wraps_around(struct world *w)
{
    assert_jump(w, JALR(RA, ZERO, -4), UINT64_C(0xfffffffffffffffc), RA);
}

void jalr_without_a_link(struct world *w)
{
    hart_set_reg(w->hart, RA, DATA);
    assert_jump(w, JALR(ZERO, RA, 0), DATA, ZERO);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
    assert_int_equal(hart_reg(w->hart, RA), DATA);
}

/* ---- jumps of two bytes ---- */

void c_jalr_links_two_bytes_on(struct world *w)
{
    hart_set_reg(w->hart, A0, DATA);
    assert_jump(w, C_JALR(A0), DATA, RA);
}

void c_jalr_through_ra(struct world *w)
{
    hart_set_reg(w->hart, RA, DATA);
    assert_jump(w, C_JALR(RA), DATA, RA);
}

void c_jalr_clears_bit_0_of_an_odd_target(struct world *w)
{
    hart_set_reg(w->hart, T6, DATA + 3);
    assert_jump(w, C_JALR(T6), DATA + 2, RA);
}

void c_jalr_backwards(struct world *w)
{
    w->put_at = CODE + 0x102;
    hart_set_reg(w->hart, T0, CODE);
    assert_jump(w, C_JALR(T0), CODE, RA);
}
