/*
 * test_contract_rules.c - what a detour must leave as it was: trampolines of several kinds, and
 * return handlers. The test is the trampoline: it changes the hart between begin and end.
 */
#include "unit/contract_stage.h"

/* ---- sstatus, satp, fcsr ---- */

static void set_sstatus(struct stage *t, uint64_t mask)
{
    set_csr(t->h, MSTATUS, csr(t->h, MSTATUS) ^ mask);
}

static const struct {
    uint64_t mask;
    const char *name;
    bool of_trap;
} fields[] = {
    {SSTATUS_SIE, "sstatus.SIE", false}, {SSTATUS_SPIE, "sstatus.SPIE", true},
    {SSTATUS_SPP, "sstatus.SPP", true},  {SSTATUS_FS, "sstatus.FS", false},
    {SSTATUS_SUM, "sstatus.SUM", false}, {SSTATUS_MXR, "sstatus.MXR", false},
};

static void a_tracer_must_leave_each_field_of_sstatus(void **state)
{
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(fields); i++) {
        build(&t);
        call(&t, F, VA(TRACER));
        set_sstatus(&t, fields[i].mask);
        come_back(&t);
        assert_changed(&t, RULE_clobbered_csr, fields[i].name);
        take_down(&t);
    }
}

static void a_return_handler_must_leave_each_field_of_sstatus(void **state)
{
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(fields); i++) {
        build(&t);
        hook_and_return(&t, VA(HANDLER));
        set_sstatus(&t, fields[i].mask);
        return_to_caller(&t);
        assert_changed(&t, RULE_clobbered_csr, fields[i].name);
        take_down(&t);
    }
}

enum { LOAD_PAGE_FAULT = 13, TIMER = 5 };

static void a_trap_changes_its_own_fields(void **state)
{
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(fields); i++) {
        build(&t);
        call(&t, F, VA(TRACER));
        pass_trap(&t, false, LOAD_PAGE_FAULT);
        set_sstatus(&t, fields[i].mask);
        come_back(&t);
        assert_int_equal(audit_count(t.s.audit), fields[i].of_trap ? 0 : 1);
        take_down(&t);
    }
}

/* Only one that turns them on can take one. */
static void a_detour_with_interrupts_off_takes_none(void **state)
{
    struct stage t;

    (void)state;
    for (unsigned on = 0; on < 2; on++) {
        build(&t);
        set_sstatus(&t, on ? SSTATUS_SIE : 0);
        call(&t, F, VA(TRACER));
        pass_trap(&t, true, TIMER);
        if (on)
            assert_silent(&t);
        else
            assert_changed(&t, RULE_clobbered_csr, "sstatus.SIE");
        take_down(&t);
    }
}

static void what_is_the_same_again_is_no_change(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    call(&t, F, VA(TRACER));
    set_sstatus(&t, SSTATUS_SIE | SSTATUS_SUM);
    set_sstatus(&t, SSTATUS_SIE | SSTATUS_SUM);
    come_back(&t);
    assert_silent(&t);
    take_down(&t);
}

/* The page table is that of M-mode here: it is not used, but kept. */
static void the_page_table_may_change_with_the_task_only(void **state)
{
    struct stage t;

    (void)state;
    for (unsigned switches = 0; switches < 2; switches++) {
        build(&t);
        call(&t, F, VA(TRACER));
        if (switches)
            pass_switch(&t);
        set_csr(t.h, SATP, UINT64_C(8) << 60 | 0x80100);
        come_back(&t);
        if (switches)
            assert_silent(&t);
        else
            assert_changed(&t, RULE_clobbered_csr, "satp");
        take_down(&t);
    }
}

enum { FRM = 0x002 };

static void the_rounding_mode_of_a_program_must_stay(void **state)
{
    struct stage t;

    (void)state;
    for (unsigned way = 0; way < 3; way++) {
        build(&t);
        call(&t, F, VA(TRACER));
        set_csr(t.h, FRM, 1);
        set_csr(t.h, MSTATUS, csr(t.h, MSTATUS) & ~SSTATUS_FS); /* the write has turned it on */
        if (way == 1)
            pass_trap(&t, false, LOAD_PAGE_FAULT);
        if (way == 2)
            pass_switch(&t);
        come_back(&t);
        if (way)
            assert_silent(&t);
        else
            assert_changed(&t, RULE_clobbered_csr, "fcsr");
        take_down(&t);
    }
}

/* ---- floating-point registers ---- */

