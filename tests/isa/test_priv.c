/*
 * test_priv.c - WARL registers and counters (volume II, chapters 2 to 4), tried through the public
 * headers of the hart. Traps: test_traps.c. Interrupts: test_interrupts.c. Address translation:
 * test_mmu.c.
 */
#include "priv.h"

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
    const uint64_t uxl = UINT64_C(2) << 32, fs = UINT64_C(3) << 13, vs = UINT64_C(3) << 9,
                   sd = UINT64_C(1) << 63;
    struct world *w = *state;

    set_csr(w->hart, MSTATUS, UINT64_MAX);
    assert_int_equal(csr(w->hart, SSTATUS), s_bits | uxl | fs | vs | sd);
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

/* ---- reads in the middle of a block ---- */

/* A program that reads the register between two other instructions, entered in this mode. */
static uint64_t run_read(struct world *w, enum privilege mode, unsigned number)
{
    uint64_t at = put(w, ADDI(T1, T1, 1));

    put(w, CSRRS(A0, number, ZERO));
    put(w, ADDI(T2, A0, 1));
    put(w, JAL(ZERO, 0));
    enter(w->hart, mode, at);
    (void)!hart_run(w->hart, 3, UINT64_MAX);
    return at;
}

static void s_mode_reads_its_registers_between_other_instructions(void **state)
{
    static const unsigned registers[] = {SSTATUS, SSCRATCH, SEPC, SCAUSE, STVAL, SATP, STVEC};
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(registers); n++) {
        uint64_t at;

        start_hart(w->hart);
        set_csr(w->hart, SSCRATCH, 0x1234);
        set_csr(w->hart, SEPC, 0x5678);
        set_csr(w->hart, SCAUSE, 9);
        set_csr(w->hart, STVAL, 10);
        at = run_read(w, PRIV_S, registers[n]);
        assert_int_equal(hart_pc(w->hart), at + 12);
        assert_int_equal(hart_reg(w->hart, A0), csr(w->hart, registers[n]));
        assert_int_equal(hart_reg(w->hart, T2), csr(w->hart, registers[n]) + 1);
    }
}

static void u_mode_reads_none_of_them(void **state)
{
    static const unsigned registers[] = {SSTATUS, SSCRATCH, SEPC, SCAUSE, STVAL, MSCRATCH};
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(registers); n++) {
        uint64_t at;

        start_hart(w->hart);
        at = run_read(w, PRIV_U, registers[n]);
        assert_trapped(w->hart, EXC_ILLEGAL, at + 4, CSRRS(A0, registers[n], ZERO));
        assert_int_equal(hart_reg(w->hart, T1), 1);
    }
}

/* ---- writes in the middle of a block ---- */

enum { TIMES = 40 }; /* so often that the block becomes native code */

static void go_to(struct hart *h, enum privilege mode, uint64_t pc)
{
    if (hart_mode(h) == mode)
        hart_set_pc(h, pc);
    else
        enter(h, mode, pc);
}

/*
 * Executes the instruction between two others, in this mode and with this value in A1. Returns the
 * address of the first one.
 */
static uint64_t run_between(struct world *w, enum privilege mode, uint32_t insn, uint64_t a1)
{
    uint64_t at = put(w, ADDI(T1, T1, 1));

    put(w, insn);
    put(w, ADDI(T2, A0, 1));
    put(w, JAL(ZERO, 0));
    go_to(w->hart, mode, at);
    hart_set_reg(w->hart, A1, a1);
    (void)!hart_run(w->hart, 4, UINT64_MAX);
    return at;
}

/* The same again, from the address that it has returned. */
static void run_again(struct world *w, enum privilege mode, uint64_t at, uint64_t a1)
{
    go_to(w->hart, mode, at);
    hart_set_reg(w->hart, A1, a1);
    (void)!hart_run(w->hart, 4, UINT64_MAX);
}

static void s_mode_writes_its_registers_between_other_instructions(void **state)
{
    static const struct {
        unsigned number;
        uint64_t written, kept;
    } all[] = {{SSCRATCH, UINT64_MAX, UINT64_MAX},
               {SEPC, 0x5677, 0x5676},
               {SCAUSE, UINT64_MAX - 1, UINT64_MAX - 1},
               {STVAL, 0x1234, 0x1234},
               {STVEC, S_VECTOR + 0x101, S_VECTOR + 0x101}};
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(all); n++) {
        uint64_t at, old;

        start_hart(w->hart);
        at = run_between(w, PRIV_S, CSRRW(A0, all[n].number, A1), all[n].written);
        for (unsigned times = 0; times < TIMES; times++) {
            set_csr(w->hart, all[n].number, 0x4000 + 16 * times);
            old = csr(w->hart, all[n].number);
            run_again(w, PRIV_S, at, all[n].written);
            assert_int_equal(hart_pc(w->hart), at + 12);
            assert_int_equal(hart_reg(w->hart, A0), old);
            assert_int_equal(hart_reg(w->hart, T2), old + 1);
            assert_int_equal(csr(w->hart, all[n].number), all[n].kept);
        }
    }
}

static void a_reserved_mode_is_not_kept_in_stvec_between_other_instructions(void **state)
{
    struct world *w = *state;
    uint64_t at;

    start_hart(w->hart);
    at = run_between(w, PRIV_S, CSRRW(A0, STVEC, A1), S_VECTOR | 2);
    for (unsigned times = 0; times < TIMES; times++) {
        run_again(w, PRIV_S, at, S_VECTOR | 2);
        assert_int_equal(csr(w->hart, STVEC), S_VECTOR);
    }
}

