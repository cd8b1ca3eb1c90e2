/*
 * test_priv.c - traps, modes, interrupts, address translation, counters: what
 * volume II of the manual says, tested through the public headers of the hart.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "world.h"

/* mstatus, from vol. II, figure 3.7. */
#define STATUS_SIE  (UINT64_C(1) << 1)
#define STATUS_MIE  (UINT64_C(1) << 3)
#define STATUS_SPIE (UINT64_C(1) << 5)
#define STATUS_MPIE (UINT64_C(1) << 7)
#define STATUS_SPP  (UINT64_C(1) << 8)
#define STATUS_MPP  (UINT64_C(3) << 11)
#define STATUS_MPRV (UINT64_C(1) << 17)
#define STATUS_SUM  (UINT64_C(1) << 18)
#define STATUS_MXR  (UINT64_C(1) << 19)
#define STATUS_TVM  (UINT64_C(1) << 20)
#define MPP(mode)   ((uint64_t)(mode) << 11)

#define ILLEGAL_WORD UINT32_C(0xffffffff)
#define NOP          ADDI(ZERO, ZERO, 0)

static void set_status(struct hart *h, uint64_t bits)
{
    set_csr(h, MSTATUS, csr(h, MSTATUS) | bits);
}

static uint64_t status(struct hart *h, uint64_t mask)
{
    return csr(h, MSTATUS) & mask;
}

static int set_up(void **state)
{
    struct world *w = malloc(sizeof *w);

    assert_non_null(w);
    *w = world_new();
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world_free(*state);
    free(*state);
    return 0;
}

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
    assert_int_equal(csr(w->hart, MIDELEG), 0x222);
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
    assert_int_equal(csr(w->hart, MIP), 0x222);
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

/* ---- translation ---- */

enum {
    PTE_V = 1 << 0,
    PTE_R = 1 << 1,
    PTE_W = 1 << 2,
    PTE_X = 1 << 3,
    PTE_U = 1 << 4,
    PTE_G = 1 << 5,
    PTE_A = 1 << 6,
    PTE_D = 1 << 7,
    RWX = PTE_R | PTE_W | PTE_X,
    VAD = PTE_V | PTE_A | PTE_D,
};

/*
 * Three tables. RAM is identity-mapped for S-mode, and at USER for U-mode, as
 * one gigabyte each. WINDOW goes through all levels; its last entry is what the
 * tests change.
 */
#define ROOT      (RAM_BASE + 0x40000)
#define MIDDLE    (RAM_BASE + 0x41000)
#define LAST      (RAM_BASE + 0x42000)
#define FRAME     (RAM_BASE + 0x50000) /* the memory behind the window */
#define WINDOW    UINT64_C(0x40000000)
#define USER      UINT64_C(0x100000000)
#define SV39(pa)  (UINT64_C(8) << 60 | (pa) >> 12)
#define ENTRY(pa) ((pa) >> 12 << 10)

static uint64_t as_user(uint64_t pa)
{
    return pa - RAM_BASE + USER;
}

static void build_tables(struct world *w)
{
    poke(w, ROOT + 8 * 1, ENTRY(MIDDLE) | PTE_V, 8);
    poke(w, ROOT + 8 * 2, ENTRY(RAM_BASE) | RWX | VAD, 8);
    poke(w, ROOT + 8 * 4, ENTRY(RAM_BASE) | RWX | VAD | PTE_U, 8);
    poke(w, MIDDLE, ENTRY(LAST) | PTE_V, 8);
    poke(w, LAST, ENTRY(FRAME) | RWX | VAD, 8);
    set_csr(w->hart, SATP, SV39(ROOT));
}

/* One access to va in a mode; 0 or the cause of the trap, of which tval must be va. */
static uint64_t access_cause(struct world *w, enum privilege mode, uint64_t extra_status,
                             uint64_t va, uint32_t word)
{
    uint64_t at = put(w, word);
    uint64_t pc = mode == PRIV_U ? as_user(at) : at;

    start_hart(w->hart);
    set_csr(w->hart, SATP, SV39(ROOT));
    set_status(w->hart, extra_status);
    enter(w->hart, mode, pc);
    set_status(w->hart, extra_status); /* `enter` clears MPRV */
    hart_set_reg(w->hart, A0, va);
    (void)!hart_run(w->hart, 2, UINT64_MAX);
    if (csr(w->hart, MCAUSE) && csr(w->hart, MCAUSE) != EXC_ILLEGAL)
        assert_int_equal(csr(w->hart, MTVAL), va);
    return csr(w->hart, MCAUSE);
}

static const uint32_t load_word = LD(A1, A0, 0), store_word = SD(A1, A0, 0),
                      jump_word = JALR(RA, A0, 0);

/* After each tried word is a zero parcel: a successful access ends in an illegal instruction. */
enum { FINE = EXC_ILLEGAL };

static uint64_t try_pte(struct world *w, enum privilege mode, uint64_t extra_status, uint64_t pte,
                        uint32_t word)
{
    poke(w, LAST, pte, 8);
    return access_cause(w, mode, extra_status, WINDOW + 0x100, word);
}

struct permission {
    const char *what;
    enum privilege mode;
    uint64_t status, flags;
    uint64_t load, store, fetch; /* causes, or FINE */
};

