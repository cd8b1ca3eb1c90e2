/*
 * test_breakpoint_rules.c - breakpoints of a kernel over its own instructions: which stores are
 * some, and what a handler must give back, whatever it has done.
 */
#include "unit/breakpoint_scene.h"

#include "base/state_io.h"
#include "cpu/isa/decode.h"
#include "ftrace/audit/breakpoints/insn_effect.h"
#include "ftrace/kernel/alarms.h"
#include "ftrace/patch/breakpoints.h"

/* ---- which stores are breakpoints ---- */

struct bare {
    struct scene s;
    struct breakpoints *b;
};

static void build_bare(struct bare *x)
{
    scene_begin(&x->s, HARTS, FETCH_COHERENT);
    scene_complete(&x->s, 100, NULL);
    x->b = breakpoints_new(x->s.w.bus, HARTS);
}

static void wreck_bare(struct bare *x)
{
    breakpoints_free(x->b);
    wreck(&x->s);
}

static void store_bare(struct bare *x, unsigned hart, uint64_t pa, uint64_t new, unsigned size)
{
    struct code_write w = {
        .who = {.kind = WRITER_HART, .hart = hart, .pc = CODE}, .pa = pa, .size = size};

    assert_true(bus_read(x->s.w.bus, pa, w.old_bytes, size));
    memcpy(w.new_bytes, &new, size);
    poke(&x->s.w, pa, new, size);
    breakpoints_write(x->b, &w);
}

static void a_lone_ebreak_is_a_breakpoint(void **state)
{
    const uint32_t addi = ADDI(A0, A1, 1), add = 0x952e; /* c.add a0, a1 */
    const struct breakpoint *p;
    struct bare x;

    (void)state;
    build_bare(&x);
    poke(&x.s.w, PLACE, addi, 4);
    poke(&x.s.w, PLACE + 4, add, 2);
    store_bare(&x, 0, PLACE, EBREAK, 4);
    breakpoints_fence(x.b, 0);
    p = breakpoints_at(x.b, PLACE);
    assert_non_null(p);
    assert_int_equal(p->size, 4);
    assert_true(p->armed);
    assert_memory_equal(p->replaced, &addi, 4);
    store_bare(&x, 0, PLACE + 4, C_EBREAK, 2);
    breakpoints_fence(x.b, 0);
    p = breakpoints_at(x.b, PLACE + 4);
    assert_non_null(p);
    assert_memory_equal(p->replaced, &add, 2);
    store_bare(&x, 1, PLACE, addi, 4);
    assert_false(breakpoints_at(x.b, PLACE)->armed);
    assert_true(p->armed);
    assert_null(breakpoints_at(x.b, PLACE + 2));
    wreck_bare(&x);
}

static void an_ebreak_may_be_stored_by_halves(void **state)
{
    const uint32_t addi = ADDI(A0, A1, 0x7ff), li = ADDI(A0, ZERO, 1);
    const struct breakpoint *p;
    struct bare x;

    (void)state;
    build_bare(&x);
    poke(&x.s.w, PLACE + 2, addi, 4);
    store_bare(&x, 0, PLACE + 2, EBREAK & 0xffff, 2);
    assert_null(breakpoints_at(x.b, PLACE + 2));
    store_bare(&x, 0, PLACE + 4, EBREAK >> 16, 2);
    p = breakpoints_at(x.b, PLACE + 2);
    assert_non_null(p);
    assert_int_equal(p->size, 4);
    assert_memory_equal(p->replaced, &addi, 4);
    /* Of `li a0, 1' the upper half is that of an ebreak already. */
    breakpoints_fence(x.b, 0);
    poke(&x.s.w, PLACE + 0x10, li, 4);
    store_bare(&x, 0, PLACE + 0x10, EBREAK & 0xffff, 2);
    p = breakpoints_at(x.b, PLACE + 0x10);
    assert_non_null(p);
    assert_memory_equal(p->replaced, &li, 4);
    wreck_bare(&x);
}

