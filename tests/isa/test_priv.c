/*
 * test_priv.c - traps, modes, interrupts, counters: what volume II of the manual says, tried
 * through the public headers of the hart. Address translation: test_mmu.c.
 */
#include "priv.h"

/* ---- exceptions: delegation, and the CSRs that they set ---- */

static void an_exception_goes_to_m_mode_unless_delegated(void **state)
{
    struct world *w = *state;

    enter(w->hart, PRIV_U, CODE);
    exec(w, ILLEGAL_WORD);
    assert_trapped(w->hart, EXC_ILLEGAL, CODE, ILLEGAL_WORD);
}

static void a_delegated_exception_goes_to_s_mode(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MEDELEG, 1 << EXC_ILLEGAL);
    enter(w->hart, PRIV_U, CODE);
    exec(w, ILLEGAL_WORD);
    assert_trapped_to_s(w->hart, EXC_ILLEGAL, CODE, ILLEGAL_WORD);
    assert_int_equal(csr(w->hart, MCAUSE), 0);
    assert_int_equal(csr(w->hart, MEPC), CODE); /* as `enter` left it */
}

static void an_exception_in_m_mode_is_never_delegated(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MEDELEG, UINT64_MAX);
    exec(w, ILLEGAL_WORD);
    assert_trapped(w->hart, EXC_ILLEGAL, CODE, ILLEGAL_WORD);
}

static void only_the_delegated_cause_goes_to_s_mode(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MEDELEG, 1 << EXC_BREAKPOINT);
    enter(w->hart, PRIV_S, CODE);
    exec(w, ILLEGAL_WORD);
    assert_trapped(w->hart, EXC_ILLEGAL, CODE, ILLEGAL_WORD);
}

static void an_illegal_parcel_has_sixteen_bits_of_tval(void **state)
{
    struct world *w = *state;

    put(w, 0x8002); /* c.jr zero */
    put(w, 0xffff);
    run(w, 1);
    assert_trapped(w->hart, EXC_ILLEGAL, CODE, 0x8002);
}

/* The word is executed in the middle of a run, so it is not at the start of a block. */
static void an_illegal_instruction_behind_others_gives_its_own_word(void **state)
{
    static const uint32_t words[] = {CSRRS(A0, 0x7c0, A1), ILLEGAL_WORD, CSRRW(A0, MHARTID, A1)};
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(words); n++) {
        uint64_t start = w->put_at, at;

        put(w, NOP);
        put(w, C_ADDI(A2, 1));
        at = put(w, words[n]);
        hart_set_pc(w->hart, start);
        (void)!hart_run(w->hart, 3, UINT64_MAX);
        assert_trapped(w->hart, EXC_ILLEGAL, at, words[n]);
        assert_int_equal(hart_reg(w->hart, A2), n + 1);
    }
}

static void the_all_zero_parcel_is_illegal(void **state)
{
    struct world *w = *state;

    step_at(w, DATA);
    assert_trapped(w->hart, EXC_ILLEGAL, DATA, 0);
}

static void a_trap_to_m_mode_pushes_mie_and_mode(void **state)
{
    static const enum privilege modes[] = {PRIV_U, PRIV_S, PRIV_M};
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(modes); n++)
        for (unsigned mie = 0; mie < 2; mie++) {
            start_hart(w->hart);
            if (mie)
                set_status(w->hart, STATUS_MIE);
            enter(w->hart, modes[n], w->put_at);
            exec(w, ILLEGAL_WORD);
            assert_int_equal(status(w->hart, STATUS_MIE), 0);
            assert_int_equal(status(w->hart, STATUS_MPIE), mie ? STATUS_MPIE : 0);
            assert_int_equal(status(w->hart, STATUS_MPP), MPP(modes[n]));
        }
}

static void a_trap_to_s_mode_pushes_sie_and_mode_and_leaves_m_mode_s(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MEDELEG, 1 << EXC_ILLEGAL);
    enter(w->hart, PRIV_S, CODE);
    set_csr(w->hart, MSTATUS, STATUS_SIE | STATUS_MIE);
    exec(w, ILLEGAL_WORD);
    assert_int_equal(hart_mode(w->hart), PRIV_S);
    assert_int_equal(status(w->hart, STATUS_SIE), 0);
    assert_int_equal(status(w->hart, STATUS_SPIE), STATUS_SPIE);
    assert_int_equal(status(w->hart, STATUS_SPP), STATUS_SPP);
    assert_int_equal(status(w->hart, STATUS_MIE | STATUS_MPIE), STATUS_MIE);
    start_hart(w->hart);
    set_csr(w->hart, MEDELEG, 1 << EXC_ILLEGAL);
    enter(w->hart, PRIV_U, w->put_at);
    exec(w, ILLEGAL_WORD);
    assert_int_equal(status(w->hart, STATUS_SPIE | STATUS_SPP), 0);
}

