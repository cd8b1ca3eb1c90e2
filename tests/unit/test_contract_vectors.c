/*
 * test_contract_vectors.c - vector registers across trampolines, return handlers and interrupts.
 */
#include "unit/contract_stage.h"

enum { VCSR = 0x00f, VS_CLEAN = 2, VS_DIRTY = 3, VS_SHIFT = 9 };

static void set_vs(struct stage *t, uint64_t vs)
{
    const uint64_t field = UINT64_C(3) << VS_SHIFT;

    set_csr(t->h, MSTATUS, (csr(t->h, MSTATUS) & ~field) | vs << VS_SHIFT);
}

/* Writes the last bytes of a register. */
static void change_vector(struct stage *t, unsigned reg)
{
    uint8_t bytes[128];
    unsigned count;
    const uint8_t *now = hart_vector(t->h, reg, &count);

    assert_in_range(count, 16, sizeof bytes);
    memcpy(bytes, now, count);
    bytes[count - 1] ^= 0x55;
    hart_set_vector(t->h, reg, bytes);
}

/* A program is left by a trap, with its vector registers in this state. */
static void leave_program(struct stage *t, uint64_t vs)
{
    set_vs(t, vs);
    pass_event(&t->s, &(struct event){.kind = EVENT_TRAP,
                                      .trap = {.hart = t->h,
                                               .cause = EXC_ECALL_U,
                                               .epc = hart_pc(t->h),
                                               .from = PRIV_U,
                                               .to = PRIV_S}});
    set_vs(t, 0);
}

/* The value before the detour, of the finding's register. */
static uint64_t value_before(const struct stage *t)
{
    const struct finding *f = audit_get(t->s.audit, 0);

    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_BEFORE)
            return f->facts[i].va;
    return 0;
}

static void with_the_unit_on_a_trampoline_at_the_entry_keeps_all(void **state)
{
    static const struct {
        unsigned reg;
        const char *name;
    } cases[] = {{0, "v0"}, {1, "v1"}, {8, "v8"}, {23, "v23"}, {31, "v31"}};
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        build(&t);
        set_vs(&t, VS_DIRTY);
        change_vector(&t, cases[i].reg);
        call(&t, F, VA(TRACER));
        change_vector(&t, cases[i].reg);
        come_back(&t);
        assert_changed(&t, RULE_clobbered_register, cases[i].name);
        assert_int_equal(value_before(&t), UINT64_C(0x55) << 56);
        take_down(&t);
    }
}

static void what_is_restored_was_not_changed(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    set_vs(&t, VS_DIRTY);
    call(&t, F, VA(TRACER));
    change_vector(&t, 8);
    change_vector(&t, 8);
    come_back(&t);
    assert_silent(&t);
    take_down(&t);
}

static void a_return_handler_keeps_results_and_saved_registers(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    set_vs(&t, VS_CLEAN);
    hook_and_return(&t, VA(HANDLER));
    change_vector(&t, 9);
    return_to_caller(&t);
    assert_changed(&t, RULE_clobbered_register, "v9");
    take_down(&t);
}

static void with_the_unit_off_a_programs_registers_are_kept(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    leave_program(&t, VS_DIRTY);
    call(&t, F, VA(TRACER));
    change_vector(&t, 3);
    come_back(&t);
    assert_changed(&t, RULE_clobbered_register, "v3");
    take_down(&t);
}

static void but_not_registers_that_are_no_programs(void **state)
{
    struct stage t;

    (void)state;
    for (unsigned left = 0; left < 3; left++) {
        build(&t);
        if (left == 1)
            leave_program(&t, VS_CLEAN);
        if (left == 2) { /* another task runs */
            leave_program(&t, VS_DIRTY);
            pass_switch(&t);
        }
        call(&t, F, VA(TRACER));
        change_vector(&t, 3);
        come_back(&t);
        assert_silent(&t);
        take_down(&t);
    }
}

static void the_unit_is_left_as_it_was(void **state)
{
    struct stage t;

    (void)state;
    for (unsigned on = 0; on < 2; on++) {
        build(&t);
        set_vs(&t, on ? VS_CLEAN : 0);
        call(&t, F, VA(TRACER));
        set_vs(&t, on ? 0 : VS_DIRTY);
        come_back(&t);
        assert_changed(&t, RULE_clobbered_csr, "sstatus.VS");
        take_down(&t);
    }
}

/* In the trampoline: vsetivli x0,7,e16,m2,ta,ma, with the unit on for it. */
static void configure(struct stage *t)
{
    set_vs(t, VS_DIRTY);
    poke(&t->s.w, MADE + 0x100, 0xcc93f057, 4);
    hart_set_pc(t->h, MADE + 0x100);
    go_on(t, 1);
    set_vs(t, 0);
    assert_int_equal(hart_vectors(t->h).vl, 7);
}

