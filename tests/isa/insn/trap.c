/*
 * trap.c - ecall and ebreak, and the returns from traps.
 */
#include "isa/insn/special.h"

void ecall_from_u_mode(struct world *w)
{
    assert_word_traps(w, PRIV_U, ECALL, EXC_ECALL_U, 0);
}

void ecall_from_s_mode(struct world *w)
{
    assert_word_traps(w, PRIV_S, ECALL, EXC_ECALL_S, 0);
}

void ecall_from_m_mode(struct world *w)
{
    assert_word_traps(w, PRIV_M, ECALL, EXC_ECALL_M, 0);
}

void ecall_is_not_counted_as_retired(struct world *w)
{
    uint64_t before = csr(w->hart, MINSTRET);

    put(w, ADDI(A0, ZERO, 1));
    put(w, ECALL);
    poke(w, M_VECTOR, CSRRS(A1, MINSTRET, ZERO), 4);
    poke(w, M_VECTOR + 4, JAL(ZERO, 0), 4);
    run(w, 1);
    while (hart_pc(w->hart) != M_VECTOR + 4)
        assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A1), before + 1);
}

void ecall_delegated_to_s_mode(struct world *w)
{
    assert_word_traps_to_s(w, PRIV_U, ECALL, EXC_ECALL_U, 0);
}

static void firmware_call(void *ctx, struct hart *h)
{
    (*(unsigned *)ctx)++;
    hart_set_reg(h, A0, 42);
}

static void try_firmware(enum privilege mode)
{
    unsigned calls = 0;
    const struct cluster_config config = {.fetch = FETCH_COHERENT,
                                          .env = {.ctx = &calls, .firmware_call = firmware_call}};
    struct world w = world_with(&config, 1);

    enter(w.hart, mode, put(&w, ECALL));
    step_at(&w, CODE);
    assert_int_equal(calls, mode == PRIV_S);
    if (mode == PRIV_S) {
        assert_int_equal(hart_reg(w.hart, A0), 42);
        assert_int_equal(hart_pc(w.hart), CODE + 4);
        assert_int_equal(hart_mode(w.hart), PRIV_S);
    } else {
        assert_trapped(w.hart, (uint64_t)EXC_ECALL_U + mode, CODE, 0);
    }
    world_free(&w);
}

void ecall_from_s_mode_goes_to_firmware_if_there_is_one(struct world *w)
{
    (void)w;
    try_firmware(PRIV_S);
    try_firmware(PRIV_U);
    try_firmware(PRIV_M);
}

void ebreak_in_m_mode_gives_its_address(struct world *w)
{
    assert_word_traps(w, PRIV_M, EBREAK, EXC_BREAKPOINT, CODE);
}

void ebreak_in_s_mode(struct world *w)
{
    assert_word_traps(w, PRIV_S, EBREAK, EXC_BREAKPOINT, CODE);
}

void ebreak_in_u_mode(struct world *w)
{
    assert_word_traps(w, PRIV_U, EBREAK, EXC_BREAKPOINT, CODE);
}

void ebreak_delegated_to_s_mode(struct world *w)
{
    assert_word_traps_to_s(w, PRIV_S, EBREAK, EXC_BREAKPOINT, CODE);
}

void c_ebreak_in_m_mode_gives_its_address(struct world *w)
{
    w->put_at = CODE + 2;
    assert_word_traps(w, PRIV_M, C_EBREAK, EXC_BREAKPOINT, CODE + 2);
}

void c_ebreak_in_s_mode(struct world *w)
{
    assert_word_traps(w, PRIV_S, C_EBREAK, EXC_BREAKPOINT, CODE);
}

void c_ebreak_in_u_mode(struct world *w)
{
    assert_word_traps(w, PRIV_U, C_EBREAK, EXC_BREAKPOINT, CODE);
}

void c_ebreak_delegated_to_s_mode(struct world *w)
{
    assert_word_traps_to_s(w, PRIV_U, C_EBREAK, EXC_BREAKPOINT, CODE);
}

/* ---- returns ---- */

