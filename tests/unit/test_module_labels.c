/*
 * test_module_labels.c - jump labels of modules: they are found in a struct module wherever its
 * members are, counted from when the kernel tells of them until it gives them up, and are part of
 * a state.
 */
#include "unit/nop_text.h"

#include "base/state_io.h"
#include "ftrace/cost/jump_labels.h"
#include "ftrace/cost/module_labels.h"
#include "ftrace/kernel/jump_table.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/kernel/text_map.h"

enum { NOTIFY = 0x100, ADD = 0x200, FREE_INIT = 0x300, RELEASE = 0x400, LIST = 0x800, KEY = 0x900 };
enum { COMING = 1, GOING = 2 };

/* A module's memory: struct module, its text with three labels, its table of them. */
#define MODULE  (RAM_BASE + 0x60000)
#define TEXT    (RAM_BASE + 0x100000)
#define INIT    (RAM_BASE + 0x110000)
#define ENTRIES (TEXT + 0x2000)
#define TARGET  (TEXT + 0x800)

enum { NODE_AT = 8, NAME_AT = 24, AREAS_AT = NAME_AT + MODULE_NAME_MAX, TABLE_AT_FIRST = 600 };
enum { LABELS = 3 };

static const uint64_t places[LABELS] = {TEXT + 0x104, TEXT + 0x10a, INIT + 0x10};

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    struct text_map *text;
    struct jump_labels *labels;
    struct module_labels *m;
};

static void put_entry(struct scene *s, unsigned i, uint64_t va, uint64_t target)
{
    uint64_t at = ENTRIES + UINT64_C(16) * i;

    poke(&s->w, at, va - at, 4);
    poke(&s->w, at + 4, target - (at + 4), 4);
    poke(&s->w, at + 8, (SITE_VA + KEY + 1) - (at + 8), 8); /* its lowest bit is no address */
}

/* A module `m` whose pointer to the table is `table` bytes behind its begin. */
static void put_module(struct scene *s, unsigned table)
{
    poke(&s->w, SITE_VA + LIST, MODULE + NODE_AT, 8);
    poke(&s->w, MODULE + NODE_AT, SITE_VA + LIST, 8);
    poke(&s->w, MODULE + NAME_AT, 'm', 8);
    poke(&s->w, MODULE + AREAS_AT + 80, TEXT, 8);
    poke(&s->w, MODULE + AREAS_AT + 88, 0x3000, 4);
    poke(&s->w, MODULE + AREAS_AT + 160, INIT, 8);
    poke(&s->w, MODULE + AREAS_AT + 168, 0x1000, 4);
    poke(&s->w, MODULE + table, ENTRIES, 8);
    poke(&s->w, MODULE + table + 8, LABELS, 4);
    for (unsigned i = 0; i < LABELS; i++)
        put_entry(s, i, places[i], i == 2 ? INIT + 0x40 : TARGET);
    poke(&s->w, places[0], NOP, 4);
    poke(&s->w, places[1], JAL(ZERO, TARGET - places[1]), 4);
    poke(&s->w, places[2], NOP, 4);
}

static void build(struct scene *s)
{
    memset(s, 0, sizeof *s);
    s->im = image_begin();
    image_name(s->im, "jump_label_module_notify", NOTIFY);
    image_name(s->im, "jump_label_add_module", ADD);
    image_name(s->im, "ftrace_free_mem", FREE_INIT);
    image_name(s->im, "ftrace_release_mod", RELEASE);
    image_name(s->im, "modules", LIST);
    image_name(s->im, "a_key", KEY);
    s->w = world_with_nops(s->im, LIST, &s->symbols);
    s->text = text_map_new(&s->im->image, s->symbols);
    s->labels = jump_labels_new(s->w.cluster, text_map_labels(s->text), s->symbols);
    s->m = module_labels_new(s->w.cluster, &s->im->image, s->symbols, s->text, s->labels, NULL);
}

