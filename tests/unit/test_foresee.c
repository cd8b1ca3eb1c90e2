/*
 * test_foresee.c - what a hart would execute next: loops that do not end, and others.
 */
#include <string.h>

#include "isa/world.h"

#include "cpu/foresee.h"

enum { INSNS = 20000, LEAVE = 1000 * 1000, SIE_BIT = 2 };

/* A hart in S-mode at the first of these instructions, with DATA in s0. */
static struct world world_at(const uint32_t *code, unsigned count, bool interrupts)
{
    struct world w = world_new();

    for (unsigned i = 0; i < count; i++)
        poke(&w, CODE + (uint64_t)i * 4, code[i], 4);
    enter(w.hart, PRIV_S, CODE);
    hart_set_reg(w.hart, S0, DATA);
    set_csr(w.hart, MSTATUS,
            (csr(w.hart, MSTATUS) & ~(uint64_t)SIE_BIT) | (interrupts ? SIE_BIT : 0));
    return w;
}

static struct foresight foresee(const uint32_t *code, unsigned count)
{
    struct world w = world_at(code, count, false);
    uint64_t data = peek(&w, DATA, 8), pc = hart_pc(w.hart), insns = hart_insns(w.hart);
    struct foresight f = hart_foresee(w.hart, INSNS, LEAVE);

    assert_true(peek(&w, DATA, 8) == data);
    assert_true(hart_pc(w.hart) == pc && hart_insns(w.hart) == insns && hart_reg(w.hart, A0) == 0);
    world_free(&w);
    return f;
}

