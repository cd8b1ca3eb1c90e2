/*
 * test_breakpoint_slots.c - what a slot must hold in which an instruction under a breakpoint is
 * executed.
 */
#include "unit/breakpoint_scene.h"

/* The whole way by a slot, which holds this; the instruction adds 1 to a0. */
static void go_by_slot(struct scene *s, uint32_t word, uint32_t copy, uint32_t next)
{
    build(s);
    plant(s, PLACE, word);
    fill_slot(s, copy, next);
    set_registers(s);
    trap(s, PLACE);
    go_on_with(s, 0, SLOT, false);
    hart_set_reg(hart_of(s, 0), A0, hart_reg(hart_of(s, 0), A0) + 1);
    trap(s, SLOT + size_of(word));
    go_on(s, PLACE + size_of(word));
}

static void a_copy_and_a_breakpoint_are_sound(void **state)
{
    struct scene s;

    (void)state;
    go_by_slot(&s, ADDI(A0, A0, 1), ADDI(A0, A0, 1), EBREAK);
    assert_true(is_silent(&s));
    wreck(&s);
    go_by_slot(&s, 0x0505, 0x0505, EBREAK);
    assert_true(is_silent(&s));
    wreck(&s);
    go_by_slot(&s, 0x0505, 0x0505, C_EBREAK);
    assert_true(is_silent(&s));
    wreck(&s);
}

/* The instruction may be the one that changes preempt_count: to what it stores, and nothing else.
 */
static void a_copy_may_store_preempt_count(void **state)
{
    enum { COUNT = 1 };
    static const struct {
        uint32_t word;
        uint64_t stored;
        uint32_t after;
        bool is_sound;
    } cases[] = {
        {SW(A5, TP, PREEMPT_AT), 2, 2, true},
        {SW(A5, TP, PREEMPT_AT), 2, 3, false},
        {SW(A5, TP, PREEMPT_AT), 2, COUNT, false},
        {SD(A5, TP, PREEMPT_AT - 4), UINT64_C(5) << 32, 5, true},
        {SB(A5, TP, PREEMPT_AT + 1), 0x1ff, 0xff00 + COUNT, true},
        {SH(A5, TP, PREEMPT_AT + 2), 1, 0x10000 + COUNT, true},
        {SH(A5, TP, PREEMPT_AT + 2), 1, 1, false},
        {SW(A5, TP, PREEMPT_AT + 4), 2, COUNT, true},
        {SW(A5, TP, PREEMPT_AT + 4), 2, 2, false},
        {ADDI(A5, A5, 0), 2, 2, false},
    };

    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        struct scene s;
        uint64_t count;

        build(&s);
        plant(&s, PLACE, cases[n].word);
        fill_slot(&s, cases[n].word, EBREAK);
        set_registers(&s);
        hart_set_reg(hart_of(&s, 0), A5, cases[n].stored);
        count = hart_reg(hart_of(&s, 0), TP) + PREEMPT_AT;
        poke(&s.w, count, COUNT, 4);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        poke(&s.w, count, cases[n].after, 4);
        trap(&s, SLOT + 4);
        go_on(&s, PLACE + 4);
        if (cases[n].is_sound)
            assert_true(is_silent(&s));
        else
            assert_int_equal(only_rule(&s), RULE_clobbered_csr);
        wreck(&s);
    }
}

static void a_slot_may_jump_back_by_itself(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);
    struct scene s;

    (void)state;
    for (int off = 0; off <= 4; off += 4) {
        build(&s);
        plant(&s, PLACE, word);
        fill_slot(&s, word, JAL(ZERO, (int64_t)(PLACE + 4 - (SLOT + 4)) + off));
        trap(&s, PLACE);
        go_on(&s, SLOT);
        if (off)
            assert_int_equal(why(&s), MESSAGE_NO_WAY_BACK);
        else
            assert_true(is_silent(&s));
        wreck(&s);
    }
}

static void a_slot_with_something_else(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);
    struct scene s;

    (void)state;
    go_by_slot(&s, word, ADDI(A0, A0, 2), EBREAK);
    assert_int_equal(only_rule(&s), RULE_wrong_slot);
    assert_int_equal(why(&s), MESSAGE_OTHER_INSN);
    wreck(&s);
    go_by_slot(&s, word, word & 0xffff, EBREAK); /* half of it, and half of the breakpoint */
    assert_int_equal(only_rule(&s), RULE_wrong_slot);
    wreck(&s);
    go_by_slot(&s, word, word, NOP);
    assert_int_equal(only_rule(&s), RULE_wrong_slot);
    assert_int_equal(why(&s), MESSAGE_NO_WAY_BACK);
    wreck(&s);
}

