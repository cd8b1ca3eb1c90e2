/*
 * test_bpf_text.c - text of programs of BPF: it has names from when the kernel tells of it, also
 * when the kernel has given it up, until other text is there; and it is part of a state.
 */
#include "unit/nop_text.h"

#include "base/state_io.h"
#include "ftrace/kernel/bpf_text.h"

enum { ADD = 0x100, DEL = 0x200 };

#define KSYM (RAM_BASE + 0x60000)
#define TEXT (RAM_BASE + 0x100000)

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    struct bpf_text *t;
};

static void build(struct scene *s)
{
    memset(s, 0, sizeof *s);
    s->im = image_begin();
    image_name(s->im, "bpf_ksym_add", ADD);
    image_name(s->im, "bpf_ksym_del", DEL);
    s->w = world_with_nops(s->im, 0x800, &s->symbols);
    s->t = bpf_text_new(s->w.cluster, &s->im->image, s->symbols);
}

static void wreck(struct scene *s)
{
    bpf_text_free(s->t);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

/* The kernel calls one of the two functions. */
static void call(struct scene *s, uint64_t function, uint64_t start, uint64_t end, const char *name)
{
    poke(&s->w, KSYM, start, 8);
    poke(&s->w, KSYM + 8, end, 8);
    for (unsigned i = 0; i < 128; i++)
        poke(&s->w, KSYM + 16 + i, i < strlen(name) ? (uint8_t)name[i] : 0, 1);
    hart_set_reg(s->w.hart, A0, KSYM);
    step_at(&s->w, SITE_VA + function);
}

static void assert_name(const struct scene *s, uint64_t va, const char *name, uint64_t offset)
{
    uint64_t found = UINT64_MAX;

    assert_string_equal(bpf_text_name_at(s->t, va, &found), name);
    assert_int_equal(found, offset);
}

static void a_function_has_a_name_from_its_first_byte_to_its_last_one(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    assert_null(bpf_text_name_at(s.t, TEXT, NULL));
    call(&s, ADD, TEXT, TEXT + 0x40, "bpf_prog_1_a");
    call(&s, ADD, TEXT + 0x40, TEXT + 0x60, "bpf_prog_1_F");
    assert_name(&s, TEXT, "bpf_prog_1_a", 0);
    assert_name(&s, TEXT + 0x3f, "bpf_prog_1_a", 0x3f);
    assert_name(&s, TEXT + 0x40, "bpf_prog_1_F", 0);
    assert_null(bpf_text_name_at(s.t, TEXT + 0x60, NULL));
    assert_null(bpf_text_name_at(s.t, TEXT - 1, NULL));
    assert_false(bpf_text_is_gone(s.t, TEXT));
    wreck(&s);
}

static void a_name_outlives_its_text_until_there_is_another_one(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call(&s, ADD, TEXT, TEXT + 0x40, "bpf_prog_1_a");
    call(&s, ADD, TEXT + 0x1000, TEXT + 0x1040, "bpf_prog_2_b");
    call(&s, DEL, TEXT, TEXT + 0x40, "bpf_prog_1_a");
    assert_name(&s, TEXT + 4, "bpf_prog_1_a", 4);
    assert_true(bpf_text_is_gone(s.t, TEXT + 4));
    assert_false(bpf_text_is_gone(s.t, TEXT + 0x1000));
    assert_false(bpf_text_is_gone(s.t, TEXT + 0x40));
    call(&s, ADD, TEXT + 0x20, TEXT + 0x80, "bpf_prog_3_c");
    assert_name(&s, TEXT + 0x20, "bpf_prog_3_c", 0);
    assert_false(bpf_text_is_gone(s.t, TEXT + 0x20));
    assert_null(bpf_text_name_at(s.t, TEXT, NULL));
    wreck(&s);
}

static void what_is_no_function_is_none(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call(&s, ADD, TEXT, TEXT, "bpf_prog_1_a");
    call(&s, ADD, TEXT, TEXT + (UINT64_C(1) << 40), "bpf_prog_1_a");
    call(&s, ADD, TEXT, TEXT + 0x40, "");
    call(&s, ADD, TEXT, TEXT + 0x40, "two words");
    call(&s, DEL, TEXT, TEXT + 0x40, "bpf_prog_1_a"); /* which was never told of */
    assert_null(bpf_text_name_at(s.t, TEXT, NULL));
    hart_set_reg(s.w.hart, A0, UINT64_MAX - 100);
    step_at(&s.w, SITE_VA + ADD);
    assert_false(bpf_text_is_gone(s.t, TEXT));
    wreck(&s);
}

static void it_is_not_in_the_last_page_of_addresses(void **state)
{
    const uint64_t last = UINT64_MAX - 0xfff;
    struct scene s;

    (void)state;
    build(&s);
    call(&s, ADD, last, UINT64_MAX, "bpf_prog_1_a");
    assert_null(bpf_text_name_at(s.t, last + 0x10, NULL));
    call(&s, ADD, last - 0x2000, last - 0x1000, "bpf_prog_1_a"); /* it may be in one before */
    assert_name(&s, last - 0x1ff0, "bpf_prog_1_a", 0x10);
    wreck(&s);
}

static void there_may_be_any_number(void **state)
{
    enum { MANY = 5000, KEPT = 4096 };
    struct scene s;

    (void)state;
    build(&s);
    for (uint64_t i = 0; i < MANY; i++)
        call(&s, ADD, TEXT + 0x40 * i, TEXT + 0x40 * (i + 1), "bpf_prog_1_a");
    assert_name(&s, TEXT + 0x40 * (MANY - 1), "bpf_prog_1_a", 0);
    assert_name(&s, TEXT + 0x40 * (MANY - KEPT), "bpf_prog_1_a", 0);
    assert_null(bpf_text_name_at(s.t, TEXT, NULL)); /* the oldest ones are dropped */
    wreck(&s);
}

static void save(struct scene *s, struct state_io *io)
{
    bpf_text_state_io(s->t, io);
    assert_int_equal(state_io_end(io), STATE_OK);
}

static void it_is_part_of_a_state(void **state)
{
    struct state_io before = {0}, with = {0}, io = {0};
    struct scene s;

    (void)state;
    build(&s);
    state_io_save(&before, 0);
    save(&s, &before);
    call(&s, ADD, TEXT, TEXT + 0x40, "bpf_prog_1_a");
    call(&s, DEL, TEXT, TEXT + 0x40, "bpf_prog_1_a");
    state_io_save(&with, 0);
    save(&s, &with);
    state_io_load(&io, before.saved.at, before.saved.len);
    save(&s, &io);
    assert_null(bpf_text_name_at(s.t, TEXT, NULL));
    state_io_load(&io, with.saved.at, with.saved.len);
    save(&s, &io);
    assert_name(&s, TEXT, "bpf_prog_1_a", 0);
    assert_true(bpf_text_is_gone(s.t, TEXT));
    state_io_free(&before);
    state_io_free(&with);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_has_a_name_from_its_first_byte_to_its_last_one),
        cmocka_unit_test(a_name_outlives_its_text_until_there_is_another_one),
        cmocka_unit_test(what_is_no_function_is_none),
        cmocka_unit_test(it_is_not_in_the_last_page_of_addresses),
        cmocka_unit_test(there_may_be_any_number),
        cmocka_unit_test(it_is_part_of_a_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