static void with_the_unit_off_no_register_may_change(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    hook_and_return(&t, VA(HANDLER));
    hart_set_freg(t.h, 0, 1); /* ft0 */
    return_to_caller(&t);
    assert_changed(&t, RULE_clobbered_register, "ft0");
    take_down(&t);
}

static void with_the_unit_on_a_return_handler_keeps_results_and_saved_registers(void **state)
{
    static const struct {
        unsigned reg;
        const char *name; /* NULL: it may change */
    } cases[] = {{0, NULL},  {10, "fa0"}, {11, "fa1"},  {12, NULL}, {8, "fs0"},
                 {9, "fs1"}, {18, "fs2"}, {27, "fs11"}, {28, NULL}, {31, NULL}};
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        build(&t);
        set_sstatus(&t, SSTATUS_FS);
        hook_and_return(&t, VA(HANDLER));
        hart_set_freg(t.h, cases[i].reg, 1);
        return_to_caller(&t);
        if (cases[i].name)
            assert_changed(&t, RULE_clobbered_register, cases[i].name);
        else
            assert_silent(&t);
        take_down(&t);
    }
}

/* ---- handlers that are learnt ---- */

static void a_handler_without_a_known_name_keeps_the_same_contract(void **state)
{
    static const struct {
        unsigned reg;
        const char *name;
    } cases[] = {{A0, "a0"},  {11, "a1"}, {8, "s0"},  {19, "s3"},
                 {27, "s11"}, {3, "gp"},  {12, NULL}, {28, NULL}};
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        build(&t);
        hook_and_return(&t, MADE);
        hart_set_reg(t.h, cases[i].reg, 1);
        return_to_caller(&t);
        if (cases[i].name)
            assert_changed(&t, RULE_clobbered_register, cases[i].name);
        else
            assert_silent(&t);
        take_down(&t);
    }
}

static void an_address_within_a_function_is_no_handler_but_a_lost_ra(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    call(&t, F, VA(TRACER));
    hart_set_reg(t.h, RA, VA(HANDLER + 4));
    come_back(&t);
    assert_changed(&t, RULE_clobbered_register, "ra");
    take_down(&t);
}

/* ---- trampolines for one function ---- */

static void a_trampoline_for_one_function_saves_what_that_reads(void **state)
{
    static const struct {
        unsigned reg;
        const char *name;
    } cases[] = {{A0, "a0"}, {11, "a1"}, {12, NULL}, {17, NULL}, {18, "s2"}};
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        build(&t);
        call(&t, F, MADE);
        hart_set_reg(t.h, cases[i].reg, 1);
        come_back(&t);
        if (cases[i].name)
            assert_changed(&t, RULE_clobbered_register, cases[i].name);
        else
            assert_silent(&t);
        take_down(&t);
    }
}

static void a_trampoline_of_the_kernel_saves_all_arguments(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    call(&t, F, VA(TRACER));
    hart_set_reg(t.h, 17, 1);
    come_back(&t);
    assert_changed(&t, RULE_clobbered_register, "a7");
    take_down(&t);
}

static void assert_detour(struct stage *t, const char *text)
{
    const struct finding *f = audit_get(t->s.audit, 0);
    char told[FACT_TEXT_MAX] = "";

    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_DETOUR)
            describe_fact(told, t->s.t, t->s.symbols, NULL, &f->facts[i]);
    assert_string_equal(told, text);
}

static void a_detour_is_told_by_its_name_or_by_what_it_is(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    call(&t, F, VA(TRACER));
    hart_set_reg(t.h, 19, 1);
    come_back(&t);
    assert_detour(&t, "ftrace_caller");
    take_down(&t);
    build(&t);
    call(&t, F, MADE);
    hart_set_reg(t.h, 19, 1);
    come_back(&t);
    assert_detour(&t, "the trampoline at 0x80040000 that the site calls");
    take_down(&t);
    build(&t);
    hook_and_return(&t, MADE);
    hart_set_reg(t.h, 19, 1);
    return_to_caller(&t);
    assert_detour(&t, "the trampoline at 0x80040000 to which the function returns");
    take_down(&t);
}

/* Calls the rest of f from the trampoline, with another value in a register, or none. */
static void call_rest(struct stage *t, unsigned reg)
{
    call(t, F, MADE);
    if (reg)
        hart_set_reg(t->h, reg, 1);
    hart_set_reg(t->h, SP, TOP - FRAME);
    hart_set_reg(t->h, RA, MADE + RETURNED);
    come_back(t);
}