/* The hart has executed what was there before, and no fence.i since. */
static void a_slot_that_is_not_fenced(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1), former = ADDI(A0, A0, 2);

    (void)state;
    for (unsigned mode = FETCH_STALE; mode <= FETCH_COHERENT; mode++) {
        const struct writer other = {.kind = WRITER_HART, .hart = OTHER, .pc = CODE};
        struct scene s;

        build_with(&s, (enum fetch_mode)mode);
        fill_slot(&s, former, EBREAK);
        hart_set_pc(hart_of(&s, 0), SLOT);
        assert_int_equal(hart_run(hart_of(&s, 0), 1, UINT64_MAX), HART_BUDGET);
        assert_true(bus_write(s.w.bus, SLOT, &word, 4, &other));
        plant(&s, PLACE, word);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        if (mode == FETCH_STALE) {
            assert_int_equal(why(&s), MESSAGE_OTHER_INSN);
            assert_non_null(fact_of(audit_get(s.audit, 0), LABEL_WRITTEN));
            assert_non_null(fact_of(audit_get(s.audit, 0), LABEL_IN_MEMORY));
        } else {
            assert_true(is_silent(&s));
        }
        wreck(&s);
    }
}

static void a_slot_where_nothing_can_be_executed(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, NOP);
    trap(&s, PLACE);
    go_on_with(&s, 0, UINT64_C(0x40000000), false);
    assert_int_equal(why(&s), MESSAGE_NO_SLOT);
    wreck(&s);
}

static void what_a_slot_cannot_carry_out(void **state)
{
    static const struct {
        uint32_t word;
        enum message why;
    } cases[] = {
        {AUIPC(A0, 0), MESSAGE_USES_PC},
        {C_JR(RA), MESSAGE_USES_PC},
        {BEQ(A0, A1, 8), MESSAGE_USES_PC},
        {FENCE_I, MESSAGE_OF_SYSTEM},
        {ECALL, MESSAGE_OF_SYSTEM},
        {SRET, MESSAGE_OF_SYSTEM},
        {CSRRCI(A0, 0x100, 2), MESSAGE_OF_SYSTEM},
        {LR_W(0, A0, A1), MESSAGE_RESERVATION},
        {SC_D(0, A0, A2, A1), MESSAGE_RESERVATION},
    };

    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, cases[n].word);
        fill_slot(&s, cases[n].word, EBREAK);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        assert_int_equal(only_rule(&s), RULE_wrong_slot);
        assert_int_equal(why(&s), cases[n].why);
        wreck(&s);
    }
}

static void a_breakpoint_between_lr_and_sc(void **state)
{
    struct scene s;

    (void)state;
    for (unsigned inside = 0; inside < 2; inside++) {
        build(&s);
        for (uint64_t at = SITE_PA + F; at < PLACE + 0x20; at += 4)
            poke(&s.w, at, NOP, 4);
        poke(&s.w, PLACE - 8, LR_D(0, A0, A1), 4);
        poke(&s.w, inside ? PLACE + 8 : PLACE - 4, SC_D(0, A0, A2, A1), 4);
        plant(&s, PLACE, ADDI(A0, A0, 1));
        fill_slot(&s, ADDI(A0, A0, 1), EBREAK);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        if (inside)
            assert_int_equal(why(&s), MESSAGE_RESERVATION);
        else
            assert_true(is_silent(&s));
        wreck(&s);
    }
}

static void interrupts_stay_off_in_a_slot(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, word);
    fill_slot(&s, word, EBREAK);
    trap(&s, PLACE);
    go_on(&s, SLOT);
    assert_int_equal(only_rule(&s), RULE_wrong_step);
    assert_int_equal(why(&s), MESSAGE_STEP_INTERRUPTS);
    wreck(&s);
}

