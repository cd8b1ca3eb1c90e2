/*
 * test_guest_rules.c - what a guest notices itself, when it hangs, and which findings follow from
 * which.
 */
#include "unit/ftrace_world.h"

#include "ftrace/audit/pardon.h"
#include "ftrace/audit/rules.h"
#include "ftrace/kernel/alarms.h"

enum { HARTS = 2, FINDINGS_MAX = 10, TASK = 0x5000, OTHER_TASK = 0x6000 };
enum { SHORT = 1000, LONG = 200 * 1000 * 1000, INSNS = 8 * 1000 * 1000 };

static void build(struct scene *s)
{
    struct audit_config audit = {.findings_max = FINDINGS_MAX};

    scene_begin(s, HARTS, FETCH_COHERENT);
    scene_complete(s, 100, &audit);
    for (unsigned hart = 0; hart < HARTS; hart++) {
        set_mode(s, hart, PRIV_S, true);
        hart_set_reg(hart_of(s, hart), 4, TASK); /* tp */
    }
    pass_event(s, &(struct event){.kind = EVENT_TRAP_RETURN, /* a program has run */
                                  .trap_return = {hart_of(s, 0), CODE, PRIV_S, PRIV_U}});
}

static void set_interrupts(struct hart *h, bool on)
{
    const uint64_t sie = 2;

    set_csr(h, MSTATUS, (csr(h, MSTATUS) & ~sie) | (on ? sie : 0));
}

static size_t count(const struct scene *s)
{
    return audit_count(s->audit);
}

static const struct finding *finding(const struct scene *s, size_t i)
{
    assert_true(i < count(s));
    return audit_get(s->audit, i);
}

static const char *text_of(const struct finding *f, enum fact_label label)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == label && f->facts[i].kind == FACT_TEXT)
            return f->facts[i].text;
    return "";
}

static bool has_message(const struct finding *f, enum message message)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].kind == FACT_MESSAGE && f->facts[i].message == message)
            return true;
    return false;
}

/* ---- what the kernel says ---- */

static void raise_alarm(struct scene *s, unsigned hart, const struct alarm *alarm)
{
    const struct ftrace_event e = {.kind = FTRACE_ALARM, .alarm = {hart_of(s, hart), alarm}};

    ftrace_emit(&s->stream, &e);
}

static void warn_at(struct scene *s, unsigned hart, uint64_t place)
{
    const struct alarm alarm = {
        .kind = ALARM_WARNING, .function = "__warn", .place = place, .text = "at a.c:7"};

    raise_alarm(s, hart, &alarm);
}

static void panic_at(struct scene *s, unsigned hart, uint64_t place)
{
    const struct alarm alarm = {.kind = ALARM_PANIC, .function = "panic", .place = place};

    raise_alarm(s, hart, &alarm);
}

static void let_time_pass(struct scene *s, uint64_t cycles)
{
    for (unsigned hart = 0; hart < HARTS; hart++)
        hart_advance(hart_of(s, hart), hart_cycles(hart_of(s, hart)) + cycles);
}

static void a_warning_is_a_finding_with_what_was_said(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    warn_at(&s, 1, SITE_VA + F);
    assert_int_equal(count(&s), 1);
    assert_int_equal(finding(&s, 0)->rule, RULE_guest_noticed);
    assert_int_equal(finding(&s, 0)->harts, 1 << 1);
    assert_string_equal(text_of(finding(&s, 0), LABEL_SAID), "__warn: at a.c:7");
    assert_true(finding(&s, 0)->examples[0].pc == SITE_VA + F);
    assert_int_equal(s.told_count, 1);
    wreck(&s);
}

static void warnings_at_two_places_are_two_findings(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    warn_at(&s, 0, SITE_VA + F);
    warn_at(&s, 0, SITE_VA + G);
    warn_at(&s, 0, SITE_VA + F);
    assert_int_equal(count(&s), 2);
    assert_int_equal(finding(&s, 0)->count, 2);
    wreck(&s);
}

static void a_panic_that_follows_a_warning_is_the_same_finding(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    warn_at(&s, 0, SITE_VA + F);
    panic_at(&s, 0, SITE_VA + G);
    assert_int_equal(count(&s), 1);
    assert_int_equal(finding(&s, 0)->example_count, 2); /* so the warning's function is not all */
    wreck(&s);
}