static void a_trap_inside_a_handler_overwrites_what_the_first_left(void **state)
{
    struct world *w = *state;

    poke(w, M_VECTOR, EBREAK, 4);
    enter(w->hart, PRIV_U, CODE);
    exec(w, ILLEGAL_WORD);
    if (hart_pc(w->hart) == M_VECTOR && csr(w->hart, MCAUSE) == EXC_ILLEGAL)
        (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(csr(w->hart, MCAUSE), EXC_BREAKPOINT);
    assert_int_equal(csr(w->hart, MEPC), M_VECTOR);
    assert_int_equal(csr(w->hart, MTVAL), M_VECTOR);
    assert_int_equal(status(w->hart, STATUS_MPP), MPP(PRIV_M));
}

static void a_handler_that_cannot_run_makes_the_hart_stuck(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MTVEC, 0x1000); /* no memory there */
    put(w, ECALL);
    hart_set_pc(w->hart, CODE);
    assert_int_equal(hart_run(w->hart, 1000, UINT64_MAX), HART_STUCK);
}

/* ---- endless trap loops ---- */

enum { ENDLESS = 100000000 }; /* cycles: enough to detect the loop */

static void put_handler(struct world *w, const uint32_t *words, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        poke(w, M_VECTOR + 4 * n, words[n], 4);
}

static enum hart_stop run_handler(struct world *w, const uint32_t *words, unsigned count)
{
    put_handler(w, words, count);
    put(w, ADDI(A1, ZERO, 1));
    put(w, ECALL);
    hart_set_pc(w->hart, CODE);
    return hart_run(w->hart, UINT64_MAX, ENDLESS);
}

static void assert_loops(struct world *w, const uint32_t *words, unsigned count, unsigned at)
{
    assert_int_equal(run_handler(w, words, count), HART_STUCK);
    assert_int_equal(hart_looping_exception(w->hart).pc, M_VECTOR + 4 * at);
    assert_int_equal(hart_unhandled_exception(w->hart).pc, CODE + 4);
    assert_int_equal(hart_unhandled_exception(w->hart).cause, EXC_ECALL_M);
    assert_true(hart_insns(w->hart) < ENDLESS / 4);
}

static void a_handler_that_faults_in_itself_is_stuck_whatever_its_stack_pointer(void **state)
{
    const uint32_t words[] = {ADDI(SP, SP, -256), CSRRS(T0, MEPC, ZERO), SD(RA, SP, 0),
                              ADDI(SP, SP, 256), MRET};

    assert_loops(*state, words, sizeof words / sizeof *words, 2);
}

static void a_handler_that_swaps_to_a_bad_stack_is_stuck(void **state)
{
    const uint32_t words[] = {CSRRW(SP, MSCRATCH, SP), ADDI(SP, SP, -256), SD(RA, SP, 0), MRET};

    assert_loops(*state, words, sizeof words / sizeof *words, 2);
}

/* Two ways through the handler in turn, each of which faults. */
static void a_handler_that_faults_at_two_places_is_stuck(void **state)
{
    const uint32_t words[] = {CSRRW(TP, MSCRATCH, TP),
                              BEQ(TP, ZERO, 12),
                              SD(RA, ZERO, 0),
                              MRET,
                              ADDI(TP, ZERO, 8),
                              SD(RA, ZERO, 8),
                              MRET};
    struct world *w = *state;

    assert_int_equal(run_handler(w, words, sizeof words / sizeof *words), HART_STUCK);
    assert_int_equal(hart_unhandled_exception(w->hart).cause, EXC_ECALL_M);
}

/* Causes more than a million faults on purpose, counts them in S0, and continues. */
static void assert_counts_to_the_end(struct world *w, const uint32_t *words, unsigned count)
{
    hart_set_reg(w->hart, S0, 1500000);
    hart_set_reg(w->hart, A0, DATA);
    assert_int_equal(run_handler(w, words, count), HART_BUDGET);
    assert_int_equal(hart_pc(w->hart), M_VECTOR + 32); /* `j .` */
    assert_int_equal(hart_reg(w->hart, S0), 0);
}

static void a_program_that_counts_its_faults_is_not_stuck(void **state)
{
    const uint32_t words[] = {ADDI(S0, S0, -1), BEQ(S0, ZERO, 28), LD(T0, ZERO, 0)};

    assert_counts_to_the_end(*state, words, sizeof words / sizeof *words);
}