/* f returns to the trampoline, which returns to f's caller. */
static void return_from_rest(struct stage *t, unsigned reg, uint64_t value)
{
    hart_set_pc(t->h, MADE + RETURNED);
    hart_set_reg(t->h, T0, VA(BACK));
    go_on(t, 1);
    hart_set_reg(t->h, reg, value);
    if (reg != SP)
        hart_set_reg(t->h, SP, TOP);
    return_to_caller(t);
}

static void a_trampoline_that_calls_the_function_passes_its_arguments(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    call_rest(&t, 11);
    assert_changed(&t, RULE_clobbered_register, "a1");
    take_down(&t);
}

/* It has a frame pointer of its own meanwhile. */
static void a_trampoline_that_calls_the_function_may_use_saved_registers(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    call_rest(&t, 8);
    return_from_rest(&t, 8, 8 * 0x1111);
    assert_silent(&t);
    take_down(&t);
}

static void a_trampoline_that_called_the_function_restores_them_and_keeps_the_result(void **state)
{
    static const struct {
        unsigned reg;
        const char *name;
    } cases[] = {{A0, "a0"}, {9, "s1"}, {27, "s11"}, {11, NULL}, {15, NULL}};
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        build(&t);
        call_rest(&t, 0);
        return_from_rest(&t, cases[i].reg, 1);
        if (cases[i].name)
            assert_changed(&t, RULE_clobbered_register, cases[i].name);
        else
            assert_silent(&t);
        take_down(&t);
    }
}

static void a_trampoline_that_called_the_function_gives_back_its_frame(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    call_rest(&t, 0);
    return_from_rest(&t, SP, TOP - 16);
    assert_changed(&t, RULE_unbalanced_stack, "sp");
    take_down(&t);
}

/* As BPF's fmod_ret, which does the function's work itself. */
static void a_trampoline_may_return_in_place_of_the_function(void **state)
{
    static const struct {
        unsigned reg;
        const char *name;
    } cases[] = {{A0, NULL}, {11, NULL}, {20, "s4"}};
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        build(&t);
        call(&t, F, MADE);
        hart_set_reg(t.h, cases[i].reg, 1);
        return_to_caller(&t);
        if (cases[i].name)
            assert_changed(&t, RULE_clobbered_register, cases[i].name);
        else
            assert_silent(&t);
        take_down(&t);
    }
}

/* ---- the stack pointer ---- */

/* The trampoline makes a frame of that many bytes, and calls a function. */
static void call_with_frame(struct stage *t, uint64_t entry_sp, unsigned frame)
{
    call(t, F, VA(TRACER));
    assert_int_equal(entry_sp, hart_reg(t->h, SP));
    hart_set_reg(t->h, SP, entry_sp - frame);
    hart_set_reg(t->h, T1, VA(SWITCH));
    go_on(t, 2);
    hart_set_reg(t->h, SP, entry_sp);
    hart_set_reg(t->h, RA, VA(BACK));
    come_back(t);
}

static void a_trampoline_calls_with_an_aligned_stack(void **state)
{
    struct stage t;

    (void)state;
    for (unsigned frame = 0; frame <= 32; frame += 8) {
        build(&t);
        call_with_frame(&t, TOP, frame);
        if (frame % 16)
            assert_changed(&t, RULE_misaligned_stack, "sp");
        else
            assert_silent(&t);
        take_down(&t);
    }
}

static void a_call_is_judged_once_until_the_trampoline_changes(void **state)
{
    const struct code_write w = {.pa = SITE_PA + TRACER + 4, .size = 4};
    struct stage t;

    (void)state;
    build(&t);
    call_with_frame(&t, TOP, 16);
    call_with_frame(&t, TOP, 8);
    assert_silent(&t);
    pass_store(&t.s, w, NOP, NOP); /* the site ftrace_call */
    poke(&t.s.w, SITE_PA + TRACER + 8, NOP, 4);
    poke(&t.s.w, SITE_PA + TRACER + 4, ADDI(ZERO, ZERO, 0), 4);
    call(&t, F, VA(TRACER));
    hart_set_reg(t.h, SP, TOP - 8);
    hart_set_reg(t.h, T1, VA(SWITCH));
    go_on(&t, 2);
    assert_changed(&t, RULE_misaligned_stack, "sp");
    take_down(&t);
}

/* The hart is about to run generated text for the first time. */
static void enter_program(struct stage *t, uint64_t sp)
{
    const struct ftrace_event e = {.kind = FTRACE_TEXT_LIVE,
                                   .text = {.hart = t->h, .va = VA(TRACER), .size = 16}};

    hart_set_reg(t->h, SP, sp);
    ftrace_emit(&t->s.stream, &e);
}