static void an_ebreak_in_copied_code_is_none(void **state)
{
    struct bare x;

    (void)state;
    build_bare(&x);
    /* in a larger store, behind code, before code */
    store_bare(&x, 0, PLACE, (uint64_t)EBREAK << 32 | NOP, 8);
    assert_null(breakpoints_at(x.b, PLACE + 4));
    breakpoints_fence(x.b, 0);
    store_bare(&x, 0, PLACE + 0x20, NOP, 4);
    store_bare(&x, 0, PLACE + 0x24, EBREAK, 4);
    assert_null(breakpoints_at(x.b, PLACE + 0x24));
    breakpoints_fence(x.b, 0);
    store_bare(&x, 0, PLACE + 0x40, EBREAK, 4);
    store_bare(&x, 0, PLACE + 0x44, NOP, 4);
    assert_null(breakpoints_at(x.b, PLACE + 0x40));
    store_bare(&x, 0, PLACE + 0x48, NOP, 4); /* longer than what is kept */
    store_bare(&x, 0, PLACE + 0x4c, EBREAK, 4);
    assert_null(breakpoints_at(x.b, PLACE + 0x4c));
    breakpoints_fence(x.b, 0);
    store_bare(&x, 0, PLACE + 0x50, EBREAK, 4); /* after a fence it is alone */
    assert_non_null(breakpoints_at(x.b, PLACE + 0x50));
    wreck_bare(&x);
}

static void only_so_many_breakpoints_are_kept(void **state)
{
    enum { KEPT = 4096, AT = 0x10000 };
    struct bare x;

    (void)state;
    build_bare(&x);
    for (unsigned i = 0; i <= KEPT; i++) {
        store_bare(&x, 0, RAM_BASE + AT + 8 * i, EBREAK, 4);
        breakpoints_fence(x.b, 0);
    }
    assert_int_equal(breakpoints_left_out(x.b), 1);
    assert_null(breakpoints_at(x.b, RAM_BASE + AT));
    assert_non_null(breakpoints_at(x.b, RAM_BASE + AT + 8 * KEPT));
    store_bare(&x, 0, RAM_BASE + AT + 16, NOP, 4); /* one that was removed goes first */
    breakpoints_fence(x.b, 0);
    poke(&x.s.w, RAM_BASE + AT, NOP, 4);
    store_bare(&x, 0, RAM_BASE + AT, EBREAK, 4);
    assert_int_equal(breakpoints_left_out(x.b), 1);
    assert_null(breakpoints_at(x.b, RAM_BASE + AT + 16));
    wreck_bare(&x);
}

/* ---- carried out by the handler ---- */

static void what_is_simulated_has_its_result(void **state)
{
    static const uint32_t words[] = {AUIPC(T1, 5),      JAL(T1, -0x40), JALR(T1, T1, -8),
                                     BLT(A0, A1, 0x10), C_JR(T1),       ADDI(T1, A0, 3)};

    (void)state;
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++)
        for (unsigned wrong = 0; wrong < 3; wrong++) {
            struct insn_effect e;
            struct scene s;
            struct insn i;

            build(&s);
            plant(&s, PLACE, words[n]);
            set_registers(&s);
            hart_set_reg(hart_of(&s, 0), T1, PLACE + 0x10);
            hart_set_reg(hart_of(&s, 0), A0, UINT64_MAX);
            assert_true(insn_decode(words[n], &i));
            assert_true(insn_effect(&i, PLACE, hart_regs(hart_of(&s, 0)), &e));
            trap(&s, PLACE);
            if (e.rd)
                hart_set_reg(hart_of(&s, 0), e.rd, e.value + (wrong == 1 ? 4 : 0));
            go_on(&s, e.pc + (wrong == 2 ? 2 : 0));
            if (!wrong || (wrong == 1 && !e.rd)) {
                assert_true(is_silent(&s));
            } else {
                assert_int_equal(only_rule(&s), RULE_wrong_step);
                assert_int_equal(why(&s), wrong == 1 ? MESSAGE_RESULT : MESSAGE_ELSEWHERE);
            }
            wreck(&s);
        }
}

