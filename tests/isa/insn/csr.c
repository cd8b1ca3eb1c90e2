/*
 * csr.c - the six instructions that read and write CSRs.
 */
#include "isa/insn/special.h"

void csrrw_swaps(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x1111);
    hart_set_reg(w->hart, A1, 0x2222);
    exec(w, CSRRW(A0, MSCRATCH, A1));
    assert_int_equal(hart_reg(w->hart, A0), 0x1111);
    assert_int_equal(hart_reg(w->hart, A1), 0x2222);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x2222);
}

void csrrw_with_rd_equal_to_rs1(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x1111);
    hart_set_reg(w->hart, SP, 0x2222);
    exec(w, CSRRW(SP, MSCRATCH, SP));
    assert_int_equal(hart_reg(w->hart, SP), 0x1111);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x2222);
}

void csrrw_from_x0_writes_zero(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x1111);
    exec(w, CSRRW(A0, MSCRATCH, ZERO));
    assert_int_equal(hart_reg(w->hart, A0), 0x1111);
    assert_int_equal(csr(w->hart, MSCRATCH), 0);
}

void csrrw_to_x0_drops_the_old_value(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x1111);
    hart_set_reg(w->hart, A1, UINT64_MAX);
    exec(w, CSRRW(ZERO, MSCRATCH, A1));
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
    assert_int_equal(csr(w->hart, MSCRATCH), UINT64_MAX);
}

void csrrw_of_a_read_only_register_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRW(A0, MHARTID, A1));
    assert_illegal(w, PRIV_M, CSRRW(ZERO, CYCLE, ZERO));
    assert_int_equal(hart_reg(w->hart, A0), 0);
}

void csrrw_of_no_register_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRW(A0, 0x7c0, A1));
    assert_illegal(w, PRIV_M, CSRRS(A0, 0x000, ZERO));
    assert_illegal(w, PRIV_M, CSRRS(A0, 0xc20, ZERO));
    assert_illegal(w, PRIV_M, CSRRS(A0, 0xfff, ZERO));
}

void csrrs_sets_bits(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x31);
    hart_set_reg(w->hart, A1, 0x8000000000000022);
    exec(w, CSRRS(A0, MSCRATCH, A1));
    assert_int_equal(hart_reg(w->hart, A0), 0x31);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x8000000000000033);
}

void csrrs_with_x0_reads_a_read_only_register(struct world *w)
{
    hart_set_reg(w->hart, A0, 77);
    exec(w, CSRRS(A0, MHARTID, ZERO));
    assert_int_equal(hart_reg(w->hart, A0), 0);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
}

void csrrs_with_another_register_holding_zero_is_a_write(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRS(A0, MHARTID, A1));
}

void csrrs_with_rd_equal_to_rs1(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x11);
    hart_set_reg(w->hart, A0, 0x22);
    exec(w, CSRRS(A0, MSCRATCH, A0));
    assert_int_equal(hart_reg(w->hart, A0), 0x11);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x33);
}

void csrrs_of_a_more_privileged_register_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_S, CSRRS(A0, MSCRATCH, ZERO));
    assert_illegal(w, PRIV_U, CSRRS(A0, MSCRATCH, ZERO));
    assert_illegal(w, PRIV_U, CSRRS(A0, SSCRATCH, ZERO));
    assert_illegal(w, PRIV_S, CSRRS(A0, MHARTID, ZERO));
}

void csrrc_clears_bits(struct world *w)
{
    set_csr(w->hart, MSCRATCH, UINT64_MAX);
    hart_set_reg(w->hart, A1, 0x8000000000000001);
    exec(w, CSRRC(A0, MSCRATCH, A1));
    assert_int_equal(hart_reg(w->hart, A0), UINT64_MAX);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x7ffffffffffffffe);
}

void csrrc_with_x0_reads_a_read_only_register(struct world *w)
{
    hart_set_reg(w->hart, A0, 77);
    exec(w, CSRRC(A0, MVENDORID, ZERO));
    assert_int_equal(hart_reg(w->hart, A0), 0);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
}

void csrrc_with_another_register_holding_zero_is_a_write(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRC(A0, MHARTID, A1));
}

void csrrc_with_rd_equal_to_rs1(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x33);
    hart_set_reg(w->hart, A0, 0x22);
    exec(w, CSRRC(A0, MSCRATCH, A0));
    assert_int_equal(hart_reg(w->hart, A0), 0x33);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x11);
}

void csrrwi_writes_its_number(struct world *w)
{
    set_csr(w->hart, MSCRATCH, UINT64_MAX);
    exec(w, CSRRWI(A0, MSCRATCH, 31));
    assert_int_equal(hart_reg(w->hart, A0), UINT64_MAX);
    assert_int_equal(csr(w->hart, MSCRATCH), 31);
}

void csrrwi_of_zero_is_still_a_write(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x1111);
    exec(w, CSRRWI(A0, MSCRATCH, 0));
    assert_int_equal(hart_reg(w->hart, A0), 0x1111);
    assert_int_equal(csr(w->hart, MSCRATCH), 0);
    assert_illegal(w, PRIV_M, CSRRWI(A0, MHARTID, 0));
}

void csrrwi_to_x0(struct world *w)
{
    exec(w, CSRRWI(ZERO, MSCRATCH, 5));
    assert_int_equal(csr(w->hart, MSCRATCH), 5);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
}

void csrrwi_is_not_the_register_of_that_number(struct world *w)
{
    hart_set_reg(w->hart, A0, 0x1111);
    exec(w, CSRRWI(ZERO, MSCRATCH, A0));
    assert_int_equal(csr(w->hart, MSCRATCH), 10);
}

void csrrsi_sets_bits(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 0x8000000000000011);
    exec(w, CSRRSI(A0, MSCRATCH, 12));
    assert_int_equal(hart_reg(w->hart, A0), 0x8000000000000011);
    assert_int_equal(csr(w->hart, MSCRATCH), 0x800000000000001d);
}

void csrrsi_of_zero_reads_a_read_only_register(struct world *w)
{
    hart_set_reg(w->hart, A0, 77);
    exec(w, CSRRSI(A0, MHARTID, 0));
    assert_int_equal(hart_reg(w->hart, A0), 0);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
}

void csrrsi_of_one_on_a_read_only_register_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRSI(A0, MHARTID, 1));
}

void csrrsi_to_x0(struct world *w)
{
    exec(w, CSRRSI(ZERO, MSCRATCH, 5));
    assert_int_equal(csr(w->hart, MSCRATCH), 5);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
}

void csrrci_clears_bits(struct world *w)
{
    set_csr(w->hart, MSCRATCH, UINT64_MAX);
    exec(w, CSRRCI(A0, MSCRATCH, 17));
    assert_int_equal(hart_reg(w->hart, A0), UINT64_MAX);
    assert_int_equal(csr(w->hart, MSCRATCH), UINT64_MAX - 17);
}

void csrrci_of_zero_reads_a_read_only_register(struct world *w)
{
    hart_set_reg(w->hart, A0, 77);
    exec(w, CSRRCI(A0, MHARTID, 0));
    assert_int_equal(hart_reg(w->hart, A0), 0);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
}

void csrrci_of_one_on_a_read_only_register_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_M, CSRRCI(A0, MHARTID, 1));
}

void csrrci_to_x0(struct world *w)
{
    set_csr(w->hart, MSCRATCH, 15);
    exec(w, CSRRCI(ZERO, MSCRATCH, 5));
    assert_int_equal(csr(w->hart, MSCRATCH), 10);
    assert_int_equal(hart_reg(w->hart, ZERO), 0);
}