/* It is entered with one sp, and calls with another one. */
static void run_program(struct stage *t, uint64_t entry_sp, uint64_t call_sp)
{
    enter_program(t, entry_sp);
    hart_set_reg(t->h, SP, call_sp);
    hart_set_reg(t->h, T1, VA(SWITCH));
    hart_set_pc(t->h, VA(TRACER));
    go_on(t, 2);
}

static void a_program_calls_with_an_aligned_stack(void **state)
{
    struct stage t;

    (void)state;
    for (unsigned frame = 0; frame <= 32; frame += 8) {
        build(&t);
        run_program(&t, TOP, TOP - frame);
        if (frame % 16)
            assert_changed(&t, RULE_misaligned_stack, "sp");
        else
            assert_silent(&t);
        take_down(&t);
    }
    build(&t);
    run_program(&t, TOP - 8, TOP - 8); /* not its fault */
    assert_silent(&t);
    take_down(&t);
}

/* A program begins, changes a register, and comes back with that sp. */
static void return_from_program(struct stage *t, unsigned reg, uint64_t sp)
{
    hart_set_reg(t->h, RA, VA(BACK));
    enter_program(t, TOP);
    hart_set_reg(t->h, reg, hart_reg(t->h, reg) + 1);
    hart_set_reg(t->h, SP, sp);
    hart_set_pc(t->h, VA(BACK));
    go_on(t, 1);
}

static void a_program_gives_back_what_its_caller_keeps(void **state)
{
    static const struct {
        unsigned reg;
        uint64_t sp;
        const char *name; /* NULL: it may change */
    } cases[] = {{8, TOP, "s0"},    {19, TOP, "s3"},      {3, TOP, "gp"},
                 {A0, TOP, NULL},   {28, TOP, NULL},      {RA, TOP, NULL},
                 {8, TOP - 64, NULL} /* another program, within this one */};
    struct stage t;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        build(&t);
        return_from_program(&t, cases[i].reg, cases[i].sp);
        if (cases[i].name)
            assert_changed(&t, RULE_clobbered_register, cases[i].name);
        else
            assert_silent(&t);
        take_down(&t);
    }
}

/* ---- state ---- */

static void a_detour_goes_on_after_a_restore(void **state)
{
    struct state_io saved, loaded;
    struct stage t;

    (void)state;
    build(&t);
    hook_and_return(&t, MADE);
    state_io_save(&saved, 0);
    calls_state_io(&saved, t.calls);
    audit_state_io(&saved, t.s.audit);
    return_to_caller(&t);
    assert_silent(&t);
    state_io_load(&loaded, saved.saved.at, saved.saved.len);
    calls_state_io(&loaded, t.calls);
    audit_state_io(&loaded, t.s.audit);
    assert_int_equal(state_io_end(&loaded), STATE_OK);
    state_io_free(&saved);
    hart_set_reg(t.h, 19, 1);
    return_to_caller(&t);
    assert_changed(&t, RULE_clobbered_register, "s3");
    take_down(&t);
}

/* Tells of a store to the site of the function, after it was made. */
static void tell_store(struct stage *t, uint64_t function)
{
    uint8_t bytes[SITE_BYTES];

    assert_true(bus_read(t->s.w.bus, SITE_PA + function, bytes, sizeof bytes));
    calls_site_stored(t->calls, site_find(t->s.t, SITE_PA + function, 1), bytes);
}

static void calls_are_followed_from_the_store_that_turns_their_site_on(void **state)
{
    const struct calls_listener listener = {.stores_told = true};
    struct stage t;

    (void)state;
    build(&t);
    calls_free(t.calls);
    t.calls = calls_new(t.s.w.cluster, &t.s.im->image, t.s.t, t.s.symbols, &t.s.stream, listener);
    tell_store(&t, F); /* of nops */
    call(&t, F, VA(TRACER));
    hart_set_reg(t.h, 18, 1);
    come_back(&t);
    assert_silent(&t);
    tell_store(&t, F);
    call(&t, F, VA(TRACER));
    hart_set_reg(t.h, 18, 1);
    come_back(&t);
    assert_changed(&t, RULE_clobbered_register, "s2");
    take_down(&t);
}

/* ---- the tracer is called again ---- */

static void the_trampoline_goes_back_to_the_site(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(is_silent(&t.s));
        call(&t, F, VA(TRACER));
    }
    assert_int_equal(only_rule(&t.s), RULE_wrong_step);
    take_down(&t);
}

