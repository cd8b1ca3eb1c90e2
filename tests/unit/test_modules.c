/*
 * test_modules.c - whose module an address is, by a list in the guest's memory that may be damaged
 * in any way: the answer is a name or none, within a bounded number of steps.
 */
#include "isa/world.h"

#include "base/rng.h"
#include "ftrace/kernel/modules.h"
#include "machine/site_image.h"

#include "isa/priv.h" /* after the other one's NOP */

/* From the begin of struct module's list node. */
enum { NAME_AT = 16, AREAS_AT = NAME_AT + MODULE_NAME_MAX, MODULE_END = 768, LIST_OFFSET = 0x100 };

#define LIST      (SITE_VA + LIST_OFFSET)
#define MODULE(n) (RAM_BASE + 0x60000 + UINT64_C(0x1000) * (n))
#define AREA(n)   (RAM_BASE + 0x100000 + UINT64_C(0x10000) * (n))
#define RAM_END   (RAM_BASE + RAM_SIZE)

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    char name[MODULE_NAME_MAX];
};

static void build(struct scene *s)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT};
    const struct diag silent = {.quiet = true};

    memset(s, 0, sizeof *s);
    s->w = world_with(&config, 1);
    s->im = image_begin();
    image_name(s->im, "modules", LIST_OFFSET);
    s->symbols = image_symbols(s->im, &silent);
    poke(&s->w, LIST, LIST, 8);
}

static void wreck(struct scene *s)
{
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

/* The end of the name, and what follows it, is left as it is. */
static void put_name(struct scene *s, uint64_t node, const char *name)
{
    for (unsigned i = 0; i <= strlen(name) && i < MODULE_NAME_MAX; i++)
        poke(&s->w, node + NAME_AT + i, (uint8_t)name[i], 1);
}

/* An area at the word `at` of those after the name; its size is `half` half words from its begin.
 */
static void put_area(struct scene *s, uint64_t node, unsigned at, unsigned half, uint64_t va,
                     uint32_t size)
{
    uint64_t area = node + AREAS_AT + UINT64_C(8) * at;

    poke(&s->w, area, va, 8);
    poke(&s->w, area + UINT64_C(4) * half, size, 4);
}

static void link_to(struct scene *s, uint64_t node, uint64_t next)
{
    poke(&s->w, node, next, 8);
}

/* Modules `m0`, `m1`, ... in a list; each has one area. */
static void put_modules(struct scene *s, unsigned count)
{
    link_to(s, LIST, count ? MODULE(0) : LIST);
    for (unsigned n = 0; n < count; n++) {
        const char name[] = {'m', (char)('0' + n % 10), '\0'};

        put_name(s, MODULE(n), name);
        put_area(s, MODULE(n), 20, 2, AREA(n), 0x3000);
        link_to(s, MODULE(n), n + 1 < count ? MODULE(n + 1) : LIST);
    }
}

static bool find(struct scene *s, uint64_t va)
{
    memset(s->name, 0x7f, sizeof s->name);
    return module_name_at(s->w.cluster, s->w.hart, s->symbols, va, s->name);
}

static void expect(struct scene *s, uint64_t va, const char *name)
{
    assert_true(find(s, va));
    assert_string_equal(s->name, name);
}

static void an_address_is_of_the_module_with_its_area(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 3);
    expect(&s, AREA(0), "m0");
    expect(&s, AREA(2) + 0x2fff, "m2");
    assert_false(find(&s, AREA(1) + 0x3000));
    assert_false(find(&s, AREA(1) - 1));
    assert_false(find(&s, 0));
    put_modules(&s, 0);
    assert_false(find(&s, AREA(0)));
    wreck(&s);
}

static void the_size_may_be_where_each_version_of_linux_has_it(void **state)
{
    static const unsigned places[] = {2, 5, 3};

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(places); i++) {
        struct scene s;

        build(&s);
        put_modules(&s, 1);
        put_area(&s, MODULE(0), 10, places[i], AREA(5), 0x800);
        expect(&s, AREA(5) + 0x7ff, "m0");
        assert_false(find(&s, AREA(5) + 0x800));
        wreck(&s);
    }
}

static void an_area_is_of_pages_and_not_of_any_size(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 1);
    put_area(&s, MODULE(0), 10, 2, AREA(5) + 8, 0x800);
    assert_false(find(&s, AREA(5) + 16));
    put_area(&s, MODULE(0), 10, 2, AREA(5), (64 << 20) + 1);
    assert_false(find(&s, AREA(5)));
    put_area(&s, MODULE(0), 10, 2, AREA(5), 64 << 20);
    expect(&s, AREA(5), "m0");
    put_area(&s, MODULE(0), 10, 2, UINT64_MAX - 0xfff, 0x2000);
    expect(&s, UINT64_MAX, "m0");
    assert_false(find(&s, 0));
    wreck(&s);
}

