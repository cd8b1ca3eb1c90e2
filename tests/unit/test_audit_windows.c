/*
 * test_audit_windows.c - when a hart may fetch either version, because one store replaces a whole
 * instruction.
 */
#include "unit/stale_scene.h"

#include "ftrace/kernel/text_map.h"

enum { JALR_AT = F + 4 };

static void in_a_swap_either_version_may_run(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_SITES);
    store(&s, 0, JALR_AT, 4, 10);
    f = fetch(&s, JALR_AT, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_warning), 0);
    fence(&s, 1, 10, 99);
    updates_announce_end(s.updates, hart_of(&s, 0));
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_warning), 0);
    wreck(&s);
}

/* Jump labels; ftrace in a kernel of which no symbols are known. */
static void a_swap_outside_of_every_site_has_a_window_too(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    run_harts(&s);
    store(&s, 0, ELSEWHERE, 4, 10);
    f = fetch(&s, ELSEWHERE, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    for (unsigned hart = 0; hart < HARTS; hart++)
        fence(&s, hart, 10, 50);
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_warning), 0);
    assert_int_equal(updates_get(s.updates, 0)->end, UPDATE_FENCED);
    wreck(&s);
}

/* Linux 7.2 from its Image: the hart comes to the function for the first time. */
static void a_swap_of_code_that_the_hart_never_ran_has_a_window_too(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    run_harts(&s);
    store(&s, 0, ELSEWHERE, 4, 10);
    f = fetch(&s, ELSEWHERE, 1, 0);
    f.fetched_before = false;
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    updates_pass_time(s.updates, 4 + QUIET_CYCLES);
    assert_int_equal(last(&s)->rule, RULE_missing_remote_fence);
    wreck(&s);
}

/* Nothing says that a program is right with both. */
static void a_swap_in_a_program_has_no_window(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    run_harts(&s);
    store(&s, 0, ELSEWHERE, 4, 10);
    set_mode(&s, 1, PRIV_U, true);
    f = fetch(&s, ELSEWHERE, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    wreck(&s);
}

/* Of the kernel's own text it is known what is a site, a jump label, or a breakpoint. */
static void a_swap_in_text_that_is_none_of_these_has_no_window(void **state)
{
    enum { EBREAK_INSN = 0x00100073 };
    struct audit_config audit = {.findings_max = FINDINGS_MAX};
    struct text_map *text;
    struct scene s;
    struct stale_fetch f;

    (void)state;
    scene_begin(&s, HARTS, FETCH_COHERENT);
    image_name(s.im, "_stext", 0);
    image_name(s.im, "_etext", TEXT_BYTES);
    scene_complete(&s, 100, NULL);
    text = text_map_new(&s.im->image, s.symbols);
    audit.text = text;
    audit.sites = s.t;
    audit.log = s.log;
    audit.updates = s.updates;
    audit.cluster = s.w.cluster;
    audit.stream = &s.stream;
    s.audit = audit_new(&audit);
    for (unsigned hart = 0; hart < HARTS; hart++)
        fence(&s, hart, 1, 1);
    run_harts(&s);
    store(&s, 0, JALR_AT, 4, 10);
    f = fetch(&s, JALR_AT, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    store_word(&s, ELSEWHERE, NOP, EBREAK_INSN, 11);
    f = fetch(&s, ELSEWHERE, 1, 0);
    f.stamp = 11;
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    store(&s, 0, ELSEWHERE + 16, 4, 12);
    f = fetch(&s, ELSEWHERE + 16, 1, 0);
    f.stamp = 12;
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    text_map_free(text);
    wreck(&s);
}

static void a_hart_that_has_not_fenced_when_the_update_ends_should_have(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_SITES);
    store(&s, 0, JALR_AT, 4, 10);
    f = fetch(&s, JALR_AT, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    fence(&s, 2, 10, 50); /* another one */
    updates_announce_end(s.updates, hart_of(&s, 0));
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_error), 1);
    assert_int_equal(last(&s)->rule, RULE_missing_remote_fence);
    updates_announce_end(s.updates, hart_of(&s, 0));
    assert_int_equal(audit_count(s.audit), 2);
    wreck(&s);
}

/* No kernel announces the end of the update, but there are no more stores. */
static void a_hart_that_goes_on_with_the_old_version_for_long_is_found(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    run_harts(&s);
    store(&s, 0, ELSEWHERE, 4, 10);
    f = fetch(&s, ELSEWHERE, 1, 0);
    report(&s, &f);
    fence(&s, 0, 10, 20);
    updates_pass_time(s.updates, 3 + QUIET_CYCLES);
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_error), 0);
    updates_pass_time(s.updates, 4 + QUIET_CYCLES);
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_error), 1);
    assert_int_equal(last(&s)->rule, RULE_missing_remote_fence);
    assert_int_equal(updates_get(s.updates, 0)->end, UPDATE_QUIET);
    wreck(&s);
}