static void another_task_or_a_later_time_is_another_finding(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    warn_at(&s, 0, SITE_VA + F);
    hart_set_reg(hart_of(&s, 0), 4, OTHER_TASK);
    panic_at(&s, 0, SITE_VA + G);
    assert_int_equal(count(&s), 2);
    wreck(&s);
    build(&s);
    warn_at(&s, 0, SITE_VA + F);
    let_time_pass(&s, LONG);
    panic_at(&s, 0, SITE_VA + G);
    assert_int_equal(count(&s), 2);
    wreck(&s);
}

static void what_is_printed_or_called_by_an_alarm_is_not_counted(void **state)
{
    const struct alarm printed = {
        .kind = ALARM_WARNING, .function = "printk", .place = CODE, .printed = true};
    const struct alarm nested = {
        .kind = ALARM_FTRACE, .function = "ftrace_kill", .place = CODE, .nested = true};
    struct scene s;

    (void)state;
    build(&s);
    warn_at(&s, 0, SITE_VA + F);
    raise_alarm(&s, 0, &printed);
    raise_alarm(&s, 0, &nested);
    assert_int_equal(count(&s), 1);
    assert_int_equal(finding(&s, 0)->count, 1);
    raise_alarm(&s, 1, &printed); /* another hart says it by itself */
    assert_int_equal(count(&s), 2);
    wreck(&s);
}

static void the_line_of_a_warning_comes_after_its_message(void **state)
{
    const struct alarm message = {.kind = ALARM_WARNING,
                                  .function = "__warn_printk",
                                  .caller = SITE_VA + F,
                                  .place = SITE_VA + F,
                                  .text = "odd"};
    struct scene s;

    (void)state;
    build(&s);
    raise_alarm(&s, 0, &message);
    assert_string_equal(text_of(finding(&s, 0), LABEL_PLACE), "");
    warn_at(&s, 0, SITE_VA + F + 6); /* where the message was printed is before it */
    assert_int_equal(count(&s), 1);
    assert_int_equal(finding(&s, 0)->count, 1);
    assert_string_equal(text_of(finding(&s, 0), LABEL_SAID), "__warn_printk: odd");
    assert_string_equal(text_of(finding(&s, 0), LABEL_PLACE), "at a.c:7");
    wreck(&s);
}

static void another_warning_of_the_function_is_no_line_of_the_first(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    warn_at(&s, 0, SITE_VA + F + 4);
    warn_at(&s, 0, SITE_VA + F);
    assert_int_equal(count(&s), 1);
    assert_int_equal(finding(&s, 0)->count, 2);
    assert_string_equal(text_of(finding(&s, 0), LABEL_SAID), "__warn: at a.c:7");
    assert_string_equal(text_of(finding(&s, 0), LABEL_PLACE), "");
    wreck(&s);
}

static void after_a_panic_nothing_counts(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    panic_at(&s, 0, SITE_VA + F);
    let_time_pass(&s, LONG);
    warn_at(&s, 1, SITE_VA + G);
    set_interrupts(hart_of(&s, 0), false);
    audit_end(s.audit, (struct run_end){RUN_STUCK, hart_of(&s, 0)});
    assert_int_equal(count(&s), 1);
    wreck(&s);
}

/* ---- exceptions ---- */

static void take_trap(struct scene *s, unsigned hart, bool interrupt, uint64_t cause, uint64_t pc)
{
    pass_event(s, &(struct event){.kind = EVENT_TRAP,
                                  .trap = {.hart = hart_of(s, hart),
                                           .interrupt = interrupt,
                                           .cause = cause,
                                           .epc = pc,
                                           .tval = 8,
                                           .from = PRIV_S,
                                           .to = PRIV_S}});
}

static void an_oops_is_about_the_last_exception(void **state)
{
    const struct alarm oops = {.kind = ALARM_OOPS, .function = "die"};
    struct scene s;

    (void)state;
    build(&s);
    let_time_pass(&s, 1);
    take_trap(&s, 0, false, EXC_LOAD_PAGE, SITE_VA + G);
    raise_alarm(&s, 0, &oops);
    assert_true(finding(&s, 0)->examples[0].pc == SITE_VA + G);
    assert_string_equal(text_of(finding(&s, 0), LABEL_CAUSE), "load page fault on 0x8");
    assert_string_equal(text_of(finding(&s, 0), LABEL_SAID), "die()");
    wreck(&s);
}

