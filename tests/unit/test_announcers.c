/*
 * test_announcers.c - the kernel's functions by whose call and return a change of code begins and
 * ends.
 */
#include "unit/ftrace_world.h"

#include "base/state_io.h"
#include "ftrace/patch/announcers.h"

enum {
    PREPARE = 0x300,
    POST_PROCESS = 0x320,
    ENABLE = 0x340, /* static_key_enable */
    UPDATE = 0x360, /* jump_label_update, which it calls */
    CALLER = 0x400,
    TASK = 0x5000,
    OTHER_TASK = 0x6000,
    STACK = 0x9000,
};

struct kernel {
    struct scene s;
    struct announcers *a;
    unsigned ends;
    enum announced what;
};

static void note_end(void *ctx, struct hart *h, enum announced what)
{
    struct kernel *k = ctx;

    (void)h;
    k->ends++;
    k->what = what;
}

static void build(struct kernel *k, bool brackets)
{
    *k = (struct kernel){0};
    scene_begin(&k->s, 2, FETCH_COHERENT);
    image_name(k->s.im, "ftrace_arch_code_modify_prepare", PREPARE);
    if (brackets)
        image_name(k->s.im, "ftrace_arch_code_modify_post_process", POST_PROCESS);
    image_name(k->s.im, "static_key_enable", ENABLE);
    image_name(k->s.im, "jump_label_update", UPDATE);
    scene_complete(&k->s, 10, NULL);
    for (unsigned at = 0; at < TEXT_BYTES; at += 4)
        poke(&k->s.w, SITE_PA + at, NOP, 4);
    k->a = announcers_new(k->s.w.cluster, &k->s.im->image, k->s.symbols, k->s.updates, note_end, k);
}

static void clear(struct kernel *k)
{
    announcers_free(k->a);
    wreck(&k->s);
}

/* Hart 0, in this task, executes the instruction there. */
static void go(struct kernel *k, uint64_t task, uint64_t sp, uint64_t to)
{
    struct hart *h = k->s.w.hart;

    hart_set_reg(h, TP, task);
    hart_set_reg(h, SP, sp);
    hart_set_pc(h, SITE_VA + to);
    assert_int_equal(hart_run(h, 1, UINT64_MAX), HART_BUDGET);
}

static void call(struct kernel *k, uint64_t task, uint64_t sp, uint64_t function, uint64_t back)
{
    hart_set_reg(k->s.w.hart, RA, SITE_VA + back);
    go(k, task, sp, function);
}

static bool is_announced(struct kernel *k, uint64_t task)
{
    hart_set_reg(k->s.w.hart, TP, task);
    return updates_is_announced(k->s.updates, k->s.w.hart);
}

static void a_change_ends_when_the_call_returns_on_its_own_stack(void **state)
{
    struct kernel k;

    (void)state;
    build(&k, true);
    call(&k, TASK, STACK, ENABLE, CALLER);
    assert_true(is_announced(&k, TASK));
    go(&k, OTHER_TASK, STACK - 64, CALLER); /* another call from the same place */
    assert_int_equal(k.ends, 0);
    go(&k, TASK, STACK, CALLER);
    assert_int_equal(k.ends, 1);
    assert_int_equal(k.what, ANNOUNCED_LABELS);
    assert_false(is_announced(&k, TASK));
    go(&k, TASK, STACK, CALLER);
    assert_int_equal(k.ends, 1);
    clear(&k);
}

static void the_outermost_announcement_counts(void **state)
{
    struct kernel k;

    (void)state;
    build(&k, true);
    call(&k, TASK, STACK, ENABLE, CALLER);
    call(&k, TASK, STACK - 32, UPDATE, CALLER + 16);
    go(&k, TASK, STACK - 32, CALLER + 16);
    assert_int_equal(k.ends, 0);
    call(&k, TASK, STACK - 32, PREPARE, CALLER + 16);
    call(&k, TASK, STACK - 32, POST_PROCESS, CALLER + 16);
    assert_int_equal(k.ends, 1); /* the sites are complete, the change is not */
    assert_int_equal(k.what, ANNOUNCED_SITES);
    assert_true(is_announced(&k, TASK));
    go(&k, TASK, STACK, CALLER);
    assert_int_equal(k.ends, 2);
    assert_int_equal(k.what, ANNOUNCED_LABELS);
    call(&k, TASK, STACK, PREPARE, CALLER);
    call(&k, TASK, STACK, UPDATE, CALLER); /* with the same sp, as both are called by one */
    go(&k, TASK, STACK, CALLER);
    assert_int_equal(k.ends, 2);
    call(&k, TASK, STACK, POST_PROCESS, CALLER);
    assert_int_equal(k.ends, 3);
    assert_int_equal(k.what, ANNOUNCED_SITES);
    clear(&k);
}

