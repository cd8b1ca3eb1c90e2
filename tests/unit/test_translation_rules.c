/*
 * test_translation_rules.c - uses of old translations: which are mistakes, and which are legal.
 */
#include "unit/ftrace_world.h"

#include "ftrace/audit/audit.h"
#include "ftrace/audit/rules.h"

enum { HARTS = 2, V = 1, R = 2, W = 4, X = 8, U = 16, RW = V | R | W };

#define PAGE UINT64_C(0xffffffc700000000)

static void build(struct scene *s)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .translate = TRANSLATE_STALE};
    struct audit_config audit = {.findings_max = 10};

    scene_begin(s, HARTS, FETCH_COHERENT);
    world_free(&s->w);
    s->w = world_with(&config, HARTS);
    scene_complete(s, 100, &audit);
}

struct use {
    const char *what;
    unsigned writer; /* hart 0 uses the translation */
    uint64_t old_pte, new_pte;
    enum access access;
    bool old_faults, new_faults;
    uint64_t advance; /* cycles of the writer after a flush of its own; 0: it has not flushed */
    uint64_t
        fence_i; /* a fence.i for hart 0 by the writer so many cycles after its store; 0: none */
    int rule;    /* RULE_COUNT: none */
};

static const struct use uses[] = {
    {"own, another page", 0, RW, RW, ACCESS_STORE, false, false, 0, 0, RULE_stale_translation},
    {"own, read of an unmapped page", 0, RW, 0, ACCESS_LOAD, false, true, 0, 0,
     RULE_stale_translation},
    {"own, execution of another page", 0, RW | X, RW | X, ACCESS_FETCH, false, false, 0, 0,
     RULE_stale_translation},
    {"own, rights were added", 0, V | R, RW, ACCESS_STORE, true, false, 0, 0,
     RULE_stale_translation},
    {"the same of a page of user mode", 0, V | R | U, RW | U, ACCESS_STORE, true, false, 0, 0,
     RULE_COUNT},
    {"own, a page was mapped", 0, 0, RW, ACCESS_STORE, true, false, 0, 0, RULE_COUNT},
    {"another hart's, rights were added, before its flush", 1, V | R, RW, ACCESS_STORE, true, false,
     0, 0, RULE_COUNT},
    {"own, a page of user mode, before the flush", 0, RW | U, U, ACCESS_STORE, false, true, 0, 0,
     RULE_COUNT},
    {"another hart's, a store to another page", 1, RW, RW, ACCESS_STORE, false, false, 0, 0,
     RULE_stale_translation},
    {"another hart's, before its flush", 1, RW, 0, ACCESS_STORE, false, true, 0, 0, RULE_COUNT},
    {"another hart's, during its flush", 1, RW, 0, ACCESS_STORE, false, true, 1000, 0, RULE_COUNT},
    {"another hart's, long after its flush", 1, RW, 0, ACCESS_STORE, false, true, 2000000, 0,
     RULE_stale_translation},
    {"the same in user mode", 1, RW | U, 0, ACCESS_LOAD, false, true, 2000000, 0,
     RULE_stale_translation},
    {"own, fence.i in place of sfence.vma", 0, RW, RW, ACCESS_STORE, false, false, 0, 20,
     RULE_wrong_fence},
    {"own, a fence.i that is for something else", 0, RW, RW, ACCESS_STORE, false, false, 0, 5000,
     RULE_stale_translation},
    {"another hart's, a request for fence.i", 1, RW, RW, ACCESS_STORE, false, false, 0, 500,
     RULE_wrong_fence},
};

static void pass_own_flush(struct scene *s, unsigned hart, uint64_t cycle)
{
    const struct event e = {.kind = EVENT_SFENCE_VMA,
                            .fence = {.hart = hart_of(s, hart),
                                      .requester = hart,
                                      .cycle = cycle,
                                      .one_address = true,
                                      .va = PAGE}};

    pass_event(s, &e);
}

static void pass_fence_i(struct scene *s, unsigned requester, uint64_t cycle)
{
    const struct event e = {
        .kind = EVENT_FENCE_I,
        .fence = {.hart = hart_of(s, 0), .requester = requester, .pc = 0x1010, .cycle = cycle}};

    pass_event(s, &e);
}

static int rule_of(const struct use *u)
{
    struct scene s;
    int rule = RULE_COUNT;
    struct stale_translation t = {
        .access = u->access,
        .mode = u->old_pte & U ? PRIV_U : PRIV_S,
        .pc = 0x2000,
        .cycle = 50,
        .va = PAGE + 8,
        .pte_pa = RAM_BASE,
        .shift = 12,
        .old_pte = u->old_pte,
        .new_pte = u->new_pte,
        .old_pa = RAM_BASE + 0x1008,
        .new_pa = RAM_BASE + 0x2008,
        .old_faults = u->old_faults,
        .new_faults = u->new_faults,
        .user = u->old_pte & U,
        .chose_old = true,
        .writer_known = true,
        .who = {.kind = WRITER_HART, .hart = u->writer, .pc = 0x1000, .cycle = 10}};
    const struct event e = {.kind = EVENT_STALE_TRANSLATION, .stale_translation = &t};

    build(&s);
    t.hart = hart_of(&s, 0);
    if (u->advance) {
        pass_own_flush(&s, u->writer, 20);
        hart_advance(hart_of(&s, u->writer), 20 + u->advance);
    }
    if (u->fence_i)
        pass_fence_i(&s, u->writer, 10 + u->fence_i);
    pass_event(&s, &e);
    if (s.told_count)
        rule = (int)s.told[0].rule;
    wreck(&s);
    return rule;
}

