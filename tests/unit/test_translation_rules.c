/*
 * test_translation_rules.c - uses of old translations: which are mistakes, and which are legal.
 */
#include "unit/ftrace_world.h"

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
    {"own, rights were added", 0, V | R, RW, ACCESS_STORE, true, false, 0, 0, RULE_COUNT},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_uses_that_no_kernel_may_make_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