static void u_mode_writes_none_of_them(void **state)
{
    static const unsigned registers[] = {SSTATUS, SSCRATCH, SEPC, SCAUSE, STVAL, STVEC};
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(registers); n++) {
        const uint32_t insn = CSRRW(A0, registers[n], A1);
        uint64_t at, old;

        start_hart(w->hart);
        old = csr(w->hart, registers[n]);
        at = run_between(w, PRIV_U, insn, 0x40);
        for (unsigned times = 0; times < TIMES; times++) {
            go_to(w->hart, PRIV_U, at);
            (void)!hart_run(w->hart, 2, UINT64_MAX);
            assert_trapped(w->hart, EXC_ILLEGAL, at + 4, insn);
            assert_int_equal(csr(w->hart, registers[n]), old);
        }
    }
}

static void sstatus_is_written_between_other_instructions(void **state)
{
    const uint64_t before = STATUS_SPIE | STATUS_MIE | STATUS_MPP;
    const struct {
        uint32_t insn;
        uint64_t a1, kept;
    } all[] = {
        {CSRRW(A0, SSTATUS, A1), STATUS_SIE | STATUS_SPP, STATUS_SIE | STATUS_SPP},
        {CSRRS(A0, SSTATUS, A1), STATUS_SPP, STATUS_SPIE | STATUS_SPP},
        {CSRRC(A0, SSTATUS, A1), STATUS_SPIE | STATUS_SPP, 0},
        {CSRRWI(A0, SSTATUS, 2), 0, STATUS_SIE},
        {CSRRSI(A0, SSTATUS, 2), 0, STATUS_SPIE | STATUS_SIE},
        {CSRRCI(A0, SSTATUS, 2), 0, STATUS_SPIE},
        {CSRRW(A0, SSTATUS, A1), STATUS_SUM | STATUS_MXR, STATUS_SUM | STATUS_MXR},
        {CSRRS(A0, SSTATUS, A1), STATUS_SUM, STATUS_SPIE | STATUS_SUM},
    };
    const uint64_t bits = STATUS_SIE | STATUS_SPIE | STATUS_SPP | STATUS_SUM | STATUS_MXR;
    struct world *w = *state;

    for (size_t n = 0; n < ARRAY_LEN(all); n++) {
        uint64_t at, old;

        start_hart(w->hart);
        at = run_between(w, PRIV_S, all[n].insn, all[n].a1);
        for (unsigned times = 0; times < TIMES; times++) {
            set_csr(w->hart, MSTATUS, before);
            old = csr(w->hart, SSTATUS);
            run_again(w, PRIV_S, at, all[n].a1);
            assert_int_equal(hart_pc(w->hart), at + 12);
            assert_int_equal(hart_reg(w->hart, A0), old);
            assert_int_equal(hart_reg(w->hart, T2), old + 1);
            assert_int_equal(status(w->hart, bits), all[n].kept);
            assert_int_equal(status(w->hart, STATUS_MIE), STATUS_MIE);
        }
    }
}

static void an_interrupt_comes_right_after_the_write_of_sstatus_that_permits_it(void **state)
{
    struct world *w = *state;
    uint64_t at;

    start_hart(w->hart);
    set_csr(w->hart, MIDELEG, 1 << IRQ_SSI);
    set_csr(w->hart, MIE, 1 << IRQ_SSI);
    at = run_between(w, PRIV_S, CSRRSI(A0, SSTATUS, 2), 0);
    for (unsigned times = 0; times < TIMES; times++) {
        /* In half of the runs, so that the block becomes native code. */
        const bool pends = times % 2;

        go_to(w->hart, PRIV_S, at);
        set_csr(w->hart, MSTATUS, 0);
        hart_set_reg(w->hart, T2, 0);
        hart_set_irq(w->hart, IRQ_SSI, pends);
        (void)!hart_run(w->hart, 3, UINT64_MAX);
        assert_int_equal(hart_reg(w->hart, T2) != 0, !pends);
        if (pends)
            assert_int_equal(csr(w->hart, SEPC), at + 8);
    }
}

static void floating_point_is_illegal_right_after_sstatus_turns_it_off(void **state)
{
    const uint64_t fs = UINT64_C(3) << 13;
    const uint32_t fadd_d = R_TYPE(0x01, A0, A0, 7, A0, 0x53);
    struct world *w = *state;
    uint64_t at;

    start_hart(w->hart);
    at = put(w, fadd_d);
    put(w, CSRRC(ZERO, SSTATUS, A1));
    put(w, fadd_d);
    put(w, JAL(ZERO, 0));
    for (unsigned times = 0; times < TIMES; times++) {
        set_csr(w->hart, MSTATUS, fs);
        go_to(w->hart, PRIV_S, at);
        hart_set_reg(w->hart, A1, fs);
        (void)!hart_run(w->hart, 3, UINT64_MAX);
        assert_trapped(w->hart, EXC_ILLEGAL, at + 8, fadd_d);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        ALONE(s_mode_reads_its_registers_between_other_instructions),
        ALONE(u_mode_reads_none_of_them),
        ALONE(s_mode_writes_its_registers_between_other_instructions),
        ALONE(a_reserved_mode_is_not_kept_in_stvec_between_other_instructions),
        ALONE(u_mode_writes_none_of_them),
        ALONE(sstatus_is_written_between_other_instructions),
        ALONE(an_interrupt_comes_right_after_the_write_of_sstatus_that_permits_it),
        ALONE(floating_point_is_illegal_right_after_sstatus_turns_it_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
