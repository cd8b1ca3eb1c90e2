/*
 * test_lines.c - source lines of a small program that is compiled here.
 * Every address of it is compared with addr2line in load_against_binutils.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "load/lines.h"
#include "load/symbols.h"

struct world {
    char dir[32];
    char *elf;
    struct lines *l;
    struct symbols *s;
};

/* The lines in these tests are 1 (helper), 2 (outer) and 3 (_start). */
static const char source[] =
    "static inline __attribute__((always_inline)) int helper(int a) { return a * 7; }\n"
    "__attribute__((noinline)) int outer(int a) { return helper(a) + 1; }\n"
    "void _start(void) { outer(1); for (;;); }\n"
    "struct shape { char a; int b[3]; struct { long c; } d; } shape;\n"
    "#ifdef DROPPED\n"
    "int dropped(int a) { return a + 77; }\n"
    "#endif\n";

static void shell(const char *command)
{
    assert_int_equal(system(command), 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void build(struct world *w, const char *flags)
{
    char *c, *command;
    struct diag d = {.out = stderr, .program = "t"};

    *w = (struct world){.dir = "/tmp/test_lines_XXXXXX"};
    assert_non_null(mkdtemp(w->dir));
    c = xasprintf("%s/small.c", w->dir);
    w->elf = xasprintf("%s/small.elf", w->dir);
    command = xasprintf("cd %s && riscv64-unknown-elf-gcc -O2 -march=rv64imac -mabi=lp64 -nostdlib "
                        "-mcmodel=medany -Ttext=0x80000000 %s $PWD/small.c -o small.elf",
                        w->dir, flags);
    write_file(c, source);
    shell(command);
    w->l = lines_new(w->elf);
    assert_int_equal(symbols_read(w->elf, &d, &w->s), EXIT_PASS);
    free(c);
    free(command);
}

static void wreck(struct world *w)
{
    char *command = xasprintf("rm -r %s", w->dir);

    lines_free(w->l);
    symbols_free(w->s);
    shell(command);
    free(command);
    free(w->elf);
}

static uint64_t address(const struct world *w, const char *name)
{
    uint64_t addr = 0;

    assert_true(symbols_find(w->s, name, &addr));
    return addr;
}

static void a_function_has_its_file_line_and_name(void **state)
{
    struct world w;
    struct line_place place;

    (void)state;
    build(&w, "-g");
    assert_true(lines_at(w.l, address(&w, "outer"), &place));
    assert_string_equal(place.function, "outer");
    assert_true(place.line == 1 || place.line == 2);
    assert_true(lines_at(w.l, address(&w, "_start"), &place));
    assert_string_equal(place.function, "_start");
    assert_int_equal(place.line, 3);
    wreck(&w);
}

static void the_path_is_relative_to_where_it_was_compiled(void **state)
{
    struct world w;
    struct line_place place;

    (void)state;
    build(&w, "-g");
    assert_true(lines_at(w.l, address(&w, "outer"), &place));
    assert_string_equal(place.file, "small.c");
    wreck(&w);
}

static void an_inlined_function_is_named_beside_its_caller(void **state)
{
    struct world w;
    struct line_place place;
    bool found = false;

    (void)state;
    build(&w, "-g");
    for (uint64_t a = address(&w, "outer"); lines_at(w.l, a, &place); a += 2) {
        if (strcmp(place.function, "outer") != 0)
            break;
        if (place.line == 1 && place.inlined) {
            assert_string_equal(place.inlined, "helper");
            found = true;
        }
    }
    assert_true(found);
    wreck(&w);
}

/* Results are cached, also negative ones. */
static void a_function_has_the_line_of_its_name(void **state)
{
    struct world w;
    struct line_place place = {.line = 77};
    uint64_t outer;

    (void)state;
    build(&w, "-g -fpatchable-function-entry=4");
    outer = address(&w, "outer");
    assert_false(lines_of_function(w.l, outer, &place)); /* the nops are in front of it */
    assert_int_equal(place.line, 77);
    assert_true(lines_of_function(w.l, outer + 8, &place)); /* the first instruction is of helper */
    assert_string_equal(place.function, "outer");
    assert_string_equal(place.file, "small.c");
    assert_int_equal(place.line, 2);
    assert_false(lines_of_function(w.l, 0x1000, &place));
    assert_false(lines_of_function(NULL, outer, &place));
    wreck(&w);
}

static void a_place_that_is_asked_for_again_is_the_same(void **state)
{
    struct world w;
    struct line_place first, again;

    (void)state;
    build(&w, "-g");
    assert_true(lines_at(w.l, address(&w, "outer"), &first));
    for (int i = 0; i < 3; i++) {
        assert_false(lines_at(w.l, address(&w, "outer") + (64 << 10), &again));
        assert_true(lines_at(w.l, address(&w, "_start"), &again));
        assert_int_equal(again.line, 3);
        assert_true(lines_at(w.l, address(&w, "outer"), &again));
        assert_memory_equal(&again, &first, sizeof first);
    }
    wreck(&w);
}

static void dwarf_4_is_read_too(void **state)
{
    struct world w;
    struct line_place place;

    (void)state;
    build(&w, "-gdwarf-4");
    assert_true(lines_at(w.l, address(&w, "_start"), &place));
    assert_int_equal(place.line, 3);
    wreck(&w);
}

static void without_debug_information_nothing_is_known(void **state)
{
    struct world w;
    struct line_place place;

    (void)state;
    build(&w, "");
    assert_false(lines_at(w.l, address(&w, "outer"), &place));
    wreck(&w);
}

static void outside_of_the_program_nothing_is_known(void **state)
{
    struct world w;
    struct line_place place = {.line = 77};

    (void)state;
    build(&w, "-g");
    assert_false(lines_at(w.l, 0, &place));
    assert_false(lines_at(w.l, 0x1000, &place));
    assert_false(lines_at(w.l, 0x80100000, &place));
    assert_false(lines_at(w.l, UINT64_MAX, &place));
    assert_int_equal(place.line, 77);
    wreck(&w);
}

static void no_file_and_no_elf_answer_false(void **state)
{
    struct lines *missing = lines_new("/nonexistent/kernel.elf");
    struct lines *text = lines_new("/etc/passwd");
    struct line_place place;

    (void)state;
    assert_false(lines_at(missing, 0x80000000, &place));
    assert_false(lines_at(missing, 0x80000000, &place));
    assert_false(lines_at(text, 0x80000000, &place));
    assert_false(lines_at(NULL, 0x80000000, &place));
    lines_free(missing);
    lines_free(text);
    lines_free(NULL);
}

static void a_fifo_is_not_waited_for(void **state)
{
    char dir[] = "/tmp/test_lines_XXXXXX", *path;
    struct line_place place;
    struct lines *l;

    (void)state;
    assert_non_null(mkdtemp(dir));
    path = xasprintf("%s/fifo", dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    l = lines_new(path);
    alarm(10); /* ends the writer that waits */
    assert_false(lines_at(l, 0x80000000, &place));
    alarm(0);
    lines_free(l);
    unlink(path);
    rmdir(dir);
    free(path);
}

static void a_function_that_the_linker_dropped_is_nowhere(void **state)
{
    struct world w;
    struct line_place place;
    uint64_t addr;

    (void)state;
    build(&w, "-g -gdwarf-4 -DDROPPED -ffunction-sections -Wl,--gc-sections");
    assert_false(symbols_find(w.s, "dropped", &addr));
    assert_false(lines_at(w.l, 2, &place));
    assert_true(lines_at(w.l, address(&w, "_start"), &place));
    assert_int_equal(place.line, 3);
    wreck(&w);
}

static void inlined_code_has_the_place_of_its_call(void **state)
{
    struct world w;
    struct line_place at, outside;
    bool seen = false;

    (void)state;
    build(&w, "-g");
    for (uint64_t a = address(&w, "outer"); lines_at(w.l, a, &at); a += 2) {
        if (strcmp(at.function, "outer") != 0)
            break;
        assert_true(lines_outside(w.l, a, "other.h", &outside));
        assert_int_equal(outside.line, at.line);
        assert_true(lines_outside(w.l, a, "small.c", &outside));
        assert_int_equal(outside.line, 2);
        seen |= at.line == 1;
    }
    assert_true(seen);
    wreck(&w);
}

static void a_member_of_a_struct_has_its_offset(void **state)
{
    struct world w;
    uint64_t offset = 77;

    (void)state;
    build(&w, "-g");
    assert_true(lines_member(w.l, "shape", "b", &offset));
    assert_int_equal(offset, 4);
    assert_true(lines_member(w.l, "shape", "d", &offset));
    assert_int_equal(offset, 16);
    assert_false(lines_member(w.l, "shape", "c", &offset));
    assert_false(lines_member(w.l, "outer", "b", &offset));
    wreck(&w);
    build(&w, "");
    assert_false(lines_member(w.l, "shape", "b", &offset));
    lines_read_structs(w.l, 0x1000);
    assert_false(lines_member(w.l, "shape", "b", &offset));
    wreck(&w);
}

static void structs_are_found_after_others_were_missed(void **state)
{
    struct world w;
    uint64_t bytes = 0, offset = 0;

    (void)state;
    build(&w, "-g");
    assert_false(lines_struct_size(w.l, "nothing", &bytes));
    assert_false(lines_struct_size(w.l, "nothing", &bytes));
    assert_true(lines_struct_size(w.l, "shape", &bytes));
    assert_true(lines_member(w.l, "shape", "d", &offset));
    assert_true(bytes > offset);
    assert_int_equal(offset, 16);
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_has_its_file_line_and_name),
        cmocka_unit_test(the_path_is_relative_to_where_it_was_compiled),
        cmocka_unit_test(an_inlined_function_is_named_beside_its_caller),
        cmocka_unit_test(a_function_has_the_line_of_its_name),
        cmocka_unit_test(a_place_that_is_asked_for_again_is_the_same),
        cmocka_unit_test(dwarf_4_is_read_too),
        cmocka_unit_test(without_debug_information_nothing_is_known),
        cmocka_unit_test(outside_of_the_program_nothing_is_known),
        cmocka_unit_test(inlined_code_has_the_place_of_its_call),
        cmocka_unit_test(no_file_and_no_elf_answer_false),
        cmocka_unit_test(a_fifo_is_not_waited_for),
        cmocka_unit_test(a_function_that_the_linker_dropped_is_nowhere),
        cmocka_unit_test(a_member_of_a_struct_has_its_offset),
        cmocka_unit_test(structs_are_found_after_others_were_missed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
