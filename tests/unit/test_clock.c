/*
 * test_clock.c - the clock: timer interrupts, sleeps and limits of cycles are met at their time, in
 * code of any cost.
 */
#include "timer_program.h"

/* Handler: S5 becomes the largest mtime - mtimecmp seen. The loop is plain additions. */
static void a_timer_interrupt_is_punctual_and_never_early(void **state)
{
    struct board_program p = {0};
    struct test_board b;
    unsigned slot;

    (void)state;
    add_start(&p, &slot);
    add(&p, ADDI(A1, A1, 1));
    add(&p, ADDI(A1, A1, 1));
    add(&p, JAL(ZERO, -8));
    handler_is_here(&p, slot);
    add(&p, LD(T1, S1, 0));
    add(&p, LD(T2, S0, 0));
    add(&p, SUB(T2, T1, T2));
    add(&p, BGE(T2, ZERO, 8));
    add(&p, ADDI(S6, S6, 1)); /* early */
    add(&p, BGE(S5, T2, 8));
    add(&p, ADDI(S5, T2, 0));
    add(&p, ADDI(T1, T1, 777));
    add(&p, SD(T1, S0, 0));
    add(&p, ADDI(S2, S2, 1));
    add(&p, MRET);
    board_new(&b, &p, config_of(1, 1));
    assert_int_equal(machine_run(b.m, 10000000, UINT64_MAX).reason, STOP_INSNS);
    assert_true(hart_reg(board_hart(&b, 0), S2) > 100);
    assert_int_equal(hart_reg(board_hart(&b, 0), S6), 0);
    assert_in_range(hart_reg(board_hart(&b, 0), S5), 0, 1);
    board_free(&b);
}

/* No hart reads a time that is less than one that another hart has read before. */
static void time_goes_back_for_nobody(void **state)
{
    struct board_program p = {0};
    unsigned slot, loop;

    (void)state;
    add_start(&p, &slot);
    add(&p, CSRRCI(ZERO, MSTATUS, 8));
    loop = add(&p, LD(A1, S3, 0));
    add(&p, CSRRS(A2, TIME, ZERO));
    add(&p, BGEU(A2, A1, 8));
    add(&p, ADDI(S5, S5, 1));
    add(&p, AMOMAXU_D(0, ZERO, A2, S3));
    add(&p, LD(A1, S3, 0));
    add(&p, LD(A2, S1, 0)); /* mtime through the bus */
    add(&p, BGEU(A2, A1, 8));
    add(&p, ADDI(S5, S5, 1));
    add(&p, AMOMAXU_D(0, ZERO, A2, S3));
    add(&p, JAL(ZERO, distance(p.count, loop)));
    handler_is_here(&p, slot);
    add(&p, MRET);
    for (uint64_t seed = 1; seed < 5; seed++) {
        struct test_board b;

        board_new(&b, &p, config_of(4, seed));
        (void)machine_run(b.m, 300000, UINT64_MAX);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(hart_reg(board_hart(&b, i), S5), 0);
        board_free(&b);
    }
}

static void time_that_is_set_is_the_time(void **state)
{
    struct board_program p = {0};
    struct test_board b;
    unsigned slot;

    (void)state;
    add_start(&p, &slot);
    add(&p, CSRRCI(ZERO, MSTATUS, 8));
    add(&p, ADDI(T1, ZERO, 1)); /* menvcfg.STCE */
    add(&p, SLLI(T1, T1, 63));
    add(&p, CSRRS(ZERO, MENVCFG, T1));
    add(&p, LUI(S4, 0x10000));
    add(&p, ADDI(T1, S4, 20));
    add(&p, CSRRW(ZERO, STIMECMP, T1));
    add(&p, SD(S4, S1, 0));
    add(&p, CSRRS(A1, TIME, ZERO));
    add(&p, LD(A2, S1, 0));
    add(&p, CSRRS(A3, MIP, ZERO));
    add(&p, ADDI(T1, ZERO, 0x20)); /* mie.STIE: what wakes */
    add(&p, CSRRW(ZERO, MIE, T1));
    add(&p, WFI);
    add(&p, CSRRS(A4, TIME, ZERO));
    add(&p, CSRRS(A5, MIP, ZERO));
    add(&p, SD(ZERO, S1, 0)); /* and back */
    add(&p, CSRRS(A6, MIP, ZERO));
    add(&p, WFI);
    add(&p, CSRRS(A7, TIME, ZERO));
    add(&p, JAL(ZERO, 0));
    handler_is_here(&p, slot);
    add(&p, MRET);
    board_new(&b, &p, config_of(1, 1));
    (void)machine_run(b.m, 1000, UINT64_MAX);
    assert_in_range(hart_reg(board_hart(&b, 0), A1), 0x10000000, 0x10000002);
    assert_in_range(hart_reg(board_hart(&b, 0), A2), 0x10000000, 0x10000002);
    assert_int_equal(hart_reg(board_hart(&b, 0), A3) & 0x20, 0);
    assert_in_range(hart_reg(board_hart(&b, 0), A4), 0x10000000 + 20, 0x10000000 + 22);
    assert_int_equal(hart_reg(board_hart(&b, 0), A5) & 0x20, 0x20);
    assert_int_equal(hart_reg(board_hart(&b, 0), A6) & 0x20, 0);
    assert_in_range(hart_reg(board_hart(&b, 0), A7), 0x10000000 + 20, 0x10000000 + 22);
    board_free(&b);
}

