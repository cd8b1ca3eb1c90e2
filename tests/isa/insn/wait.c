/*
 * wait.c - wfi, and the waits for a reservation (Zawrs).
 */
#include "isa/insn/special.h"

void wfi_waits_until_an_interrupt_is_pending(struct world *w)
{
    set_csr(w->hart, MIE, 1 << IRQ_MTI);
    put(w, WFI);
    put(w, ADDI(A0, ZERO, 1));
    hart_set_pc(w->hart, CODE);
    assert_int_equal(hart_run(w->hart, 10, UINT64_MAX), HART_WAITING);
    assert_int_equal(hart_run(w->hart, 10, UINT64_MAX), HART_WAITING);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
    assert_int_equal(hart_reg(w->hart, A0), 0);
    hart_set_irq(w->hart, IRQ_MTI, true);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A0), 1); /* mstatus.MIE is off: no trap */
}

void wfi_goes_on_when_one_is_pending_already(struct world *w)
{
    set_csr(w->hart, MIE, 1 << IRQ_MSI);
    hart_set_irq(w->hart, IRQ_MSI, true);
    put(w, WFI);
    put(w, ADDI(A0, ZERO, 1));
    hart_set_pc(w->hart, CODE);
    assert_int_equal(hart_run(w->hart, 2, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A0), 1);
}

void wfi_in_s_mode_is_legal_and_traps_under_tw(struct world *w)
{
    uint64_t at = put(w, WFI);

    enter(w->hart, PRIV_S, at);
    step_at(w, at);
    assert_int_equal(hart_pc(w->hart), at + 4);
    set_csr(w->hart, MSTATUS, BIT_TW);
    hart_set_pc(w->hart, at + 4);
    exec(w, WFI);
    assert_trapped(w->hart, EXC_ILLEGAL, at + 4, WFI);
}

void wfi_in_u_mode_is_illegal(struct world *w)
{
    assert_illegal(w, PRIV_U, WFI);
}

/* Waiting for a reservation. */

static enum hart_stop step(struct world *w, uint32_t word)
{
    hart_set_pc(w->hart, put(w, word));
    return hart_run(w->hart, 1, UINT64_MAX);
}

static void goes_on_without_a_reservation(struct world *w, uint32_t word)
{
    assert_int_equal(step(w, word), HART_BUDGET);
    assert_int_equal(hart_pc(w->hart), w->put_at);
    hart_set_reg(w->hart, A0, DATA);
    exec(w, LR_W(0, A1, A0));
    exec(w, SC_W(0, A1, A2, A0)); /* uses it up */
    assert_int_equal(step(w, word), HART_BUDGET);
    assert_int_equal(hart_pc(w->hart), w->put_at);
}

void wrs_nto_without_a_reservation_goes_on(struct world *w)
{
    goes_on_without_a_reservation(w, WRS_NTO);
}

void wrs_sto_without_a_reservation_goes_on(struct world *w)
{
    goes_on_without_a_reservation(w, WRS_STO);
}