static void a_list_that_does_not_come_back_to_its_head_ends(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 3);
    link_to(&s, MODULE(2), MODULE(1));
    assert_false(find(&s, AREA(9)));
    expect(&s, AREA(2), "m2");
    link_to(&s, MODULE(0), MODULE(0));
    assert_false(find(&s, AREA(9)));
    assert_false(find(&s, AREA(1)));
    expect(&s, AREA(0), "m0");
    wreck(&s);
}

static void a_wild_pointer_ends_the_list(void **state)
{
    static const uint64_t wild[] = {
        0,           1,       8,          RAM_BASE - 8,   RAM_BASE - 1,          RAM_END - 8,
        RAM_END - 1, RAM_END, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - AREAS_AT, UINT64_C(1) << 63,
    };
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 2);
    for (unsigned i = 0; i < ARRAY_LEN(wild); i++) {
        link_to(&s, MODULE(0), wild[i]);
        expect(&s, AREA(0), "m0");
        assert_false(find(&s, AREA(1)));
        link_to(&s, LIST, wild[i]);
        assert_false(find(&s, AREA(0)));
        link_to(&s, LIST, MODULE(0));
    }
    wreck(&s);
}

/* A module at the end of memory: all that is examined of it must be there. */
static void a_module_that_memory_ends_in_is_none(void **state)
{
    const uint64_t whole = RAM_END - MODULE_END, part = whole + 8;
    struct scene s;

    (void)state;
    build(&s);
    link_to(&s, LIST, whole);
    link_to(&s, whole, LIST);
    put_name(&s, whole, "last");
    put_area(&s, whole, 20, 2, AREA(0), 0x1000);
    expect(&s, AREA(0), "last");
    link_to(&s, LIST, part);
    link_to(&s, part, LIST);
    put_name(&s, part, "last");
    put_area(&s, part, 20, 2, AREA(0), 0x1000);
    assert_false(find(&s, AREA(0)));
    wreck(&s);
}

static void what_is_no_name_ends_the_list(void **state)
{
    static const char *const bad[] = {"", "two words", "line\n", "\x7f", "caf\xc3\xa9"};
    char longest[MODULE_NAME_MAX];
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 2);
    for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
        put_name(&s, MODULE(0), bad[i]);
        assert_false(find(&s, AREA(0)));
        assert_false(find(&s, AREA(1)));
    }
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    put_name(&s, MODULE(0), longest);
    expect(&s, AREA(0), longest);
    poke(&s.w, MODULE(0) + NAME_AT + MODULE_NAME_MAX - 1, 'x', 1); /* no end */
    assert_false(find(&s, AREA(0)));
    wreck(&s);
}

/* The second page of a module is not mapped, and then it is. */
static void a_module_of_which_a_page_is_not_mapped_is_none(void **state)
{
    const uint64_t node = WINDOW + PAGE_BYTES - 200, at = FRAME + PAGE_BYTES - 200;
    struct scene s;

    (void)state;
    build(&s);
    build_tables(&s.w);
    enter(s.w.hart, PRIV_S, CODE);
    link_to(&s, LIST, node);
    link_to(&s, at, LIST);
    put_name(&s, at, "split");
    put_area(&s, at, 40, 2, AREA(0), 0x1000); /* in the second page */
    assert_false(find(&s, AREA(0)));
    poke(&s.w, LAST + 8, ENTRY(FRAME + PAGE_BYTES) | RWX | VAD, 8);
    expect(&s, AREA(0), "split");
    wreck(&s);
}

static void without_the_list_there_is_no_name(void **state)
{
    const struct diag silent = {.quiet = true};
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 1);
    symbols_free(s.symbols);
    s.im->names[0] = '\0';
    image_name(s.im, "modulus", LIST_OFFSET);
    s.symbols = image_symbols(s.im, &silent);
    assert_false(find(&s, AREA(0)));
    wreck(&s);
}

static bool is_printable(const char *name)
{
    for (; *name; name++)
        if (*name <= ' ' || *name > '~')
            return false;
    return true;
}

/* Any damage, a little or much of it: the names that are found are names. */
static void random_damage_gives_a_name_or_none(void **state)
{
    enum { MODULES = 4, ROUNDS = 4000 };
    struct rng r = {1};
    unsigned found = 0;
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned round = 0; round < ROUNDS; round++) {
        put_modules(&s, MODULES);
        for (uint64_t damage = rng_next(&r) % 6; damage; damage--) {
            uint64_t to = rng_next(&r) % 2 ? rng_next(&r) : MODULE(rng_next(&r) % 8);

            poke(&s.w, MODULE(rng_next(&r) % MODULES) + rng_next(&r) % (MODULE_END - 8),
                 to >> rng_next(&r) % 3 * 8, rng_next(&r) % 2 ? 8 : 1);
        }
        for (unsigned n = 0; n < MODULES; n++)
            if (find(&s, AREA(n) + rng_next(&r) % 0x4000)) {
                found++;
                assert_non_null(memchr(s.name, '\0', sizeof s.name));
                assert_true(s.name[0] && is_printable(s.name));
            }
    }
    assert_true(found > ROUNDS);
    wreck(&s);
}