#define FORESEE(...)                         \
    foresee((const uint32_t[]){__VA_ARGS__}, \
            sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void a_state_that_comes_again_repeats(void **state)
{
    (void)state;
    assert_int_equal(FORESEE(JAL(ZERO, 0)).end, FORESEEN_REPEATS);
    assert_int_equal(FORESEE(LD(A0, S0, 0), BEQ(A0, ZERO, -4)).end, FORESEEN_REPEATS);
    /* what it stores is the same each time, or is put back */
    assert_int_equal(FORESEE(SD(S0, S0, 8), JAL(ZERO, -4)).end, FORESEEN_REPEATS);
    assert_int_equal(FORESEE(ADDI(A1, ZERO, 1), SD(A1, S0, 0), SD(ZERO, S0, 0), JAL(ZERO, -12)).end,
                     FORESEEN_REPEATS);
    /* a bit that goes round, which comes back only after 64 rounds */
    assert_int_equal(FORESEE(ADDI(A1, A1, 1), ANDI(A1, A1, 63), JAL(ZERO, -8)).end,
                     FORESEEN_REPEATS);
}

static void a_loop_that_only_counts_goes_round(void **state)
{
    (void)state;
    assert_int_equal(FORESEE(ADDI(A0, A0, 1), JAL(ZERO, -4)).end, FORESEEN_CIRCLES);
    assert_int_equal(FORESEE(LD(A0, S0, 0), ADDI(A0, A0, 1), SD(A0, S0, 0), JAL(ZERO, -12)).end,
                     FORESEEN_CIRCLES);
    /* a counter that has missed its end, and one that does not come to it soon */
    assert_int_equal(FORESEE(ADDI(A0, A0, -1), BNE(A0, ZERO, -4)).end, FORESEEN_CIRCLES);
    assert_int_equal(FORESEE(ADDI(A0, A0, 2), ADDI(A1, ZERO, 2047), BLT(ZERO, A0, -8)).end,
                     FORESEEN_CIRCLES);
    assert_int_equal(FORESEE(LUI(A1, 0x10000), ADDI(A0, A0, 1), BLTU(A0, A1, -4)).end,
                     FORESEEN_CIRCLES);
}

static void a_loop_that_ends_or_computes_does_not(void **state)
{
    (void)state;
    /* about 200,000 rounds */
    assert_int_equal(FORESEE(LUI(A1, 0x30), ADDI(A0, A0, 1), BLTU(A0, A1, -4)).end,
                     FORESEEN_GOES_ON);
    assert_int_equal(FORESEE(LUI(A1, 0x30), ADDI(A1, A1, -1), BNE(A1, ZERO, -4)).end,
                     FORESEEN_GOES_ON);
    assert_int_equal(FORESEE(LUI(A1, 0x30), ADDI(A0, A0, 1), BGE(A1, A0, -4)).end,
                     FORESEEN_GOES_ON);
    /* numbers that are not a straight line: x = 5 x + 1 */
    assert_int_equal(
        FORESEE(SLLI(A1, A0, 2), ADD(A0, A0, A1), ADDI(A0, A0, 1), BNE(A0, ZERO, -12)).end,
        FORESEEN_GOES_ON);
    /* a walk through memory */
    assert_int_equal(FORESEE(LB(A0, S0, 0), ADDI(S0, S0, 1), JAL(ZERO, -8)).end, FORESEEN_GOES_ON);
    /* it does not even come to a second round */
    assert_int_equal(FORESEE(LUI(A1, 0x30), ADDI(A1, A1, -1), BNE(A1, ZERO, -4)).insns, INSNS);
}

static void what_it_would_do_with_interrupts_is_known(void **state)
{
    struct foresight f;

    (void)state;
    f = FORESEE(CSRRSI(ZERO, SSTATUS, SIE_BIT), CSRRCI(ZERO, SSTATUS, SIE_BIT), JAL(ZERO, -8));
    assert_int_equal(f.end, FORESEEN_REPEATS);
    assert_true(f.interrupts);
    assert_false(FORESEE(JAL(ZERO, 0)).interrupts);
    assert_int_equal(FORESEE(WFI).end, FORESEEN_WAITS);
    assert_int_equal(FORESEE(SRET).end, FORESEEN_LEAVES);
    f = FORESEE(ECALL, JAL(ZERO, -4));
    assert_true(f.calls_firmware);
    /* a clock does not come back */
    assert_int_not_equal(FORESEE(CSRRS(A0, 0xc01, ZERO), JAL(ZERO, -4)).end, FORESEEN_REPEATS);
    assert_int_equal(FORESEE(MRET).end, FORESEEN_UNKNOWN);
}

static void an_exception_goes_to_the_kernels_handler(void **state)
{
    const uint32_t code[] = {EBREAK, JAL(ZERO, -4)};
    struct world w = world_at(code, 2, true);
    struct foresight f;

    (void)state;
    set_csr(w.hart, MEDELEG, 1 << EXC_BREAKPOINT);
    /* sepc += 4; sret */
    poke(&w, S_VECTOR, CSRRS(A0, SEPC, ZERO), 4);
    poke(&w, S_VECTOR + 4, ADDI(A0, A0, 4), 4);
    poke(&w, S_VECTOR + 8, CSRRW(ZERO, SEPC, A0), 4);
    poke(&w, S_VECTOR + 12, SRET, 4);
    f = hart_foresee(w.hart, INSNS, LEAVE);
    assert_int_equal(f.end, FORESEEN_REPEATS);
    assert_true(f.interrupts);
    assert_in_range(f.insns, 6, 40);
    set_csr(w.hart, MEDELEG, 0);
    assert_int_equal(hart_foresee(w.hart, INSNS, LEAVE).end, FORESEEN_UNKNOWN);
    world_free(&w);
}

/* The loop is in the caller of the function where the hart is. */
static void the_outermost_function_is_the_one_that_does_not_return(void **state)
{
    const uint32_t code[] = {JALR(ZERO, RA, 0), JAL(RA, -4), ADDI(A0, A0, 1), JAL(ZERO, -8)};
    struct world w = world_at(code, 4, false);
    struct foresight f;

    (void)state;
    hart_set_reg(w.hart, RA, CODE + 8);
    f = hart_foresee(w.hart, INSNS, LEAVE);
    assert_int_equal(f.end, FORESEEN_CIRCLES);
    assert_true(f.outer_pc == CODE + 8);
    world_free(&w);
}

/* What other stores than its own are needed for. */
static void stores_are_seen_by_later_loads_of_any_size(void **state)
{
    (void)state;
    /* sb 1 to the third byte; the word is then 0x10000, so the branch is not taken */
    assert_int_equal(FORESEE(ADDI(A1, ZERO, 1), SB(A1, S0, 2), LW(A2, S0, 0), LUI(A3, 0x10),
                             BNE(A2, A3, 8), JAL(ZERO, 0), WFI)
                         .end,
                     FORESEEN_REPEATS);
    /* across two doublewords */
    assert_int_equal(
        FORESEE(ADDI(A1, ZERO, -1), SD(A1, S0, 4), LW(A2, S0, 8), BNE(A2, A1, 8), JAL(ZERO, 0), WFI)
            .end,
        FORESEEN_REPEATS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_that_comes_again_repeats),
        cmocka_unit_test(a_loop_that_only_counts_goes_round),
        cmocka_unit_test(a_loop_that_ends_or_computes_does_not),
        cmocka_unit_test(what_it_would_do_with_interrupts_is_known),
        cmocka_unit_test(an_exception_goes_to_the_kernels_handler),
        cmocka_unit_test(the_outermost_function_is_the_one_that_does_not_return),
        cmocka_unit_test(stores_are_seen_by_later_loads_of_any_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