static void an_instruction_is_left_out(void **state)
{
    static const uint32_t words[] = {ADDI(A0, A0, 1), LD(A0, A1, 0), SD(A0, A1, 0)};

    (void)state;
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, words[n]);
        set_registers(&s);
        poke(&s.w, hart_reg(hart_of(&s, 0), A1), 0x1234, 8);
        trap(&s, PLACE);
        go_on(&s, PLACE + 4);
        assert_int_equal(only_rule(&s), RULE_wrong_step);
        wreck(&s);
    }
}

static void what_has_no_effect_may_be_left_out(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, NOP);
    trap(&s, PLACE);
    go_on(&s, PLACE + 4);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void a_handler_gives_all_registers_back(void **state)
{
    (void)state;
    for (unsigned reg = 1; reg < 32; reg++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, BEQ(ZERO, ZERO, 0x10));
        set_registers(&s);
        trap(&s, PLACE);
        hart_set_reg(hart_of(&s, 0), reg, 0x55);
        go_on(&s, PLACE + 0x10);
        assert_int_equal(only_rule(&s), RULE_clobbered_register);
        wreck(&s);
    }
}

/* With another sp a return is the handler's by the open traps of the hart, if these are the task's.
 */
static void a_return_after_a_switch_is_another_tasks(void **state)
{
    (void)state;
    for (unsigned switched = 0; switched < 2; switched++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, NOP);
        set_registers(&s);
        trap(&s, PLACE);
        if (switched) {
            poke(&s.w, SITE_PA + 0xf00, NOP, 4); /* __switch_to */
            hart_set_pc(hart_of(&s, 0), SITE_VA + 0xf00);
            assert_int_equal(hart_run(hart_of(&s, 0), 1, UINT64_MAX), HART_BUDGET);
        }
        hart_set_reg(hart_of(&s, 0), SP, 0x1000);
        go_on(&s, PLACE + 4);
        assert_int_equal(audit_count(s.audit) != 0, !switched);
        wreck(&s);
    }
}

/* Registers of the kernel in U-mode; a program that returns meanwhile has its own. */
static void a_handler_returns_to_the_kernel(void **state)
{
    (void)state;
    for (unsigned program = 0; program < 2; program++) {
        struct event e = {.kind = EVENT_TRAP_RETURN,
                          .trap_return = {.pc = PLACE, .from = PRIV_S, .to = PRIV_U}};
        struct scene s;

        build(&s);
        plant(&s, PLACE, NOP);
        set_registers(&s);
        trap(&s, PLACE);
        if (program)
            hart_set_reg(hart_of(&s, 0), SP, 0x1000);
        e.trap_return.hart = hart_of(&s, 0);
        pass_event(&s, &e);
        if (program)
            assert_true(is_silent(&s));
        else
            assert_int_equal(only_rule(&s), RULE_clobbered_csr);
        wreck(&s);
    }
}

static void a_return_address_may_become_that_of_a_handler_at_a_functions_entry(void **state)
{
    const uint64_t places[] = {SITE_PA + F + 8, PLACE};

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(places); i++) {
        struct scene s;

        build(&s);
        plant(&s, places[i], BEQ(ZERO, ZERO, 0x10));
        set_registers(&s);
        trap(&s, places[i]);
        hart_set_reg(hart_of(&s, 0), RA, SITE_PA + 0xe00);
        go_on(&s, places[i] + 0x10);
        if (i == 0)
            assert_true(is_silent(&s));
        else
            assert_int_equal(only_rule(&s), RULE_clobbered_register);
        wreck(&s);
    }
}

/* ---- elsewhere ---- */

static void a_breakpoint_that_was_removed_is_run_over_again(void **state)
{
    enum { AGAIN = 8 };
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, ADDI(A0, A0, 1));
    store(&s, PLACE, EBREAK, ADDI(A0, A0, 1), 4);
    for (unsigned n = 0; n < AGAIN; n++) {
        trap(&s, PLACE);
        go_on(&s, PLACE);
    }
    assert_true(is_silent(&s));
    fence(&s);
    plant(&s, PLACE, ADDI(A0, A0, 1));
    for (unsigned n = 0; n < AGAIN; n++) {
        assert_true(is_silent(&s));
        trap(&s, PLACE);
        go_on(&s, PLACE);
    }
    assert_int_equal(why(&s), MESSAGE_ELSEWHERE); /* it is never carried out */
    wreck(&s);
}

