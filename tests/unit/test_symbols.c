/*
 * test_symbols.c - the name of an address. Tables come as text; what is
 * particular to ELF is compared with nm in load_against_binutils.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/symbols.h"

struct world {
    char path[32];
    char *said;
    size_t said_len;
    enum exit_status status;
    struct symbols *s;
};

static void build_bytes(struct world *w, const char *bytes, size_t len)
{
    struct diag d = {.program = "t"};
    int fd;

    *w = (struct world){.path = "/tmp/test_symbols_XXXXXX"};
    fd = mkstemp(w->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), len);
    close(fd);
    d.out = open_memstream(&w->said, &w->said_len);
    w->status = symbols_read(w->path, &d, &w->s);
    fclose(d.out);
}

static void build(struct world *w, const char *text)
{
    build_bytes(w, text, strlen(text));
}

static void wreck(struct world *w)
{
    symbols_free(w->s);
    free(w->said);
    unlink(w->path);
}

static void expect(const struct world *w, uint64_t addr, const char *name, uint64_t offset)
{
    uint64_t found = 0;
    const char *answer = symbols_at(w->s, addr, &found);

    assert_non_null(answer);
    assert_string_equal(answer, name);
    assert_int_equal(found, offset);
}

static void an_address_inside_gets_name_and_offset(void **state)
{
    struct world w;

    (void)state;
    build(&w, "ffffffff80000000 T _start\nffffffff80000010 t helper\n");
    expect(&w, 0xffffffff80000000, "_start", 0);
    expect(&w, 0xffffffff8000000f, "_start", 15);
    expect(&w, 0xffffffff80000012, "helper", 2);
    assert_null(symbols_at(w.s, 0xffffffff7fffffff, NULL));
    wreck(&w);
}

static void a_known_size_ends_a_symbol(void **state)
{
    struct world w;

    (void)state;
    build(&w, "1000 10 T small\n1100 10 T other\n");
    expect(&w, 0x100f, "small", 15);
    assert_null(symbols_at(w.s, 0x1010, NULL));
    assert_null(symbols_at(w.s, 0x1110, NULL));
    wreck(&w);
}

static void the_last_symbol_does_not_reach_for_ever(void **state)
{
    struct world w;

    (void)state;
    build(&w, "1000 T a\n2000 T b\n");
    expect(&w, 0x2fff, "b", 0xfff);
    assert_null(symbols_at(w.s, 0x3000, NULL));
    wreck(&w);
}

static void after_an_inner_symbol_the_outer_one_goes_on(void **state)
{
    struct world w;

    (void)state;
    build(&w, "1000 100 T outer\n1010 10 T inner\n1030 8 T inner2\n");
    expect(&w, 0x100f, "outer", 0xf);
    expect(&w, 0x1010, "inner", 0);
    expect(&w, 0x1020, "outer", 0x20);
    expect(&w, 0x1038, "outer", 0x38);
    wreck(&w);
}

static void a_global_label_inside_a_function_has_its_own_name(void **state)
{
    struct world w;

    (void)state;
    build(&w, "1000 40 T ftrace_caller\n1020 N ftrace_call\n");
    expect(&w, 0x1020, "ftrace_call", 0);
    assert_string_equal(symbols_function_at(w.s, 0x1024)->name, "ftrace_caller");
    wreck(&w);
}

static void a_local_label_inside_a_function_does_not_hide_it(void **state)
{
    struct world w;

    (void)state;
    build(&w, "1000 40 T memcpy\n1020 n loop\n2000 n alone\n");
    expect(&w, 0x1022, "memcpy", 0x22);
    expect(&w, 0x2004, "alone", 4);
    wreck(&w);
}

static void the_best_name_of_one_address_wins(void **state)
{
    struct world w;

    (void)state;
    build(&w, "1000 D table\n1000 t a_local\n1000 T _alias\n1000 T alias\n1000 N _stext\n"
              "2000 W a_weak\n2000 T strong\n");
    expect(&w, 0x1004, "alias", 4);
    expect(&w, 0x2000, "strong", 0);
    wreck(&w);
}

static void absolute_symbols_are_numbers(void **state)
{
    struct world w;
    uint64_t value = 0;

    (void)state;
    build(&w, "1000 T f\n1004 A number\n1010 T g\n");
    expect(&w, 0x1008, "f", 8);
    assert_true(symbols_find(w.s, "number", &value));
    assert_int_equal(value, 0x1004);
    wreck(&w);
}

static void mapping_symbols_and_assembler_labels_are_left_out(void **state)
{
    struct world w;
    uint64_t value;

    (void)state;
    build(&w, "1000 T f\n1002 t $x\n1004 t $xrv64gc\n1006 t $d\n1008 t .L12\n100a t .LC0\n");
    assert_int_equal(symbols_count(w.s), 1);
    assert_false(symbols_find(w.s, "$x", &value));
    wreck(&w);
}

static void a_name_is_found_global_first(void **state)
{
    struct world w;
    uint64_t value = 0;

    (void)state;
    build(&w, "1000 t init\n2000 T init\n3000 t exit\n2800 t exit\n");
    assert_true(symbols_find(w.s, "init", &value));
    assert_int_equal(value, 0x2000);
    assert_true(symbols_find(w.s, "exit", &value));
    assert_int_equal(value, 0x2800);
    assert_false(symbols_find(w.s, "ini", &value));
    assert_false(symbols_find(w.s, "zzz", &value));
    wreck(&w);
}

static void kallsyms_and_nm_lines_are_read(void **state)
{
    struct world w;

    (void)state;
    build(&w, "ffffffff01000000 t helper\t[module]\r\n"
              "                 U undefined\n"
              "                 w weak_undefined\n"
              "\n"
              "ffffffff80000000 0000000000000008 D jiffies");
    assert_int_equal(w.status, EXIT_PASS);
    assert_int_equal(symbols_count(w.s), 2);
    expect(&w, 0xffffffff01000004, "helper", 4);
    assert_null(symbols_at(w.s, 0xffffffff80000008, NULL));
    wreck(&w);
}

static void symbols_come_in_order_of_address(void **state)
{
    struct world w;

    (void)state;
    build(&w, "3000 T c\n1000 T a\n2000 T b\n");
    assert_int_equal(symbols_count(w.s), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(symbols_get(w.s, i)->addr, 0x1000 * (i + 1));
    wreck(&w);
}

static void expect_bounds(const struct world *w, uint64_t addr, uint64_t start, uint64_t end)
{
    uint64_t found = 0, after = 0;

    assert_true(symbols_bounds(w->s, addr, &found, &after));
    assert_int_equal(found, start);
    assert_int_equal(after, end);
}

static void bounds_are_of_the_function_around_its_labels(void **state)
{
    struct world w;
    uint64_t start, end;

    (void)state;
    build(&w, "1000 0000000000000100 T outer\n"
              "1040 T first\n"
              "1060 T second\n"
              "1100 T alone\n"
              "1180 T beside\n"
              "1200 0000000000000010 T last\n");
    expect_bounds(&w, 0x1010, 0x1000, 0x1100);
    expect_bounds(&w, 0x1048, 0x1000, 0x1100);
    expect_bounds(&w, 0x10f0, 0x1000, 0x1100);
    expect_bounds(&w, 0x1150, 0x1100, 0x1180);
    expect_bounds(&w, 0x1180, 0x1180, 0x1200);
    expect_bounds(&w, 0x1208, 0x1200, 0x1210);
    assert_false(symbols_bounds(w.s, 0x900, &start, &end));
    symbols_hide_below(w.s, 0x1040);
    expect_bounds(&w, 0x1068, 0x1060, 0x1100);
    wreck(&w);
}

static void a_bad_line_is_refused_with_its_number(void **state)
{
    struct world w;

    (void)state;
    build(&w, "1000 T a\nhello world\n");
    assert_int_equal(w.status, EXIT_BAD_FILE);
    assert_null(w.s);
    assert_non_null(strstr(w.said, ":2: not a symbol; "));
    wreck(&w);
    build_bytes(&w, "1000 T a\n\0 T b\n", 15);
    assert_int_equal(w.status, EXIT_BAD_FILE);
    wreck(&w);
}

static void hidden_kallsyms_are_refused(void **state)
{
    struct world w;

    (void)state;
    build(&w, "0000000000000000 T a\n0000000000000000 T b\n");
    assert_int_equal(w.status, EXIT_BAD_FILE);
    assert_non_null(strstr(w.said, "hidden"));
    wreck(&w);
}

static void an_empty_symbol_file_is_refused(void **state)
{
    struct world w;

    (void)state;
    build(&w, "");
    assert_int_equal(w.status, EXIT_BAD_FILE);
    wreck(&w);
}

/* User addresses had names such as `__efistub__end+0x3f...': a small number that had a symbol. */
static void symbols_below_the_image_name_no_address(void **state)
{
    struct world w;
    uint64_t addr = 0;

    (void)state;
    build(&w, "0000000000001000 T size_of_something\n"
              "0000000000010000 D another\n"
              "ffffffff80000000 T _start\n");
    assert_string_equal(symbols_at(w.s, 0x3fff12345, NULL), "another");
    symbols_hide_below(w.s, 0x80000000);
    assert_null(symbols_at(w.s, 0x1000, NULL));
    assert_null(symbols_at(w.s, 0x3fff12345, NULL));
    assert_null(symbols_function_at(w.s, 0x1234));
    assert_string_equal(symbols_at(w.s, 0xffffffff80000000, NULL), "_start");
    assert_true(symbols_find(w.s, "another", &addr));
    assert_int_equal(addr, 0x10000);
    symbols_hide_below(NULL, 1);
    wreck(&w);
}

