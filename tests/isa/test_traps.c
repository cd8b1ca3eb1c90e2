/*
 * test_traps.c - exceptions, their delegation, and loops of traps that never end (volume II, 3.1.6
 * to 3.1.16).
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

enum { ENDLESS = 40000000 }; /* cycles: enough to detect the loop */

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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
