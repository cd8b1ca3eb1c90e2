/*
 * test_audit.c - which rule a stale fetch breaks, and what one finding is.
 */
#include "isa/world.h"

#include "cpu/observer.h"
#include "ftrace/audit.h"
#include "ftrace/patch_log.h"
#include "ftrace/rules.h"
#include "machine/site_image.h"

enum { F = 0x100, G = 0x200, ELSEWHERE = 0x800, TOLD_MAX = 8 };

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    struct site_table *t;
    struct patch_log *log;
    struct audit *audit;
    unsigned told_count;
    enum rule told[TOLD_MAX];
};

static void tell(void *ctx, const struct finding *f)
{
    struct scene *s = ctx;

    assert_in_range(s->told_count, 0, TOLD_MAX - 1);
    s->told[s->told_count++] = f->rule;
}

static void build(struct scene *s)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT};

    memset(s, 0, sizeof *s);
    s->w = world_with(&config, 3);
    s->im = image_begin();
    image_name(s->im, "f", F);
    image_name(s->im, "g", G);
    image_site(s->im, F);
    image_site(s->im, G);
    s->t = image_table(s->im, &s->symbols);
    s->log = patch_log_new(s->t, 3);
    s->audit = audit_new(s->t, s->log, (struct finding_listener){tell, s});
}

static void wreck(struct scene *s)
{
    audit_free(s->audit);
    patch_log_free(s->log);
    site_table_free(s->t);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

/* A fetch of `nop` over `li a0,2` by a hart, written by another. */
static struct stale_fetch fetch(struct scene *s, uint64_t offset, unsigned fetcher, unsigned writer)
{
    const uint32_t old = NOP, new = ADDI(A0, ZERO, 2);
    struct stale_fetch f = {.hart = cluster_hart(s->w.cluster, fetcher),
                            .pc = SITE_VA + offset,
                            .pa = SITE_PA + offset,
                            .size = 4,
                            .old_known = true,
                            .fetched_before = true,
                            .chosen = FETCHED_OLD,
                            .who = {.kind = WRITER_HART, .hart = writer, .pc = 0x77, .cycle = 3},
                            .stamp = 10};

    memcpy(f.old_bytes, &old, 4);
    memcpy(f.new_bytes, &new, 4);
    return f;
}

static enum rule rule_of(struct scene *s, const struct stale_fetch *f)
{
    audit_stale_fetch(s->audit, f);
    return audit_get(s->audit, audit_count(s->audit) - 1)->rule;
}

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
    assert_false(audit_get(s.audit, 0)->executed_old);
    wreck(&s);
}