static void waits_for_a_store(uint32_t word)
{
    struct pair p;

    make_pair(&p);
    reserve(&p.w, LR_W(0, A3, A0), 5);
    put(&p.w, word);
    put(&p.w, ADDI(A4, ZERO, 1));
    hart_set_pc(p.w.hart, p.w.put_at - 8);
    assert_int_equal(hart_run(p.w.hart, 9, UINT64_MAX), HART_WAITING);
    assert_int_equal(hart_pc(p.w.hart), p.w.put_at - 4);
    other_hart_executes(&p, SD(A0, A0, 0), DATA + BLOCK);
    assert_int_equal(p.woken, 0);
    assert_int_equal(hart_waits_for(p.w.hart), HART_WAITS_STORE);
    assert_int_equal(hart_run(p.w.hart, 9, UINT64_MAX), HART_WAITING);
    assert_int_equal(hart_reg(p.w.hart, A4), 0);
    other_hart_executes(&p, SB(A0, A0, 0), DATA + BLOCK - 1);
    assert_int_equal(p.woken, 1);
    assert_int_equal(hart_waits_for(p.w.hart), HART_WAITS_NOT);
    assert_int_equal(hart_run(p.w.hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(p.w.hart, A4), 1);
    world_free(&p.w);
}

void wrs_nto_waits_for_a_store_of_another_hart(struct world *w)
{
    (void)w;
    waits_for_a_store(WRS_NTO);
}

void wrs_sto_waits_for_a_store_of_another_hart(struct world *w)
{
    (void)w;
    waits_for_a_store(WRS_STO);
}

static void ends_with_an_interrupt(struct world *w, uint32_t word)
{
    set_csr(w->hart, MIE, 1 << IRQ_MSI);
    reserve(w, LR_W(0, A3, A0), 5);
    put(w, ADDI(A4, ZERO, 1));
    w->put_at -= 4;
    poke(w, w->put_at + 4, ADDI(A4, ZERO, 1), 4);
    assert_int_equal(step(w, word), HART_WAITING);
    hart_set_irq(w->hart, IRQ_MTI, true); /* that one is not enabled in mie */
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_WAITING);
    hart_set_irq(w->hart, IRQ_MSI, true);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A4), 1); /* mstatus.MIE is off: no trap */
    w->put_at += 4;
    assert_int_equal(step(w, word), HART_BUDGET); /* and none begins while one is pending */
}

void wrs_nto_ends_with_an_interrupt(struct world *w)
{
    ends_with_an_interrupt(w, WRS_NTO);
}

void wrs_sto_ends_with_an_interrupt(struct world *w)
{
    ends_with_an_interrupt(w, WRS_STO);
}

void wrs_nto_waits_for_ever(struct world *w)
{
    reserve(w, LR_W(0, A3, A0), 5);
    assert_int_equal(step(w, WRS_NTO), HART_WAITING);
    assert_true(hart_wait_limit(w->hart) == UINT64_MAX);
    hart_advance(w->hart, hart_cycles(w->hart) + 1000000000);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_WAITING);
}

void wrs_nto_that_would_wait_is_illegal_under_tw(struct world *w)
{
    uint64_t at;

    reserve(w, LR_W(0, A3, A0), 5);
    set_csr(w->hart, MSTATUS, BIT_TW);
    assert_int_equal(step(w, WRS_NTO), HART_WAITING); /* M-mode may */
    at = put(w, WRS_NTO);
    enter(w->hart, PRIV_S, at);
    step_at(w, at);
    assert_trapped(w->hart, EXC_ILLEGAL, at, WRS_NTO);
    enter(w->hart, PRIV_U, at);
    step_at(w, at);
    assert_trapped(w->hart, EXC_ILLEGAL, at, WRS_NTO);
    exec(w, SC_W(0, A1, A2, A0));
    enter(w->hart, PRIV_S, at);
    step_at(w, at);
    assert_int_equal(hart_pc(w->hart), at + 4); /* nothing to wait for */
}

void wrs_sto_ends_after_a_while(struct world *w)
{
    uint64_t began;

    reserve(w, LR_W(0, A3, A0), 5);
    began = hart_cycles(w->hart);
    assert_int_equal(step(w, WRS_STO), HART_WAITING);
    assert_in_range(hart_wait_limit(w->hart), began + 1, began + 10000);
    hart_advance(w->hart, hart_wait_limit(w->hart) - 1);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_WAITING);
    hart_advance(w->hart, hart_wait_limit(w->hart));
    put(w, ADDI(A4, ZERO, 1));
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A4), 1);
    assert_true(hart_wait_limit(w->hart) == UINT64_MAX);
}

void wrs_sto_may_wait_under_tw(struct world *w)
{
    uint64_t at;

    reserve(w, LR_W(0, A3, A0), 5);
    set_csr(w->hart, MSTATUS, BIT_TW);
    at = put(w, WRS_STO);
    enter(w->hart, PRIV_U, at);
    hart_set_pc(w->hart, at);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_WAITING);
}