static void vl_and_vtype_of_a_program_are_kept(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    leave_program(&t, VS_DIRTY);
    call(&t, F, VA(TRACER));
    configure(&t);
    come_back(&t);
    assert_int_equal(audit_count(t.s.audit), 2);
    assert_string_equal(changed(&t, 0), "vl");
    assert_string_equal(changed(&t, 1), "vtype");
    take_down(&t);
}

/* ---- what an interrupt leaves as it was ---- */

static void interrupt(struct stage *t, enum privilege from)
{
    pass_event(&t->s, &(struct event){.kind = EVENT_TRAP,
                                      .trap = {.hart = t->h,
                                               .cause = 5,
                                               .interrupt = true,
                                               .epc = hart_pc(t->h),
                                               .from = from,
                                               .to = PRIV_S}});
}

static void go_back(struct stage *t, enum privilege to, uint64_t pc)
{
    pass_event(&t->s,
               &(struct event){.kind = EVENT_TRAP_RETURN,
                               .trap_return = {.hart = t->h, .pc = pc, .from = PRIV_S, .to = to}});
}

static void what_an_interrupt_changes_is_found(void **state)
{
    static const enum privilege modes[] = {PRIV_U, PRIV_S};
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(modes); i++) {
        build(&t);
        set_vs(&t, VS_CLEAN);
        interrupt(&t, modes[i]);
        change_vector(&t, 17);
        go_back(&t, modes[i], hart_pc(t.h));
        assert_changed(&t, RULE_clobbered_register, "v17");
        take_down(&t);
    }
}

static void an_interrupt_keeps_the_units_state(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    set_vs(&t, VS_DIRTY);
    interrupt(&t, PRIV_U);
    set_csr(t.h, VCSR, 3);
    go_back(&t, PRIV_U, hart_pc(t.h));
    assert_changed(&t, RULE_clobbered_csr, "vcsr");
    take_down(&t);
    build(&t);
    set_vs(&t, VS_CLEAN);
    interrupt(&t, PRIV_U);
    change_vector(&t, 17); /* which is nothing more: the unit is off */
    set_vs(&t, 0);
    go_back(&t, PRIV_U, hart_pc(t.h));
    assert_changed(&t, RULE_clobbered_csr, "sstatus.VS");
    take_down(&t);
}

/* Where nothing is in the registers, and where a program goes on elsewhere, as in a handler. */
static void otherwise_vectors_may_change(void **state)
{
    enum { VS_INITIAL = 1 };
    struct stage t;

    (void)state;
    for (unsigned elsewhere = 0; elsewhere < 2; elsewhere++) {
        build(&t);
        set_vs(&t, elsewhere ? VS_DIRTY : VS_INITIAL);
        interrupt(&t, PRIV_U);
        change_vector(&t, 17);
        go_back(&t, PRIV_U, hart_pc(t.h) + 4 * elsewhere);
        assert_silent(&t);
        take_down(&t);
    }
}

/* More than are kept at one time: the copies are used again, and each is compared with its own. */
static void many_interrupts_are_compared(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    set_vs(&t, VS_DIRTY);
    for (unsigned i = 0; i < 2000; i++) {
        change_vector(&t, i % 32);
        interrupt(&t, PRIV_U);
        if (i % 3 == 0) { /* a page fault, say, of the handler's */
            interrupt(&t, PRIV_S);
            go_back(&t, PRIV_S, hart_pc(t.h));
        }
        go_back(&t, PRIV_U, hart_pc(t.h));
    }
    assert_silent(&t);
    interrupt(&t, PRIV_U);
    change_vector(&t, 5);
    go_back(&t, PRIV_U, hart_pc(t.h));
    assert_changed(&t, RULE_clobbered_register, "v5");
    take_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_the_unit_on_a_trampoline_at_the_entry_keeps_all),
        cmocka_unit_test(what_is_restored_was_not_changed),
        cmocka_unit_test(a_return_handler_keeps_results_and_saved_registers),
        cmocka_unit_test(with_the_unit_off_a_programs_registers_are_kept),
        cmocka_unit_test(but_not_registers_that_are_no_programs),
        cmocka_unit_test(the_unit_is_left_as_it_was),
        cmocka_unit_test(vl_and_vtype_of_a_program_are_kept),
        cmocka_unit_test(what_an_interrupt_changes_is_found),
        cmocka_unit_test(an_interrupt_keeps_the_units_state),
        cmocka_unit_test(otherwise_vectors_may_change),
        cmocka_unit_test(many_interrupts_are_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