static void a_program_that_counts_its_faults_in_memory_is_not_stuck(void **state)
{
    const uint32_t words[] = {LD(T1, A0, 0),    ADDI(T1, T1, 1),   SD(T1, A0, 0),
                              ADDI(S0, S0, -1), BEQ(S0, ZERO, 16), LD(T0, ZERO, 0)};

    assert_counts_to_the_end(*state, words, sizeof words / sizeof *words);
}

static void a_handler_that_returns_is_not_stuck_however_often_it_is_entered(void **state)
{
    const uint32_t words[] = {CSRRW(T0, MEPC, ZERO),
                              ADDI(S1, S1, 1),
                              CSRRW(ZERO, MEPC, T0),
                              BNE(S0, ZERO, 8),
                              JAL(ZERO, 16),
                              ADDI(S0, S0, -1),
                              MRET};

    assert_counts_to_the_end(*state, words, sizeof words / sizeof *words);
}

static void a_trap_taken_again_and_again_is_not_stuck(void **state)
{
    struct world *w = *state;

    put(w, ECALL);
    put(w, JAL(ZERO, -4));
    poke(w, M_VECTOR, CSRRS(A0, MEPC, ZERO), 4);
    poke(w, M_VECTOR + 4, ADDI(A0, A0, 4), 4);
    poke(w, M_VECTOR + 8, CSRRW(ZERO, MEPC, A0), 4);
    poke(w, M_VECTOR + 12, MRET, 4);
    hart_set_pc(w->hart, CODE);
    assert_int_equal(hart_run(w->hart, 10000, UINT64_MAX), HART_BUDGET);
}

static void note_event(void *ctx, const struct event *e)
{
    struct trap_event *seen = ctx;

    if (e->kind == EVENT_TRAP) {
        *seen = e->trap;
        return;
    }
    seen->epc = e->trap_return.pc;
    seen->from = e->trap_return.from;
    seen->to = e->trap_return.to;
}

static void keep_event(void *ctx, const struct event *e)
{
    *(struct event *)ctx = *e;
}

static void a_listener_hears_of_traps_and_returns(void **state)
{
    struct world *w = *state;
    struct trap_event seen = {0};
    const struct listener l = {.ctx = &seen,
                               .kinds = EVENT_BIT(EVENT_TRAP) | EVENT_BIT(EVENT_TRAP_RETURN),
                               .on_event = note_event};

    set_csr(w->hart, MEDELEG, 1 << EXC_ILLEGAL);
    cluster_listen(w->cluster, &l);
    enter(w->hart, PRIV_U, CODE);
    assert_int_equal(seen.epc, CODE);
    assert_int_equal(seen.from, PRIV_M);
    assert_int_equal(seen.to, PRIV_U);
    exec(w, ILLEGAL_WORD);
    assert_ptr_equal(seen.hart, w->hart);
    assert_false(seen.interrupt);
    assert_int_equal(seen.cause, EXC_ILLEGAL);
    assert_int_equal(seen.epc, CODE);
    assert_int_equal(seen.tval, ILLEGAL_WORD);
    assert_int_equal(seen.from, PRIV_U);
    assert_int_equal(seen.to, PRIV_S);
}

static void an_event_goes_only_to_listeners_that_need_its_kind(void **state)
{
    struct world *w = *state;
    struct trap_event returns = {.epc = 1}, traps = {0};
    const struct listener l[] = {
        {.ctx = &returns, .kinds = EVENT_BIT(EVENT_TRAP_RETURN), .on_event = note_event},
        {.ctx = &traps, .kinds = EVENT_BIT(EVENT_TRAP), .on_event = note_event}};

    assert_false(cluster_wants(w->cluster, EVENT_TRAP));
    cluster_listen(w->cluster, &l[0]);
    assert_false(cluster_wants(w->cluster, EVENT_TRAP));
    cluster_listen(w->cluster, &l[1]);
    assert_true(cluster_wants(w->cluster, EVENT_TRAP));
    exec(w, ILLEGAL_WORD);
    assert_ptr_equal(traps.hart, w->hart);
    assert_null(returns.hart);
    assert_int_equal(returns.epc, 1);
}

