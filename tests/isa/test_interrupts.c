/*
 * test_interrupts.c - which interrupt a hart takes, in which mode, and how it waits for one (volume
 * II, 3.1.9 and 3.3.3).
 */
#include "priv.h"

/* ---- interrupts ---- */

enum { ALL_INTERRUPTS = 0xaaa };

static void raise_all(struct hart *h)
{
    static const enum interrupt all[] = {IRQ_SSI, IRQ_MSI, IRQ_STI, IRQ_MTI, IRQ_SEI, IRQ_MEI};

    for (size_t n = 0; n < ARRAY_LEN(all); n++)
        hart_set_irq(h, all[n], true);
}

static void interrupts_come_in_the_manuals_order(void **state)
{
    static const enum interrupt order[] = {IRQ_MEI, IRQ_MSI, IRQ_MTI, IRQ_SEI, IRQ_SSI, IRQ_STI};
    struct world *w = *state;

    put_nops(w, 4);
    set_csr(w->hart, MIE, ALL_INTERRUPTS);
    raise_all(w->hart);
    for (size_t n = 0; n < ARRAY_LEN(order); n++) {
        set_status(w->hart, STATUS_MIE);
        step_at(w, CODE);
        assert_trapped(w->hart, INTERRUPT(order[n]), CODE, 0);
        hart_set_irq(w->hart, order[n], false);
    }
    set_status(w->hart, STATUS_MIE);
    step_at(w, CODE);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
}

static void delegated_interrupts_come_in_the_manuals_order(void **state)
{
    static const enum interrupt order[] = {IRQ_SEI, IRQ_SSI, IRQ_STI};
    struct world *w = *state;

    put_nops(w, 4);
    set_csr(w->hart, MIDELEG, ALL_INTERRUPTS);
    enter(w->hart, PRIV_S, CODE);
    set_csr(w->hart, SIE, ALL_INTERRUPTS);
    raise_all(w->hart);
    for (size_t n = 0; n < ARRAY_LEN(order); n++) {
        set_status(w->hart, STATUS_SIE);
        step_at(w, CODE);
        assert_trapped_to_s(w->hart, INTERRUPT(order[n]), CODE, 0);
        hart_set_irq(w->hart, order[n], false);
    }
}

/* Is the timer interrupt of a level taken in this state, and to which mode? */
static bool is_taken(struct world *w, enum interrupt irq, bool delegated, enum privilege mode,
                     uint64_t enables, enum privilege to)
{
    start_hart(w->hart);
    set_csr(w->hart, MIDELEG, delegated ? UINT64_C(1) << irq : 0);
    set_csr(w->hart, MIE, UINT64_C(1) << irq);
    enter(w->hart, mode, CODE);
    set_csr(w->hart, MSTATUS, enables);
    hart_set_irq(w->hart, irq, true);
    step_at(w, CODE);
    hart_set_irq(w->hart, irq, false);
    if (hart_pc(w->hart) == CODE + 4)
        return false;
    assert_int_equal(hart_mode(w->hart), to);
    assert_int_equal(hart_pc(w->hart), to == PRIV_M ? M_VECTOR : S_VECTOR);
    return true;
}

static void m_interrupts_are_masked_in_m_mode_only(void **state)
{
    struct world *w = *state;

    put_nops(w, 4);
    assert_false(is_taken(w, IRQ_MTI, false, PRIV_M, 0, PRIV_M));
    assert_true(is_taken(w, IRQ_MTI, false, PRIV_M, STATUS_MIE, PRIV_M));
    assert_true(is_taken(w, IRQ_MTI, false, PRIV_S, 0, PRIV_M));
    assert_true(is_taken(w, IRQ_MTI, false, PRIV_U, 0, PRIV_M));
}

static void s_interrupts_that_are_not_delegated_are_m_modes(void **state)
{
    struct world *w = *state;

    put_nops(w, 4);
    assert_false(is_taken(w, IRQ_STI, false, PRIV_M, STATUS_SIE, PRIV_M));
    assert_true(is_taken(w, IRQ_STI, false, PRIV_M, STATUS_MIE, PRIV_M));
    assert_true(is_taken(w, IRQ_STI, false, PRIV_S, 0, PRIV_M));
    assert_true(is_taken(w, IRQ_STI, false, PRIV_U, 0, PRIV_M));
}