static void code_elsewhere_that_was_run_before_was_patched_too(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    f = fetch(&s, ELSEWHERE, 1, 1);
    assert_int_equal(rule_of(&s, &f), RULE_missing_local_fence);
    f = fetch(&s, ELSEWHERE, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    assert_int_equal(audit_get(s.audit, 0)->site, NO_SITE);
    assert_int_equal(audit_get(s.audit, 0)->size, 4);
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

static void the_same_again_is_counted_and_not_told(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    f = fetch(&s, F, 1, 0);
    for (unsigned i = 0; i < 5; i++)
        audit_stale_fetch(s.audit, &f);
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(audit_get(s.audit, 0)->count, 5);
    assert_int_equal(s.told_count, 1);
    assert_int_equal(s.told[0], RULE_missing_remote_fence);
    wreck(&s);
}

static void another_site_hart_or_writer_is_another_finding(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    f = fetch(&s, F, 1, 0);
    audit_stale_fetch(s.audit, &f);
    f = fetch(&s, G, 1, 0);
    audit_stale_fetch(s.audit, &f);
    f = fetch(&s, F, 2, 0);
    audit_stale_fetch(s.audit, &f);
    f = fetch(&s, F, 1, 2);
    audit_stale_fetch(s.audit, &f);
    f = fetch(&s, F, 1, 1);
    audit_stale_fetch(s.audit, &f);
    assert_int_equal(audit_count(s.audit), 5);
    assert_int_equal(s.told_count, 5);
    assert_int_equal(audit_get(s.audit, 1)->site, 1);
    assert_int_equal(audit_get(s.audit, 2)->fetcher, 2);
    wreck(&s);
}

/* Both instructions of a pair are stale: that is one breach, with eight bytes of evidence. */
static void the_halves_of_a_site_make_one_finding(void **state)
{
    const uint32_t pair[2] = {AUIPC(RA, 1), JALR(RA, RA, 8)};
    const uint32_t nops[2] = {NOP, NOP};
    struct scene s;
    struct stale_fetch f;
    const struct finding *found;

    (void)state;
    build(&s);
    poke(&s.w, SITE_PA + F, (uint64_t)pair[1] << 32 | pair[0], 8);
    for (unsigned half = 0; half < 2; half++) {
        f = fetch(&s, F + 4 * half, 1, 0);
        memcpy(f.new_bytes, &pair[half], 4);
        audit_stale_fetch(s.audit, &f);
    }
    assert_int_equal(audit_count(s.audit), 1);
    found = audit_get(s.audit, 0);
    assert_int_equal(found->count, 1);
    assert_int_equal(found->size, 8);
    assert_int_equal(found->pa, SITE_PA + F);
    assert_int_equal(found->va, SITE_VA + F);
    assert_memory_equal(found->old_bytes, nops, 8);
    assert_memory_equal(found->new_bytes, pair, 8);
    wreck(&s);
}

/* One half was stale after one patch, the other only after the next: memory never held the two. */
static void halves_of_two_patches_are_not_put_together(void **state)
{
    const uint32_t auipc = AUIPC(RA, 1);
    struct fence_event between = {.origin = FENCE_LOCAL, .cycle = 120, .stamp = 12};
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    poke(&s.w, SITE_PA + F, (uint64_t)JALR(RA, RA, 8) << 32 | auipc, 8);
    patch_log_fence(s.log, 0, &between);
    f = fetch(&s, F + 4, 1, 0);
    audit_stale_fetch(s.audit, &f);
    hart_advance(cluster_hart(s.w.cluster, 1), 500);
    f = fetch(&s, F, 1, 0);
    f.stamp = 20;
    audit_stale_fetch(s.audit, &f);
    assert_int_equal(audit_count(s.audit), 1);
    assert_int_equal(audit_get(s.audit, 0)->count, 2);
    assert_memory_equal(audit_get(s.audit, 0)->new_bytes, &auipc, 4);
    wreck(&s);
}

static void the_half_of_a_site_that_did_not_change_is_the_same_in_both_versions(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build(&s);
    poke(&s.w, SITE_PA + F, UINT64_C(0x1122334455667788), 8);
    f = fetch(&s, F + 4, 1, 0);
    audit_stale_fetch(s.audit, &f);
    assert_int_equal(audit_get(s.audit, 0)->va, SITE_VA + F);
    assert_memory_equal(audit_get(s.audit, 0)->old_bytes, "\x88\x77\x66\x55", 4);
    assert_memory_equal(audit_get(s.audit, 0)->new_bytes, "\x88\x77\x66\x55", 4);
    wreck(&s);
}

static void the_evidence_has_the_fences_there_were(void **state)
{
    struct scene s;
    struct stale_fetch f;
    struct fence_event early = {.origin = FENCE_LOCAL, .cycle = 40, .stamp = 4};
    struct fence_event late = {.origin = FENCE_LOCAL, .cycle = 120, .stamp = 12};

    (void)state;
    build(&s);
    patch_log_fence(s.log, 1, &early);
    patch_log_fence(s.log, 0, &late);
    f = fetch(&s, F, 1, 0);
    audit_stale_fetch(s.audit, &f);
    assert_true(audit_get(s.audit, 0)->fenced_before);
    assert_int_equal(audit_get(s.audit, 0)->last_fence_cycle, 40);
    assert_int_equal(audit_get(s.audit, 0)->writer_fence_cycle, 120);
    f = fetch(&s, F, 2, 1);
    audit_stale_fetch(s.audit, &f);
    assert_false(audit_get(s.audit, 1)->fenced_before);
    assert_int_equal(audit_get(s.audit, 1)->writer_fence_cycle, 0);
    wreck(&s);
}

/* f and g as entries of layout `atomic`; `at_jalr` is where what changes is. */
static void build_atomic(struct scene *s)
{
    build(s);
    audit_free(s->audit);
    patch_log_free(s->log);
    site_table_free(s->t);
    symbols_free(s->symbols);
    s->im->sites = 0;
    image_nops(s->im, F, 8);
    image_nops(s->im, G, 8);
    image_site(s->im, F);
    image_site(s->im, G);
    s->t = image_table(s->im, &s->symbols);
    s->log = patch_log_new(s->t, 3);
    s->audit = audit_new(s->t, s->log, (struct finding_listener){tell, s});
    assert_int_equal(site_layout(s->t), LAYOUT_ATOMIC);
}

enum { JALR_AT = F + 4 };

static void store(struct scene *s, uint64_t offset, unsigned size, uint64_t stamp)
{
    const struct code_write w = {.stamp = stamp,
                                 .who = {.kind = WRITER_HART, .hart = 0, .cycle = 3},
                                 .pa = SITE_PA + offset,
                                 .size = size};
    const uint8_t memory[SITE_BYTES_MAX] = {0};

    patch_log_write(s->log, &w, memory);
}

static void fenced(struct scene *s, unsigned hart, uint64_t stamp)
{
    const struct fence_event f = {.origin = FENCE_REMOTE, .stamp = stamp, .cycle = stamp};

    patch_log_fence(s->log, hart, &f);
}

static void in_an_atomic_update_either_version_may_run(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_atomic(&s);
    store(&s, JALR_AT, 4, 10);
    f = fetch(&s, JALR_AT, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_warning), 0);
    fenced(&s, 1, 10);
    audit_update_ended(s.audit);
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_warning), 0);
    wreck(&s);
}

