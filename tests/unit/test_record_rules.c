/*
 * test_record_rules.c - records of ftrace against ops, filters and sites.
 */
#include "unit/state_books.h"

#include "base/state_io.h"
#include "ftrace/audit/rules.h"

#define ON (RECORD_ENABLED | 1)

static void records_that_agree_are_no_finding(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    put_ops(&b, 1);
    for (unsigned i = 0; i < 2; i++) {
        put_record(&b, i, i ? G : F, ON);
        put_site(&b, i ? G : F, true);
    }
    assert_int_equal(compared(&b), MESSAGE_NONE);
    store_word(&b, ENABLED, 0); /* by sysctl: counts stay, sites are off */
    put_record(&b, 0, F, 1);
    put_record(&b, 1, G, 1);
    put_site(&b, F, false);
    put_site(&b, G, false);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 0);
    wreck_books(&b);
}

static void a_count_is_the_number_of_ops_that_trace_the_function(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 2);
    put_record(&b, 0, F, RECORD_ENABLED | 2);
    put_record(&b, 1, G, RECORD_ENABLED | 2);
    put_site(&b, F, true);
    put_site(&b, G, true);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    put_ops(&b, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 2);
    wreck_books(&b);
}

static void a_disagreement_is_reported_once(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 0, F, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    store_word(&b, PAGE + 16, 1);
    store_word(&b, PAGE + 16, 2);
    put_ops(&b, 1);
    put_record(&b, 1, G, ON);
    put_site(&b, G, true);
    put_record(&b, 0, F, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 1);
    wreck_books(&b);
}

static void a_filter_chooses_functions_and_notrace_excludes_some(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 2);
    put_set(&b, 0, FILTER, F);
    put_set(&b, 1, NOTRACE, G);
    put_record(&b, 0, F, RECORD_ENABLED | 2);
    put_site(&b, F, true);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    put_set(&b, 1, NOTRACE, F);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    wreck_books(&b);
}

/* The number of findings about filters after ops or sets have changed. */
static uint64_t filters_told(struct books *b)
{
    uint64_t count = 0;

    release(b, LOCK_FTRACE);
    for (size_t i = 0; i < audit_count(b->s.audit); i++) {
        const struct finding *f = audit_get(b->s.audit, i);

        count += f->rule == RULE_names_freed_code ? f->count : 0;
    }
    return count;
}

/* An entry whose function is gone stays without an address. */
static void no_filter_names_a_function_that_was_freed(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 1);
    store_word(&b, OPS + 16, 2); /* it is not enabled */
    put_set(&b, 0, NOTRACE, F);
    assert_int_equal(filters_told(&b), 0);
    store_word(&b, SETS + SET_STEP + 64, 0);
    store_word(&b, ENABLED, 0); /* a change */
    assert_int_equal(filters_told(&b), 0);
    store_word(&b, SETS + SET_STEP + 64, FREED);
    store_word(&b, ENABLED, 1);
    assert_int_equal(filters_told(&b), 1);
    store_word(&b, ENABLED, 0);
    assert_int_equal(filters_told(&b), 1); /* once */
    wreck_books(&b);
}

/* A module's records go before its text does, and no further change follows. */
static void a_filter_is_looked_at_again_while_it_names_code_without_a_site(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 1);
    store_word(&b, OPS + 16, 2);
    put_set(&b, 0, FILTER, LABEL);
    assert_int_equal(filters_told(&b), 0);
    store_word(&b, SETS + 64, FREED);
    assert_int_equal(filters_told(&b), 1);
    wreck_books(&b);
}

/* Its sites are known before its text can be executed. */
static void a_filter_may_name_functions_of_a_module_that_is_being_loaded(void **state)
{
    enum { LEAF = 0xc7 }; /* V, R, W, A, D */
    const uint64_t base = FREED & ~UINT64_C(0x3fffffff);
    const struct site site = {.va = FREED,
                              .pa = RAM_BASE + (FREED - base),
                              .function = "h",
                              .module = "m",
                              .kind = SITE_FUNCTION,
                              .size = SITE_BYTES};

    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        struct books b;

        build(&b);
        turn_paging_on(&b.s, WRITER);
        set_mode(&b.s, WRITER, PRIV_S, true);
        poke(&b.s.w, PAGING_ROOT + (base >> 30 & 0x1ff) * 8, (RAM_BASE >> 12) << 10 | LEAF, 8);
        if (known)
            assert_int_not_equal(site_add(b.s.t, &site), NO_SITE);
        put_ops(&b, 1);
        store_word(&b, OPS + 16, 2); /* it is not enabled */
        put_set(&b, 0, FILTER, F);
        store_word(&b, SETS + 64, FREED);
        assert_int_equal(filters_told(&b), !known);
        poke(&b.s.w, PAGING_ROOT + (base >> 30 & 0x1ff) * 8, 0, 8); /* it was not loaded */
        hart_flush_translations(hart_of(&b.s, WRITER));
        assert_int_equal(filters_told(&b), 1);
        wreck_books(&b);
    }
}