static void delegated_interrupts_never_come_in_m_mode(void **state)
{
    struct world *w = *state;

    put_nops(w, 4);
    assert_false(is_taken(w, IRQ_STI, true, PRIV_M, STATUS_MIE | STATUS_SIE, PRIV_S));
    assert_false(is_taken(w, IRQ_STI, true, PRIV_S, STATUS_MIE, PRIV_S));
    assert_true(is_taken(w, IRQ_STI, true, PRIV_S, STATUS_SIE, PRIV_S));
    assert_true(is_taken(w, IRQ_STI, true, PRIV_U, 0, PRIV_S));
}

static void m_interrupts_cannot_be_delegated(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MIDELEG, UINT64_MAX);
    assert_int_equal(csr(w->hart, MIDELEG), 0x2222);
    set_csr(w->hart, MEDELEG, UINT64_MAX);
    assert_int_equal(csr(w->hart, MEDELEG) & 1 << EXC_ECALL_M, 0);
}

static void m_modes_interrupts_come_before_delegated_ones(void **state)
{
    struct world *w = *state;

    put_nops(w, 4);
    set_csr(w->hart, MIDELEG, ALL_INTERRUPTS);
    set_csr(w->hart, MIE, ALL_INTERRUPTS);
    enter(w->hart, PRIV_S, CODE);
    set_status(w->hart, STATUS_SIE);
    hart_set_irq(w->hart, IRQ_SEI, true);
    hart_set_irq(w->hart, IRQ_MTI, true);
    step_at(w, CODE);
    assert_trapped(w->hart, INTERRUPT(IRQ_MTI), CODE, 0);
}

static void an_interrupt_that_mie_masks_is_not_taken(void **state)
{
    struct world *w = *state;

    put_nops(w, 4);
    set_csr(w->hart, MIE, ALL_INTERRUPTS & ~(1U << IRQ_MTI));
    set_status(w->hart, STATUS_MIE);
    hart_set_irq(w->hart, IRQ_MTI, true);
    step_at(w, CODE);
    assert_int_equal(hart_pc(w->hart), CODE + 4);
}

static void vectored_mode_spreads_interrupts_and_not_exceptions(void **state)
{
    struct world *w = *state;

    put_nops(w, 4);
    set_csr(w->hart, MTVEC, M_VECTOR | 1);
    set_csr(w->hart, MIE, ALL_INTERRUPTS);
    hart_set_irq(w->hart, IRQ_MEI, true);
    set_status(w->hart, STATUS_MIE);
    step_at(w, CODE);
    assert_int_equal(hart_pc(w->hart), M_VECTOR + 4 * IRQ_MEI);
    hart_set_irq(w->hart, IRQ_MEI, false);
    exec(w, ECALL);
    assert_int_equal(csr(w->hart, MCAUSE), EXC_ECALL_M);
    assert_int_equal(hart_pc(w->hart), M_VECTOR);
}

static void vectored_mode_works_for_s_mode_too(void **state)
{
    struct world *w = *state;

    put_nops(w, 4);
    set_csr(w->hart, STVEC, S_VECTOR | 1);
    set_csr(w->hart, MIDELEG, 1 << IRQ_SSI);
    set_csr(w->hart, MIE, 1 << IRQ_SSI);
    enter(w->hart, PRIV_U, CODE);
    hart_set_irq(w->hart, IRQ_SSI, true);
    step_at(w, CODE);
    assert_int_equal(hart_pc(w->hart), S_VECTOR + 4 * IRQ_SSI);
}