static void wreck(struct scene *s)
{
    module_labels_free(s->m);
    jump_labels_free(s->labels);
    text_map_free(s->text);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

static void call(struct scene *s, uint64_t function, uint64_t a0, uint64_t a1, uint64_t a2)
{
    hart_set_reg(s->w.hart, A0, a0);
    hart_set_reg(s->w.hart, A1, a1);
    hart_set_reg(s->w.hart, A2, a2);
    step_at(&s->w, SITE_VA + function);
}

static void comes(struct scene *s)
{
    call(s, NOTIFY, 0, COMING, MODULE);
}

/* How many there are, and how many of them are still. */
static void assert_labels(const struct scene *s, size_t all, size_t there)
{
    size_t gone = 0;

    assert_int_equal(jump_labels_count(s->labels), all);
    for (size_t i = 0; i < all; i++)
        gone += jump_labels_get(s->labels, i).gone;
    assert_int_equal(all - gone, there);
}

static void assert_entries(const struct scene *s, size_t i, uint64_t nops, uint64_t jumps)
{
    struct jump_label l = jump_labels_get(s->labels, i);

    assert_int_equal(l.entries[JUMP_NOP], nops);
    assert_int_equal(l.entries[JUMP_JUMP], jumps);
}

static void labels_are_known_as_soon_as_the_kernel_tells_of_the_module(void **state)
{
    struct scene s;
    struct jump_label first;

    (void)state;
    build(&s);
    put_module(&s, TABLE_AT_FIRST);
    assert_labels(&s, 0, 0);
    comes(&s);
    assert_labels(&s, LABELS, LABELS);
    first = jump_labels_get(s.labels, 0);
    assert_int_equal(first.va, places[0]);
    assert_string_equal(first.key, "a_key");
    assert_string_equal(first.module, "m");
    assert_int_equal(text_map_jump_label(s.text, places[1] + 2, 2), places[1]);
    assert_int_equal(text_map_module_label(s.text, places[1], 4), places[1]);
    assert_true(text_map_has(s.text, places[0], 4));
    assert_false(text_map_has(s.text, places[0] - 2, 4));
    assert_int_equal(text_map_va(s.text, places[0] + 2), places[0] + 2);
    wreck(&s);
}

static void each_state_is_counted_while_the_module_is_there(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    put_module(&s, TABLE_AT_FIRST);
    step_at(&s.w, places[0]); /* nobody knows of it */
    comes(&s);
    step_at(&s.w, places[0]);
    step_at(&s.w, places[0]);
    step_at(&s.w, places[1]);
    assert_int_equal(hart_pc(s.w.hart), TARGET);
    poke(&s.w, places[0], JAL(ZERO, TARGET - places[0]), 4);
    step_at(&s.w, places[0]);
    assert_entries(&s, 0, 2, 1);
    assert_entries(&s, 1, 0, 1);
    call(&s, NOTIFY, 0, GOING, MODULE);
    assert_labels(&s, LABELS, 0);
    step_at(&s.w, places[0]);
    assert_entries(&s, 0, 2, 1);
    assert_int_equal(text_map_jump_label(s.text, places[0], 4), 0);
    assert_false(text_map_has(s.text, places[0], 4));
    wreck(&s);
}

static void one_that_comes_again_is_another_one(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    put_module(&s, TABLE_AT_FIRST);
    comes(&s);
    step_at(&s.w, places[0]);
    comes(&s); /* its end was not told */
    assert_labels(&s, 2 * LABELS, LABELS);
    step_at(&s.w, places[0]);
    assert_entries(&s, 0, 1, 0);
    assert_entries(&s, LABELS, 1, 0);
    wreck(&s);
}

static void the_kernel_tells_in_several_ways(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    put_module(&s, TABLE_AT_FIRST);
    call(&s, ADD, MODULE, 0, 0);
    assert_labels(&s, LABELS, LABELS);
    call(&s, FREE_INIT, MODULE, INIT, INIT + 0x1000);
    assert_labels(&s, LABELS, LABELS - 1);
    assert_true(jump_labels_get(s.labels, 2).gone);
    call(&s, FREE_INIT, 0, 0, UINT64_MAX); /* the kernel's own */
    call(&s, RELEASE, MODULE + 0x1000, 0, 0);
    call(&s, NOTIFY, 0, 0, MODULE); /* live */
    assert_labels(&s, LABELS, LABELS - 1);
    call(&s, RELEASE, MODULE, 0, 0);
    assert_labels(&s, LABELS, 0);
    wreck(&s);
}

static void the_table_is_found_wherever_a_version_of_linux_has_it(void **state)
{
    (void)state;
    for (unsigned at = AREAS_AT + 192; at < 2048; at += 168) {
        struct scene s;

        build(&s);
        put_module(&s, at);
        comes(&s);
        assert_labels(&s, LABELS, LABELS);
        wreck(&s);
    }
}

static void what_is_no_table_of_labels_is_none(void **state)
{
    enum { NO_MODULE, NO_NAME, OTHER_INSN, OTHER_TARGET, OUTSIDE, ODD, TOO_MANY, WAYS };

    (void)state;
    for (unsigned way = 0; way < WAYS; way++) {
        struct scene s;

        build(&s);
        put_module(&s, TABLE_AT_FIRST);
        switch (way) {
        case NO_NAME: poke(&s.w, MODULE + NAME_AT, 0, 8); break;
        case OTHER_INSN: poke(&s.w, places[2], ADDI(A0, A0, 1), 4); break;
        case OTHER_TARGET: put_entry(&s, 1, places[1], TARGET + 4); break;
        case OUTSIDE: put_entry(&s, 1, TEXT + 0x3000, TARGET); break;
        case ODD: put_entry(&s, 1, places[1] + 1, TARGET); break;
        case TOO_MANY: poke(&s.w, MODULE + TABLE_AT_FIRST + 8, 1 << 20, 4); break;
        default: break;
        }
        call(&s, NOTIFY, 0, COMING, way == NO_MODULE ? UINT64_MAX - 100 : MODULE);
        assert_labels(&s, 0, 0);
        wreck(&s);
    }
}

static void save(struct scene *s, struct state_io *io)
{
    jump_labels_state_io(io, s->labels);
    module_labels_state_io(io, s->m);
    assert_int_equal(state_io_end(io), STATE_OK);
}

static void labels_are_part_of_a_state(void **state)
{
    struct state_io before = {0}, with = {0}, again = {0}, io = {0};
    struct scene s;

    (void)state;
    build(&s);
    put_module(&s, TABLE_AT_FIRST);
    state_io_save(&before, 0);
    save(&s, &before);
    comes(&s);
    call(&s, FREE_INIT, MODULE, INIT, INIT + 0x1000);
    step_at(&s.w, places[0]);
    state_io_save(&with, 0);
    save(&s, &with);
    state_io_load(&io, before.saved.at, before.saved.len);
    save(&s, &io);
    assert_labels(&s, 0, 0);
    assert_int_equal(text_map_jump_label(s.text, places[0], 4), 0);
    state_io_load(&io, with.saved.at, with.saved.len);
    save(&s, &io);
    assert_labels(&s, LABELS, LABELS - 1);
    assert_string_equal(jump_labels_get(s.labels, 1).key, "a_key");
    assert_int_equal(text_map_jump_label(s.text, places[0], 4), places[0]);
    state_io_save(&again, 0);
    save(&s, &again);
    assert_int_equal(again.saved.len, with.saved.len);
    assert_memory_equal(again.saved.at, with.saved.at, with.saved.len);
    step_at(&s.w, places[0]); /* it is counted again, and given up again */
    assert_entries(&s, 0, 2, 0);
    call(&s, RELEASE, MODULE, 0, 0);
    assert_labels(&s, LABELS, 0);
    state_io_free(&before);
    state_io_free(&with);
    state_io_free(&again);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_known_as_soon_as_the_kernel_tells_of_the_module),
        cmocka_unit_test(each_state_is_counted_while_the_module_is_there),
        cmocka_unit_test(one_that_comes_again_is_another_one),
        cmocka_unit_test(the_kernel_tells_in_several_ways),
        cmocka_unit_test(the_table_is_found_wherever_a_version_of_linux_has_it),
        cmocka_unit_test(what_is_no_table_of_labels_is_none),
        cmocka_unit_test(labels_are_part_of_a_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