static void a_handler_may_go_on_elsewhere_on_purpose(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, ADDI(A0, A0, 1));
    trap(&s, PLACE);
    hart_set_reg(hart_of(&s, 0), A0, 0x55);
    go_on(&s, SITE_PA + G); /* another function */
    assert_true(is_silent(&s));
    plant(&s, SITE_PA + F + 8, ADDI(A0, A0, 1));
    hart_set_reg(hart_of(&s, 0), RA, SITE_PA + G + 0x10);
    trap(&s, SITE_PA + F + 8);
    hart_set_reg(hart_of(&s, 0), A0, 0x56);
    go_on(&s, SITE_PA + G + 0x10); /* back to the caller, from the function's entry */
    assert_true(is_silent(&s));
    trap(&s, PLACE);
    go_on(&s, SITE_PA + G + 0x10); /* from its middle */
    assert_int_equal(why(&s), MESSAGE_ELSEWHERE);
    wreck(&s);
}

static void what_is_no_breakpoint_is_not_judged(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    poke(&s.w, PLACE, EBREAK, 4); /* compiled in, as of WARN */
    trap(&s, PLACE);
    hart_set_reg(hart_of(&s, 0), A0, 0x55);
    go_on(&s, PLACE + 4);
    plant(&s, SLOT, ADDI(A0, A0, 1)); /* where nothing has a name, as at the end of a slot */
    trap(&s, SLOT);
    go_on(&s, PLACE);
    store(&s, PLACE + 0x10, ADDI(A0, A0, 1), C_EBREAK, 2); /* over half an instruction */
    fence(&s);
    trap(&s, PLACE + 0x10);
    go_on(&s, PLACE + 0x20);
    assert_true(is_silent(&s));
    wreck(&s);
}

/* ---- several ---- */

static void breakpoints_nest(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);
    struct scene s;
    uint64_t sp;

    (void)state;
    build(&s);
    plant(&s, PLACE, word);
    plant(&s, SITE_PA + G + 0x20, JAL(ZERO, 8));
    fill_slot(&s, word, EBREAK);
    set_registers(&s);
    sp = hart_reg(hart_of(&s, 0), SP);
    trap(&s, PLACE);
    hart_set_reg(hart_of(&s, 0), SP, sp - 0x100);
    hart_set_reg(hart_of(&s, 0), A0, 1); /* the handler uses registers */
    trap(&s, SITE_PA + G + 0x20);
    go_on_with(&s, 0, SITE_PA + G + 0x28, false);
    hart_set_reg(hart_of(&s, 0), SP, sp);
    hart_set_reg(hart_of(&s, 0), A0, DATA + 0x100 * A0);
    go_on_with(&s, 0, SLOT, false);
    trap(&s, SLOT + 4);
    go_on(&s, PLACE + 4);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void harts_are_in_one_slot_at_once(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, word);
    fill_slot(&s, word, EBREAK);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        hart_set_reg(hart_of(&s, hart), TP, DATA + 0x1000 * hart);
        hart_set_reg(hart_of(&s, hart), SP, DATA + 0x8000 * (hart + 1));
        trap_by(&s, hart, PLACE, EXC_BREAKPOINT);
    }
    for (unsigned hart = 0; hart < HARTS; hart++)
        go_on_with(&s, hart, SLOT, false);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        hart_set_reg(hart_of(&s, hart), A0, hart);
        trap_by(&s, hart, SLOT + 4, EXC_BREAKPOINT);
    }
    for (unsigned hart = 0; hart < HARTS; hart++)
        go_on_with(&s, hart, PLACE + 4, true);
    assert_true(is_silent(&s));
    wreck(&s);
}