static void
a_csr_write_that_enables_an_interrupt_lets_it_in_before_the_next_instruction(void **state)
{
    struct world *w = *state;
    uint64_t next;

    set_csr(w->hart, MIE, 1 << IRQ_MTI);
    hart_set_irq(w->hart, IRQ_MTI, true);
    put(w, CSRRSI(ZERO, MSTATUS, 8));
    next = put(w, ADDI(A0, ZERO, 1));
    run(w, 3);
    assert_trapped(w->hart, INTERRUPT(IRQ_MTI), next, 0);
    assert_int_equal(hart_reg(w->hart, A0), 0);
    assert_int_equal(status(w->hart, STATUS_MPIE), STATUS_MPIE);
}

static void a_return_that_enables_an_interrupt_lets_it_in_at_its_target(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MIE, 1 << IRQ_MTI);
    hart_set_irq(w->hart, IRQ_MTI, true);
    set_csr(w->hart, MEPC, DATA);
    set_csr(w->hart, MSTATUS, MPP(PRIV_M) | STATUS_MPIE);
    put(w, MRET);
    run(w, 2);
    assert_trapped(w->hart, INTERRUPT(IRQ_MTI), DATA, 0);
}

static void an_interrupt_between_two_instructions_keeps_what_the_first_did(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MIE, 1 << IRQ_MSI);
    set_status(w->hart, STATUS_MIE);
    put(w, ADDI(A0, A0, 1));
    put(w, ADDI(A0, A0, 1));
    put(w, ADDI(A0, A0, 1));
    run(w, 2);
    hart_set_irq(w->hart, IRQ_MSI, true);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_trapped(w->hart, INTERRUPT(IRQ_MSI), CODE + 8, 0);
    assert_int_equal(hart_reg(w->hart, A0), 2);
}

static void sip_and_sie_show_delegated_interrupts_only(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MIE, ALL_INTERRUPTS);
    raise_all(w->hart);
    assert_int_equal(csr(w->hart, MIP), ALL_INTERRUPTS);
    assert_int_equal(csr(w->hart, SIP), 0);
    assert_int_equal(csr(w->hart, SIE), 0);
    set_csr(w->hart, MIDELEG, 1 << IRQ_STI | 1 << IRQ_SSI);
    assert_int_equal(csr(w->hart, SIP), 1 << IRQ_STI | 1 << IRQ_SSI);
    assert_int_equal(csr(w->hart, SIE), 1 << IRQ_STI | 1 << IRQ_SSI);
    set_csr(w->hart, SIE, 0);
    assert_int_equal(csr(w->hart, MIE), ALL_INTERRUPTS & ~(1U << IRQ_STI | 1U << IRQ_SSI));
}

static void s_mode_may_change_its_software_interrupt_and_no_other(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MIDELEG, ALL_INTERRUPTS);
    set_csr(w->hart, SIP, UINT64_MAX);
    assert_int_equal(csr(w->hart, MIP), 1 << IRQ_SSI);
    set_csr(w->hart, SIP, 0);
    assert_int_equal(csr(w->hart, MIP), 0);
    set_csr(w->hart, MIDELEG, 0);
    set_csr(w->hart, SIP, UINT64_MAX); /* not delegated: read-only zero */
    assert_int_equal(csr(w->hart, MIP), 0);
}

static void m_mode_raises_s_interrupts_but_not_its_own(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MIP, UINT64_MAX);
    assert_int_equal(csr(w->hart, MIP), 0x2222);
    set_csr(w->hart, MIP, 0);
    assert_int_equal(csr(w->hart, MIP), 0);
}

/* Vol. II, 3.1.9: software's SEIP and the controller's are or-ed, and csrrs does not mix them. */
static void setting_another_bit_of_mip_does_not_latch_the_external_line(void **state)
{
    struct world *w = *state;

    hart_set_irq(w->hart, IRQ_SEI, true);
    hart_set_reg(w->hart, A0, 1 << IRQ_SSI);
    exec(w, CSRRS(A1, MIP, A0));
    assert_int_equal(hart_reg(w->hart, A1), 1 << IRQ_SEI);
    assert_int_equal(csr(w->hart, MIP), 1 << IRQ_SEI | 1 << IRQ_SSI);
    hart_set_irq(w->hart, IRQ_SEI, false);
    assert_int_equal(csr(w->hart, MIP), 1 << IRQ_SSI);
}