/* Each call comes back, as in a loop. */
static void the_same_function_is_called_in_a_loop(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    for (unsigned i = 0; i < 8; i++) {
        call(&t, F, VA(TRACER));
        come_back(&t);
    }
    assert_true(is_silent(&t.s));
    take_down(&t);
}

/* ---- causes ---- */

static void what_one_detour_has_lost_is_one_cause(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    call(&t, F, VA(TRACER));
    hart_set_reg(t.h, 18, 0);
    hart_set_reg(t.h, 19, 0);
    set_sstatus(&t, SSTATUS_SUM);
    come_back(&t);
    assert_int_equal(audit_count(t.s.audit), 3);
    assert_int_equal(audit_get(t.s.audit, 0)->caused_by, NO_FINDING);
    assert_int_equal(audit_get(t.s.audit, 1)->caused_by, 0);
    assert_int_equal(audit_get(t.s.audit, 2)->caused_by, 0);
    assert_false(audit_get(t.s.audit, 1)->explained);
    call(&t, F, VA(TRACER));
    hart_set_reg(t.h, 20, 0);
    come_back(&t);
    assert_int_equal(audit_count(t.s.audit), 4);
    assert_int_equal(audit_get(t.s.audit, 3)->caused_by, NO_FINDING);
    take_down(&t);
}

static void what_a_task_does_on_a_wrong_stack_follows(void **state)
{
    struct stage t;

    (void)state;
    build(&t);
    call(&t, F, VA(TRACER));
    hart_set_reg(t.h, SP, TOP - 16);
    come_back(&t);
    call(&t, F, VA(TRACER));
    hart_set_reg(t.h, 20, 0);
    come_back(&t);
    assert_int_equal(audit_count(t.s.audit), 2);
    assert_int_equal(audit_get(t.s.audit, 0)->rule, RULE_unbalanced_stack);
    assert_int_equal(audit_get(t.s.audit, 1)->caused_by, 0);
    take_down(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_detour_has_lost_is_one_cause),
        cmocka_unit_test(what_a_task_does_on_a_wrong_stack_follows),
        cmocka_unit_test(a_tracer_must_leave_each_field_of_sstatus),
        cmocka_unit_test(a_return_handler_must_leave_each_field_of_sstatus),
        cmocka_unit_test(a_trap_changes_its_own_fields),
        cmocka_unit_test(a_detour_with_interrupts_off_takes_none),
        cmocka_unit_test(what_is_the_same_again_is_no_change),
        cmocka_unit_test(the_page_table_may_change_with_the_task_only),
        cmocka_unit_test(the_rounding_mode_of_a_program_must_stay),
        cmocka_unit_test(with_the_unit_off_no_register_may_change),
        cmocka_unit_test(with_the_unit_on_a_return_handler_keeps_results_and_saved_registers),
        cmocka_unit_test(a_handler_without_a_known_name_keeps_the_same_contract),
        cmocka_unit_test(an_address_within_a_function_is_no_handler_but_a_lost_ra),
        cmocka_unit_test(a_trampoline_for_one_function_saves_what_that_reads),
        cmocka_unit_test(a_trampoline_of_the_kernel_saves_all_arguments),
        cmocka_unit_test(a_detour_is_told_by_its_name_or_by_what_it_is),
        cmocka_unit_test(a_trampoline_that_calls_the_function_passes_its_arguments),
        cmocka_unit_test(a_trampoline_that_calls_the_function_may_use_saved_registers),
        cmocka_unit_test(a_trampoline_that_called_the_function_restores_them_and_keeps_the_result),
        cmocka_unit_test(a_trampoline_that_called_the_function_gives_back_its_frame),
        cmocka_unit_test(a_trampoline_may_return_in_place_of_the_function),
        cmocka_unit_test(a_trampoline_calls_with_an_aligned_stack),
        cmocka_unit_test(a_call_is_judged_once_until_the_trampoline_changes),
        cmocka_unit_test(a_program_calls_with_an_aligned_stack),
        cmocka_unit_test(a_program_gives_back_what_its_caller_keeps),
        cmocka_unit_test(a_detour_goes_on_after_a_restore),
        cmocka_unit_test(calls_are_followed_from_the_store_that_turns_their_site_on),
        cmocka_unit_test(the_trampoline_goes_back_to_the_site),
        cmocka_unit_test(the_same_function_is_called_in_a_loop),
    };

    return cmocka_run_group_tests_name("contract rules", tests, NULL, NULL);
}