static void permissions_are_those_of_the_manual(void **state)
{
    enum { L = EXC_LOAD_PAGE, S = EXC_STORE_PAGE, F = EXC_FETCH_PAGE };
    static const struct permission all[] = {
        {"all rights", PRIV_S, 0, VAD | RWX, FINE, FINE, FINE},
        {"not valid", PRIV_S, 0, (VAD | RWX) & ~PTE_V, L, S, F},
        {"read only", PRIV_S, 0, VAD | PTE_R, FINE, S, F},
        {"read and write", PRIV_S, 0, VAD | PTE_R | PTE_W, FINE, FINE, F},
        {"execute only", PRIV_S, 0, VAD | PTE_X, L, S, FINE},
        {"execute only, MXR", PRIV_S, STATUS_MXR, VAD | PTE_X, FINE, S, FINE},
        {"read and execute", PRIV_S, 0, VAD | PTE_R | PTE_X, FINE, S, FINE},
        {"write only is reserved", PRIV_S, 0, VAD | PTE_W, L, S, F},
        {"write and execute is reserved", PRIV_S, 0, VAD | PTE_W | PTE_X, L, S, F},
        {"no rights is a pointer, and there is no level left", PRIV_S, 0, PTE_V, L, S, F},
        {"user page from S", PRIV_S, 0, VAD | RWX | PTE_U, L, S, F},
        {"user page from S, SUM", PRIV_S, STATUS_SUM, VAD | RWX | PTE_U, FINE, FINE, F},
        {"user page from S, SUM, read only", PRIV_S, STATUS_SUM, VAD | PTE_R | PTE_U, FINE, S, F},
        {"user page from S, SUM and MXR", PRIV_S, STATUS_SUM | STATUS_MXR, VAD | PTE_X | PTE_U,
         FINE, S, F},
        {"user page from S, MXR alone", PRIV_S, STATUS_MXR, VAD | PTE_X | PTE_U, L, S, F},
        {"user page from U", PRIV_U, 0, VAD | RWX | PTE_U, FINE, FINE, FINE},
        {"user page from U, read only", PRIV_U, 0, VAD | PTE_R | PTE_U, FINE, S, F},
        {"user page from U, execute only", PRIV_U, 0, VAD | PTE_X | PTE_U, L, S, FINE},
        {"user page from U, execute only, MXR", PRIV_U, STATUS_MXR, VAD | PTE_X | PTE_U, FINE, S,
         FINE},
        {"kernel page from U", PRIV_U, 0, VAD | RWX, L, S, F},
        {"kernel page from U, SUM", PRIV_U, STATUS_SUM, VAD | RWX, L, S, F},
        {"global", PRIV_S, 0, VAD | RWX | PTE_G, FINE, FINE, FINE},
        {"M-mode is not translated", PRIV_M, 0, VAD | RWX, EXC_LOAD_ACCESS, EXC_STORE_ACCESS,
         EXC_FETCH_ACCESS},
        {"M-mode as S", PRIV_M, STATUS_MPRV | MPP(PRIV_S), VAD | PTE_R, FINE, S, EXC_FETCH_ACCESS},
        {"M-mode as S, user page", PRIV_M, STATUS_MPRV | MPP(PRIV_S), VAD | RWX | PTE_U, L, S,
         EXC_FETCH_ACCESS},
        {"M-mode as S, user page, SUM", PRIV_M, STATUS_MPRV | MPP(PRIV_S) | STATUS_SUM,
         VAD | RWX | PTE_U, FINE, FINE, EXC_FETCH_ACCESS},
        {"M-mode as U", PRIV_M, STATUS_MPRV, VAD | RWX | PTE_U, FINE, FINE, EXC_FETCH_ACCESS},
        {"M-mode as U, kernel page", PRIV_M, STATUS_MPRV, VAD | RWX, L, S, EXC_FETCH_ACCESS},
        {"M-mode as M", PRIV_M, STATUS_MPRV | MPP(PRIV_M), VAD | RWX, EXC_LOAD_ACCESS,
         EXC_STORE_ACCESS, EXC_FETCH_ACCESS},
    };
    struct world *w = *state;

    build_tables(w);
    for (size_t n = 0; n < ARRAY_LEN(all); n++) {
        const struct permission *p = &all[n];
        uint64_t pte = ENTRY(FRAME) | p->flags;
        uint64_t load = try_pte(w, p->mode, p->status, pte, load_word);
        uint64_t store = try_pte(w, p->mode, p->status, pte, store_word);
        uint64_t fetch = try_pte(w, p->mode, p->status, pte, jump_word);

        if (load != p->load || store != p->store || fetch != p->fetch)
            fail_msg("%s: load %d, store %d, fetch %d", p->what, (int)load, (int)store, (int)fetch);
    }
}

static void reserved_bits_of_an_entry_fault(void **state)
{
    struct world *w = *state;
    const uint64_t good = ENTRY(FRAME) | VAD | RWX;

    build_tables(w);
    for (unsigned bit = 54; bit < 61; bit++)
        assert_int_equal(try_pte(w, PRIV_S, 0, good | UINT64_C(1) << bit, load_word),
                         EXC_LOAD_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, good | UINT64_C(3) << 61, load_word), EXC_LOAD_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, good | 3 << 8, load_word), FINE); /* software's own */
}

static void an_address_that_is_not_canonical_faults(void **state)
{
    static const uint64_t wrong[] = {UINT64_C(0x4000000000) + WINDOW, UINT64_C(0x8000000000),
                                     UINT64_C(0xffffff8000000000) - 8,
                                     UINT64_C(0xff00000040000000)};
    struct world *w = *state;

    build_tables(w);
    for (size_t n = 0; n < ARRAY_LEN(wrong); n++) {
        assert_int_equal(access_cause(w, PRIV_S, 0, wrong[n], load_word), EXC_LOAD_PAGE);
        assert_int_equal(access_cause(w, PRIV_S, 0, wrong[n], store_word), EXC_STORE_PAGE);
        assert_int_equal(access_cause(w, PRIV_S, 0, wrong[n], jump_word), EXC_FETCH_PAGE);
    }
}