static void a_line_stays_up_whatever_software_writes(void **state)
{
    struct world *w = *state;

    hart_set_irq(w->hart, IRQ_MTI, true);
    hart_set_irq(w->hart, IRQ_SEI, true);
    set_csr(w->hart, MIP, 0);
    assert_int_equal(csr(w->hart, MIP), 1 << IRQ_MTI | 1 << IRQ_SEI);
}

/* ---- waiting ---- */

static void a_masked_interrupt_ends_a_wait_without_a_trap(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MIDELEG, 1 << IRQ_STI);
    set_csr(w->hart, MIE, 1 << IRQ_STI);
    put(w, WFI);
    put(w, ADDI(A0, ZERO, 1));
    enter(w->hart, PRIV_S, CODE);
    assert_int_equal(hart_run(w->hart, 5, UINT64_MAX), HART_WAITING);
    assert_false(hart_irq_pending(w->hart));
    hart_set_irq(w->hart, IRQ_STI, true);
    assert_true(hart_irq_pending(w->hart));
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_int_equal(hart_reg(w->hart, A0), 1);
    assert_int_equal(hart_mode(w->hart), PRIV_S);
}

static void an_interrupt_ends_a_wait_behind_the_wfi(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MIE, 1 << IRQ_MTI);
    set_status(w->hart, STATUS_MIE);
    put(w, WFI);
    put(w, ADDI(A0, ZERO, 1));
    hart_set_pc(w->hart, CODE);
    assert_int_equal(hart_run(w->hart, 5, UINT64_MAX), HART_WAITING);
    hart_set_irq(w->hart, IRQ_MTI, true);
    assert_int_equal(hart_run(w->hart, 1, UINT64_MAX), HART_BUDGET);
    assert_trapped(w->hart, INTERRUPT(IRQ_MTI), CODE + 4, 0);
    assert_int_equal(hart_reg(w->hart, A0), 0);
}

static void an_interrupt_that_mie_masks_does_not_end_a_wait(void **state)
{
    struct world *w = *state;

    put(w, WFI);
    hart_set_pc(w->hart, CODE);
    assert_int_equal(hart_run(w->hart, 5, UINT64_MAX), HART_WAITING);
    hart_set_irq(w->hart, IRQ_MTI, true);
    assert_int_equal(hart_run(w->hart, 5, UINT64_MAX), HART_WAITING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(interrupts_come_in_the_manuals_order),
        ALONE(delegated_interrupts_come_in_the_manuals_order),
        ALONE(m_interrupts_are_masked_in_m_mode_only),
        ALONE(s_interrupts_that_are_not_delegated_are_m_modes),
        ALONE(delegated_interrupts_never_come_in_m_mode),
        ALONE(m_interrupts_cannot_be_delegated),
        ALONE(m_modes_interrupts_come_before_delegated_ones),
        ALONE(an_interrupt_that_mie_masks_is_not_taken),
        ALONE(vectored_mode_spreads_interrupts_and_not_exceptions),
        ALONE(vectored_mode_works_for_s_mode_too),
        ALONE(a_csr_write_that_enables_an_interrupt_lets_it_in_before_the_next_instruction),
        ALONE(a_return_that_enables_an_interrupt_lets_it_in_at_its_target),
        ALONE(an_interrupt_between_two_instructions_keeps_what_the_first_did),
        ALONE(sip_and_sie_show_delegated_interrupts_only),
        ALONE(s_mode_may_change_its_software_interrupt_and_no_other),
        ALONE(m_mode_raises_s_interrupts_but_not_its_own),
        ALONE(setting_another_bit_of_mip_does_not_latch_the_external_line),
        ALONE(a_line_stays_up_whatever_software_writes),
        ALONE(a_masked_interrupt_ends_a_wait_without_a_trap),
        ALONE(an_interrupt_ends_a_wait_behind_the_wfi),
        ALONE(an_interrupt_that_mie_masks_does_not_end_a_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