static void an_interrupt_between_harts_is_an_event(void **state)
{
    struct world *w = *state;
    struct event seen = {0};
    const struct listener l = {
        .ctx = &seen, .kinds = EVENT_BIT(EVENT_IPI_TAKEN), .on_event = keep_event};

    cluster_listen(w->cluster, &l);
    set_csr(w->hart, MIE, 1 << IRQ_MTI | 1 << IRQ_MSI);
    set_status(w->hart, STATUS_MIE);
    hart_set_irq(w->hart, IRQ_MTI, true);
    put(w, ADDI(A0, ZERO, 1));
    run(w, 1);
    assert_null(seen.ipi.hart);
    hart_set_irq(w->hart, IRQ_MSI, true);
    set_status(w->hart, STATUS_MIE);
    run(w, 1);
    assert_ptr_equal(seen.ipi.hart, w->hart);
    assert_int_equal(seen.ipi.interrupt, IRQ_MSI);
}

static void a_jump_to_nowhere_faults_at_its_target(void **state)
{
    struct world *w = *state;

    hart_set_reg(w->hart, A0, 0x2000);
    put(w, JALR(RA, A0, 0));
    run(w, 2);
    assert_trapped(w->hart, EXC_FETCH_ACCESS, 0x2000, 0x2000);
    assert_int_equal(hart_reg(w->hart, RA), CODE + 4);
}

static void an_instruction_half_outside_memory_faults_at_the_outer_half(void **state)
{
    struct world *w = *state;
    uint64_t end = RAM_BASE + RAM_SIZE;

    poke(w, end - 2, NOP, 2);
    step_at(w, end - 2);
    assert_trapped(w->hart, EXC_FETCH_ACCESS, end - 2, end);
}

/* ---- interrupts ---- */

enum { ALL_INTERRUPTS = 0xaaa };

static void raise_all(struct hart *h)
{
    static const enum interrupt all[] = {IRQ_SSI, IRQ_MSI, IRQ_STI, IRQ_MTI, IRQ_SEI, IRQ_MEI};

    for (size_t n = 0; n < ARRAY_LEN(all); n++)
        hart_set_irq(h, all[n], true);
}

static void put_nops(struct world *w, unsigned count)
{
    while (count--)
        put(w, NOP);
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

/* ---- WARL registers ---- */

static void a_mode_that_does_not_exist_is_not_kept_in_mpp(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MSTATUS, MPP(PRIV_S));
    set_csr(w->hart, MSTATUS, UINT64_C(2) << 11 | STATUS_SIE);
    assert_int_equal(status(w->hart, STATUS_MPP), MPP(PRIV_S));
    assert_int_equal(status(w->hart, STATUS_SIE), STATUS_SIE);
}

static void sstatus_is_the_part_of_mstatus_that_s_mode_may_see(void **state)
{
    const uint64_t s_bits = STATUS_SIE | STATUS_SPIE | STATUS_SPP | STATUS_SUM | STATUS_MXR;
    const uint64_t uxl = UINT64_C(2) << 32, fs = UINT64_C(3) << 13, sd = UINT64_C(1) << 63;
    struct world *w = *state;

    set_csr(w->hart, MSTATUS, UINT64_MAX);
    assert_int_equal(csr(w->hart, SSTATUS), s_bits | uxl | fs | sd);
    set_csr(w->hart, SSTATUS, 0);
    assert_int_equal(status(w->hart, s_bits), 0);
    assert_int_equal(status(w->hart, STATUS_MIE | STATUS_MPRV | STATUS_TVM),
                     STATUS_MIE | STATUS_MPRV | STATUS_TVM);
    set_csr(w->hart, MSTATUS, 0);
    set_csr(w->hart, SSTATUS, UINT64_MAX);
    assert_int_equal(status(w->hart, STATUS_MIE | STATUS_MPP | STATUS_MPRV | STATUS_TVM), 0);
    assert_int_equal(status(w->hart, s_bits), s_bits);
}

static void register_width_is_fixed_at_64(void **state)
{
    struct world *w = *state;
    const uint64_t widths = UINT64_C(0xf) << 32, both_64 = UINT64_C(0xa) << 32;

    set_csr(w->hart, MSTATUS, 0);
    assert_int_equal(status(w->hart, widths), both_64);
    set_csr(w->hart, MSTATUS, UINT64_MAX);
    assert_int_equal(status(w->hart, widths), both_64);
    set_csr(w->hart, MISA, 0);
    assert_int_equal(csr(w->hart, MISA) >> 62, 2);
    for (const char *letter = "ACIMSU"; *letter; letter++)
        assert_true(csr(w->hart, MISA) >> (*letter - 'A') & 1);
}

static void a_register_that_does_not_exist_is_neither_read_nor_written(void **state)
{
    struct world *w = *state;
    uint64_t value;

    assert_false(hart_csr(w->hart, 0x7c0, &value));
    assert_false(hart_set_csr(w->hart, 0x7c0, 1));
}