/* A hart that waits for stimecmp wakes when another one sets the time to it or to after it. */
static void time_that_another_hart_sets_wakes(void **state)
{
    struct board_program p = {0};
    struct test_board b;
    unsigned sets;

    (void)state;
    add(&p, CSRRS(A0, MHARTID, ZERO));
    add(&p, LUI(S1, 0x200c)); /* mtime */
    add(&p, ADDI(S1, S1, -8));
    add(&p, LUI(S4, 0x10000));
    sets = add(&p, NOP);
    add(&p, ADDI(T1, ZERO, 1)); /* menvcfg.STCE */
    add(&p, SLLI(T1, T1, 63));
    add(&p, CSRRS(ZERO, MENVCFG, T1));
    add(&p, CSRRW(ZERO, STIMECMP, S4));
    add(&p, ADDI(T1, ZERO, 0x20)); /* mie.STIE */
    add(&p, CSRRW(ZERO, MIE, T1));
    add(&p, WFI);
    add(&p, ADDI(S2, ZERO, 1));
    add(&p, JAL(ZERO, 0));
    p.words[sets] = BEQ(A0, ZERO, distance(sets, p.count));
    add(&p, LUI(T1, 100)); /* the other one is asleep by then */
    add(&p, ADDI(T1, T1, -1));
    add(&p, BNE(T1, ZERO, -4));
    add(&p, SD(S4, S1, 0));
    add(&p, JAL(ZERO, 0));
    board_new(&b, &p, config_of(2, 1));
    (void)machine_run(b.m, 2000000, UINT64_MAX);
    assert_int_equal(hart_reg(board_hart(&b, 1), S2), 1);
    board_free(&b);
}

static void sleeping_until_the_timer_costs_time_and_no_instructions(void **state)
{
    struct board_program p = {0};
    struct test_board b;
    unsigned slot;

    (void)state;
    add_start(&p, &slot);
    add(&p, LD(T1, S1, 0));
    add(&p, LUI(T2, 0x100)); /* a million ticks */
    add(&p, ADD(T1, T1, T2));
    add(&p, SD(T1, S0, 0));
    add(&p, WFI);
    add(&p, JAL(ZERO, 0));
    handler_is_here(&p, slot);
    add(&p, JAL(ZERO, 0));
    board_new(&b, &p, config_of(1, 1));
    (void)machine_run(b.m, 100, UINT64_MAX);
    assert_true(machine_cycles(b.m) >= UINT64_C(0x100000) * CYCLES_PER_TICK);
    assert_true(hart_idle_cycles(board_hart(&b, 0)) > UINT64_C(0x100000) * CYCLES_PER_TICK - 1000);
    assert_int_equal(machine_insns(b.m), 100);
    board_free(&b);
}

static uint64_t longest_wait; /* cycles */

static uint64_t note_wait(void *ctx, const struct moment *at, uint64_t until)
{
    uint64_t cycles = until - at->cycles;

    (void)ctx;
    longest_wait = cycles > longest_wait ? cycles : longest_wait;
    return until;
}

/* A kernel that needs no timer may set it to a time in the distant future. */
static void a_sleep_of_centuries_is_asked_for_as_such(void **state)
{
    struct board_program p = {0};
    struct machine_config config = config_of(1, 1);
    struct test_board b;
    unsigned slot;

    (void)state;
    add_start(&p, &slot);
    add(&p, ADDI(T1, ZERO, 1));
    add(&p, SLLI(T1, T1, 56));
    add(&p, SD(T1, S0, 0));
    add(&p, WFI);
    add(&p, JAL(ZERO, 0));
    handler_is_here(&p, slot);
    add(&p, JAL(ZERO, 0));
    config.console.wait = note_wait;
    board_new(&b, &p, config);
    longest_wait = 0;
    (void)machine_run(b.m, 100, UINT64_MAX);
    assert_in_range(longest_wait / 100, (UINT64_C(1) << 56) - 1000, UINT64_C(1) << 56);
    board_free(&b);
}