static void the_upper_half_translates(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, ROOT + 8 * 511, ENTRY(RAM_BASE) | RWX | VAD, 8);
    poke(w, DATA, 0x1234, 8);
    assert_int_equal(
        access_cause(w, PRIV_S, 0, UINT64_C(0xffffffffc0000000) + DATA - RAM_BASE, load_word),
        FINE);
    assert_int_equal(hart_reg(w->hart, A1), 0x1234);
}

static void superpages_translate_and_must_be_aligned(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, DATA, 0x1234, 8);
    poke(w, MIDDLE, ENTRY(RAM_BASE) | RWX | VAD, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW + DATA - RAM_BASE, load_word), FINE);
    assert_int_equal(hart_reg(w->hart, A1), 0x1234);
    poke(w, MIDDLE, ENTRY(FRAME) | RWX | VAD, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, load_word), EXC_LOAD_PAGE);
    poke(w, ROOT + 8, ENTRY(RAM_BASE) | RWX | VAD, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW + DATA - RAM_BASE, load_word), FINE);
    poke(w, ROOT + 8, ENTRY(RAM_BASE + 0x200000) | RWX | VAD, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, store_word), EXC_STORE_PAGE);
}

/* ---- adjacent superpages, which share a load span ---- */

#define SUPERPAGE UINT64_C(0x200000)

/* The first word of each identifies it; the window maps the first and the second. */
static void put_superpages(struct world *w, uint64_t second_flags)
{
    build_tables(w);
    for (uint64_t n = 1; n < 4; n++)
        poke(w, RAM_BASE + n * SUPERPAGE, n, 8);
    poke(w, MIDDLE + 8, ENTRY(RAM_BASE + SUPERPAGE) | RWX | VAD, 8);
    poke(w, MIDDLE + 16, ENTRY(RAM_BASE + 2 * SUPERPAGE) | second_flags, 8);
    enter(w->hart, PRIV_S, CODE);
}

static uint64_t loaded_from(struct world *w, uint64_t va)
{
    hart_set_reg(w->hart, A0, va);
    exec(w, load_word);
    return hart_reg(w->hart, A1);
}

static void a_superpage_beside_another_can_be_remapped(void **state)
{
    struct world *w = *state;

    put_superpages(w, RWX | VAD);
    assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 2);
    poke(w, MIDDLE + 16, ENTRY(RAM_BASE + 3 * SUPERPAGE) | RWX | VAD, 8);
    hart_set_reg(w->hart, A0, WINDOW + 3 * SUPERPAGE - 1);
    exec(w, SFENCE_VMA(A0, ZERO));
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 3);
    assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
}

/* The third begins in RAM and ends after it. */
static void a_superpage_that_memory_ends_in_can_be_remapped(void **state)
{
    struct world *w = *state;

    put_superpages(w, RWX | VAD);
    poke(w, MIDDLE + 24, ENTRY(RAM_BASE + 3 * SUPERPAGE) | RWX | VAD, 8);
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 2);
    assert_int_equal(loaded_from(w, WINDOW + 3 * SUPERPAGE), 3);
    poke(w, MIDDLE + 24, ENTRY(RAM_BASE + SUPERPAGE) | RWX | VAD, 8);
    hart_set_reg(w->hart, A0, WINDOW + 4 * SUPERPAGE - 1);
    exec(w, SFENCE_VMA(A0, ZERO));
    assert_int_equal(loaded_from(w, WINDOW + 3 * SUPERPAGE), 1);
}

/* Nothing comes before physical address 0: the entry for that is reserved. */
static void superpages_do_not_go_round(void **state)
{
    const uint64_t gigabyte = UINT64_C(1) << 30;
    struct world *w = *state;

    build_tables(w);
    poke(w, DATA, 0x1234, 8);
    for (uint64_t n = 0; n < 4; n++)
        poke(w, ROOT + 8 * (5 + n), (ENTRY(gigabyte * n) - ENTRY(gigabyte)) | RWX | VAD, 8);
    enter(w->hart, PRIV_S, CODE);
    assert_int_equal(loaded_from(w, 8 * gigabyte + DATA - RAM_BASE), 0x1234);
    (void)!loaded_from(w, 7 * gigabyte + 0x1000);
    assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_ACCESS);
    start_hart(w->hart);
    set_csr(w->hart, SATP, SV39(ROOT));
    enter(w->hart, PRIV_S, CODE);
    (void)!loaded_from(w, 5 * gigabyte + DATA - RAM_BASE);
    assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_PAGE);
}

static void superpages_side_by_side_may_lie_apart(void **state)
{
    struct world *w = *state;

    put_superpages(w, RWX | VAD);
    poke(w, MIDDLE + 16, ENTRY(RAM_BASE + 3 * SUPERPAGE) | RWX | VAD, 8);
    assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 3);
    poke(w, MIDDLE + 24, ENTRY(RAM_BASE) | RWX | VAD, 8);
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 3);
}

static void each_superpage_permits_for_itself(void **state)
{
    static const uint64_t not_readable[] = {PTE_X | VAD, RWX | VAD | PTE_U, 0};
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(not_readable); n++) {
        start_hart(w->hart);
        put_superpages(w, not_readable[n]);
        assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
        assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE - 8), 0);
        assert_int_equal(csr(w->hart, MCAUSE), 0);
        (void)!loaded_from(w, WINDOW + 2 * SUPERPAGE);
        assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_PAGE);
        assert_int_equal(csr(w->hart, MTVAL), WINDOW + 2 * SUPERPAGE);
    }
}