static void no_table_answers_every_question(void **state)
{
    uint64_t value;

    (void)state;
    assert_null(symbols_at(NULL, 0x1000, &value));
    assert_null(symbols_function_at(NULL, 0x1000));
    assert_false(symbols_find(NULL, "a", &value));
    assert_int_equal(symbols_count(NULL), 0);
    symbols_free(NULL);
}

static void what_is_no_elf_has_no_symbols(void **state)
{
    struct symbols *s = symbols_from_elf((const uint8_t *)"no elf at all", 13);

    (void)state;
    assert_int_equal(symbols_count(s), 0);
    assert_null(symbols_at(s, 0, NULL));
    symbols_free(s);
}

/* Against the plain definition: the last symbol at or below, on many random tables. */
static void tiled_tables_agree_with_a_linear_search(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed < 50; seed++) {
        char text[4096];
        size_t len = 0;
        uint64_t places[64], next = 0x1000;
        struct world w;

        srand(seed);
        for (unsigned i = 0; i < 64; i++) {
            next += 1 + (unsigned)rand() % 16;
            places[i] = next;
            len += (size_t)snprintf(text + len, sizeof text - len, "%lx T f%u\n", next, i);
        }
        build(&w, text);
        for (unsigned i = 0; i + 1 < 64; i++)
            for (uint64_t addr = places[i]; addr < places[i + 1]; addr++) {
                char name[8];

                snprintf(name, sizeof name, "f%u", i);
                expect(&w, addr, name, addr - places[i]);
            }
        wreck(&w);
    }
}