static void a_sleep_that_nothing_ends_stops_the_machine(void **state)
{
    struct board_program p = {0};

    (void)state;
    add(&p, WFI);
    add(&p, JAL(ZERO, -4));
    for (unsigned harts = 1; harts <= 3; harts++) {
        struct test_board b;

        board_new(&b, &p, config_of(harts, 1));
        assert_int_equal(machine_run(b.m, UINT64_MAX, UINT64_MAX).reason, STOP_ASLEEP);
        assert_int_equal(machine_insns(b.m), harts);
        board_free(&b);
    }
}

/* A console with input at any time, whose waits end at once. */
static uint64_t always_readable(void *ctx, const struct moment *at, uint64_t until)
{
    (void)until;
    (void)board_get(ctx, at);
    return at->cycles;
}

static void input_that_has_no_room_wakes_nobody(void **state)
{
    struct board_program p = {0};
    struct machine_config config = config_of(1, 1);
    struct test_board b;

    (void)state;
    add(&p, WFI);
    add(&p, JAL(ZERO, -4));
    config.console.wait = always_readable;
    board_new(&b, &p, config);
    b.input = "more than the receiver holds, by far";
    assert_int_equal(machine_run(b.m, UINT64_MAX, UINT64_MAX).reason, STOP_ASLEEP);
    board_free(&b);
}

/* Handler: S5 becomes the largest lateness seen, in ticks, S2 counts, S6 counts early ones. */
static void add_lateness_handler(struct board_program *p, unsigned slot, unsigned ticks)
{
    handler_is_here(p, slot);
    add(p, LD(T1, S1, 0));
    add(p, LD(T2, S0, 0));
    add(p, SUB(T2, T1, T2));
    add(p, BGE(T2, ZERO, 8));
    add(p, ADDI(S6, S6, 1));
    add(p, BGE(S5, T2, 8));
    add(p, ADDI(S5, T2, 0));
    add(p, ADDI(T1, T1, ticks));
    add(p, SD(T1, S0, 0));
    add(p, ADDI(S2, S2, 1));
    add(p, MRET);
}

/* Thirty divisions and a jump back. */
static void add_divisions(struct board_program *p)
{
    unsigned loop = p->count;

    for (unsigned n = 0; n < 30; n++)
        add(p, DIV(A3, A2, A1));
    add(p, JAL(ZERO, distance(p->count, loop)));
}

static void a_timer_is_met_in_code_of_any_cost(void **state)
{
    (void)state;
    for (unsigned harts = 1; harts <= HARTS_RUN; harts++) {
        struct board_program p = {0};
        struct test_board b;
        unsigned slot;

        add_start(&p, &slot);
        add_divisions(&p);
        add_lateness_handler(&p, slot, 777);
        board_new(&b, &p, config_of(harts, 3));
        assert_int_equal(machine_run(b.m, UINT64_MAX, 10000000).reason, STOP_CYCLES);
        for (unsigned i = 0; i < harts; i++) {
            assert_true(hart_reg(board_hart(&b, i), S2) > 100);
            assert_int_equal(hart_reg(board_hart(&b, i), S6), 0);
            assert_in_range(hart_reg(board_hart(&b, i), S5), 0, 1);
        }
        board_free(&b);
    }
}