static void a_begin_without_a_function_that_ends_it_does_not_count(void **state)
{
    struct kernel k;

    (void)state;
    build(&k, false);
    call(&k, TASK, STACK, PREPARE, CALLER);
    assert_false(is_announced(&k, TASK));
    clear(&k);
}

static void a_call_that_was_left_in_another_way_is_forgotten(void **state)
{
    struct kernel k;

    (void)state;
    build(&k, true);
    call(&k, TASK, STACK, ENABLE, CALLER);
    call(&k, TASK, STACK, ENABLE, CALLER + 32);
    go(&k, TASK, STACK, CALLER);
    assert_int_equal(k.ends, 0);
    go(&k, TASK, STACK, CALLER + 32);
    assert_int_equal(k.ends, 1);
    clear(&k);
}

static void changes_that_are_not_followed_are_counted(void **state)
{
    enum { OPEN = 32, PLACES = 64, MORE = 5 };
    struct kernel k;

    (void)state;
    build(&k, true);
    for (unsigned i = 0; i < OPEN; i++)
        call(&k, TASK + 64 * i, STACK - 64 * i, ENABLE, CALLER);
    assert_int_equal(announcers_left_out(k.a), 0);
    assert_int_equal(updates_sections_left_out(k.s.updates), 0);
    for (unsigned i = 0; i < MORE; i++)
        call(&k, TASK + 64 * (OPEN + i), STACK - 64 * (OPEN + i), ENABLE, CALLER);
    assert_int_equal(announcers_left_out(k.a), MORE);
    assert_int_equal(updates_sections_left_out(k.s.updates), MORE);
    clear(&k);
    build(&k, true);
    for (unsigned i = 0; i < PLACES + MORE; i++) { /* each returns elsewhere */
        call(&k, TASK, STACK, ENABLE, CALLER + 4 * i);
        go(&k, TASK, STACK, CALLER + 4 * i);
    }
    assert_int_equal(announcers_left_out(k.a), 0);
    call(&k, TASK, STACK, ENABLE, CALLER);
    for (unsigned i = 1; i <= PLACES; i++) {
        call(&k, OTHER_TASK, STACK - 64, ENABLE, CALLER + 0x200 + 4 * i);
        go(&k, OTHER_TASK, STACK - 64, CALLER + 0x200 + 4 * i);
    }
    assert_int_equal(announcers_left_out(k.a), 1); /* its place has been given to another */
    clear(&k);
}

static void what_has_not_returned_is_part_of_the_state(void **state)
{
    struct state_io saved = {0}, io = {0};
    struct kernel k;

    (void)state;
    build(&k, true);
    call(&k, TASK, STACK, ENABLE, CALLER);
    state_io_save(&saved, 0);
    announcers_state_io(&saved, k.a);
    updates_state_io(&saved, k.s.updates);
    go(&k, TASK, STACK, CALLER);
    assert_int_equal(k.ends, 1);
    announcers_free(k.a); /* another process restores it */
    k.a = announcers_new(k.s.w.cluster, &k.s.im->image, k.s.symbols, k.s.updates, note_end, &k);
    state_io_load(&io, saved.saved.at, saved.saved.len);
    announcers_state_io(&io, k.a);
    updates_state_io(&io, k.s.updates);
    assert_int_equal(state_io_end(&io), STATE_OK);
    state_io_free(&saved);
    assert_true(is_announced(&k, TASK));
    go(&k, TASK, STACK, CALLER);
    assert_int_equal(k.ends, 2);
    clear(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_ends_when_the_call_returns_on_its_own_stack),
        cmocka_unit_test(the_outermost_announcement_counts),
        cmocka_unit_test(a_begin_without_a_function_that_ends_it_does_not_count),
        cmocka_unit_test(a_call_that_was_left_in_another_way_is_forgotten),
        cmocka_unit_test(changes_that_are_not_followed_are_counted),
        cmocka_unit_test(what_has_not_returned_is_part_of_the_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