static void a_handler_that_never_returned_is_forgotten(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    plant(&s, PLACE, JAL(ZERO, 8));
    set_registers(&s);
    trap(&s, PLACE);
    trap(&s, PLACE); /* by the same stack */
    go_on_with(&s, 0, PLACE + 8, false);
    hart_set_reg(hart_of(&s, 0), A0, 1);
    trap_by(&s, 0, CODE, EXC_ILLEGAL);
    go_on(&s, CODE); /* of the first one nothing is left to compare */
    assert_true(is_silent(&s));
    wreck(&s);
}

static void raise_alarm(struct scene *s, enum alarm_kind kind)
{
    const struct alarm alarm = {.kind = kind, .function = "die"};
    const struct ftrace_event e = {.kind = FTRACE_ALARM, .alarm = {hart_of(s, 0), &alarm}};

    ftrace_emit(&s->stream, &e);
}

/* The first finding is this rule's: that the guest has noticed something follows from it. */
static void a_kernel_gives_up_at_its_own_breakpoint(void **state)
{
    enum { GIVEN_UP, WARNING, OTHER_TRAP, RETURNED, CASES };

    (void)state;
    for (unsigned n = 0; n < CASES; n++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, NOP);
        trap(&s, PLACE);
        if (n == OTHER_TRAP)
            trap_by(&s, 0, CODE, EXC_LOAD_PAGE); /* in a handler: that is what it gives up at */
        if (n == RETURNED)
            go_on(&s, PLACE + 4);
        raise_alarm(&s, n == WARNING ? ALARM_WARNING : ALARM_OOPS);
        assert_true(audit_count(s.audit) > 0);
        assert_int_equal(audit_get(s.audit, 0)->rule,
                         n == GIVEN_UP ? RULE_wrong_step : RULE_guest_noticed);
        assert_int_equal(audit_count(s.audit), n == GIVEN_UP ? 2 : 1);
        wreck(&s);
    }
}

/* What is followed when the state is saved is followed after it was restored. */
static void a_restored_auditor_goes_on(void **state)
{
    const uint32_t word = ADDI(A0, A0, 1);

    (void)state;
    for (unsigned stage = 0; stage < 3; stage++) {
        struct state_io saved, loaded;
        struct scene s, other;

        build(&s);
        build(&other);
        plant(&s, PLACE, word);
        fill_slot(&s, word, EBREAK);
        poke(&other.w, PLACE, EBREAK, 4);
        fill_slot(&other, word, EBREAK);
        if (stage > 0)
            trap(&s, PLACE);
        if (stage > 1)
            go_on_with(&s, 0, SLOT, false);
        state_io_save(&saved, 0);
        audit_state_io(&saved, s.audit);
        state_io_load(&loaded, saved.saved.at, saved.saved.len);
        audit_state_io(&loaded, other.audit);
        assert_int_equal(state_io_end(&loaded), STATE_OK);
        state_io_free(&saved);
        if (stage < 1)
            trap(&other, PLACE);
        if (stage < 2)
            go_on_with(&other, 0, SLOT, false);
        trap(&other, SLOT + 4);
        go_on(&other, PLACE + 8);
        assert_int_equal(why(&other), MESSAGE_ELSEWHERE);
        wreck(&other);
        wreck(&s);
    }
}

static void a_fault_leads_back(void **state)
{
    const uint32_t word = LD(A0, A1, 0);

    (void)state;
    for (unsigned lost = 0; lost < 2; lost++) {
        struct scene s;

        build(&s);
        plant(&s, PLACE, word);
        fill_slot(&s, word, EBREAK);
        trap(&s, PLACE);
        go_on_with(&s, 0, SLOT, false);
        trap_by(&s, 0, SLOT, EXC_LOAD_PAGE);
        go_on(&s, lost ? SLOT + 2 : SITE_PA + F + 0x40); /* where the function handles it */
        if (lost)
            assert_int_equal(why(&s), MESSAGE_ELSEWHERE);
        else
            assert_true(is_silent(&s));
        wreck(&s);
    }
}

/* ---- loads and stores that fault ---- */

enum { C_LW = 0x431c /* lw a5,0(a4) */, C_NOP = 1 };

/* A compressed load at PLACE faults, and 6 bytes follow it; the handler goes on at PLACE + offset.
 */