static void each_superpage_is_marked_when_it_is_used(void **state)
{
    struct world *w = *state;

    put_superpages(w, RWX | PTE_V);
    assert_int_equal(loaded_from(w, WINDOW + SUPERPAGE), 1);
    assert_int_equal(peek(w, MIDDLE + 16, 8) & PTE_A, 0);
    assert_int_equal(loaded_from(w, WINDOW + 2 * SUPERPAGE), 2);
    assert_int_equal(peek(w, MIDDLE + 16, 8) & PTE_A, PTE_A);
}

static void a_pointer_with_the_bits_of_a_leaf_is_reserved(void **state)
{
    static const uint64_t leaf_bits[] = {PTE_A, PTE_D, PTE_U};
    struct world *w = *state;

    build_tables(w);
    for (size_t n = 0; n < ARRAY_LEN(leaf_bits); n++) {
        poke(w, MIDDLE, ENTRY(LAST) | PTE_V | leaf_bits[n], 8);
        assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, load_word), EXC_LOAD_PAGE);
    }
    poke(w, MIDDLE, ENTRY(LAST) | PTE_V | PTE_G, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, load_word), FINE);
}

static void a_table_outside_memory_is_an_access_fault(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, MIDDLE, ENTRY(UINT64_C(0x1000)) | PTE_V, 8);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, load_word), EXC_LOAD_ACCESS);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, store_word), EXC_STORE_ACCESS);
    assert_int_equal(access_cause(w, PRIV_S, 0, WINDOW, jump_word), EXC_FETCH_ACCESS);
}

static void a_frame_outside_memory_is_an_access_fault(void **state)
{
    struct world *w = *state;

    build_tables(w);
    assert_int_equal(try_pte(w, PRIV_S, 0, ENTRY(UINT64_C(0x1000)) | VAD | RWX, load_word),
                     EXC_LOAD_ACCESS);
    assert_int_equal(try_pte(w, PRIV_S, 0, ENTRY(UINT64_C(0x1000)) | VAD | RWX, jump_word),
                     EXC_FETCH_ACCESS);
}

/* The entry of the window after one access to it. */
static uint64_t entry_after(struct world *w, uint64_t flags, uint32_t word)
{
    (void)try_pte(w, PRIV_S, 0, ENTRY(FRAME) | flags, word);
    return peek(w, LAST, 8) & 0x3ff;
}

static void hardware_marks_pages_accessed_and_dirty(void **state)
{
    const uint64_t clear = PTE_V | RWX;
    struct world *w = *state;

    build_tables(w);
    assert_int_equal(entry_after(w, clear, load_word), clear | PTE_A);
    assert_int_equal(entry_after(w, clear, jump_word), clear | PTE_A);
    assert_int_equal(entry_after(w, clear, store_word), clear | PTE_A | PTE_D);
    assert_int_equal(entry_after(w, clear | PTE_A, store_word), clear | PTE_A | PTE_D);
    assert_int_equal(entry_after(w, clear, AMOADD_D(0, A1, A1, A0)), clear | PTE_A | PTE_D);
}

static void an_access_that_faults_marks_nothing(void **state)
{
    struct world *w = *state;

    build_tables(w);
    assert_int_equal(entry_after(w, PTE_V | PTE_R, store_word), PTE_V | PTE_R);
    assert_int_equal(entry_after(w, PTE_V | PTE_X, load_word), PTE_V | PTE_X);
    assert_int_equal(entry_after(w, PTE_V | RWX | PTE_U, load_word), PTE_V | RWX | PTE_U);
}

static void a_store_after_a_load_still_marks_the_page_dirty(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, LAST, ENTRY(FRAME) | PTE_V | RWX, 8);
    put(w, load_word);
    put(w, store_word);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(peek(w, LAST, 8) & 0x3ff, PTE_V | RWX | PTE_A);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(peek(w, LAST, 8) & 0x3ff, PTE_V | RWX | PTE_A | PTE_D);
}

static void looking_on_marks_nothing(void **state)
{
    struct world *w = *state;
    uint64_t pa = 0;

    build_tables(w);
    poke(w, LAST, ENTRY(FRAME) | PTE_V | RWX, 8);
    enter(w->hart, PRIV_S, CODE);
    assert_true(hart_translate(w->hart, WINDOW + 0x123, ACCESS_STORE, &pa));
    assert_int_equal(pa, FRAME + 0x123);
    assert_false(hart_translate(w->hart, WINDOW + 0x1000, ACCESS_LOAD, &pa));
    assert_int_equal(peek(w, LAST, 8) & 0x3ff, PTE_V | RWX);
}

static void looking_at_memory_crosses_pages_and_stops_at_holes(void **state)
{
    struct world *w = *state;
    uint8_t seen[16];

    build_tables(w);
    poke(w, LAST + 8, ENTRY(FRAME - 0x2000) | PTE_X | VAD, 8); /* code can be read, too */
    poke(w, FRAME + 0xff8, 0x1122334455667788, 8);
    poke(w, FRAME - 0x2000, 0x99aabbccddeeff00, 8);
    enter(w->hart, PRIV_S, CODE);
    assert_true(hart_peek(w->hart, WINDOW + 0xffd, seen, 8));
    assert_memory_equal(seen, "\x33\x22\x11\x00\xff\xee\xdd\xcc", 8);
    assert_true(hart_peek(w->hart, WINDOW + 0xff8, seen, 8));
    assert_memory_equal(seen, "\x88\x77\x66\x55\x44\x33\x22\x11", 8);
    assert_false(hart_peek(w->hart, WINDOW + 0x1ffc, seen, 8));
    assert_true(hart_peek(w->hart, WINDOW + 0x1ffc, seen, 4));
    poke(w, LAST + 8, ENTRY(UINT64_C(0x1000)) | RWX | VAD, 8); /* no memory there */
    assert_false(hart_peek(w->hart, WINDOW + 0xffd, seen, 8));
}