enum { STACK_BITS = BIT_SIE | BIT_MIE | BIT_SPIE | BIT_MPIE | BIT_SPP | MPP_M | BIT_MPRV };

static void assert_stack(struct hart *h, uint64_t bits)
{
    assert_int_equal(csr(h, MSTATUS) & STACK_BITS, bits);
}

void mret_goes_to_mpp_and_restores_mie(struct world *w)
{
    set_csr(w->hart, MEPC, DATA);
    set_csr(w->hart, MSTATUS, MPP_S | BIT_MPIE);
    exec(w, MRET);
    assert_int_equal(hart_mode(w->hart), PRIV_S);
    assert_int_equal(hart_pc(w->hart), DATA);
    assert_stack(w->hart, BIT_MIE | BIT_MPIE);
}

void mret_sets_mpie_and_mpp_to_u(struct world *w)
{
    set_csr(w->hart, MEPC, DATA + 2);
    set_csr(w->hart, MSTATUS, MPP_M | BIT_MIE);
    exec(w, MRET);
    assert_int_equal(hart_mode(w->hart), PRIV_M);
    assert_int_equal(hart_pc(w->hart), DATA + 2);
    assert_stack(w->hart, BIT_MPIE);
}

void mret_is_illegal_in_s_mode(struct world *w)
{
    assert_illegal(w, PRIV_S, MRET);
}

void mret_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, MRET);
}

void mret_clears_mprv_when_it_leaves_m_mode(struct world *w)
{
    set_csr(w->hart, MEPC, DATA);
    set_csr(w->hart, MSTATUS, BIT_MPRV);
    exec(w, MRET);
    assert_int_equal(hart_mode(w->hart), PRIV_U);
    assert_stack(w->hart, BIT_MPIE);
}

void mret_to_m_mode_keeps_mprv(struct world *w)
{
    set_csr(w->hart, MEPC, DATA);
    set_csr(w->hart, MSTATUS, BIT_MPRV | MPP_M);
    exec(w, MRET);
    assert_int_equal(hart_mode(w->hart), PRIV_M);
    assert_stack(w->hart, BIT_MPRV | BIT_MPIE);
}

void sret_goes_to_spp_and_restores_sie(struct world *w)
{
    enter(w->hart, PRIV_S, CODE);
    set_csr(w->hart, SEPC, DATA);
    set_csr(w->hart, MSTATUS, BIT_SPP | BIT_SPIE);
    exec(w, SRET);
    assert_int_equal(hart_mode(w->hart), PRIV_S);
    assert_int_equal(hart_pc(w->hart), DATA);
    assert_stack(w->hart, BIT_SIE | BIT_SPIE);
}

void sret_sets_spie_and_spp_to_u(struct world *w)
{
    enter(w->hart, PRIV_S, CODE);
    set_csr(w->hart, SEPC, DATA);
    set_csr(w->hart, MSTATUS, BIT_SIE);
    exec(w, SRET);
    assert_int_equal(hart_mode(w->hart), PRIV_U);
    assert_int_equal(hart_pc(w->hart), DATA);
    assert_stack(w->hart, BIT_SPIE);
}

void sret_is_illegal_in_u_mode(struct world *w)
{
    assert_illegal(w, PRIV_U, SRET);
}

void sret_is_illegal_in_s_mode_under_tsr(struct world *w)
{
    set_csr(w->hart, MSTATUS, BIT_TSR);
    assert_illegal(w, PRIV_S, SRET);
    set_csr(w->hart, SEPC, DATA);
    exec(w, SRET); /* M-mode may */
    assert_int_equal(hart_pc(w->hart), DATA);
    assert_int_equal(hart_mode(w->hart), PRIV_U);
}

void sret_from_m_mode_clears_mprv(struct world *w)
{
    set_csr(w->hart, SEPC, DATA);
    set_csr(w->hart, MSTATUS, BIT_SPP | BIT_MPRV | MPP_M);
    exec(w, SRET);
    assert_int_equal(hart_mode(w->hart), PRIV_S);
    assert_stack(w->hart, BIT_SPIE | MPP_M);
}