static void return_addresses_are_even_and_vectors_aligned(void **state)
{
    struct world *w = *state;

    set_csr(w->hart, MEPC, UINT64_MAX);
    assert_int_equal(csr(w->hart, MEPC), UINT64_MAX - 1);
    set_csr(w->hart, SEPC, 0x80000003);
    assert_int_equal(csr(w->hart, SEPC), 0x80000002);
    set_csr(w->hart, MTVEC, M_VECTOR | 3);
    assert_int_equal(csr(w->hart, MTVEC) & 2, 0);
    set_csr(w->hart, STVEC, S_VECTOR | 1);
    assert_int_equal(csr(w->hart, STVEC), S_VECTOR | 1);
}

static void satp_ignores_modes_that_do_not_exist(void **state)
{
    static const unsigned modes[] = {1, 2, 7, 11, 15};
    struct world *w = *state;
    const uint64_t sv39 = UINT64_C(8) << 60 | 0x12345;

    set_csr(w->hart, SATP, sv39);
    assert_int_equal(csr(w->hart, SATP) & ~(UINT64_C(0xffff) << 44), sv39);
    for (size_t n = 0; n < ARRAY_LEN(modes); n++) {
        set_csr(w->hart, SATP, (uint64_t)modes[n] << 60 | 0x777);
        assert_int_equal(csr(w->hart, SATP) & ~(UINT64_C(0xffff) << 44), sv39);
    }
    set_csr(w->hart, SATP, 0);
    assert_int_equal(csr(w->hart, SATP), 0);
}

static void tvm_keeps_s_mode_from_satp(void **state)
{
    struct world *w = *state;
    uint64_t at;

    enter(w->hart, PRIV_S, CODE);
    exec(w, CSRRS(A0, SATP, ZERO));
    assert_int_equal(hart_pc(w->hart), CODE + 4);
    set_status(w->hart, STATUS_TVM);
    at = exec(w, CSRRS(A0, SATP, ZERO));
    assert_trapped(w->hart, EXC_ILLEGAL, at, CSRRS(A0, SATP, ZERO));
    exec(w, CSRRS(A0, SATP, ZERO));
    assert_int_equal(hart_pc(w->hart), w->put_at); /* M-mode may */
}

/* ---- counters ---- */

static bool may_read(struct world *w, enum privilege mode, unsigned number)
{
    uint64_t at = put(w, CSRRS(A0, number, ZERO));

    enter(w->hart, mode, at);
    step_at(w, at);
    if (hart_pc(w->hart) == at + 4) {
        start_hart(w->hart);
        return true;
    }
    assert_trapped(w->hart, EXC_ILLEGAL, at, CSRRS(A0, number, ZERO));
    return false;
}

static bool may_read_with(struct world *w, enum privilege mode, unsigned number,
                          uint64_t mcounteren, uint64_t scounteren)
{
    set_csr(w->hart, MCOUNTEREN, mcounteren);
    set_csr(w->hart, SCOUNTEREN, scounteren);
    return may_read(w, mode, number);
}

static void each_counter_is_gated_by_its_bits(void **state)
{
    static const unsigned counters[] = {CYCLE, TIME, INSTRET, HPMCOUNTER3, HPMCOUNTER3 + 28};
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(counters); n++) {
        unsigned c = counters[n];
        uint64_t bit = UINT64_C(1) << (c & 31), others = UINT32_MAX & ~bit;

        assert_true(may_read_with(w, PRIV_M, c, 0, 0));
        assert_false(may_read_with(w, PRIV_S, c, others, UINT32_MAX));
        assert_true(may_read_with(w, PRIV_S, c, bit, 0));
        assert_false(may_read_with(w, PRIV_U, c, bit, others));
        assert_false(may_read_with(w, PRIV_U, c, others, bit));
        assert_true(may_read_with(w, PRIV_U, c, bit, bit));
    }
}

static void instret_counts_instructions(void **state)
{
    struct world *w = *state;

    put(w, CSRRS(A0, INSTRET, ZERO));
    put_nops(w, 5);
    put(w, CSRRS(A1, INSTRET, ZERO));
    run(w, 7);
    assert_int_equal(hart_reg(w->hart, A1) - hart_reg(w->hart, A0), 6);
}