static void an_lr_faults_as_a_load_and_an_amo_as_a_store(void **state)
{
    struct world *w = *state;

    build_tables(w);
    assert_int_equal(try_pte(w, PRIV_S, 0, 0, LR_D(0, A1, A0)), EXC_LOAD_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, 0, SC_D(0, A1, A2, A0)), EXC_STORE_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, 0, AMOADD_D(0, A1, A2, A0)), EXC_STORE_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, ENTRY(FRAME) | VAD | PTE_R, AMOADD_D(0, A1, A2, A0)),
                     EXC_STORE_PAGE);
    assert_int_equal(try_pte(w, PRIV_S, 0, ENTRY(FRAME) | VAD | PTE_R, LR_D(0, A1, A0)), FINE);
}

static void an_access_across_pages_faults_at_the_page_that_is_missing(void **state)
{
    struct world *w = *state;
    uint64_t at;

    build_tables(w);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW + 0xffd);
    hart_set_reg(w->hart, A1, 77);
    at = exec(w, load_word);
    assert_trapped(w->hart, EXC_LOAD_PAGE, at, WINDOW + 0x1000);
    assert_int_equal(hart_reg(w->hart, A1), 77);
    poke(w, FRAME + 0xff8, 0, 8);
    enter(w->hart, PRIV_S, w->put_at);
    at = exec(w, store_word);
    assert_trapped(w->hart, EXC_STORE_PAGE, at, WINDOW + 0x1000);
    assert_int_equal(peek(w, FRAME + 0xff8, 8), 0); /* and nothing is half written */
}

static void an_access_across_pages_reaches_both_frames(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, LAST + 8, ENTRY(FRAME - 0x2000) | RWX | VAD,
         8); /* the next page is elsewhere in memory */
    poke(w, FRAME + 0xff8, 0x1122334455667788, 8);
    poke(w, FRAME - 0x2000, 0x99aabbccddeeff00, 8);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW + 0xffd);
    exec(w, load_word);
    assert_int_equal(hart_reg(w->hart, A1), 0xccddeeff00112233);
    hart_set_reg(w->hart, A1, 0x0102030405060708);
    exec(w, store_word);
    assert_int_equal(peek(w, FRAME + 0xff8, 8), 0x0607084455667788);
    assert_int_equal(peek(w, FRAME - 0x2000, 8), 0x99aabb0102030405);
}

static void an_instruction_across_pages_is_fetched_from_both_frames(void **state)
{
    struct world *w = *state;
    const uint32_t word = ADDI(A1, ZERO, 1234);

    build_tables(w);
    poke(w, LAST + 8, ENTRY(FRAME - 0x2000) | RWX | VAD, 8);
    poke(w, FRAME + 0xffe, word, 2);
    poke(w, FRAME - 0x2000, word >> 16, 2);
    enter(w->hart, PRIV_S, WINDOW + 0xffe);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(hart_reg(w->hart, A1), 1234);
    assert_int_equal(hart_pc(w->hart), WINDOW + 0x1002);
}

static void an_instruction_across_pages_faults_at_its_second_half(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, FRAME + 0xffe, NOP, 2);
    enter(w->hart, PRIV_S, WINDOW + 0xffe);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_trapped(w->hart, EXC_FETCH_PAGE, WINDOW + 0xffe, WINDOW + 0x1000);
}

static void the_second_half_of_an_instruction_can_be_remapped(void **state)
{
    struct world *w = *state;
    const uint32_t one = ADDI(A1, ZERO, 1), two = ADDI(A1, ZERO, 2);

    build_tables(w);
    poke(w, FRAME + 0xffe, one, 2);
    poke(w, FRAME + 0x1000, one >> 16, 2);
    poke(w, FRAME + 0x2000, two >> 16, 2);
    poke(w, LAST + 8, ENTRY(FRAME + 0x1000) | RWX | VAD, 8);
    enter(w->hart, PRIV_S, WINDOW + 0xffe);
    (void)!hart_run(w->hart, 1, UINT64_MAX);
    assert_int_equal(hart_reg(w->hart, A1), 1);
    poke(w, LAST + 8, ENTRY(FRAME + 0x2000) | RWX | VAD, 8);
    exec(w, SFENCE_VMA(ZERO, ZERO));
    step_at(w, WINDOW + 0xffe);
    assert_int_equal(hart_reg(w->hart, A1), 2);
}

/* ---- translation and cached blocks ---- */

/* WINDOW's page jumps into the page after it, where a1 is set. */
static void put_two_pages(struct world *w)
{
    build_tables(w);
    poke(w, FRAME, JAL(ZERO, 0x1000), 4);
    poke(w, FRAME + 0x1000, ADDI(A1, ZERO, 1), 4);
    poke(w, FRAME + 0x2000, ADDI(A1, ZERO, 2), 4);
    poke(w, LAST + 8, ENTRY(FRAME + 0x1000) | RWX | VAD, 8);
}

static uint64_t result_of_two_pages(struct world *w)
{
    hart_set_reg(w->hart, A1, 0);
    hart_set_pc(w->hart, WINDOW);
    (void)!hart_run(w->hart, 2, UINT64_MAX);
    return hart_reg(w->hart, A1);
}