static void only_uses_that_no_kernel_may_make_are_reported(void **state)
{
    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(uses); n++)
        if (rule_of(&uses[n]) != uses[n].rule)
            fail_msg("%s: %d", uses[n].what, rule_of(&uses[n]));
}

/* ---- pointers, and other tables ---- */

struct special {
    const char *what;
    bool reused, other_root, writer_known, old_faults, user;
    uint64_t flush_size; /* of hart 0, after the change, long ago; 0: of everything */
    int rule;
};

static const struct special specials[] = {
    {"a table that was used for something else", true, false, true, false, true, 0,
     RULE_stale_translation},
    {"a pointer of user mode, before the flush", false, false, true, false, true, 1, RULE_COUNT},
    {"after a flush of one page", false, false, true, true, true, PAGE_BYTES, RULE_COUNT},
    {"after a flush of 2 MiB", false, false, true, true, true, 2 << 20, RULE_stale_translation},
    {"a pointer of the kernel, a fault", false, false, true, true, false, 1,
     RULE_stale_translation},
    {"other tables for the same number", false, true, false, false, true, 1,
     RULE_stale_translation},
    {"the same, of the kernel", false, true, false, false, false, 1, RULE_COUNT},
    {"a change that is too long ago", false, false, false, false, true, 1, RULE_COUNT},
};

static int rule_of_special(const struct special *c, uint64_t *left_out)
{
    struct scene s;
    int rule = RULE_COUNT;
    struct stale_translation t = {
        .access = ACCESS_LOAD,
        .mode = PRIV_U,
        .pc = 0x2000,
        .cycle = 50,
        .va = PAGE + 8,
        .pte_pa = RAM_BASE,
        .shift = 21,
        .pointer = true,
        .user = c->user,
        .reused = c->reused,
        .reuser = {.kind = WRITER_HART, .pc = 0x1010, .cycle = 15},
        .other_root = c->other_root,
        .old_faults = c->old_faults,
        .new_faults = !c->old_faults,
        .chose_old = true,
        .writer_known = c->writer_known,
        .who = {.kind = WRITER_HART, .hart = 0, .pc = 0x1000, .cycle = 10}};
    const struct event e = {.kind = EVENT_STALE_TRANSLATION, .stale_translation = &t};

    build(&s);
    t.hart = hart_of(&s, 0);
    if (c->flush_size != 1) {
        const struct event flush = {.kind = EVENT_SFENCE_VMA,
                                    .fence = {.hart = hart_of(&s, 1),
                                              .requester = 0,
                                              .cycle = 20,
                                              .va = PAGE,
                                              .size = c->flush_size}};

        pass_event(&s, &flush);
        hart_advance(hart_of(&s, 0), 3000000);
    }
    pass_event(&s, &e);
    if (s.told_count)
        rule = (int)s.told[0].rule;
    *left_out = audit_translations_left_out(s.audit);
    wreck(&s);
    return rule;
}

static void pointers_need_a_flush_of_all_addresses(void **state)
{
    (void)state;
    for (size_t n = 0; n < ARRAY_LEN(specials); n++) {
        uint64_t left_out;

        if (rule_of_special(&specials[n], &left_out) != specials[n].rule)
            fail_msg("%s: %d", specials[n].what, rule_of_special(&specials[n], &left_out));
        assert_int_equal(left_out, !specials[n].writer_known && !specials[n].other_root);
    }
}

/* ---- limits ---- */

static void pass_legal_use(struct scene *s, unsigned n)
{
    const struct stale_translation t = {
        .hart = hart_of(s, 0),
        .access = ACCESS_LOAD,
        .mode = PRIV_U,
        .va = PAGE + n * PAGE_BYTES,
        .pte_pa = RAM_BASE + 8 * n,
        .shift = 12,
        .user = true,
        .old_pte = RW | U,
        .new_faults = true,
        .chose_old = true,
        .writer_known = true,
        .who = {.kind = WRITER_HART, .hart = 1, .pc = 0x1000, .cycle = 10}};
    const struct event e = {.kind = EVENT_STALE_TRANSLATION, .stale_translation = &t};

    pass_event(s, &e);
}

static void what_is_not_followed_is_counted(void **state)
{
    enum { WAITING = 64, FLUSHES = 1024 };
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned n = 0; n < WAITING; n++)
        pass_legal_use(&s, n);
    pass_legal_use(&s, 0); /* is known */
    assert_int_equal(audit_translations_left_out(s.audit), 0);
    pass_legal_use(&s, WAITING);
    assert_int_equal(audit_translations_left_out(s.audit), 1);
    for (unsigned n = 0; n <= FLUSHES; n++)
        pass_own_flush(&s, 0, 20); /* which says nothing of the writer's */
    pass_legal_use(&s, 1);
    assert_int_equal(audit_translations_left_out(s.audit), 2);
    assert_int_equal(s.told_count, 0);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_need_a_flush_of_all_addresses),
        cmocka_unit_test(what_is_not_followed_is_counted),
        cmocka_unit_test(only_uses_that_no_kernel_may_make_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