/* Vol. II, 3.1.10 and vol. I, 7.1: the write takes effect after its own instruction is counted. */
static void a_written_instret_counts_on_from_there(void **state)
{
    struct world *w = *state;

    hart_set_reg(w->hart, A0, 1000);
    put(w, CSRRW(ZERO, MINSTRET, A0));
    put(w, CSRRS(A1, MINSTRET, ZERO));
    put(w, CSRRS(A2, INSTRET, ZERO));
    run(w, 3);
    assert_int_equal(hart_reg(w->hart, A1), 1000);
    assert_int_equal(hart_reg(w->hart, A2), 1001);
}

static void a_written_mcycle_counts_on_from_there(void **state)
{
    struct world *w = *state;
    const uint64_t there = UINT64_C(1) << 40;

    put_nops(w, 100);
    run(w, 100);
    w->put_at = CODE + 0x400;
    hart_set_reg(w->hart, A0, there);
    put(w, CSRRW(ZERO, MCYCLE, A0));
    put(w, CSRRS(A1, CYCLE, ZERO));
    put_nops(w, 10);
    put(w, CSRRS(A2, CYCLE, ZERO));
    hart_set_pc(w->hart, CODE + 0x400);
    (void)!hart_run(w->hart, 13, UINT64_MAX);
    assert_in_range(hart_reg(w->hart, A1), there, there + 10);
    assert_in_range(hart_reg(w->hart, A2) - hart_reg(w->hart, A1), 11, 100);
}

static uint64_t half_past_three(void *ctx, struct hart *h)
{
    (void)ctx;
    (void)h;
    return 330;
}

static void time_is_the_machines(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .env.ticks = half_past_three};
    struct world w = world_with(&config, 1);

    (void)state;
    exec(&w, CSRRS(A0, TIME, ZERO));
    assert_int_equal(hart_reg(w.hart, A0), 330);
    world_free(&w);
}
/* ---- devices ---- */

#define DEVICE_BASE UINT64_C(0x10000000)

static enum fault device_read(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    (void)size;
    *value = *(uint64_t *)ctx + offset;
    return FAULT_NONE;
}

static enum fault device_write(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    (void)size;
    *(uint64_t *)ctx = value - offset;
    return FAULT_NONE;
}

static void add_device(struct world *w, uint64_t *held)
{
    static const struct diag silent = {.quiet = true};
    const struct device d = {.name = "test",
                             .base = DEVICE_BASE,
                             .size = 0x100,
                             .sizes = 4,
                             .ctx = held,
                             .read = device_read,
                             .write = device_write};

    assert_true(bus_map_device(w->bus, &d, &silent));
}

static uint64_t device_cause(struct world *w, uint32_t word, uint64_t address)
{
    start_hart(w->hart);
    hart_set_reg(w->hart, A0, address);
    hart_set_reg(w->hart, A2, 0x80000010);
    exec(w, word);
    if (csr(w->hart, MCAUSE))
        assert_int_equal(csr(w->hart, MTVAL), address);
    return csr(w->hart, MCAUSE);
}

static void a_device_is_reached_by_the_widths_it_allows(void **state)
{
    struct world *w = *state;
    uint64_t held = 0x80000000;

    add_device(w, &held);
    assert_int_equal(device_cause(w, LW(A1, A0, 0), DEVICE_BASE + 8), 0);
    assert_int_equal(hart_reg(w->hart, A1), 0xffffffff80000008);
    assert_int_equal(device_cause(w, LWU(A1, A0, 0), DEVICE_BASE + 8), 0);
    assert_int_equal(hart_reg(w->hart, A1), 0x80000008);
    assert_int_equal(device_cause(w, SW(A2, A0, 0), DEVICE_BASE + 16), 0);
    assert_int_equal(held, 0x80000000);
    assert_int_equal(device_cause(w, LB(A1, A0, 0), DEVICE_BASE), EXC_LOAD_ACCESS);
    assert_int_equal(device_cause(w, LD(A1, A0, 0), DEVICE_BASE), EXC_LOAD_ACCESS);
    assert_int_equal(device_cause(w, SD(A2, A0, 0), DEVICE_BASE), EXC_STORE_ACCESS);
    assert_int_equal(device_cause(w, LW(A1, A0, 0), DEVICE_BASE + 0x100), EXC_LOAD_ACCESS);
    assert_int_equal(device_cause(w, LW(A1, A0, 0), DEVICE_BASE + 2), EXC_LOAD_MISALIGNED);
    assert_int_equal(device_cause(w, SW(A2, A0, 0), DEVICE_BASE + 2), EXC_STORE_MISALIGNED);
    assert_int_equal(device_cause(w, AMOADD_W(0, A1, A2, A0), DEVICE_BASE), EXC_STORE_ACCESS);
    assert_int_equal(device_cause(w, LR_W(0, A1, A0), DEVICE_BASE), EXC_LOAD_ACCESS);
    assert_int_equal(held, 0x80000000);
    hart_set_reg(w->hart, A0, DEVICE_BASE);
    exec(w, JALR(ZERO, A0, 0));
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_trapped(w->hart, EXC_FETCH_ACCESS, DEVICE_BASE, DEVICE_BASE);
}