/* Each hart has its own stimecmp: S5 is the lateness by the time CSR. */
static void each_hart_meets_its_own_stimecmp(void **state)
{
    struct board_program p = {0};
    struct test_board b;
    unsigned vector, loop;

    (void)state;
    add(&p, CSRRS(A0, MHARTID, ZERO));
    vector = add(&p, AUIPC(T0, 0));
    add(&p, NOP);
    add(&p, CSRRW(ZERO, MTVEC, T0));
    add(&p, ADDI(T1, ZERO, 1)); /* menvcfg.STCE */
    add(&p, SLLI(T1, T1, 63));
    add(&p, CSRRS(ZERO, MENVCFG, T1));
    add(&p, SLLI(S4, A0, 3));
    add(&p, ADDI(S4, S4, 301)); /* ticks from one to the next */
    add(&p, ADDI(T1, ZERO, 0x20));
    add(&p, CSRRS(ZERO, MIE, T1));
    add(&p, CSRRS(S0, TIME, ZERO));
    add(&p, ADD(S0, S0, S4));
    add(&p, CSRRW(ZERO, STIMECMP, S0));
    add(&p, CSRRSI(ZERO, MSTATUS, 8));
    loop = p.count;
    for (unsigned n = 0; n < 30; n++)
        add(&p, DIV(A3, A2, A1));
    add(&p, JAL(ZERO, distance(p.count, loop)));
    handler_is_here(&p, vector);
    add(&p, CSRRS(T1, TIME, ZERO));
    add(&p, SUB(T2, T1, S0));
    add(&p, BGE(S5, T2, 8));
    add(&p, ADDI(S5, T2, 0));
    add(&p, BGE(T2, ZERO, 8));
    add(&p, ADDI(S6, S6, 1));
    add(&p, ADD(S0, T1, S4));
    add(&p, CSRRW(ZERO, STIMECMP, S0));
    add(&p, ADDI(S2, S2, 1));
    add(&p, MRET);
    for (unsigned harts = 1; harts <= HARTS_RUN; harts++) {
        board_new(&b, &p, config_of(harts, 3));
        assert_int_equal(machine_run(b.m, UINT64_MAX, 10000000).reason, STOP_CYCLES);
        for (unsigned i = 0; i < harts; i++) {
            assert_true(hart_reg(board_hart(&b, i), S2) > 100);
            assert_int_equal(hart_reg(board_hart(&b, i), S6), 0);
            /* The time that another hart has read is at most a slice ahead. */
            assert_in_range(hart_reg(board_hart(&b, i), S5), 0, harts == 1 ? 1 : 61);
        }
        board_free(&b);
    }
}

/* set_timer of the firmware with a time in the past: the interrupt is pending at once. */
static void a_firmware_timer_in_the_past_fires_at_once(void **state)
{
    enum { SIE = 0x104, STVEC = 0x105, SSTATUS = 0x100, EID_TIME_HIGH = 0x54495 };
    struct board_program p = {0};
    struct machine_config config = config_of(1, 1);
    struct test_board b;
    unsigned vector;

    (void)state;
    vector = add(&p, AUIPC(T0, 0));
    add(&p, NOP);
    add(&p, CSRRW(ZERO, STVEC, T0));
    add(&p, ADDI(T1, ZERO, 0x20));
    add(&p, CSRRS(ZERO, SIE, T1));
    add(&p, CSRRSI(ZERO, SSTATUS, 2));
    add(&p, ADDI(A0, ZERO, 0));
    add(&p, LUI(A7, EID_TIME_HIGH)); /* "TIME" */
    add(&p, ADDI(A7, A7, -0x2bb));
    add(&p, ADDI(A6, ZERO, 0));
    add(&p, ECALL);
    add(&p, ADDI(S3, S3, 1));
    add(&p, JAL(ZERO, -4));
    handler_is_here(&p, vector);
    add(&p, JAL(ZERO, 0));
    config.firmware = FIRMWARE_BUILTIN;
    board_new(&b, &p, config);
    (void)machine_run(b.m, 1000, UINT64_MAX);
    assert_int_equal(hart_reg(board_hart(&b, 0), A0), 0);
    assert_int_equal(hart_pc(board_hart(&b, 0)), BOARD_KERNEL + 4 * (p.count - 1));
    assert_in_range(hart_reg(board_hart(&b, 0), S3), 0, 1);
    board_free(&b);
}

/* Hart 1 reserves and waits again and again; hart 0 divides. S2: the longest wait, S4: the number
 * of waits. */
static void a_short_wait_for_a_store_ends_at_its_cycle(void **state)
{
    enum { CYCLE = 0xc00, WRS_CYCLES = 1000 };
    struct board_program p = {0};
    struct test_board b;
    unsigned divides, loop;

    (void)state;
    add(&p, CSRRS(A0, MHARTID, ZERO));
    add(&p, LUI(S3, 0x80000 + SHARED_PAGE));
    add(&p, SLLI(S3, S3, 32));
    add(&p, SRLI(S3, S3, 32));
    divides = add(&p, NOP);
    loop = add(&p, LR_D(0, T0, S3));
    add(&p, CSRRS(S0, CYCLE, ZERO));
    add(&p, WRS_STO);
    add(&p, CSRRS(S1, CYCLE, ZERO));
    add(&p, SUB(T1, S1, S0));
    add(&p, BGEU(S2, T1, 8));
    add(&p, ADDI(S2, T1, 0));
    add(&p, ADDI(S4, S4, 1));
    add(&p, JAL(ZERO, distance(p.count, loop)));
    p.words[divides] = BEQ(A0, ZERO, distance(divides, p.count));
    add_divisions(&p);
    board_new(&b, &p, config_of(2, 1));
    assert_int_equal(machine_run(b.m, UINT64_MAX, 1000000).reason, STOP_CYCLES);
    assert_true(hart_reg(board_hart(&b, 1), S4) > 500);
    assert_in_range(hart_reg(board_hart(&b, 1), S2), WRS_CYCLES, WRS_CYCLES + 8);
    board_free(&b);
}