static void a_jump_into_a_page_that_was_remapped_finds_the_new_one(void **state)
{
    struct world *w = *state;

    put_two_pages(w);
    enter(w->hart, PRIV_S, WINDOW);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(result_of_two_pages(w), 1);
    poke(w, LAST + 8, ENTRY(FRAME + 0x2000) | RWX | VAD, 8);
    exec(w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(result_of_two_pages(w), 2);
}

/* Whether a translation was cached must make no difference: a snapshot drops them all. */
static void a_changed_entry_is_in_force_before_the_fence(void **state)
{
    struct world *w = *state;
    struct ram *ram = bus_ram(w->bus);

    put_two_pages(w);
    poke(w, FRAME + 0x1008, 0x1111, 8);
    poke(w, FRAME + 0x2008, 0x2222, 8);
    enter(w->hart, PRIV_S, WINDOW);
    hart_set_reg(w->hart, A2, LAST + 8);
    hart_set_reg(w->hart, A3, ENTRY(FRAME + 0x2000) | RWX | VAD);
    hart_set_reg(w->hart, A4, ENTRY(FRAME + 0x2000) | VAD | PTE_R);
    hart_set_reg(w->hart, A0, WINDOW + 0x1008);
    exec(w, SD(ZERO, A2, 8)); /* so that the hart has a translation for stores to the table */
    for (unsigned n = 0; n < 3; n++) {
        exec(w, LD(A1, A0, 0));
        assert_int_equal(hart_reg(w->hart, A1), 0x1111);
        exec(w, SD(A1, A0, 0));
        assert_int_equal(result_of_two_pages(w), 1);
    }
    assert_true(ram_page_at(ram, LAST)->flags & RAM_PAGE_TABLE);
    exec(w, SD(A3, A2, 0));
    exec(w, LD(A1, A0, 0));
    assert_int_equal(hart_reg(w->hart, A1), 0x2222);
    assert_int_equal(result_of_two_pages(w), 2);
    exec(w, SD(A4, A2, 0));
    exec(w, LD(A1, A0, 0));
    exec(w, SD(A1, A0, 0));
    assert_trapped(w->hart, EXC_STORE_PAGE, w->put_at - 4, WINDOW + 0x1008);
}

/* Stores to what was a page table once are as fast as others. */
static void a_page_table_that_became_data_is_an_ordinary_page(void **state)
{
    struct world *w = *state;
    struct ram *ram = bus_ram(w->bus);

    put_two_pages(w);
    enter(w->hart, PRIV_S, WINDOW);
    hart_set_reg(w->hart, A0, WINDOW);
    exec(w, LD(A1, A0, 0));
    assert_true(ram_page_at(ram, LAST)->flags & RAM_PAGE_TABLE);
    poke(w, LAST + 16, ENTRY(FRAME) | VAD, 8); /* no translation came from it */
    poke(w, LAST, ENTRY(FRAME) | RWX | VAD | PTE_G, 8);
    assert_int_equal(ram_page_at(ram, LAST)->flags & RAM_PAGE_TABLE, 0);
    exec(w, LD(A1, A0, 0));
    assert_true(ram_page_at(ram, LAST)->flags & RAM_PAGE_TABLE);
}

static void a_jump_into_a_page_that_was_unmapped_faults(void **state)
{
    struct world *w = *state;

    put_two_pages(w);
    enter(w->hart, PRIV_S, WINDOW);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(result_of_two_pages(w), 1);
    poke(w, LAST + 8, 0, 8);
    exec(w, SFENCE_VMA(ZERO, ZERO));
    assert_int_equal(result_of_two_pages(w), 0);
    assert_trapped(w->hart, EXC_FETCH_PAGE, WINDOW + 0x1000, WINDOW + 0x1000);
}

static void running_on_into_a_page_that_was_remapped_finds_the_new_one(void **state)
{
    struct world *w = *state;

    put_two_pages(w);
    poke(w, FRAME + 0xffc, NOP, 4);
    enter(w->hart, PRIV_S, WINDOW);
    for (unsigned n = 0; n < 3; n++) {
        hart_set_pc(w->hart, WINDOW + 0xffc);
        (void)!hart_run(w->hart, 2, UINT64_MAX);
        assert_int_equal(hart_reg(w->hart, A1), 1);
    }
    poke(w, LAST + 8, ENTRY(FRAME + 0x2000) | RWX | VAD, 8);
    exec(w, SFENCE_VMA(ZERO, ZERO));
    hart_set_pc(w->hart, WINDOW + 0xffc);
    (void)!hart_run(w->hart, 2, UINT64_MAX);
    assert_int_equal(hart_reg(w->hart, A1), 2);
}

/* Address spaces that share a page but not the one it jumps to; their ASIDs differ. */
static void another_address_space_has_its_own_jumps(void **state)
{
    struct world *w = *state;
    const uint64_t other_root = RAM_BASE + 0x44000, other_middle = RAM_BASE + 0x45000;
    const uint64_t other_last = RAM_BASE + 0x46000;

    put_two_pages(w);
    poke(w, other_root + 8 * 1, ENTRY(other_middle) | PTE_V, 8);
    poke(w, other_root + 8 * 2, ENTRY(RAM_BASE) | RWX | VAD, 8);
    poke(w, other_middle, ENTRY(other_last) | PTE_V, 8);
    poke(w, other_last, ENTRY(FRAME) | RWX | VAD, 8);
    poke(w, other_last + 8, ENTRY(FRAME + 0x2000) | RWX | VAD, 8);
    enter(w->hart, PRIV_S, WINDOW);
    hart_set_reg(w->hart, A2, SV39(ROOT) | UINT64_C(1) << 44);
    hart_set_reg(w->hart, A3, SV39(other_root) | UINT64_C(2) << 44);
    for (unsigned n = 0; n < 3; n++) {
        exec(w, CSRRW(ZERO, SATP, A2));
        assert_int_equal(result_of_two_pages(w), 1);
        exec(w, CSRRW(ZERO, SATP, A3));
        assert_int_equal(result_of_two_pages(w), 2);
    }
}

/* M-mode has run the code already; S-mode may not. */
static void what_one_mode_may_execute_another_may_not(void **state)
{
    struct world *w = *state;

    build_tables(w);
    poke(w, FRAME, JAL(ZERO, 0x1000), 4);
    poke(w, FRAME + 0x1000, ADDI(A1, ZERO, 1), 4);
    for (unsigned n = 0; n < 3; n++) {
        hart_set_pc(w->hart, FRAME);
        assert_int_equal(hart_run(w->hart, 2, UINT64_MAX), HART_BUDGET);
        assert_int_equal(hart_reg(w->hart, A1), 1);
    }
    /* The same virtual addresses, but the second page is not executable. */
    poke(w, ROOT + 8 * 2, ENTRY(MIDDLE) | PTE_V, 8);
    poke(w, MIDDLE, ENTRY(LAST) | PTE_V, 8);
    for (uint64_t pa = RAM_BASE; pa < RAM_BASE + RAM_SIZE; pa += PAGE_BYTES)
        poke(w, LAST + (pa - RAM_BASE) / PAGE_BYTES * 8,
             ENTRY(pa) | VAD | PTE_R | (pa == FRAME + 0x1000 ? 0 : PTE_X), 8);
    set_csr(w->hart, SATP, SV39(ROOT));
    hart_set_reg(w->hart, A1, 0);
    enter(w->hart, PRIV_S, FRAME);
    (void)!hart_run(w->hart, 2, UINT64_MAX);
    assert_trapped(w->hart, EXC_FETCH_PAGE, FRAME + 0x1000, FRAME + 0x1000);
    assert_int_equal(hart_reg(w->hart, A1), 0);
}

static void u_mode_may_not_execute_what_s_mode_just_did(void **state)
{
    struct world *w = *state;

    put_two_pages(w);
    enter(w->hart, PRIV_S, WINDOW);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(result_of_two_pages(w), 1);
    start_hart(w->hart);
    set_csr(w->hart, SATP, SV39(ROOT));
    poke(w, LAST, ENTRY(FRAME) | RWX | VAD | PTE_U, 8);
    enter(w->hart, PRIV_U, WINDOW);
    assert_int_equal(result_of_two_pages(w), 0);
    assert_trapped(w->hart, EXC_FETCH_PAGE, WINDOW + 0x1000, WINDOW + 0x1000);
}

/* One virtual address, three meanings; without a flush in between. */
static void each_mode_fetches_through_its_own_translation(void **state)
{
    struct world *w = *state;
    const uint64_t va = FRAME; /* M-mode's, by physical address */

    build_tables(w);
    poke(w, ROOT + 8 * 2, ENTRY(MIDDLE) | PTE_V, 8);
    poke(w, LAST + (FRAME - RAM_BASE) / PAGE_BYTES * 8, ENTRY(FRAME + 0x1000) | RWX | VAD, 8);
    set_csr(w->hart, SATP, SV39(ROOT));
    poke(w, FRAME, ADDI(A1, ZERO, 1), 4);
    poke(w, FRAME + 4, ECALL, 4);
    poke(w, FRAME + 0x1000, ADDI(A1, ZERO, 2), 4);
    poke(w, FRAME + 0x1004, ECALL, 4);
    for (unsigned n = 0; n < 3; n++) {
        enter(w->hart, PRIV_S, va);
        (void)!hart_run(w->hart, 2, UINT64_MAX);
        assert_trapped(w->hart, EXC_ECALL_S, va + 4, 0);
        assert_int_equal(hart_reg(w->hart, A1), 2);
        hart_set_pc(w->hart, va);
        (void)!hart_run(w->hart, 2, UINT64_MAX);
        assert_trapped(w->hart, EXC_ECALL_M, va + 4, 0);
        assert_int_equal(hart_reg(w->hart, A1), 1);
        enter(w->hart, PRIV_U, va);
        (void)!hart_run(w->hart, 2, UINT64_MAX);
        assert_trapped(w->hart, EXC_FETCH_PAGE, va, va);
        assert_int_equal(hart_reg(w->hart, A1), 1);
    }
}

static void mprv_and_sum_take_effect_at_once(void **state)
{
    struct world *w = *state;
    uint64_t at;

    build_tables(w);
    poke(w, LAST, ENTRY(FRAME) | RWX | VAD | PTE_U, 8);
    poke(w, FRAME, 0x1234, 8);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW);
    hart_set_reg(w->hart, A2, STATUS_SUM);
    exec(w, CSRRS(ZERO, SSTATUS, A2));
    exec(w, load_word);
    assert_int_equal(hart_reg(w->hart, A1), 0x1234);
    exec(w, CSRRC(ZERO, SSTATUS, A2));
    at = exec(w, load_word);
    assert_trapped(w->hart, EXC_LOAD_PAGE, at, WINDOW);
    hart_set_reg(w->hart, A2, STATUS_MPRV | STATUS_SUM); /* mpp is S after the trap */
    hart_set_reg(w->hart, A1, 0);
    exec(w, CSRRS(ZERO, MSTATUS, A2));
    exec(w, load_word);
    assert_int_equal(hart_reg(w->hart, A1), 0x1234);
    exec(w, CSRRC(ZERO, MSTATUS, A2));
    at = exec(w, load_word);
    assert_trapped(w->hart, EXC_LOAD_ACCESS, at, WINDOW);
}