static void fault_and_go_on(struct scene *s, uint64_t cause, uint32_t next, uint64_t offset)
{
    build(s);
    poke(&s->w, PLACE, C_LW, 2);
    poke(&s->w, PLACE + 2, next, size_of(next));
    poke(&s->w, PLACE + 2 + size_of(next), C_NOP, 2);
    trap_by(s, 0, PLACE, cause);
    trap(s, SITE_PA + G + 0x20); /* one in the handler */
    go_on(s, SITE_PA + G + 0x20);
    go_on(s, PLACE + offset);
}

static void a_handler_goes_on_in_the_middle_of_an_instruction(void **state)
{
    static const uint64_t causes[] = {EXC_LOAD_PAGE, EXC_STORE_ACCESS, EXC_LOAD_MISALIGNED};
    struct scene s;

    (void)state;
    for (unsigned i = 0; i < sizeof causes / sizeof *causes; i++) {
        fault_and_go_on(&s, causes[i], NOP, 4);
        assert_int_equal(only_rule(&s), RULE_wrong_step);
        wreck(&s);
    }
}

/* At the instruction, after it, at the fixups behind it and elsewhere. */
static void a_handler_goes_on_where_an_instruction_begins(void **state)
{
    static const uint64_t offsets[] = {0, 2, 6, 8, 0x40, -UINT64_C(8), -UINT64_C(2)};
    struct scene s;

    (void)state;
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        fault_and_go_on(&s, EXC_LOAD_PAGE, NOP, offsets[i]);
        assert_true(is_silent(&s));
        wreck(&s);
    }
    fault_and_go_on(&s, EXC_LOAD_PAGE, C_NOP, 4);
    assert_true(is_silent(&s));
    wreck(&s);
}

/* It is the task's own business, or that of another task. */
static void another_return_is_not_that_of_the_fault(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    poke(&s.w, PLACE, C_LW, 2);
    poke(&s.w, PLACE + 2, NOP, 4);
    trap_by(&s, 0, PLACE, EXC_LOAD_PAGE);
    hart_set_reg(hart_of(&s, 0), SP, 0x4000);
    go_on(&s, PLACE + 4);
    assert_true(is_silent(&s));
    trap(&s, SITE_PA + G + 0x20);
    go_on(&s, PLACE + 4);
    assert_true(is_silent(&s));
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_ebreak_is_a_breakpoint),
        cmocka_unit_test(an_ebreak_may_be_stored_by_halves),
        cmocka_unit_test(an_ebreak_in_copied_code_is_none),
        cmocka_unit_test(only_so_many_breakpoints_are_kept),
        cmocka_unit_test(what_is_simulated_has_its_result),
        cmocka_unit_test(an_instruction_is_left_out),
        cmocka_unit_test(what_has_no_effect_may_be_left_out),
        cmocka_unit_test(a_handler_gives_all_registers_back),
        cmocka_unit_test(a_return_after_a_switch_is_another_tasks),
        cmocka_unit_test(a_handler_returns_to_the_kernel),
        cmocka_unit_test(a_return_address_may_become_that_of_a_handler_at_a_functions_entry),
        cmocka_unit_test(a_breakpoint_that_was_removed_is_run_over_again),
        cmocka_unit_test(a_handler_may_go_on_elsewhere_on_purpose),
        cmocka_unit_test(what_is_no_breakpoint_is_not_judged),
        cmocka_unit_test(breakpoints_nest),
        cmocka_unit_test(harts_are_in_one_slot_at_once),
        cmocka_unit_test(a_handler_that_never_returned_is_forgotten),
        cmocka_unit_test(a_kernel_gives_up_at_its_own_breakpoint),
        cmocka_unit_test(a_restored_auditor_goes_on),
        cmocka_unit_test(a_fault_leads_back),
        cmocka_unit_test(a_handler_goes_on_in_the_middle_of_an_instruction),
        cmocka_unit_test(a_handler_goes_on_where_an_instruction_begins),
        cmocka_unit_test(another_return_is_not_that_of_the_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
