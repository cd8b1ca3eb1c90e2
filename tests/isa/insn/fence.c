/*
 * fence.c - fence.i, and what makes a changed page table visible (sfence.vma, Svinval).
 */
#include "isa/insn/special.h"

/* A program that patches the instruction after it, with or without a fence.i in between. */
static uint64_t result_of_patching(uint32_t between)
{
    const struct cluster_config config = {.fetch = FETCH_STALE};
    struct world w = world_with(&config, 1);
    uint64_t a1;

    hart_set_reg(w.hart, A0, CODE + 16);
    hart_set_reg(w.hart, A2, ADDI(A1, ZERO, 2));
    put(&w, SW(A2, A0, 0));
    put(&w, between);
    put(&w, ADDI(T0, T0, 1));
    put(&w, JAL(ZERO, 4));
    put(&w, ADDI(A1, ZERO, 1)); /* what is patched */
    hart_set_pc(w.hart, CODE + 16);
    assert_int_equal(hart_run(w.hart, 1, UINT64_MAX),
                     HART_BUDGET); /* now it is in the instruction cache */
    assert_int_equal(hart_reg(w.hart, A1), 1);
    run(&w, 5);
    a1 = hart_reg(w.hart, A1);
    world_free(&w);
    return a1;
}

void fence_i_makes_a_store_to_code_visible(struct world *w)
{
    (void)w;
    assert_int_equal(result_of_patching(ADDI(ZERO, ZERO, 0)), 1);
    assert_int_equal(result_of_patching(FENCE(0, 15, 15)), 1);
    assert_int_equal(result_of_patching(FENCE_I), 2);
}

void fence_i_is_allowed_in_every_mode(struct world *w)
{
    enum privilege mode = hart_mode(w->hart);
    uint64_t at = exec(w, FENCE_I);

    assert_int_equal(hart_pc(w->hart), at + 4);
    assert_int_equal(hart_mode(w->hart), mode);
}

void sfence_vma_in_m_mode_does_nothing_visible(struct world *w)
{
    exec(w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(hart_pc(w->hart), CODE + 4);
    exec(w, SFENCE_VMA(A0, A1));
    assert_int_equal(hart_pc(w->hart), CODE + 8);
}

void sfence_vma_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, SFENCE_VMA(ZERO, ZERO));
}

void sfence_vma_is_illegal_in_s_mode_under_tvm(struct world *w)
{
    set_csr(w->hart, MSTATUS, BIT_TVM);
    assert_illegal(w, PRIV_S, SFENCE_VMA(A0, ZERO));
    exec(w, SFENCE_VMA(A0, ZERO)); /* M-mode may */
    assert_int_equal(hart_pc(w->hart), w->put_at);
}

/* Reads through the window, changes its mapping, fences, reads again. */
static void try_remapping(struct world *w, uint32_t fence)
{
    poke(w, DATA, 1, 8);
    poke(w, DATA + 0x1000, 2, 8);
    set_up_paging(w, DATA);
    hart_set_reg(w->hart, A0, WINDOW + DATA % 0x1000);
    exec(w, LD(A1, A0, 0));
    assert_int_equal(hart_reg(w->hart, A1), 1);
    map_window(w, DATA + 0x1000);
    exec(w, fence);
    exec(w, LD(A1, A0, 0));
    assert_int_equal(hart_reg(w->hart, A1), 2);
}

void sfence_vma_makes_a_new_mapping_visible(struct world *w)
{
    try_remapping(w, SFENCE_VMA(ZERO, ZERO));
}

void sfence_vma_of_one_address_makes_its_mapping_visible(struct world *w)
{
    try_remapping(w, SFENCE_VMA(A0, ZERO));
}

void sfence_vma_of_one_address_covers_its_whole_superpage(struct world *w)
{
    uint64_t first = RAM_BASE, second = RAM_BASE + 0x1000000;

    set_up_paging(w, DATA);
    poke(w, NEXT_TABLE + 8 * 4, first >> 12 << 10 | PTE_BITS_RWXAD, 8); /* two megabytes */
    hart_set_reg(w->hart, A0, WINDOW + 4 * 0x200000 + 0x30000);
    hart_set_reg(w->hart, A2, WINDOW + 4 * 0x200000 + 0x31000);
    exec(w, LD(A1, A0, 0));
    exec(w, LD(A1, A2, 0));
    poke(w, NEXT_TABLE + 8 * 4, second >> 12 << 10 | PTE_BITS_RWXAD, 8); /* no memory there */
    exec(w, SFENCE_VMA(A0, ZERO));
    exec(w, LD(A1, A2, 0));
    assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_ACCESS);
}