static void mxr_takes_effect_at_once(void **state)
{
    struct world *w = *state;
    uint64_t at;

    build_tables(w);
    poke(w, LAST, ENTRY(FRAME) | PTE_X | VAD, 8);
    poke(w, FRAME, 0x1234, 8);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW);
    hart_set_reg(w->hart, A2, STATUS_MXR);
    exec(w, CSRRS(ZERO, SSTATUS, A2));
    exec(w, load_word);
    assert_int_equal(hart_reg(w->hart, A1), 0x1234);
    exec(w, CSRRC(ZERO, SSTATUS, A2));
    at = exec(w, load_word);
    assert_trapped(w->hart, EXC_LOAD_PAGE, at, WINDOW);
}

static void a_fault_can_be_delegated_and_shows_the_address(void **state)
{
    struct world *w = *state;
    uint64_t at;

    build_tables(w);
    poke(w, LAST, 0, 8);
    set_csr(w->hart, MEDELEG, 1 << EXC_STORE_PAGE | 1 << EXC_LOAD_PAGE | 1 << EXC_FETCH_PAGE);
    enter(w->hart, PRIV_S, CODE);
    hart_set_reg(w->hart, A0, WINDOW + 0x7ff);
    at = exec(w, SD(A1, A0, -0x7f8));
    assert_trapped_to_s(w->hart, EXC_STORE_PAGE, at, WINDOW + 7);
    at = exec(w, LB(A1, A0, 1));
    assert_trapped_to_s(w->hart, EXC_LOAD_PAGE, at, WINDOW + 0x800);
    put(w, JALR(RA, A0, 1));
    hart_set_pc(w->hart, w->put_at - 4);
    (void)!hart_run(w->hart, 2, UINT64_MAX);
    assert_trapped_to_s(w->hart, EXC_FETCH_PAGE, WINDOW + 0x800, WINDOW + 0x800);
}

