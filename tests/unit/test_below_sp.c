/*
 * test_below_sp.c - what a trampoline may keep below sp: nothing that it needs, while a trap may
 * come. Its code is read when it is called first.
 */
#include "unit/contract_stage.h"

enum { INSNS_MAX = 8 };

/* Writes a trampoline and calls it by a site. */
static void meet(struct stage *t, const uint32_t code[INSNS_MAX], bool interrupts)
{
    build(t);
    for (unsigned i = 0; i < INSNS_MAX; i++)
        poke(&t->s.w, MADE + 4 * (uint64_t)i, code[i] ? code[i] : NOP, 4);
    set_csr(t->h, MSTATUS,
            (csr(t->h, MSTATUS) & ~(uint64_t)SSTATUS_SIE) | (interrupts ? SSTATUS_SIE : 0));
    call(t, F, MADE);
}

static void assert_found(struct stage *t, enum message message, unsigned insn)
{
    const struct finding *f;

    assert_int_equal(audit_count(t->s.audit), 1);
    f = audit_get(t->s.audit, 0);
    assert_int_equal(f->rule, RULE_below_sp);
    assert_int_equal(fact_of(f, LABEL_WRONG)->message, message);
    assert_int_equal(fact_of(f, LABEL_PLACE)->va, MADE + 4 * (uint64_t)insn);
}

static const uint32_t in_a_frame[INSNS_MAX] = {ADDI(SP, SP, -16), SD(RA, SP, 0),
                                               JALR(RA, T1, 0),   LD(RA, SP, 0),
                                               ADDI(SP, SP, 16),  JALR(ZERO, T0, 0)};
static const uint32_t below[INSNS_MAX] = {SD(RA, SP, -8), JALR(RA, T1, 0), LD(RA, SP, -8),
                                          JALR(ZERO, T0, 0)};
static const uint32_t under_a_moved_sp[INSNS_MAX] = {
    ADDI(SP, SP, -16), SD(RA, SP, 0),    ADDI(SP, SP, 16), ADDI(SP, SP, -16),
    LD(RA, SP, 0),     ADDI(SP, SP, 16), JALR(ZERO, T0, 0)};
static const uint32_t stored_again[INSNS_MAX] = {SD(RA, SP, -16),  ADDI(SP, SP, -16),
                                                 SD(RA, SP, 0),    LD(RA, SP, 0),
                                                 ADDI(SP, SP, 16), JALR(ZERO, T0, 0)};
static const uint32_t with_interrupts_off[INSNS_MAX] = {
    CSRRCI(ZERO, 0x100, SSTATUS_SIE), SD(RA, SP, -8), LD(RA, SP, -8),
    CSRRSI(ZERO, 0x100, SSTATUS_SIE), JALR(ZERO, T0, 0)};

static void what_is_in_the_frame_is_kept(void **state)
{
    struct stage t;

    (void)state;
    meet(&t, in_a_frame, true);
    assert_silent(&t);
    take_down(&t);
}

static void what_is_loaded_from_below_sp_may_be_lost(void **state)
{
    struct stage t;

    (void)state;
    meet(&t, below, true);
    assert_found(&t, MESSAGE_LOADS_BELOW, 2);
    take_down(&t);
}

static void what_sp_was_moved_over_may_be_lost(void **state)
{
    struct stage t;

    (void)state;
    meet(&t, under_a_moved_sp, true);
    assert_found(&t, MESSAGE_STORES_BELOW, 1);
    take_down(&t);
}

static void only_the_last_store_before_the_load_matters(void **state)
{
    struct stage t;

    (void)state;
    meet(&t, stored_again, true);
    assert_silent(&t);
    take_down(&t);
}

static void no_trap_comes_with_interrupts_off(void **state)
{
    struct stage t;

    (void)state;
    meet(&t, with_interrupts_off, true);
    assert_silent(&t);
    take_down(&t);
    meet(&t, below, false);
    assert_silent(&t);
    take_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_the_frame_is_kept),
        cmocka_unit_test(what_is_loaded_from_below_sp_may_be_lost),
        cmocka_unit_test(what_sp_was_moved_over_may_be_lost),
        cmocka_unit_test(only_the_last_store_before_the_load_matters),
        cmocka_unit_test(no_trap_comes_with_interrupts_off),
    };

    return cmocka_run_group_tests_name("below sp", tests, NULL, NULL);
}