/* Half of such an access would be a separate access, and the other half might fault after it. */
static void no_half_of_a_misaligned_access_reaches_a_device(void **state)
{
    static const struct diag silent = {.quiet = true};
    struct world *w = *state;
    uint64_t held = 1;
    const struct device d = {.name = "test",
                             .base = DEVICE_BASE,
                             .size = 0x2000,
                             .sizes = 1 | 2 | 4 | 8,
                             .ctx = &held,
                             .read = device_read,
                             .write = device_write};

    assert_true(bus_map_device(w->bus, &d, &silent));
    for (uint64_t at = DEVICE_BASE + 0xff9; at < DEVICE_BASE + 0x1000; at++) {
        assert_int_equal(device_cause(w, LD(A1, A0, 0), at), EXC_LOAD_ACCESS);
        assert_int_equal(hart_reg(w->hart, A1), 0);
        assert_int_equal(device_cause(w, SD(A2, A0, 0), at), EXC_STORE_ACCESS);
        assert_int_equal(held, 1);
    }
}

static void a_device_gets_no_bits_beyond_the_width_of_the_store(void **state)
{
    struct world *w = *state;
    uint64_t held = 0;

    add_device(w, &held);
    hart_set_reg(w->hart, A0, DEVICE_BASE);
    hart_set_reg(w->hart, A2, 0x1234567880000010);
    exec(w, SW(A2, A0, 0));
    assert_int_equal(held, 0x80000010);
}

/* ---- two harts ---- */

static int set_up_two(void **state)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT};
    struct world *w = malloc(sizeof *w);

    assert_non_null(w);
    *w = world_with(&config, 2);
    *state = w;
    return 0;
}

static void step_other(struct world *w, uint32_t word, uint64_t a0)
{
    struct hart *other = cluster_hart(w->cluster, 1);

    hart_set_reg(other, A0, a0);
    hart_set_pc(other, put(w, word));
    assert_int_equal(hart_run(other, 1, UINT64_MAX), HART_BUDGET);
}

/* Does a store-conditional still succeed after the other hart's instruction at an address? */
static bool sc_survives(struct world *w, uint32_t word, uint64_t address)
{
    hart_set_reg(w->hart, A0, DATA);
    hart_set_reg(w->hart, A1, 77);
    exec(w, LR_D(0, A2, A0));
    step_other(w, word, address);
    exec(w, SC_D(0, A1, A2, A0));
    return hart_reg(w->hart, A1) == 0;
}

static void another_harts_store_breaks_a_reservation(void **state)
{
    struct world *w = *state;

    assert_false(sc_survives(w, SD(A2, A0, 0), DATA));
    assert_false(sc_survives(w, SB(A2, A0, 7), DATA));
    assert_false(sc_survives(w, SD(A2, A0, -4), DATA)); /* misaligned, overlapping */
    assert_false(sc_survives(w, AMOADD_D(0, A1, A2, A0), DATA));
}

/* The other hart has stored there before, so its store takes the fast path. */
static void another_harts_store_through_its_caches_breaks_a_reservation(void **state)
{
    struct world *w = *state;

    for (unsigned n = 0; n < 3; n++)
        step_other(w, SD(A2, A0, 0), DATA);
    assert_false(sc_survives(w, SD(A2, A0, 0), DATA));
    for (unsigned n = 0; n < 3; n++)
        step_other(w, SD(A2, A0, 0), DATA);
    assert_false(sc_survives(w, SD(A2, A0, 0), DATA));
}

static void another_harts_successful_sc_breaks_a_reservation(void **state)
{
    struct world *w = *state;
    struct hart *other = cluster_hart(w->cluster, 1);

    hart_set_reg(w->hart, A0, DATA);
    exec(w, LR_D(0, A2, A0));
    step_other(w, LR_D(0, A2, A0), DATA);
    hart_set_reg(other, A3, 5);
    step_other(w, SC_D(0, A1, A3, A0), DATA);
    assert_int_equal(hart_reg(other, A1), 0);
    hart_set_reg(w->hart, A3, 6);
    exec(w, SC_D(0, A1, A3, A0));
    assert_int_equal(hart_reg(w->hart, A1), 1);
    assert_int_equal(peek(w, DATA, 8), 5);
}

