/*
 * test_label_rules.c - jump labels against their keys.
 */
#include "unit/state_books.h"

#include "base/state_io.h"

static void keys_that_are_not_noted_are_counted(void **state)
{
    enum { KEYS = 1 << 12, MORE = 3 };
    struct books b;

    (void)state;
    build(&b);
    for (uint64_t i = 0; i < KEYS + MORE; i++) {
        const struct ftrace_event e = {.kind = FTRACE_KEY_CALLED, .key = {SITE_VA + 8 * i}};

        ftrace_emit(&b.s.stream, &e);
        ftrace_emit(&b.s.stream, &e);
        if (i == KEYS - 1)
            assert_int_equal(audit_labels_left_out(b.s.audit), 0);
    }
    assert_int_equal(audit_labels_left_out(b.s.audit), 2 * MORE);
    wreck_books(&b);
}

static void labels_of_modules_that_are_not_kept_are_counted(void **state)
{
    enum { MAX = 1 << 18 };
    struct books b;

    (void)state;
    build(&b);
    for (uint64_t i = 0; i < MAX + 2; i++) {
        const struct jump_place place = {.pa = RAM_BASE + 4 * i, .key = SITE_VA + KEY};

        key_labels_add(b.labels, &place, 0);
    }
    assert_int_equal(key_labels_left_out(b.labels), 2);
    wreck_books(&b);
}

static void a_label_that_a_debugger_wrote_is_not_judged(void **state)
{
    const struct ftrace_event called = {.kind = FTRACE_KEY_CALLED, .key = {SITE_VA + KEY}};
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    pass_debugger(&b, LABEL);
    ftrace_emit(&b.s.stream, &called);
    release(&b, LOCK_JUMP_LABEL);
    assert_int_equal(audit_count(b.s.audit), 0);
    pass_store(&b.s,
               (struct code_write){.who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                                   .stamp = ++b.s.stamp,
                                   .pa = SITE_PA + LABEL,
                                   .size = 4},
               NOP, NOP);
    release(&b, LOCK_JUMP_LABEL);
    assert_int_equal(audit_count(b.s.audit), 1);
    wreck_books(&b);
}

/* How often all findings together were made. */
static unsigned labels_told(struct books *b, bool called)
{
    uint64_t count = 0;
    const struct ftrace_event e = {.kind = FTRACE_KEY_CALLED, .key = {SITE_VA + KEY}};

    if (called)
        ftrace_emit(&b->s.stream, &e);
    release(b, LOCK_JUMP_LABEL);
    for (size_t i = 0; i < audit_count(b->s.audit); i++) {
        assert_int_equal(audit_get(b->s.audit, i)->rule, RULE_wrong_label);
        count += audit_get(b->s.audit, i)->count;
    }
    return (unsigned)count;
}

static void a_label_is_a_jump_while_its_key_is_on(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    assert_int_equal(labels_told(&b, true), 0);
    store_word(&b, KEY, 2);
    store_word(&b, LABEL, JAL(ZERO, TARGET - LABEL));
    assert_int_equal(labels_told(&b, true), 0);
    store_word(&b, KEY, 0);
    assert_int_equal(labels_told(&b, true), 1);
    assert_int_equal(labels_told(&b, true), 1); /* once */
    store_word(&b, LABEL, NOP);
    assert_int_equal(labels_told(&b, true), 1);
    store_word(&b, KEY, UINT32_MAX); /* the first user turns it on */
    assert_int_equal(labels_told(&b, true), 2);
    wreck_books(&b);
}

static void a_label_of_the_other_sense_is_a_nop_while_its_key_is_on(void **state)
{
    struct books b;

    (void)state;
    build_with(&b, 1);
    store_word(&b, KEY, 1);
    assert_int_equal(labels_told(&b, true), 0);
    store_word(&b, LABEL, JAL(ZERO, TARGET - LABEL));
    assert_int_equal(labels_told(&b, true), 1);
    wreck_books(&b);
}

static void a_label_jumps_to_its_target(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    store_word(&b, LABEL, JAL(RA, TARGET - LABEL));
    assert_int_equal(labels_told(&b, true), 1);
    store_word(&b, LABEL, 0xa081); /* c.j 0x40 */
    assert_int_equal(labels_told(&b, true), 1);
    store_word(&b, LABEL, JAL(ZERO, TARGET - LABEL + 4));
    assert_int_equal(labels_told(&b, true), 2);
    wreck_books(&b);
}

/* A hart may stand between two compressed nops when a jump is stored over both. */
static void a_label_is_one_nop_while_its_key_is_off(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, LABEL, 0x00010001);
    assert_int_equal(labels_told(&b, true), 1);
    wreck_books(&b);
}

/* The change of a key that needs no lock is judged at the next call, or at the end. */
static void a_label_is_judged_before_its_key_is_changed_again(void **state)
{
    struct books b;

    (void)state;
    for (unsigned held = 0; held < 2; held++) {
        build(&b);
        ftrace_emit(&b.s.stream,
                    &(struct ftrace_event){.kind = FTRACE_KEY_CALLED,
                                           .key = {SITE_VA + KEY, hart_of(&b.s, WRITER), 0}});
        assert_int_equal(audit_count(b.s.audit), 0);
        store_word(&b, KEY, 1);
        store_word(&b, MUTEX, held ? 0x5001 : 0);
        ftrace_emit(&b.s.stream,
                    &(struct ftrace_event){.kind = FTRACE_KEY_CALLED,
                                           .key = {SITE_VA + KEY, hart_of(&b.s, WRITER), 0}});
        assert_int_equal(audit_count(b.s.audit), !held);
        store_word(&b, MUTEX, 1); /* a flag */
        set_mode(&b.s, WRITER, PRIV_S, true);
        audit_end(b.s.audit, (struct run_end){.how = RUN_OVER});
        assert_int_equal(audit_get(b.s.audit, 0)->count, 1);
        wreck_books(&b);
    }
}

