/*
 * test_audit.c - which rule a stale fetch breaks, and which breaches are one finding.
 */
#include "unit/stale_scene.h"

/* ---- which rule ---- */

static void a_hart_that_patched_itself_lacks_a_local_fence(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    f = fetch(&s, F, 1, 1);
    assert_int_equal(rule_of(&s, &f), RULE_missing_local_fence);
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_error), 1);
    wreck(&s);
}

static void a_hart_that_another_patched_lacks_a_remote_fence(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    f = fetch(&s, F, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    wreck(&s);
}

static void a_site_counts_as_patched_though_the_fetcher_never_ran_it(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    f = fetch(&s, F, 1, 0);
    f.fetched_before = f.old_known = false;
    f.chosen = FETCHED_NEW;
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    assert_null(fact_of(last(&s), LABEL_OLD));
    assert_non_null(fact_of(last(&s), LABEL_EXECUTED));
    wreck(&s);
}

static void code_elsewhere_that_was_run_before_was_patched_too(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    f = fetch(&s, ELSEWHERE, 1, 1);
    assert_int_equal(rule_of(&s, &f), RULE_missing_local_fence);
    assert_null(fact_of(last(&s), LABEL_SITE));
    assert_int_equal(fact_of(last(&s), LABEL_EXECUTED)->size, 4);
    f = fetch(&s, ELSEWHERE, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    wreck(&s);
}

static void new_code_is_a_stale_fetch_whoever_wrote_it(void **state)
{
    static const enum writer_kind kinds[] = {WRITER_HART, WRITER_FIRMWARE, WRITER_DMA,
                                             WRITER_DEBUGGER, WRITER_LOADER};

    (void)state;
    for (unsigned k = 0; k < 5; k++) {
        struct scene s;
        struct stale_fetch f;

        build(&s);
        f = fetch(&s, ELSEWHERE, 1, 1);
        f.fetched_before = f.old_known = false;
        f.who.kind = kinds[k];
        assert_int_equal(rule_of(&s, &f), RULE_stale_fetch);
        wreck(&s);
    }
}

static void what_no_hart_wrote_is_a_stale_fetch_even_at_a_site(void **state)
{
    static const enum writer_kind kinds[] = {WRITER_FIRMWARE, WRITER_DMA, WRITER_DEBUGGER};

    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        struct scene s;
        struct stale_fetch f;

        build(&s);
        f = fetch(&s, F, 1, 1);
        f.who.kind = kinds[k];
        assert_int_equal(rule_of(&s, &f), RULE_stale_fetch);
        wreck(&s);
    }
}

/* guest/defects: data-beside-code.S, wrong-writer.S */
static void where_only_the_page_is_known_it_is_a_warning_without_a_writer(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    f = fetch(&s, F, 1, 0);
    f.evidence = STALE_PAGE_ONLY;
    f.fetched_before = f.old_known = f.writer_known = f.agent_known = false;
    f.chosen = FETCHED_NEW;
    assert_int_equal(rule_of(&s, &f), RULE_unfenced_page);
    assert_int_equal(rule_severity(last(&s)->rule), SEVERITY_warning);
    assert_int_equal(fact_of(last(&s), LABEL_WRITTEN)->kind, FACT_MESSAGE);
    assert_int_equal(fact_of(last(&s), LABEL_UNKNOWN)->kind, FACT_MESSAGE);
    assert_null(fact_of(last(&s), LABEL_OLD));
    wreck(&s);
}

/* ---- grouping into findings ---- */

static void the_same_again_is_counted_and_not_told(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    for (unsigned i = 0; i < 5; i++) {
        f = fetch(&s, ELSEWHERE, 1, 0);
        report(&s, &f);
    }
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(last(&s)->count, 5);
    assert_int_equal(last(&s)->example_count, 1);
    assert_int_equal(s.told_count, 1);
    assert_int_equal(s.told[0].rule, RULE_missing_remote_fence);
    assert_int_equal(s.told[0].finding, 0);
    wreck(&s);
}

static void other_places_and_harts_with_one_cause_are_one_finding(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    for (unsigned i = 0; i < 100; i++) {
        f = fetch(&s, ELSEWHERE + 8 * i, 1 + i % 2, 0);
        report(&s, &f);
    }
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(last(&s)->count, 100);
    assert_int_equal(last(&s)->by_rule[RULE_missing_remote_fence], 100);
    assert_int_equal(last(&s)->harts, 6);
    assert_int_equal(last(&s)->example_count, EXAMPLES_MAX);
    assert_int_equal(s.told_count, 1);
    wreck(&s);
}

static void another_rule_or_store_is_another_finding(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    f = fetch(&s, ELSEWHERE, 1, 0);
    report(&s, &f);
    f.who.pc = 0x99;
    report(&s, &f);
    f = fetch(&s, ELSEWHERE, 1, 1);
    report(&s, &f);
    assert_int_equal(audit_count(s.audit), 3);
    assert_int_equal(s.told_count, 3);
    wreck(&s);
}

/* xv6 with `stale`: it was 4,022 findings of three rules, as it has no fence.i at all. */
static void that_a_hart_never_fences_is_one_cause_of_all_it_breaks(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    f = fetch(&s, ELSEWHERE, 1, 0);
    f.evidence = STALE_PAGE_ONLY;
    f.fetched_before = f.writer_known = f.agent_known = false;
    report(&s, &f);
    assert_int_equal(last(&s)->rule, RULE_unfenced_page);
    f = fetch(&s, F, 1, 0);
    report(&s, &f);
    f = fetch(&s, ELSEWHERE, 2, 2);
    f.who.pc = 0x1234;
    report(&s, &f);
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(last(&s)->count, 3);
    assert_int_equal(last(&s)->rule, RULE_missing_remote_fence); /* the first of the gravest */
    assert_int_equal(last(&s)->by_rule[RULE_missing_local_fence], 1);
    assert_int_equal(s.told_count, 2); /* when it was new, and when it became an error */
    assert_int_equal(s.told[1].rule, RULE_missing_remote_fence);
    assert_int_equal(s.told[1].finding, s.told[0].finding);
    wreck(&s);
}

static void causes_without_end_are_counted_and_told(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    for (unsigned i = 0; i < FINDINGS_MAX + 3; i++) {
        f = fetch(&s, ELSEWHERE, 1, 0);
        f.who.pc = 0x1000 + 4 * i;
        report(&s, &f);
    }
    assert_int_equal(audit_count(s.audit), FINDINGS_MAX);
    assert_int_equal(audit_left_out(s.audit, SEVERITY_error), 3);
    assert_int_equal(audit_left_out(s.audit, SEVERITY_warning), 0);
    assert_int_equal(s.told_count, FINDINGS_MAX + 3); /* each has an event, for --audit=fail */
    for (unsigned i = 0; i < s.told_count; i++)
        assert_int_equal(s.told[i].finding, i < FINDINGS_MAX ? i : NO_FINDING);
    wreck(&s);
}

/* ---- the rows ---- */

/* What is asked of the machine: traps of the kernel alone are chosen from all traps. */
static uint32_t machine_events(uint32_t kinds)
{
    if (kinds & EVENT_BIT(EVENT_KERNEL_TRAP))
        kinds |= EVENT_BIT(EVENT_TRAP);
    if (kinds & EVENT_BIT(EVENT_KERNEL_RETURN))
        kinds |= EVENT_BIT(EVENT_TRAP_RETURN);
    return kinds & (EVENT_BIT(EVENT_KINDS) - 1);
}

static void each_rule_has_a_name_a_severity_events_a_sentence_and_a_remedy(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned r = 0; r < RULE_COUNT; r++) {
        const char *name = rule_name((enum rule)r);

        assert_true(strspn(name, "abcdefghijklmnopqrstuvwxyz-") == strlen(name) && *name);
        assert_in_range(rule_severity((enum rule)r), SEVERITY_note, SEVERITY_error);
        assert_true(strlen(rule_sentence((enum rule)r)) > 10);
        assert_true(strlen(rule_remedy((enum rule)r)) > 10);
        assert_int_not_equal(rule_events((enum rule)r) | rule_ftrace_events((enum rule)r), 0);
        assert_int_equal(machine_events(rule_events((enum rule)r)) & ~audit_events(s.audit), 0);
        assert_int_equal(rule_ftrace_events((enum rule)r) & ~s.stream.wanted, 0);
        for (unsigned other = 0; other < r; other++)
            assert_string_not_equal(name, rule_name((enum rule)other));
    }
    for (unsigned f = 0; f < RULE_FAMILIES; f++) {
        assert_int_equal(
            machine_events(rule_family_events((enum rule_family_id)f)) & ~audit_events(s.audit), 0);
        assert_int_equal(rule_family_ftrace_events((enum rule_family_id)f) & ~s.stream.wanted, 0);
    }
    assert_string_equal(severity_name(SEVERITY_note), "note");
    assert_string_equal(severity_name(SEVERITY_warning), "warning");
    assert_string_equal(severity_name(SEVERITY_error), "error");
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hart_that_patched_itself_lacks_a_local_fence),
        cmocka_unit_test(a_hart_that_another_patched_lacks_a_remote_fence),
        cmocka_unit_test(a_site_counts_as_patched_though_the_fetcher_never_ran_it),
        cmocka_unit_test(code_elsewhere_that_was_run_before_was_patched_too),
        cmocka_unit_test(new_code_is_a_stale_fetch_whoever_wrote_it),
        cmocka_unit_test(what_no_hart_wrote_is_a_stale_fetch_even_at_a_site),
        cmocka_unit_test(where_only_the_page_is_known_it_is_a_warning_without_a_writer),
        cmocka_unit_test(the_same_again_is_counted_and_not_told),
        cmocka_unit_test(other_places_and_harts_with_one_cause_are_one_finding),
        cmocka_unit_test(another_rule_or_store_is_another_finding),
        cmocka_unit_test(that_a_hart_never_fences_is_one_cause_of_all_it_breaks),
        cmocka_unit_test(causes_without_end_are_counted_and_told),
        cmocka_unit_test(each_rule_has_a_name_a_severity_events_a_sentence_and_a_remedy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
