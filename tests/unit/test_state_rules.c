/*
 * test_state_rules.c - kprobes against the breakpoints in the code; and harts that run while
 * several instructions change.
 */
#include "unit/state_books.h"

/* ---- kprobes ---- */

enum { PLACE = 0x500, GONE_FLAG = 1, DISABLED_FLAG = 2, FTRACE_FLAG = 8 };

static uint64_t probe_at(unsigned i)
{
    return SITE_VA + PROBES + PROBE_STEP * i;
}

/* A probe of the place alone, as Linux has it. */
static void put_probe(struct books *b, unsigned i, unsigned flags)
{
    uint64_t offset = PROBES + PROBE_STEP * i;

    store_word(b, offset, 0);
    store_word(b, offset + 16, probe_at(i) + 16);
    store_word(b, offset + 24, probe_at(i) + 16);
    store_word(b, offset + 40, SITE_VA + PLACE);
    store_word(b, offset + 48, flags);
}

/* Probe 0 is in the table, and stands for the others, if there are any. */
static void build_probes(struct books *b, unsigned others)
{
    build(b);
    store_word(b, PROBE_TABLE + 8 * 5, probe_at(0));
    for (unsigned i = 0; i <= others; i++)
        put_probe(b, i, 0);
    for (unsigned i = 0; others && i <= others; i++)
        store_word(b, PROBES + PROBE_STEP * i + 16, probe_at((i + 1) % (others + 1)) + 16);
    store_word(b, PLACE, C_EBREAK);
}

static void let_time_pass(struct books *b)
{
    struct hart *h = hart_of(&b->s, WRITER);

    hart_advance(h, hart_cycles(h) + 1000 * 1000);
}

/* What is wrong with a kprobe; MESSAGE_NONE: nothing that was not said before. */
static enum message probe_told(struct books *b)
{
    const struct finding *f;
    uint64_t count = 0;

    let_time_pass(b);
    release(b, LOCK_KPROBE);
    for (size_t i = 0; i < audit_count(b->s.audit); i++)
        count += audit_get(b->s.audit, i)->count;
    if (count == b->counted)
        return MESSAGE_NONE;
    b->counted = count;
    f = audit_get(b->s.audit, audit_count(b->s.audit) - 1);
    assert_true(f->rule == RULE_wrong_probe || f->rule == RULE_names_freed_code);
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_WRONG)
            return f->facts[i].message;
    return MESSAGE_NONE;
}

static void a_place_with_a_kprobe_has_a_breakpoint(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 0);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PLACE, EBREAK);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PLACE, NOP);
    assert_int_equal(probe_told(&b), MESSAGE_PROBE_LACKING);
    assert_int_equal(probe_told(&b), MESSAGE_NONE); /* once */
    store_word(&b, ALL_OFF, 1);
    store_word(&b, PLACE, EBREAK);
    assert_int_equal(probe_told(&b), MESSAGE_PROBE_LEFT); /* all are off */
    assert_int_equal(audit_states_left_out(b.s.audit), 0);
    wreck_books(&b);
}

static void a_kprobe_that_is_off_or_of_ftrace_has_none(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 0);
    put_probe(&b, 0, DISABLED_FLAG);
    assert_int_equal(probe_told(&b), MESSAGE_PROBE_LEFT);
    wreck_books(&b);
    build_probes(&b, 0);
    put_probe(&b, 0, FTRACE_FLAG);
    store_word(&b, PLACE, NOP);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    put_probe(&b, 0, GONE_FLAG);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void a_kprobe_takes_its_breakpoint_with_it(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 0);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PROBE_TABLE + 8 * 5, 0);
    assert_int_equal(probe_told(&b), MESSAGE_PROBE_GONE);
    wreck_books(&b);
    build_probes(&b, 0);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PROBE_TABLE + 8 * 5, 0);
    store_word(&b, PLACE, NOP);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void several_kprobes_of_a_place_share_its_breakpoint(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 2);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PROBES + PROBE_STEP + 48, DISABLED_FLAG);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PROBES + 48, DISABLED_FLAG);
    store_word(&b, PLACE, NOP);
    assert_int_equal(probe_told(&b), MESSAGE_PROBE_SHARED);
    wreck_books(&b);
}