static void a_store_to_a_label_is_a_reason_to_compare(void **state)
{
    struct code_write w = {.who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                           .stamp = 1,
                           .pa = SITE_PA + LABEL,
                           .size = 4};
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    release(&b, LOCK_JUMP_LABEL);
    assert_int_equal(labels_told(&b, false), 0);
    pass_store(&b.s, w, NOP, NOP);
    assert_int_equal(labels_told(&b, false), 1);
    wreck_books(&b);
}

static void a_key_whose_change_changed_nothing_is_found_later(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    assert_int_equal(labels_told(&b, false), 0);
    for (unsigned i = 0; i < 2000; i++)
        execute(&b.s, WRITER, NOP);
    assert_int_equal(labels_told(&b, false), 1);
    wreck_books(&b);
}

static struct jump_place place(unsigned i)
{
    return (struct jump_place){.va = SITE_VA + 0x400 + 4 * i,
                               .pa = SITE_PA + 0x400 + 4 * i,
                               .key = SITE_VA + KEY,
                               .target = SITE_VA + TARGET,
                               .entry = SITE_VA + LABELS_AT + 32};
}

static void labels_of_a_module_are_judged_when_its_loader_has_set_them(void **state)
{
    const struct jump_place p = place(0);
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    store_word(&b, LABEL, JAL(ZERO, TARGET - LABEL));
    key_labels_add(b.labels, &p, 77);
    assert_int_equal(labels_told(&b, true), 0);
    hart_set_reg(hart_of(&b.s, WRITER), TP, 77);
    assert_int_equal(labels_told(&b, false), 1);
    key_labels_remove(b.labels, p.pa);
    assert_int_equal(key_labels_count(b.labels), 1);
    assert_int_equal(key_labels_key_at(b.labels, p.pa, 4), 0);
    assert_int_equal(key_labels_key_at(b.labels, SITE_PA + LABEL + 2, 2), SITE_VA + KEY);
    wreck_books(&b);
}

static void a_label_that_the_kernel_has_given_up_is_not_judged(void **state)
{
    const struct jump_place p = place(0);
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    store_word(&b, LABEL, JAL(ZERO, TARGET - LABEL));
    key_labels_add(b.labels, &p, 0);
    poke(&b.s.w, p.entry, p.va - p.entry, 4);
    poke(&b.s.w, p.entry + 8, p.key + 2 - (p.entry + 8), 8);
    assert_int_equal(labels_told(&b, true), 0);
    poke(&b.s.w, p.entry + 8, p.key - (p.entry + 8), 8);
    assert_int_equal(labels_told(&b, true), 1);
    wreck_books(&b);
}

struct listed {
    struct key_label at[4];
    size_t count;
};

static void list_label(void *ctx, const struct key_label *l)
{
    struct listed *all = ctx;

    assert_true(all->count < ARRAY_LEN(all->at));
    all->at[all->count++] = *l;
}

static void labels_of_modules_are_part_of_the_state(void **state)
{
    const struct jump_place first = place(0), second = place(1);
    struct state_io io, back;
    struct listed all = {0};
    struct books b;

    (void)state;
    build(&b);
    key_labels_add(b.labels, &first, 77);
    state_io_save(&io, 0);
    key_labels_state_io(&io, b.labels);
    key_labels_remove(b.labels, first.pa);
    key_labels_add(b.labels, &second, 0);
    state_io_load(&back, io.saved.at, io.saved.len);
    key_labels_state_io(&back, b.labels);
    assert_int_equal(state_io_end(&back), STATE_OK);
    assert_int_equal(key_labels_count(b.labels), 2);
    key_labels_each(b.labels, list_label, &all);
    assert_int_equal(all.count, 2);
    assert_int_equal(all.at[1].place.va, first.va);
    assert_int_equal(all.at[1].loader, 77);
    assert_int_equal(key_labels_key_at(b.labels, second.pa, 4), 0);
    state_io_free(&io);
    state_io_free(&back);
    wreck_books(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_that_are_not_noted_are_counted),
        cmocka_unit_test(labels_of_modules_that_are_not_kept_are_counted),
        cmocka_unit_test(a_label_that_a_debugger_wrote_is_not_judged),
        cmocka_unit_test(a_label_is_a_jump_while_its_key_is_on),
        cmocka_unit_test(a_label_of_the_other_sense_is_a_nop_while_its_key_is_on),
        cmocka_unit_test(a_label_jumps_to_its_target),
        cmocka_unit_test(a_label_is_one_nop_while_its_key_is_off),
        cmocka_unit_test(a_label_is_judged_before_its_key_is_changed_again),
        cmocka_unit_test(a_store_to_a_label_is_a_reason_to_compare),
        cmocka_unit_test(a_key_whose_change_changed_nothing_is_found_later),
        cmocka_unit_test(labels_of_a_module_are_judged_when_its_loader_has_set_them),
        cmocka_unit_test(a_label_that_the_kernel_has_given_up_is_not_judged),
        cmocka_unit_test(labels_of_modules_are_part_of_the_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