/* The hart takes the exception 2000 times, in some cycles each. */
static void take_many(struct scene *s, uint64_t cycles, bool same_registers)
{
    build(s);
    for (unsigned i = 0; i < 2000; i++) {
        let_time_pass(s, cycles);
        hart_set_reg(hart_of(s, 0), 10, same_registers ? 0 : i);
        take_trap(s, 0, false, EXC_BREAKPOINT, SITE_VA + F);
    }
}

static void the_same_exception_without_an_end_is_a_hang(void **state)
{
    struct scene s;

    (void)state;
    take_many(&s, LONG / 2000, true);
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    assert_int_equal(count(&s), 1);
    assert_true(has_message(finding(&s, 0), MESSAGE_TRAP_LOOP));
    wreck(&s);
    take_many(&s, LONG / 2000, false); /* it gets on */
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    assert_int_equal(count(&s), 0);
    wreck(&s);
    take_many(&s, 100, true); /* not for long */
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    assert_int_equal(count(&s), 0);
    wreck(&s);
    take_many(&s, LONG / 2000, true); /* not any more */
    let_time_pass(&s, LONG);
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    assert_int_equal(count(&s), 0);
    wreck(&s);
    build(&s); /* the program handles it, by a signal */
    for (unsigned i = 0; i < 2000; i++) {
        let_time_pass(&s, LONG / 2000);
        take_trap(&s, 0, false, EXC_BREAKPOINT, SITE_VA + F);
        take_trap(&s, 0, false, EXC_ECALL_U, SITE_VA + G);
    }
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    assert_int_equal(count(&s), 0);
    wreck(&s);
    take_many(&s, LONG / 2000, true); /* the guest has ended the run */
    audit_end(s.audit, (struct run_end){RUN_OVER, NULL});
    assert_int_equal(count(&s), 0);
    wreck(&s);
}

/* ---- hangs ---- */

/* The hart executes a loop, since it was interrupted by another one. */
static void spin(struct scene *s, bool interrupts, uint64_t cycles)
{
    const uint64_t ssi = UINT64_C(1) << IRQ_SSI;
    struct hart *h;

    build(s);
    h = hart_of(s, 0);
    set_csr(h, MIDELEG, ssi);
    set_interrupts(h, interrupts);
    let_time_pass(s, SHORT);
    pass_event(s,
               &(struct event){.kind = EVENT_IPI_SENT,
                               .ipi = {.hart = h, .sender = hart_of(s, 1), .interrupt = IRQ_SSI}});
    poke(&s->w, CODE, JAL(ZERO, 0), 4);
    assert_int_equal(hart_run(h, INSNS, UINT64_MAX), HART_BUDGET);
    let_time_pass(s, cycles);
    set_csr(h, MIE, ssi);
    set_csr(h, MIP, ssi);
}

static void a_hart_that_is_deaf_for_long_hangs(void **state)
{
    struct scene s;

    (void)state;
    spin(&s, false, LONG);
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    assert_int_equal(count(&s), 1);
    assert_true(has_message(finding(&s, 0), MESSAGE_DEAF));
    assert_int_equal(finding(&s, 0)->harts, 1);
    wreck(&s);
    spin(&s, false, SHORT);
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    assert_int_equal(count(&s), 0);
    wreck(&s);
    spin(&s, true, LONG); /* it takes the interrupt now */
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    assert_int_equal(count(&s), 0);
    wreck(&s);
    spin(&s, false, LONG);
    set_csr(hart_of(&s, 0), MIE, 0); /* nothing that it wants to hear of */
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    assert_int_equal(count(&s), 0);
    wreck(&s);
}