static void an_empty_filter_that_waits_for_a_module_chooses_nothing(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 1);
    store_word(&b, SETS + 24, 1);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    store_word(&b, SETS + 24, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    wreck_books(&b);
}

static void an_ops_in_the_list_that_is_not_enabled_does_not_count(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 1);
    store_word(&b, OPS + 16, 2);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

/* The list of a set that has no end, and one with an address that no function has. */
static void a_set_that_is_damaged_is_left_out(void **state)
{
    const uint64_t entry = SETS + 48;
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 1);
    put_set(&b, 0, FILTER, F);
    store_word(&b, entry, SITE_VA + entry);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 1);
    store_word(&b, entry, 0);
    store_word(&b, entry + 16, UINT64_MAX);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 2);
    wreck_books(&b);
}

static void a_record_of_no_address_is_a_disagreement(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, RECORDS + RECORD_BYTES, UINT64_MAX);
    store_word(&b, RECORDS + RECORD_BYTES + 8, 1);
    release(&b, LOCK_FTRACE);
    assert_int_not_equal(audit_count(b.s.audit), 0);
    wreck_books(&b);
}

static void a_record_says_on_while_an_ops_traces_the_function(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 0, F, RECORD_ENABLED);
    put_site(&b, F, true);
    assert_int_equal(compared(&b), MESSAGE_RECORD_LEFT_ON);
    wreck_books(&b);
    build(&b);
    put_ops(&b, 1);
    put_set(&b, 0, FILTER, F);
    put_record(&b, 0, F, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_LEFT_OFF);
    wreck_books(&b);
}

static void a_site_is_as_its_record_says(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_site(&b, G, true);
    assert_int_equal(compared(&b), MESSAGE_RECORD_SITE_ON);
    wreck_books(&b);
    build(&b);
    put_ops(&b, 1);
    put_set(&b, 0, FILTER, G);
    put_record(&b, 1, G, ON);
    assert_int_equal(compared(&b), MESSAGE_RECORD_SITE_OFF);
    wreck_books(&b);
}

static void a_site_with_a_breakpoint_is_not_judged(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, G, (uint64_t)NOP << 32 | 0x00100073);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void records_are_in_ascending_order(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 0, G, 0);
    put_record(&b, 1, F, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_UNSORTED);
    wreck_books(&b);
}

static void a_site_has_one_record(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_count(&b, 3);
    put_record(&b, 2, G, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_TWICE);
    wreck_books(&b);
    build(&b);
    put_count(&b, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_MISSING);
    wreck_books(&b);
}

/* What is patched there is other code. */
static void a_record_has_the_address_of_a_site(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_count(&b, 3);
    put_record(&b, 2, G + SITE_BYTES, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_NO_SITE);
    assert_int_equal(compared(&b), MESSAGE_RECORD_NO_SITE);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 1); /* once */
    wreck_books(&b);
    build(&b);
    put_count(&b, 3);
    put_record(&b, 2, TEXT_BYTES + 0x100, 0); /* no text: nothing is known of it */
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void all_records_have_the_same_instruction_of_their_sites(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 1, G + 4, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_INSIDE);
    wreck_books(&b);
    build(&b);
    put_record(&b, 0, F + 4, 0); /* no layout of this kind has the second one */
    put_record(&b, 1, G + 4, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_INSIDE);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 2);
    wreck_books(&b);
}

static void a_kernel_without_any_record_has_not_begun(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_count(&b, 0);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void a_record_of_memory_with_other_contents_is_one_of_freed_code(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    site_remove(b.s.t, site_find(b.s.t, SITE_PA + G, 1));
    assert_int_equal(compared(&b), MESSAGE_RECORD_OF_FREED);
    wreck_books(&b);
}

static void a_record_that_is_not_patched_is_not_judged(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 1, G, RECORD_DISABLED | 3);
    put_site(&b, G, true);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void nothing_is_judged_when_the_kernel_has_given_up(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, DISABLED, 1);
    put_record(&b, 1, G, 1);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void a_list_without_an_end_is_counted_as_not_compared(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 1);
    store_word(&b, OPS + 8, SITE_VA + OPS);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 1);
    put_ops(&b, 1);
    store_word(&b, SETS + 16, 1);
    store_word(&b, SETS + 32, SITE_VA + SETS + 48);
    store_word(&b, SETS + 48, 8); /* no memory is there */
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 2);
    wreck_books(&b);
}