/* Longer addresses: the same tables one and two levels further down. */
static void sv48_and_sv57_walk_more_levels(void **state)
{
    struct world *w = *state;
    const uint64_t above = RAM_BASE + 0x47000, top = RAM_BASE + 0x48000;

    build_tables(w);
    poke(w, above, ENTRY(ROOT) | PTE_V, 8);
    poke(w, top, ENTRY(above) | PTE_V, 8);
    poke(w, FRAME, 0x1234, 8);
    for (unsigned mode = 9; mode <= 10; mode++) {
        start_hart(w->hart);
        set_csr(w->hart, SATP, (uint64_t)mode << 60 | (mode == 9 ? above : top) >> 12);
        enter(w->hart, PRIV_S, w->put_at);
        hart_set_reg(w->hart, A0, WINDOW);
        hart_set_reg(w->hart, A1, 0);
        exec(w, load_word);
        assert_int_equal(hart_reg(w->hart, A1), 0x1234);
        hart_set_reg(w->hart, A0, WINDOW + (UINT64_C(1) << (mode == 9 ? 47 : 56)));
        exec(w, load_word);
        assert_int_equal(csr(w->hart, MCAUSE), EXC_LOAD_PAGE);
    }
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

#define ALONE(test)    cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define TOGETHER(test) cmocka_unit_test_setup_teardown(test, set_up_two, tear_down)

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
        ALONE(permissions_are_those_of_the_manual),
        ALONE(reserved_bits_of_an_entry_fault),
        ALONE(an_address_that_is_not_canonical_faults),
        ALONE(the_upper_half_translates),
        ALONE(superpages_translate_and_must_be_aligned),
        ALONE(a_superpage_beside_another_can_be_remapped),
        ALONE(a_superpage_that_memory_ends_in_can_be_remapped),
        ALONE(superpages_do_not_go_round),
        ALONE(superpages_side_by_side_may_lie_apart),
        ALONE(each_superpage_permits_for_itself),
        ALONE(each_superpage_is_marked_when_it_is_used),
        ALONE(a_pointer_with_the_bits_of_a_leaf_is_reserved),
        ALONE(a_table_outside_memory_is_an_access_fault),
        ALONE(a_frame_outside_memory_is_an_access_fault),
        ALONE(hardware_marks_pages_accessed_and_dirty),
        ALONE(an_access_that_faults_marks_nothing),
        ALONE(a_store_after_a_load_still_marks_the_page_dirty),
        ALONE(looking_on_marks_nothing),
        ALONE(looking_at_memory_crosses_pages_and_stops_at_holes),
        ALONE(an_lr_faults_as_a_load_and_an_amo_as_a_store),
        ALONE(an_access_across_pages_faults_at_the_page_that_is_missing),
        ALONE(an_access_across_pages_reaches_both_frames),
        ALONE(an_instruction_across_pages_is_fetched_from_both_frames),
        ALONE(an_instruction_across_pages_faults_at_its_second_half),
        ALONE(the_second_half_of_an_instruction_can_be_remapped),
        ALONE(a_jump_into_a_page_that_was_remapped_finds_the_new_one),
        ALONE(a_changed_entry_is_in_force_before_the_fence),
        ALONE(a_page_table_that_became_data_is_an_ordinary_page),
        ALONE(a_jump_into_a_page_that_was_unmapped_faults),
        ALONE(running_on_into_a_page_that_was_remapped_finds_the_new_one),
        ALONE(another_address_space_has_its_own_jumps),
        ALONE(what_one_mode_may_execute_another_may_not),
        ALONE(u_mode_may_not_execute_what_s_mode_just_did),
        ALONE(each_mode_fetches_through_its_own_translation),
        ALONE(mprv_and_sum_take_effect_at_once),
        ALONE(mxr_takes_effect_at_once),
        ALONE(a_fault_can_be_delegated_and_shows_the_address),
        ALONE(sv48_and_sv57_walk_more_levels),
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