/* More superpages than one load span; the last one is unmapped. */
void sfence_vma_of_one_address_covers_one_of_many_superpages(struct world *w)
{
    enum { FIRST = 4, COUNT = 100 };

    set_up_paging(w, DATA);
    for (unsigned n = FIRST; n < FIRST + COUNT; n++) {
        poke(w, NEXT_TABLE + 8 * n, RAM_BASE >> 12 << 10 | PTE_BITS_RWXAD, 8);
        hart_set_reg(w->hart, A0, WINDOW + n * UINT64_C(0x200000));
        hart_set_reg(w->hart, A2, WINDOW + n * UINT64_C(0x200000) + 0x1000 * (n % 50));
        exec(w, LD(A1, A0, 0));
        exec(w, LD(A1, A2, 0));
    }
    poke(w, NEXT_TABLE + UINT64_C(8) * (FIRST + COUNT - 1), 0, 8);
    exec(w, SFENCE_VMA(A0, ZERO));
    exec(w, LD(A1, A2, 0));
    assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_PAGE);
}

void sfence_vma_covers_a_superpage_that_became_a_table(struct world *w)
{
    set_up_paging(w, DATA);
    poke(w, NEXT_TABLE + 8 * 4, RAM_BASE >> 12 << 10 | PTE_BITS_RWXAD, 8);
    hart_set_reg(w->hart, A0, WINDOW + 4 * 0x200000);
    hart_set_reg(w->hart, A2, WINDOW + 4 * 0x200000 + 0x1000);
    exec(w, LD(A1, A0, 0));
    exec(w, LD(A1, A2, 0));
    poke(w, NEXT_TABLE + 8 * 4, LAST_TABLE >> 12 << 10 | 1, 8); /* holds its first page only */
    exec(w, SFENCE_VMA(A0, ZERO));
    exec(w, LD(A1, A2, 0));
    assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_PAGE);
}

/* ---- finer fences ---- */

void sinval_vma_makes_a_new_mapping_visible(struct world *w)
{
    try_remapping(w, SINVAL_VMA(ZERO, ZERO));
}

void sinval_vma_of_one_address_makes_its_mapping_visible(struct world *w)
{
    try_remapping(w, SINVAL_VMA(A0, ZERO));
}

void sinval_vma_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, SINVAL_VMA(ZERO, ZERO));
}

void sinval_vma_is_illegal_in_s_mode_under_tvm(struct world *w)
{
    set_csr(w->hart, MSTATUS, BIT_TVM);
    assert_illegal(w, PRIV_S, SINVAL_VMA(A0, A1));
    exec(w, SINVAL_VMA(A0, A1)); /* M-mode may */
    assert_int_equal(hart_pc(w->hart), w->put_at);
}

void sfence_w_inval_is_legal_in_m_mode(struct world *w)
{
    assert_legal(w, PRIV_M, SFENCE_W_INVAL);
}

void sfence_w_inval_is_legal_in_s_mode(struct world *w)
{
    assert_legal(w, PRIV_S, SFENCE_W_INVAL);
}

void sfence_w_inval_is_legal_in_s_mode_under_tvm(struct world *w)
{
    set_csr(w->hart, MSTATUS, BIT_TVM);
    assert_legal(w, PRIV_S, SFENCE_W_INVAL);
}

void sfence_w_inval_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, SFENCE_W_INVAL);
}

void sfence_inval_ir_is_legal_in_m_mode(struct world *w)
{
    assert_legal(w, PRIV_M, SFENCE_INVAL_IR);
}

void sfence_inval_ir_is_legal_in_s_mode(struct world *w)
{
    assert_legal(w, PRIV_S, SFENCE_INVAL_IR);
}

void sfence_inval_ir_is_legal_in_s_mode_under_tvm(struct world *w)
{
    set_csr(w->hart, MSTATUS, BIT_TVM);
    assert_legal(w, PRIV_S, SFENCE_INVAL_IR);
}

void sfence_inval_ir_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, SFENCE_INVAL_IR);
}