static void a_release_after_which_all_is_the_same_is_not_a_reason_to_compare(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    release(&b, LOCK_FTRACE);
    store_word(&b, SETS, 0);
    put_ops(&b, 1);
    put_record(&b, 0, F, ON);
    put_record(&b, 1, G, ON);
    put_site(&b, F, true);
    put_site(&b, G, true);
    release(&b, LOCK_FTRACE);
    assert_int_equal(told(&b), MESSAGE_NONE);
    put_site(&b, G, false); /* without a store of a hart */
    release(&b, LOCK_FTRACE);
    assert_int_equal(told(&b), MESSAGE_NONE);
    assert_int_equal(compared(&b), MESSAGE_RECORD_SITE_OFF);
    wreck_books(&b);
}

static void what_was_reported_is_part_of_the_state(void **state)
{
    struct state_io io;
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 0, F, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    state_io_save(&io, 0);
    audit_state_io(&io, b.s.audit);
    put_record(&b, 1, G, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 2);
    {
        struct state_io back;

        state_io_load(&back, io.saved.at, io.saved.len);
        audit_state_io(&back, b.s.audit);
        assert_int_equal(state_io_end(&back), STATE_OK);
        state_io_free(&back);
    }
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 2); /* only the second is told again */
    state_io_free(&io);
    wreck_books(&b);
}

/* A page of records that has no end, one whose list has none, and one after the other for ever. */
static void damaged_pages_are_left_out(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 0, F, 1);
    put_count(&b, UINT32_MAX);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 1);
    wreck_books(&b);
    build(&b);
    store_word(&b, PAGE, SITE_VA + PAGE);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 1);
    store_word(&b, PAGE, SITE_VA + OPS);
    store_word(&b, OPS, SITE_VA + SETS);
    store_word(&b, SETS, SITE_VA + OPS);
    store_word(&b, OPS + 16, 0);
    store_word(&b, SETS + 16, 0);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 2);
    store_word(&b, SETS, 0); /* two pages without records */
    put_record(&b, 0, F, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    wreck_books(&b);
}

/* More than one part of a page is read at once. */
static void all_records_of_a_large_page_are_compared(void **state)
{
    enum { MANY = 200, AT = 0x4000 };
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, PAGE + 8, SITE_VA + AT);
    put_count(&b, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        store_word(&b, AT + RECORD_BYTES * i, i < 2 ? SITE_VA + (i ? G : F) : SITE_VA + AT + i);
        store_word(&b, AT + RECORD_BYTES * i + 8, i == MANY - 1);
    }
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 1);
    wreck_books(&b);
}

static void what_a_debugger_wrote_is_not_judged(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_site(&b, G, true);
    pass_debugger(&b, G + 4);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    pass_store(&b.s,
               (struct code_write){.who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                                   .stamp = ++b.s.stamp,
                                   .pa = SITE_PA + G,
                                   .size = 8},
               (uint64_t)NOP << 32 | NOP, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_SITE_ON);
    wreck_books(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_that_agree_are_no_finding),
        cmocka_unit_test(a_count_is_the_number_of_ops_that_trace_the_function),
        cmocka_unit_test(a_disagreement_is_reported_once),
        cmocka_unit_test(a_filter_chooses_functions_and_notrace_excludes_some),
        cmocka_unit_test(no_filter_names_a_function_that_was_freed),
        cmocka_unit_test(a_filter_is_looked_at_again_while_it_names_code_without_a_site),
        cmocka_unit_test(a_filter_may_name_functions_of_a_module_that_is_being_loaded),
        cmocka_unit_test(an_empty_filter_that_waits_for_a_module_chooses_nothing),
        cmocka_unit_test(an_ops_in_the_list_that_is_not_enabled_does_not_count),
        cmocka_unit_test(a_set_that_is_damaged_is_left_out),
        cmocka_unit_test(a_record_of_no_address_is_a_disagreement),
        cmocka_unit_test(a_record_says_on_while_an_ops_traces_the_function),
        cmocka_unit_test(a_site_is_as_its_record_says),
        cmocka_unit_test(a_site_with_a_breakpoint_is_not_judged),
        cmocka_unit_test(records_are_in_ascending_order),
        cmocka_unit_test(a_site_has_one_record),
        cmocka_unit_test(a_record_has_the_address_of_a_site),
        cmocka_unit_test(all_records_have_the_same_instruction_of_their_sites),
        cmocka_unit_test(a_kernel_without_any_record_has_not_begun),
        cmocka_unit_test(a_record_of_memory_with_other_contents_is_one_of_freed_code),
        cmocka_unit_test(a_record_that_is_not_patched_is_not_judged),
        cmocka_unit_test(nothing_is_judged_when_the_kernel_has_given_up),
        cmocka_unit_test(a_list_without_an_end_is_counted_as_not_compared),
        cmocka_unit_test(a_release_after_which_all_is_the_same_is_not_a_reason_to_compare),
        cmocka_unit_test(what_was_reported_is_part_of_the_state),
        cmocka_unit_test(damaged_pages_are_left_out),
        cmocka_unit_test(all_records_of_a_large_page_are_compared),
        cmocka_unit_test(what_a_debugger_wrote_is_not_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