static void after_the_update_nothing_is_excused(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    updates_announce_begin(s.updates, hart_of(&s, 0), ANNOUNCED_SITES);
    store(&s, 0, JALR_AT, 4, 10);
    updates_announce_end(s.updates, hart_of(&s, 0));
    f = fetch(&s, JALR_AT, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    wreck(&s);
}

static void only_one_aligned_store_of_a_whole_instruction_is_a_swap(void **state)
{
    static const struct {
        uint64_t offset;
        unsigned size;
    } stores[] = {{ELSEWHERE, 2}, {ELSEWHERE, 8}, {ELSEWHERE + 2, 4}};

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(stores); i++) {
        struct scene s;
        struct stale_fetch f;

        build_fenced(&s);
        store(&s, 0, stores[i].offset, stores[i].size, 10);
        f = fetch(&s, stores[i].offset, 1, 0);
        assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
        wreck(&s);
    }
}

static void a_store_to_a_part_of_it_ends_the_swap(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    store(&s, 0, ELSEWHERE, 4, 9);
    store(&s, 0, ELSEWHERE + 2, 2, 10);
    f = fetch(&s, ELSEWHERE, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    wreck(&s);
}

static void a_hart_that_had_something_else_before_the_swap_has_no_window(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    store(&s, 0, ELSEWHERE, 8, 9); /* of two instructions, and no fence */
    store(&s, 0, ELSEWHERE, 4, 10);
    f = fetch(&s, ELSEWHERE, 1, 0);
    memset(f.old_bytes, 0x11, 4);
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    wreck(&s);
}

/* Layout `mcount`: each word of the pair is stored by itself, but a mixture of both goes nowhere.
 */
static void two_words_of_a_pair_are_no_two_swaps(void **state)
{
    static const uint64_t words[] = {ELSEWHERE, ELSEWHERE + 4};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct scene s;
        struct stale_fetch f;

        build_fenced(&s);
        store_word(&s, ELSEWHERE, NOP, AUIPC(RA, 1), 9);
        store_word(&s, ELSEWHERE + 4, NOP, JALR(RA, RA, 8), 10);
        f = fetch(&s, words[i], 1, 0);
        f.stamp = 9 + i;
        assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
        wreck(&s);
    }
}

static void two_jumps_side_by_side_are_two_swaps(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    store_word(&s, ELSEWHERE, NOP, JAL(ZERO, 16), 9);
    store_word(&s, ELSEWHERE + 4, NOP, JAL(ZERO, 32), 10);
    f = fetch(&s, ELSEWHERE + 4, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    wreck(&s);
}

static void several_swaps_of_one_instruction_leave_it_swapped(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    store(&s, 0, ELSEWHERE, 4, 8);
    store(&s, 0, ELSEWHERE, 4, 9);
    store(&s, 0, ELSEWHERE, 4, 10);
    f = fetch(&s, ELSEWHERE, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    wreck(&s);
}

static void the_patching_hart_itself_has_no_window(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_fenced(&s);
    store(&s, 0, JALR_AT, 4, 10);
    f = fetch(&s, JALR_AT, 0, 0);
    assert_int_equal(rule_of(&s, &f), RULE_missing_local_fence);
    wreck(&s);
}

/* An interrupt comes between the store and the fence.i, and its handler runs the function. */
static void a_handler_on_the_patching_hart_has_one(void **state)
{
    struct scene s;
    struct stale_fetch f;
    struct hart *h;

    (void)state;
    build_fenced(&s);
    run_harts(&s);
    h = hart_of(&s, 0);
    store(&s, 0, JALR_AT, 4, 10);
    audit_event(s.audit, &(struct event){.kind = EVENT_TRAP, .trap = {.hart = h}});
    f = fetch(&s, JALR_AT, 0, 0);
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    audit_event(s.audit, &(struct event){.kind = EVENT_TRAP_RETURN, .trap_return = {.hart = h}});
    updates_pass_time(s.updates, 4 + QUIET_CYCLES);
    assert_int_equal(last(&s)->rule, RULE_missing_local_fence); /* the fence never came */
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_swap_either_version_may_run),
        cmocka_unit_test(a_swap_outside_of_every_site_has_a_window_too),
        cmocka_unit_test(a_swap_of_code_that_the_hart_never_ran_has_a_window_too),
        cmocka_unit_test(a_swap_in_a_program_has_no_window),
        cmocka_unit_test(a_swap_in_text_that_is_none_of_these_has_no_window),
        cmocka_unit_test(a_hart_that_has_not_fenced_when_the_update_ends_should_have),
        cmocka_unit_test(a_hart_that_goes_on_with_the_old_version_for_long_is_found),
        cmocka_unit_test(after_the_update_nothing_is_excused),
        cmocka_unit_test(only_one_aligned_store_of_a_whole_instruction_is_a_swap),
        cmocka_unit_test(a_store_to_a_part_of_it_ends_the_swap),
        cmocka_unit_test(a_hart_that_had_something_else_before_the_swap_has_no_window),
        cmocka_unit_test(two_words_of_a_pair_are_no_two_swaps),
        cmocka_unit_test(two_jumps_side_by_side_are_two_swaps),
        cmocka_unit_test(several_swaps_of_one_instruction_leave_it_swapped),
        cmocka_unit_test(the_patching_hart_itself_has_no_window),
        cmocka_unit_test(a_handler_on_the_patching_hart_has_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