static void who_has_not_fenced_when_the_update_ends_should_have(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_atomic(&s);
    store(&s, JALR_AT, 4, 10);
    f = fetch(&s, JALR_AT, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_patch_window);
    fenced(&s, 2, 10); /* another one */
    audit_update_ended(s.audit);
    assert_int_equal(audit_count_at_least(s.audit, SEVERITY_error), 1);
    assert_int_equal(audit_get(s.audit, 1)->rule, RULE_missing_remote_fence);
    audit_update_ended(s.audit);
    assert_int_equal(audit_count(s.audit), 2);
    wreck(&s);
}

static void behind_the_update_nothing_is_excused(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_atomic(&s);
    store(&s, JALR_AT, 4, 10);
    audit_update_ended(s.audit);
    f = fetch(&s, JALR_AT, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    wreck(&s);
}

static void only_one_store_of_the_whole_word_is_atomic(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_atomic(&s);
    store(&s, JALR_AT, 2, 9);
    store(&s, JALR_AT + 2, 2, 10);
    f = fetch(&s, JALR_AT, 1, 0);
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    store(&s, G, 4, 11); /* the auipc is not what may change */
    f = fetch(&s, G, 1, 0);
    f.stamp = 11;
    assert_int_equal(rule_of(&s, &f), RULE_missing_remote_fence);
    wreck(&s);
}

static void the_patching_hart_itself_has_no_window(void **state)
{
    struct scene s;
    struct stale_fetch f;

    (void)state;
    build_atomic(&s);
    store(&s, JALR_AT, 4, 10);
    f = fetch(&s, JALR_AT, 0, 0);
    assert_int_equal(rule_of(&s, &f), RULE_missing_local_fence);
    wreck(&s);
}

static void each_rule_has_a_name_a_severity_and_a_sentence(void **state)
{
    (void)state;
    for (unsigned r = 0; r < RULE_COUNT; r++) {
        const char *name = rule_name((enum rule)r);

        assert_true(strspn(name, "abcdefghijklmnopqrstuvwxyz-") == strlen(name) && *name);
        assert_in_range(rule_severity((enum rule)r), SEVERITY_note, SEVERITY_error);
        assert_true(strlen(rule_sentence((enum rule)r)) > 10);
        for (unsigned other = 0; other < r; other++)
            assert_string_not_equal(name, rule_name((enum rule)other));
    }
    assert_string_equal(severity_name(SEVERITY_note), "note");
    assert_string_equal(severity_name(SEVERITY_warning), "warning");
    assert_string_equal(severity_name(SEVERITY_error), "error");
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
        cmocka_unit_test(the_same_again_is_counted_and_not_told),
        cmocka_unit_test(another_site_hart_or_writer_is_another_finding),
        cmocka_unit_test(the_halves_of_a_site_make_one_finding),
        cmocka_unit_test(halves_of_two_patches_are_not_put_together),
        cmocka_unit_test(the_half_of_a_site_that_did_not_change_is_the_same_in_both_versions),
        cmocka_unit_test(the_evidence_has_the_fences_there_were),
        cmocka_unit_test(in_an_atomic_update_either_version_may_run),
        cmocka_unit_test(who_has_not_fenced_when_the_update_ends_should_have),
        cmocka_unit_test(behind_the_update_nothing_is_excused),
        cmocka_unit_test(only_one_store_of_the_whole_word_is_atomic),
        cmocka_unit_test(the_patching_hart_itself_has_no_window),
        cmocka_unit_test(each_rule_has_a_name_a_severity_and_a_sentence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