static void harts_that_wait_for_a_patch_do_not_hang(void **state)
{
    struct scene s;
    struct code_write w = {.stamp = 5,
                           .who = {.kind = WRITER_HART, .hart = 1, .pc = CODE},
                           .pa = SITE_PA + F,
                           .size = 4};

    (void)state;
    spin(&s, false, LONG);
    w.who.cycle = hart_cycles(hart_of(&s, 1));
    pass_store(&s, w, NOP, ADDI(A0, ZERO, 2));
    audit_end(s.audit, (struct run_end){RUN_CUT, NULL});
    for (size_t i = 0; i < count(&s); i++)
        assert_int_not_equal(finding(&s, i)->rule, RULE_guest_noticed);
    wreck(&s);
}

/* Twenty interrupts of a hart at pc and after it. */
static void interrupt_often(struct scene *s, uint64_t step, unsigned moving, bool waits)
{
    build(s);
    for (unsigned i = 0; i < 20; i++) {
        let_time_pass(s, LONG / 4);
        if (moving)
            hart_set_reg(hart_of(s, 0), moving, i);
        if (waits)
            pass_event(s, &(struct event){.kind = EVENT_HART_WAITS, .started = {hart_of(s, 0)}});
        take_trap(s, 0, true, IRQ_STI, CODE + i * step);
    }
    audit_end(s->audit, (struct run_end){RUN_CUT, NULL});
}

static void a_guest_that_has_not_begun_does_not_hang(void **state)
{
    struct audit_config audit = {.findings_max = FINDINGS_MAX};
    struct scene s;

    (void)state;
    scene_begin(&s, HARTS, FETCH_COHERENT);
    scene_complete(&s, 100, &audit);
    audit_end(s.audit, (struct run_end){RUN_STUCK, hart_of(&s, 0)});
    assert_int_equal(count(&s), 0);
    wreck(&s);
    build(&s);
    audit_end(s.audit, (struct run_end){RUN_STUCK, hart_of(&s, 0)});
    assert_int_equal(count(&s), 1);
    assert_true(has_message(finding(&s, 0), MESSAGE_HANDLER_TRAPS));
    wreck(&s);
}

static void a_hart_that_spins_hangs(void **state)
{
    struct scene s;

    (void)state;
    interrupt_often(&s, 4, 0, false);
    assert_int_equal(count(&s), 1);
    assert_true(has_message(finding(&s, 0), MESSAGE_SPINS));
    wreck(&s);
    interrupt_often(&s, 4, T0, false); /* it reads what it waits for */
    assert_int_equal(count(&s), 1);
    wreck(&s);
    interrupt_often(&s, 4, A0, false); /* it computes */
    assert_int_equal(count(&s), 0);
    wreck(&s);
    interrupt_often(&s, 400, 0, false); /* it gets on */
    assert_int_equal(count(&s), 0);
    wreck(&s);
    interrupt_often(&s, 0, 0, true); /* it is idle */
    assert_int_equal(count(&s), 0);
    wreck(&s);
}

/* ---- causes ---- */

static struct stale_fetch stale(struct scene *s, unsigned hart, uint64_t offset)
{
    struct stale_fetch f = {.hart = hart_of(s, hart),
                            .pc = SITE_VA + offset,
                            .pa = SITE_PA + offset,
                            .size = 4,
                            .old_known = true,
                            .who = {.kind = WRITER_HART, .hart = 1 - hart, .pc = CODE, .cycle = 3},
                            .writer_known = true,
                            .agent_known = true,
                            .stamp = 10};

    return f;
}

static void fetch_stale(struct scene *s, unsigned hart, uint64_t offset)
{
    const struct stale_fetch f = stale(s, hart, offset);

    pass_event(s, &(struct event){.kind = EVENT_STALE_FETCH, .stale_fetch = f});
}

static void an_alarm_in_the_code_of_a_finding_follows_from_it(void **state)
{
    const struct alarm oops = {.kind = ALARM_OOPS, .function = "die"};
    struct scene s;

    (void)state;
    build(&s);
    fetch_stale(&s, 0, F);
    let_time_pass(&s, 2 * (uint64_t)LONG);
    take_trap(&s, 1, false, EXC_ILLEGAL, SITE_VA + F);
    hart_set_reg(hart_of(&s, 1), 4, OTHER_TASK);
    raise_alarm(&s, 1, &oops);
    assert_int_equal(count(&s), 2);
    assert_int_equal(finding(&s, 0)->caused_by, NO_FINDING);
    assert_int_equal(finding(&s, 1)->caused_by, 0);
    assert_true(finding(&s, 1)->explained);
    wreck(&s);
}