static void a_function_of_unknown_size_goes_on_behind_its_labels(void **state)
{
    struct world w;

    (void)state;
    build(&w, "1000 T f\n1020 N middle\n1030 n loop\n1100 T g\n");
    assert_string_equal(symbols_function_at(w.s, 0x1024)->name, "f");
    expect(&w, 0x1024, "middle", 4);
    expect(&w, 0x1034, "loop", 4); /* nothing says that it is in f */
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_inside_gets_name_and_offset),
        cmocka_unit_test(a_known_size_ends_a_symbol),
        cmocka_unit_test(the_last_symbol_does_not_reach_for_ever),
        cmocka_unit_test(after_an_inner_symbol_the_outer_one_goes_on),
        cmocka_unit_test(a_global_label_inside_a_function_has_its_own_name),
        cmocka_unit_test(a_local_label_inside_a_function_does_not_hide_it),
        cmocka_unit_test(the_best_name_of_one_address_wins),
        cmocka_unit_test(absolute_symbols_are_numbers),
        cmocka_unit_test(mapping_symbols_and_assembler_labels_are_left_out),
        cmocka_unit_test(a_name_is_found_global_first),
        cmocka_unit_test(kallsyms_and_nm_lines_are_read),
        cmocka_unit_test(symbols_come_in_order_of_address),
        cmocka_unit_test(bounds_are_of_the_function_around_its_labels),
        cmocka_unit_test(a_bad_line_is_refused_with_its_number),
        cmocka_unit_test(hidden_kallsyms_are_refused),
        cmocka_unit_test(an_empty_symbol_file_is_refused),
        cmocka_unit_test(symbols_below_the_image_name_no_address),
        cmocka_unit_test(no_table_answers_every_question),
        cmocka_unit_test(what_is_no_elf_has_no_symbols),
        cmocka_unit_test(tiled_tables_agree_with_a_linear_search),
        cmocka_unit_test(a_function_of_unknown_size_goes_on_behind_its_labels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