/* ---- functions ---- */

enum { ELF_ENTRY = 24, OWN_ENTRY = 16, TABLE_WORD = 60 };

#define TABLE   (RAM_BASE + 0x80000)
#define STRINGS (RAM_BASE + 0x90000)

static void put_string(struct scene *s, uint64_t va, const char *text)
{
    for (unsigned i = 0; i <= strlen(text); i++)
        poke(&s->w, va + i, (uint8_t)text[i], 1);
}

/* Three words of the module behind its name. */
static void put_table(struct scene *s, unsigned word, uint64_t entries, uint64_t count,
                      uint64_t strings)
{
    uint64_t at = MODULE(0) + AREAS_AT + UINT64_C(8) * word;

    poke(&s->w, at, entries, 8);
    poke(&s->w, at + 8, count, 8);
    poke(&s->w, at + 16, strings, 8);
}

/* The names are 16 bytes apart: the first is "". */
static void put_own_entry(struct scene *s, unsigned i, uint64_t va, const char *name)
{
    uint64_t at = TABLE + UINT64_C(1) * OWN_ENTRY * i;

    put_string(s, STRINGS + 16 + UINT64_C(16) * i, name);
    poke(&s->w, at, va, 8);
    poke(&s->w, at + 8, 4, 4);
    poke(&s->w, at + 12, 16 + 16 * i, 4);
}

static void put_elf_entry(struct scene *s, unsigned i, uint64_t va, unsigned section,
                          const char *name)
{
    uint64_t at = TABLE + UINT64_C(1) * ELF_ENTRY * i;

    put_string(s, STRINGS + 16 + UINT64_C(16) * i, name);
    poke(&s->w, at, i ? 16 + 16 * i : 0, 4);
    poke(&s->w, at + 4, section << 16, 4);
    poke(&s->w, at + 8, va, 8);
    poke(&s->w, at + 16, 0, 8);
}

static bool find_function(struct scene *s, uint64_t va, struct module_function *f)
{
    return module_function_at(s->w.cluster, s->w.hart, s->symbols, va, f);
}

static void expect_function(struct scene *s, uint64_t va, const char *name, uint64_t start,
                            uint64_t end)
{
    struct module_function f;

    assert_true(find_function(s, va, &f));
    assert_string_equal(f.module, "m0");
    assert_string_equal(f.name, name);
    assert_int_equal(f.va, start);
    assert_int_equal(f.end, end);
}

static void a_function_is_the_nearest_symbol_below_in_the_guest_kernels_table(void **state)
{
    struct module_function f;
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 2);
    put_table(&s, TABLE_WORD, TABLE, 3, STRINGS);
    put_own_entry(&s, 0, AREA(0) + 0x10, "first");
    put_own_entry(&s, 1, AREA(0) + 0x40, "second");
    put_own_entry(&s, 2, AREA(0) + 0x60, "third");
    expect_function(&s, AREA(0) + 0x10, "first", AREA(0) + 0x10, AREA(0) + 0x40);
    expect_function(&s, AREA(0) + 0x5e, "second", AREA(0) + 0x40, AREA(0) + 0x60);
    expect_function(&s, AREA(0) + 0x105e, "third", AREA(0) + 0x60, AREA(0) + 0x60 + PAGE_BYTES);
    assert_false(find_function(&s, AREA(0) + 0x60 + PAGE_BYTES, &f));
    assert_false(find_function(&s, AREA(0) + 8, &f));
    assert_false(find_function(&s, AREA(1) + 0x40, &f)); /* it has no table */
    wreck(&s);
}

static void a_table_of_linux_is_that_of_an_elf(void **state)
{
    struct module_function f;
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 1);
    put_table(&s, 2 * TABLE_WORD, TABLE, 7, STRINGS); /* farther than the areas */
    put_elf_entry(&s, 0, 0, 0, "");
    put_elf_entry(&s, 1, AREA(0) + 0x60, 1, "late");
    put_elf_entry(&s, 2, AREA(0) + 0x20, 1, "early");
    put_elf_entry(&s, 3, AREA(0) + 0x30, 1, "$x");
    put_elf_entry(&s, 4, AREA(0) + 0x34, 1, ".L1");
    put_elf_entry(&s, 5, AREA(0) + 0x38, 0, "undefined");
    put_elf_entry(&s, 6, RAM_BASE + 0x40, 1, "elsewhere");
    expect_function(&s, AREA(0) + 0x40, "early", AREA(0) + 0x20, AREA(0) + 0x60);
    expect_function(&s, AREA(0) + 0x60, "late", AREA(0) + 0x60, AREA(0) + 0x60 + PAGE_BYTES);
    assert_false(find_function(&s, AREA(0) + 0x10, &f));
    wreck(&s);
}