static void the_limit_of_cycles_is_met_in_code_of_any_cost(void **state)
{
    struct board_program p = {0};

    (void)state;
    add_divisions(&p);
    for (unsigned harts = 1; harts <= 3; harts++) {
        struct test_board b;

        board_new(&b, &p, config_of(harts, 1));
        for (uint64_t until = 10; until < 1000000; until = until * 3 + 1) {
            assert_int_equal(machine_run(b.m, UINT64_MAX, until).reason, STOP_CYCLES);
            assert_in_range(machine_cycles(b.m), until, until + 32);
        }
        board_free(&b);
    }
}

static void the_limit_of_cycles_is_met_in_idle_time(void **state)
{
    struct board_program p = {0};
    struct test_board b;
    unsigned slot;

    (void)state;
    add_start(&p, &slot);
    add(&p, LD(T1, S1, 0));
    add(&p, LUI(T2, 0x100));
    add(&p, ADD(T1, T1, T2));
    add(&p, SD(T1, S0, 0));
    add(&p, WFI);
    add(&p, JAL(ZERO, 0));
    handler_is_here(&p, slot);
    add(&p, ADDI(S4, S4, 1));
    add(&p, JAL(ZERO, 0));
    board_new(&b, &p, config_of(1, 1));
    assert_int_equal(machine_run(b.m, UINT64_MAX, 100000).reason, STOP_CYCLES);
    assert_int_equal(machine_cycles(b.m), 100000);
    assert_int_equal(machine_run(b.m, 100, UINT64_MAX).reason, STOP_INSNS);
    assert_int_equal(hart_reg(board_hart(&b, 0), S4), 1);
    assert_true(machine_cycles(b.m) > UINT64_C(0x100000) * CYCLES_PER_TICK);
    board_free(&b);
}

/* As the debugger's `set pc` does. */
static void a_hart_whose_pc_is_set_waits_no_more(void **state)
{
    struct board_program p = {0};

    (void)state;
    add(&p, WFI);
    add(&p, JAL(ZERO, -4));
    add(&p, ADDI(S2, S2, 1));
    add(&p, JAL(ZERO, 0));
    for (unsigned harts = 1; harts <= 3; harts++) {
        struct test_board b;
        struct hart *last;

        board_new(&b, &p, config_of(harts, 1));
        last = board_hart(&b, harts - 1);
        assert_int_equal(machine_run(b.m, UINT64_MAX, UINT64_MAX).reason, STOP_ASLEEP);
        assert_int_equal(hart_waits_for(last), HART_WAITS_INTERRUPT);
        hart_set_pc(last, BOARD_RAM + 8);
        assert_int_equal(hart_waits_for(last), HART_WAITS_NOT);
        assert_int_equal(machine_run(b.m, harts + 10, UINT64_MAX).reason, STOP_INSNS);
        assert_int_equal(hart_reg(last, S2), 1);
        board_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timer_interrupt_is_punctual_and_never_early),
        cmocka_unit_test(time_goes_back_for_nobody),
        cmocka_unit_test(time_that_is_set_is_the_time),
        cmocka_unit_test(time_that_another_hart_sets_wakes),
        cmocka_unit_test(sleeping_until_the_timer_costs_time_and_no_instructions),
        cmocka_unit_test(a_sleep_of_centuries_is_asked_for_as_such),
        cmocka_unit_test(a_sleep_that_nothing_ends_stops_the_machine),
        cmocka_unit_test(input_that_has_no_room_wakes_nobody),
        cmocka_unit_test(a_timer_is_met_in_code_of_any_cost),
        cmocka_unit_test(each_hart_meets_its_own_stimecmp),
        cmocka_unit_test(a_firmware_timer_in_the_past_fires_at_once),
        cmocka_unit_test(a_short_wait_for_a_store_ends_at_its_cycle),
        cmocka_unit_test(the_limit_of_cycles_is_met_in_code_of_any_cost),
        cmocka_unit_test(the_limit_of_cycles_is_met_in_idle_time),
        cmocka_unit_test(a_hart_whose_pc_is_set_waits_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