static void another_harts_load_or_distant_store_leaves_a_reservation(void **state)
{
    struct world *w = *state;

    assert_true(sc_survives(w, LD(A2, A0, 0), DATA));
    assert_true(sc_survives(w, SD(A2, A0, 0), DATA + 0x1000));
    assert_true(sc_survives(w, NOP, DATA));
}

static void a_reservation_is_by_physical_address(void **state)
{
    struct world *w = *state;

    build_tables(w);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW);
    exec(w, LR_D(0, A2, A0));
    step_other(w, SD(A2, A0, 0), FRAME);
    exec(w, SC_D(0, A1, A2, A0));
    assert_int_equal(hart_reg(w->hart, A1), 1);
}

static void firmware_can_drop_a_reservation(void **state)
{
    struct world *w = *state;

    hart_set_reg(w->hart, A0, DATA);
    exec(w, LR_D(0, A2, A0));
    hart_drop_reservation(w->hart);
    exec(w, SC_D(0, A1, A2, A0));
    assert_int_equal(hart_reg(w->hart, A1), 1);
}

static void each_hart_knows_its_number(void **state)
{
    struct world *w = *state;

    assert_int_equal(csr(cluster_hart(w->cluster, 0), MHARTID), 0);
    assert_int_equal(csr(cluster_hart(w->cluster, 1), MHARTID), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(an_exception_goes_to_m_mode_unless_delegated),
        ALONE(a_delegated_exception_goes_to_s_mode),
        ALONE(an_exception_in_m_mode_is_never_delegated),
        ALONE(only_the_delegated_cause_goes_to_s_mode),
        ALONE(an_illegal_parcel_has_sixteen_bits_of_tval),
        ALONE(an_illegal_instruction_behind_others_gives_its_own_word),
        ALONE(the_all_zero_parcel_is_illegal),
        ALONE(a_trap_to_m_mode_pushes_mie_and_mode),
        ALONE(a_trap_to_s_mode_pushes_sie_and_mode_and_leaves_m_mode_s),
        ALONE(a_trap_inside_a_handler_overwrites_what_the_first_left),
        ALONE(a_handler_that_cannot_run_makes_the_hart_stuck),
        ALONE(a_handler_that_faults_in_itself_is_stuck_whatever_its_stack_pointer),
        ALONE(a_handler_that_swaps_to_a_bad_stack_is_stuck),
        ALONE(a_handler_that_faults_at_two_places_is_stuck),
        ALONE(a_program_that_counts_its_faults_is_not_stuck),
        ALONE(a_program_that_counts_its_faults_in_memory_is_not_stuck),
        ALONE(a_handler_that_returns_is_not_stuck_however_often_it_is_entered),
        ALONE(a_trap_taken_again_and_again_is_not_stuck),
        ALONE(a_listener_hears_of_traps_and_returns),
        ALONE(an_event_goes_only_to_listeners_that_need_its_kind),
        ALONE(an_interrupt_between_harts_is_an_event),
        ALONE(a_jump_to_nowhere_faults_at_its_target),
        ALONE(an_instruction_half_outside_memory_faults_at_the_outer_half),
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
        ALONE(a_mode_that_does_not_exist_is_not_kept_in_mpp),
        ALONE(sstatus_is_the_part_of_mstatus_that_s_mode_may_see),
        ALONE(register_width_is_fixed_at_64),
        ALONE(a_register_that_does_not_exist_is_neither_read_nor_written),
        ALONE(return_addresses_are_even_and_vectors_aligned),
        ALONE(satp_ignores_modes_that_do_not_exist),
        ALONE(tvm_keeps_s_mode_from_satp),
        ALONE(each_counter_is_gated_by_its_bits),
        ALONE(instret_counts_instructions),
        ALONE(a_written_instret_counts_on_from_there),
        ALONE(a_written_mcycle_counts_on_from_there),
        cmocka_unit_test(time_is_the_machines),
        ALONE(a_device_is_reached_by_the_widths_it_allows),
        ALONE(no_half_of_a_misaligned_access_reaches_a_device),
        ALONE(a_device_gets_no_bits_beyond_the_width_of_the_store),
        TOGETHER(another_harts_store_breaks_a_reservation),
        TOGETHER(another_harts_store_through_its_caches_breaks_a_reservation),
        TOGETHER(another_harts_successful_sc_breaks_a_reservation),
        TOGETHER(another_harts_load_or_distant_store_leaves_a_reservation),
        TOGETHER(a_reservation_is_by_physical_address),
        TOGETHER(firmware_can_drop_a_reservation),
        TOGETHER(each_hart_knows_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