static void an_alarm_shortly_after_an_error_seems_to_follow(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    fetch_stale(&s, 0, F);
    let_time_pass(&s, SHORT);
    panic_at(&s, 0, CODE + 0x400);
    assert_int_equal(finding(&s, 1)->caused_by, 0);
    assert_false(finding(&s, 1)->explained);
    wreck(&s);
    build(&s);
    fetch_stale(&s, 0, F);
    let_time_pass(&s, LONG);
    panic_at(&s, 0, CODE + 0x400);
    assert_int_equal(finding(&s, 1)->caused_by, NO_FINDING);
    wreck(&s);
    build(&s);
    fetch_stale(&s, 0, F);
    hart_set_reg(hart_of(&s, 1), 4, OTHER_TASK);
    panic_at(&s, 1, CODE + 0x400); /* another hart and task */
    assert_int_equal(finding(&s, 1)->caused_by, NO_FINDING);
    wreck(&s);
}

static void a_warning_seems_to_follow_from_no_warning(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    warn_at(&s, 0, SITE_VA + F);
    warn_at(&s, 0, SITE_VA + G);
    assert_int_equal(finding(&s, 1)->caused_by, NO_FINDING);
    wreck(&s);
}

/* ---- what fails a run ---- */

static struct pardons *allow(const char *text)
{
    const struct diag d = {.out = stderr, .program = "test"};
    struct pardons *p = pardons_new();

    assert_int_equal(pardons_allow(p, text, NULL, &d), EXIT_PASS);
    return p;
}

static size_t failing(const struct scene *s, struct pardons *p)
{
    size_t count = pardons_count(p, s->audit, s->t, NULL).failing;

    pardons_free(p);
    return count;
}

static void what_an_allowed_finding_explains_does_not_fail_the_run(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    fetch_stale(&s, 0, F);
    take_trap(&s, 0, false, EXC_ILLEGAL, SITE_VA + F);
    raise_alarm(&s, 0, &(struct alarm){.kind = ALARM_OOPS, .function = "die"});
    assert_int_equal(failing(&s, NULL), 2);
    assert_int_equal(failing(&s, allow("unfenced-page")), 2);
    assert_int_equal(failing(&s, allow("missing-remote-fence")), 0);
    assert_int_equal(failing(&s, allow("guest-noticed")), 1);
    wreck(&s);
}

static void what_seems_to_follow_fails_the_run_by_itself(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    fetch_stale(&s, 0, F);
    panic_at(&s, 0, CODE + 0x400);
    assert_int_equal(finding(&s, 1)->caused_by, 0);
    assert_int_equal(failing(&s, allow("missing-remote-fence")), 1);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warning_is_a_finding_with_what_was_said),
        cmocka_unit_test(warnings_at_two_places_are_two_findings),
        cmocka_unit_test(a_panic_that_follows_a_warning_is_the_same_finding),
        cmocka_unit_test(another_task_or_a_later_time_is_another_finding),
        cmocka_unit_test(what_is_printed_or_called_by_an_alarm_is_not_counted),
        cmocka_unit_test(the_line_of_a_warning_comes_after_its_message),
        cmocka_unit_test(another_warning_of_the_function_is_no_line_of_the_first),
        cmocka_unit_test(after_a_panic_nothing_counts),
        cmocka_unit_test(an_oops_is_about_the_last_exception),
        cmocka_unit_test(the_same_exception_without_an_end_is_a_hang),
        cmocka_unit_test(a_hart_that_is_deaf_for_long_hangs),
        cmocka_unit_test(harts_that_wait_for_a_patch_do_not_hang),
        cmocka_unit_test(a_guest_that_has_not_begun_does_not_hang),
        cmocka_unit_test(a_hart_that_spins_hangs),
        cmocka_unit_test(an_alarm_in_the_code_of_a_finding_follows_from_it),
        cmocka_unit_test(an_alarm_shortly_after_an_error_seems_to_follow),
        cmocka_unit_test(a_warning_seems_to_follow_from_no_warning),
        cmocka_unit_test(what_an_allowed_finding_explains_does_not_fail_the_run),
        cmocka_unit_test(what_seems_to_follow_fails_the_run_by_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