/* Also one that is off, unless it is marked as gone. */
static void a_kprobe_in_freed_code_is_marked_as_gone(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 0);
    put_probe(&b, 0, DISABLED_FLAG | GONE_FLAG);
    store_word(&b, PROBES + 40, FREED);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    put_probe(&b, 0, DISABLED_FLAG);
    store_word(&b, PROBES + 40, FREED);
    assert_int_equal(probe_told(&b), MESSAGE_PROBE_FREED);
    assert_int_equal(audit_get(b.s.audit, 0)->rule, RULE_names_freed_code);
    assert_int_equal(probe_told(&b), MESSAGE_NONE); /* once */
    wreck_books(&b);
}

static void a_damaged_table_of_kprobes_is_left_out(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 1);
    store_word(&b, PROBES, probe_at(0)); /* its list has no end */
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 1);
    store_word(&b, PROBES, 0);
    store_word(&b, PROBES + PROBE_STEP + 16, probe_at(1) + 16); /* nor has that of its probes */
    hart_advance(hart_of(&b.s, WRITER), UINT64_C(1) << 40);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 2);
    wreck_books(&b);
}

/* A comparison takes long beside what the hart has executed: the next one waits. */
static void many_kprobes_are_not_compared_each_time(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 0);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PLACE, NOP);
    release(&b, LOCK_KPROBE);
    assert_int_equal(audit_count(b.s.audit), 0);
    let_time_pass(&b);
    release(&b, LOCK_KPROBE);
    assert_int_equal(audit_count(b.s.audit), 1);
    wreck_books(&b);
}

/* ---- harts that run ---- */

static void set_other(struct books *b, enum privilege mode, bool interrupts)
{
    start_hart(hart_of(&b->s, OTHER));
    set_mode(&b->s, OTHER, mode, interrupts);
}

static void turn_on(struct books *b)
{
    uint32_t pair[2];

    call_pair(pair, F, CALLER);
    write_site(b, 0, pair[0]);
    write_site(b, 4, pair[1]);
}

static bool is_running(const struct books *b)
{
    bool found = false;

    for (size_t i = 0; i < audit_count(b->s.audit); i++)
        found |= audit_get(b->s.audit, i)->rule == RULE_harts_running;
    return found;
}

static void two_instructions_are_changed_while_another_hart_runs(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    set_other(&b, PRIV_S, true);
    turn_on(&b);
    assert_true(is_running(&b));
    wreck_books(&b);
    build(&b);
    set_other(&b, PRIV_U, false);
    turn_on(&b);
    assert_true(is_running(&b));
    wreck_books(&b);
}

static void harts_with_interrupts_off_are_stopped(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    set_other(&b, PRIV_S, false);
    turn_on(&b);
    assert_false(is_running(&b));
    wreck_books(&b);
}

static void one_instruction_may_be_replaced_while_harts_run(void **state)
{
    uint32_t pair[2];
    struct books b;

    (void)state;
    build(&b);
    put_site(&b, F, true);
    call_pair(pair, F, CALLER + 8);
    set_other(&b, PRIV_S, true);
    write_site(&b, 4, pair[1]);
    assert_false(is_running(&b));
    wreck_books(&b);
}

static void a_breakpoint_may_be_set_while_harts_run(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    set_other(&b, PRIV_S, true);
    write_site(&b, 4, 0x00100073);
    write_site(&b, 4, NOP);
    assert_false(is_running(&b));
    wreck_books(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_with_a_kprobe_has_a_breakpoint),
        cmocka_unit_test(a_kprobe_that_is_off_or_of_ftrace_has_none),
        cmocka_unit_test(a_kprobe_takes_its_breakpoint_with_it),
        cmocka_unit_test(several_kprobes_of_a_place_share_its_breakpoint),
        cmocka_unit_test(a_kprobe_in_freed_code_is_marked_as_gone),
        cmocka_unit_test(a_damaged_table_of_kprobes_is_left_out),
        cmocka_unit_test(many_kprobes_are_not_compared_each_time),
        cmocka_unit_test(two_instructions_are_changed_while_another_hart_runs),
        cmocka_unit_test(harts_with_interrupts_off_are_stopped),
        cmocka_unit_test(one_instruction_may_be_replaced_while_harts_run),
        cmocka_unit_test(a_breakpoint_may_be_set_while_harts_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
