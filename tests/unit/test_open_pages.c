/*
 * test_open_pages.c - pages of the kernel that can be executed are found in its page tables,
 * whatever their size, and nothing else is.
 */
#include "isa/world.h"

#include "ftrace/kernel/open_pages.h"

enum { V = 1, R = 2, W = 4, X = 8, U = 16, FOUND_MAX = 8 };

#define ROOT   (RAM_BASE + 0x200000)
#define MIDDLE (RAM_BASE + 0x201000)
#define LAST   (RAM_BASE + 0x202000)
#define SATP39 (UINT64_C(8) << 60 | ROOT >> 12)
#define HALF39 UINT64_C(0xffffffc000000000)

struct found {
    unsigned count, wanted, read_only;
    uint64_t va[FOUND_MAX], size[FOUND_MAX];
};

static bool take(void *ctx, const struct open_page *page)
{
    struct found *f = ctx;

    if (!page->writable) {
        f->read_only++;
        return true;
    }
    assert_in_range(f->count, 0, FOUND_MAX - 1);
    f->va[f->count] = page->va;
    f->size[f->count++] = page->size;
    return f->count != f->wanted;
}

static void entry(struct world *w, uint64_t table, unsigned i, uint64_t pa, unsigned flags)
{
    poke(w, table + 8 * i, pa >> 12 << 10 | flags, 8);
}

static void leaves_of_all_sizes_are_found(void **state)
{
    struct world w = world_new();
    struct found f = {0};

    (void)state;
    entry(&w, ROOT, 2, RAM_BASE, V | R | W | X); /* the lower half is programs' */
    entry(&w, ROOT, 256, RAM_BASE, V | R | W | X);
    entry(&w, ROOT, 300, RAM_BASE, V | R | X);
    entry(&w, ROOT, 301, RAM_BASE, V | R | W);
    entry(&w, ROOT, 302, RAM_BASE, V | R | W | X | U);
    entry(&w, ROOT, 303, RAM_BASE, R | W | X); /* not valid */
    entry(&w, ROOT, 511, MIDDLE, V);
    entry(&w, MIDDLE, 0, RAM_BASE, V | R | W | X);
    entry(&w, MIDDLE, 511, LAST, V);
    entry(&w, LAST, 510, RAM_BASE, V | R | W);
    entry(&w, LAST, 511, RAM_BASE, V | R | W | X);
    assert_true(open_pages_find(w.bus, SATP39, take, &f));
    assert_int_equal(f.count, 3);
    assert_int_equal(f.read_only, 1);
    assert_int_equal(f.va[0], HALF39);
    assert_int_equal(f.size[0], UINT64_C(1) << 30);
    assert_int_equal(f.va[1], UINT64_C(0xffffffffc0000000));
    assert_int_equal(f.size[1], UINT64_C(1) << 21);
    assert_int_equal(f.va[2], UINT64_MAX - 0xfff);
    assert_int_equal(f.size[2], UINT64_C(1) << 12);
    world_free(&w);
}

static void four_levels_have_a_larger_half(void **state)
{
    struct world w = world_new();
    struct found f = {0};

    (void)state;
    entry(&w, ROOT, 256, MIDDLE, V);
    entry(&w, MIDDLE, 1, RAM_BASE, V | R | W | X);
    assert_true(open_pages_find(w.bus, UINT64_C(9) << 60 | ROOT >> 12, take, &f));
    assert_int_equal(f.count, 1);
    assert_int_equal(f.va[0], UINT64_C(0xffff800040000000));
    world_free(&w);
}

static void the_search_ends_when_that_was_enough(void **state)
{
    struct world w = world_new();
    struct found f = {.wanted = 2};

    (void)state;
    for (unsigned i = 400; i < 410; i++)
        entry(&w, ROOT, i, RAM_BASE, V | R | W | X);
    assert_true(open_pages_find(w.bus, SATP39, take, &f));
    assert_int_equal(f.count, 2);
    world_free(&w);
}

static void tables_without_end_are_left(void **state)
{
    struct world w = world_new();
    struct found f = {0};

    (void)state;
    for (unsigned i = 0; i < 512; i++) {
        entry(&w, ROOT, i, MIDDLE, V);
        entry(&w, MIDDLE, i, LAST, V);
        entry(&w, LAST, i, RAM_BASE, V | R);
    }
    assert_false(open_pages_find(w.bus, SATP39, take, &f));
    assert_false(open_pages_find(w.bus, UINT64_C(8) << 60, take, &f)); /* no memory there */
    assert_int_equal(f.count, 0);
    world_free(&w);
}

static void without_a_page_table_there_is_nothing(void **state)
{
    struct world w = world_new();
    struct found f = {0};

    (void)state;
    assert_true(open_pages_find(w.bus, 0, take, &f));
    assert_true(open_pages_find(w.bus, UINT64_C(15) << 60 | ROOT >> 12, take, &f));
    assert_int_equal(f.count, 0);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_of_all_sizes_are_found),
        cmocka_unit_test(four_levels_have_a_larger_half),
        cmocka_unit_test(the_search_ends_when_that_was_enough),
        cmocka_unit_test(tables_without_end_are_left),
        cmocka_unit_test(without_a_page_table_there_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
