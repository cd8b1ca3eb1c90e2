/*
 * test_diag.c - the format of messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

struct world {
    char *said;
    size_t len;
    struct diag d;
};

static void build(struct world *w)
{
    *w = (struct world){0};
    w->d = (struct diag){.out = open_memstream(&w->said, &w->len), .program = "rvftrace"};
}

static void expect(struct world *w, const char *text)
{
    fflush(w->d.out);
    assert_string_equal(w->said, text);
    fclose(w->d.out);
    free(w->said);
}

static void an_error_is_one_line_with_program_and_kind(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    diag_error(&w.d, "%s: is empty; give an ELF", "k.elf");
    expect(&w, "rvftrace: error: k.elf: is empty; give an ELF\n");
}

static void quiet_drops_notes_and_nothing_else(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    w.d.quiet = true;
    diag_note(&w.d, "booting");
    diag_warn(&w.d, "odd");
    diag_error(&w.d, "bad");
    expect(&w, "rvftrace: warning: odd\nrvftrace: error: bad\n");
}

static void a_note_has_no_kind(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    diag_note(&w.d, "%d harts", 4);
    expect(&w, "rvftrace: 4 harts\n");
}

static void colour_surrounds_the_kind_only(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    w.d.colour = true;
    diag_error(&w.d, "bad");
    expect(&w, "rvftrace: \033[1;31merror: \033[0mbad\n");
}

static void the_exit_statuses_are_those_of_the_manual(void **state)
{
    (void)state;
    assert_int_equal(EXIT_PASS, 0);
    assert_int_equal(EXIT_USAGE, 64);
    assert_int_equal(EXIT_BAD_FILE, 65);
    assert_int_equal(EXIT_NO_FILE, 66);
    assert_int_equal(EXIT_INTERNAL, 70);
    assert_int_equal(EXIT_IO, 74);
    assert_int_equal(EXIT_LIMIT, 75);
    assert_int_equal(EXIT_GUEST_STUCK, 76);
    assert_int_equal(EXIT_AUDIT, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_one_line_with_program_and_kind),
        cmocka_unit_test(quiet_drops_notes_and_nothing_else),
        cmocka_unit_test(a_note_has_no_kind),
        cmocka_unit_test(colour_surrounds_the_kind_only),
        cmocka_unit_test(the_exit_statuses_are_those_of_the_manual),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