static void after_a_slot_all_is_as_the_copy_has_left_it(void **state)
{
    enum { SOUND, OFF, REGISTER, PC, CASES };
    const uint32_t word = ADDI(A0, A0, 1);

    (void)state;
    for (unsigned n = 0; n < CASES; n++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, word);
        fill_slot(&s, word, EBREAK);
        set_registers(&s);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        hart_set_reg(hart_of(&s, 0), A0, 7);
        trap(&s, SLOT + 4);
        if (n == REGISTER)
            hart_set_reg(hart_of(&s, 0), T5, 7);
        go_on_with(&s, 0, PLACE + (n == PC ? 8 : 4), n != OFF);
        switch (n) {
        case SOUND: assert_true(is_silent(&s)); break;
        case OFF: assert_int_equal(only_rule(&s), RULE_clobbered_csr); break;
        case REGISTER: assert_int_equal(only_rule(&s), RULE_clobbered_register); break;
        default: assert_int_equal(why(&s), MESSAGE_ELSEWHERE); break;
        }
        wreck(&s);
    }
}

static void floats_of_a_program_must_be_the_same(void **state)
{
    (void)state;
    for (unsigned trap_between = 0; trap_between < 2; trap_between++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, NOP);
        trap(&s, PLACE);
        if (trap_between)
            trap_by(&s, 0, CODE, EXC_LOAD_PAGE);
        hart_set_freg(hart_of(&s, 0), 7, 1);
        if (trap_between) {
            hart_set_reg(hart_of(&s, 0), SP, 0x1000);
            go_on_with(&s, 0, CODE, false);
            hart_set_reg(hart_of(&s, 0), SP, 0);
        }
        go_on(&s, PLACE + 4);
        if (trap_between)
            assert_true(is_silent(&s));
        else
            assert_int_equal(only_rule(&s), RULE_clobbered_register);
        wreck(&s);
    }
}

static void access_to_user_memory_must_stay_on(void **state)
{
    const uint32_t word = LD(A0, A1, 0);
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, word);
    fill_slot(&s, word, EBREAK);
    set_csr(hart_of(&s, 0), MSTATUS, csr(hart_of(&s, 0), MSTATUS) | STATUS_SUM);
    trap(&s, PLACE);
    set_csr(hart_of(&s, 0), MSTATUS, csr(hart_of(&s, 0), MSTATUS) & ~(uint64_t)STATUS_SUM);
    go_on_with(&s, 0, SLOT, false);
    assert_int_equal(only_rule(&s), RULE_clobbered_csr);
    wreck(&s);
}

static void a_copy_may_fault(void **state)
{
    const uint32_t word = LD(A0, A1, 0);

    (void)state;
    for (unsigned sound = 0; sound < 2; sound++) {
        struct scene s;

        /* Its handler lets the instruction be carried out again, from the breakpoint on. */
        build(&s);
        plant(&s, PLACE, word);
        fill_slot(&s, word, EBREAK);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        trap_by(&s, 0, SLOT, EXC_LOAD_PAGE);
        go_on_with(&s, 0, PLACE, sound);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        trap(&s, SLOT + 4);
        go_on_with(&s, 0, PLACE + 4, sound);
        if (sound)
            assert_true(is_silent(&s));
        else
            assert_int_equal(only_rule(&s), RULE_clobbered_csr);
        wreck(&s);
        /* Or the copy; or it does what the copy would. */
        build(&s);
        plant(&s, PLACE, word);
        fill_slot(&s, word, EBREAK);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        trap_by(&s, 0, SLOT, EXC_LOAD_MISALIGNED);
        go_on_with(&s, 0, SLOT + (sound ? 4 : 0), false);
        trap(&s, SLOT + 4);
        go_on(&s, PLACE + 4);
        assert_true(is_silent(&s));
        wreck(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_and_a_breakpoint_are_sound),
        cmocka_unit_test(a_copy_may_store_preempt_count),
        cmocka_unit_test(a_slot_may_jump_back_by_itself),
        cmocka_unit_test(a_slot_with_something_else),
        cmocka_unit_test(a_slot_that_is_not_fenced),
        cmocka_unit_test(a_slot_where_nothing_can_be_executed),
        cmocka_unit_test(what_a_slot_cannot_carry_out),
        cmocka_unit_test(a_breakpoint_between_lr_and_sc),
        cmocka_unit_test(interrupts_stay_off_in_a_slot),
        cmocka_unit_test(after_a_slot_all_is_as_the_copy_has_left_it),
        cmocka_unit_test(floats_of_a_program_must_be_the_same),
        cmocka_unit_test(access_to_user_memory_must_stay_on),
        cmocka_unit_test(a_copy_may_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