static void a_variable_ends_where_its_size_says(void **state)
{
    char name[MODULE_FUNCTION_MAX];
    struct module_symbols *m;
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 1);
    put_table(&s, TABLE_WORD, TABLE, 2, STRINGS);
    put_own_entry(&s, 0, AREA(0) + 0x10, "first"); /* of four bytes */
    put_own_entry(&s, 1, AREA(0) + 0x40, "second");
    m = module_symbols_new(s.w.cluster, s.w.hart, s.symbols, AREA(0));
    assert_non_null(m);
    assert_true(module_symbols_object_at(m, AREA(0) + 0x13, name));
    assert_string_equal(name, "first");
    assert_true(module_symbols_object_at(m, AREA(0) + 0x40, name));
    assert_string_equal(name, "second");
    assert_false(module_symbols_object_at(m, AREA(0) + 0x14, name));
    assert_false(module_symbols_object_at(m, AREA(0) + 0xf, name));
    module_symbols_free(m);
    wreck(&s);
}

static void what_is_no_table_is_passed_over(void **state)
{
    struct module_function f;
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 1);
    put_own_entry(&s, 0, AREA(0) + 0x10, "one");
    put_table(&s, 30, TABLE + 4, 1, STRINGS);             /* not aligned */
    put_table(&s, 33, TABLE, UINT64_C(1) << 32, STRINGS); /* too many */
    put_table(&s, 36, TABLE, 1, UINT64_MAX - 4);          /* names that are not there */
    put_table(&s, 39, RAM_END - 8, 1, STRINGS);           /* the end of memory */
    put_table(&s, 42, UINT64_MAX - 7, 1, STRINGS);
    assert_false(find_function(&s, AREA(0) + 0x20, &f));
    put_table(&s, TABLE_WORD, TABLE, 1, STRINGS);
    expect_function(&s, AREA(0) + 0x20, "one", AREA(0) + 0x10, AREA(0) + 0x10 + PAGE_BYTES);
    put_own_entry(&s, 0, AREA(0) + 0x10,
                  "not\x01"
                  "a name");
    assert_false(find_function(&s, AREA(0) + 0x20, &f));
    wreck(&s);
}

static void random_tables_give_a_function_that_has_the_address_or_none(void **state)
{
    enum { ROUNDS = 3000, ENTRIES = 200 };
    struct rng r = {2};
    unsigned found = 0;
    struct scene s;

    (void)state;
    build(&s);
    put_modules(&s, 1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t va = AREA(0) + rng_next(&r) % 0x3000;
        struct module_function f;

        put_own_entry(&s, round % ENTRIES, AREA(0) + rng_next(&r) % 0x4000, "f");
        put_table(&s, TABLE_WORD, TABLE, rng_next(&r) % ENTRIES, STRINGS);
        poke(&s.w, TABLE + rng_next(&r) % (ENTRIES * OWN_ENTRY), rng_next(&r), 1);
        if (!find_function(&s, va, &f))
            continue;
        found++;
        assert_true(f.va <= va && va < f.end && f.end - f.va <= PAGE_BYTES);
        assert_true(f.name[0] && is_printable(f.name) && memchr(f.name, '\0', sizeof f.name));
    }
    assert_true(found > ROUNDS / 4);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_of_the_module_with_its_area),
        cmocka_unit_test(the_size_may_be_where_each_version_of_linux_has_it),
        cmocka_unit_test(an_area_is_of_pages_and_not_of_any_size),
        cmocka_unit_test(a_list_that_does_not_come_back_to_its_head_ends),
        cmocka_unit_test(a_wild_pointer_ends_the_list),
        cmocka_unit_test(a_module_that_memory_ends_in_is_none),
        cmocka_unit_test(what_is_no_name_ends_the_list),
        cmocka_unit_test(a_module_of_which_a_page_is_not_mapped_is_none),
        cmocka_unit_test(without_the_list_there_is_no_name),
        cmocka_unit_test(random_damage_gives_a_name_or_none),
        cmocka_unit_test(a_function_is_the_nearest_symbol_below_in_the_guest_kernels_table),
        cmocka_unit_test(a_table_of_linux_is_that_of_an_elf),
        cmocka_unit_test(a_variable_ends_where_its_size_says),
        cmocka_unit_test(what_is_no_table_is_passed_over),
        cmocka_unit_test(random_tables_give_a_function_that_has_the_address_or_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
