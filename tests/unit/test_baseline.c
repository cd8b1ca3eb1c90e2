/*
 * test_baseline.c - which findings a baseline has, and that damaged files are refused with a
 * message that names the line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "ftrace/audit/baseline.h"
#include "ftrace/audit/finding_key.h"

#define HEAD "rvftrace-baseline 2\n"

static char *said;
static size_t said_size;

static enum exit_status parse_bytes(const char *text, size_t size, struct baseline **b)
{
    struct diag d = {.program = "test"};
    enum exit_status status;

    free(said);
    d.out = open_memstream(&said, &said_size);
    status = baseline_parse("known", text, size, &d, b);
    fclose(d.out);
    return status;
}

static struct baseline *parse(const char *text)
{
    struct baseline *b = NULL;

    assert_int_equal(parse_bytes(text, strlen(text), &b), EXIT_PASS);
    assert_string_equal(said, "");
    return b;
}

static void refuses_bytes(const char *text, size_t size, const char *why)
{
    struct baseline *b = NULL;

    assert_int_equal(parse_bytes(text, size, &b), EXIT_BAD_FILE);
    assert_null(b);
    if (!strstr(said, why))
        fail_msg("`%s' is not in `%s'", why, said);
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* one line */
}

static void refuses(const char *text, const char *why)
{
    refuses_bytes(text, strlen(text), why);
}

static struct finding_key key_of(enum rule rule, const char *writer, const char *first,
                                 const char *second)
{
    struct finding_key key = {.rule = rule, .place_count = second ? 2 : 1};

    snprintf(key.writer, sizeof key.writer, "%s", writer);
    snprintf(key.places[0], sizeof key.places[0], "%s", first);
    snprintf(key.places[1], sizeof key.places[1], "%s", second ? second : "");
    return key;
}

static bool has(const char *text, const char *writer, const char *first, const char *second)
{
    struct finding_key key = key_of(RULE_stale_fetch, writer, first, second);
    struct baseline *b = parse(text);
    bool found = baseline_has(b, &key);

    baseline_free(b);
    return found;
}

static void a_finding_is_known_if_rule_and_writer_are_equal_and_a_place_is_common(void **state)
{
    static const char text[] = HEAD "stale-fetch by writer at here there\n";

    (void)state;
    assert_true(has(text, "writer", "here", NULL));
    assert_true(has(text, "writer", "elsewhere", "there"));
    assert_false(has(text, "writer", "elsewhere", NULL));
    assert_false(has(text, "another", "here", NULL));
    assert_false(has(HEAD "missing-local-fence by writer at here\n", "writer", "here", NULL));
    assert_false(has(HEAD, "writer", "here", NULL));
}

static void if_the_writer_is_not_known_all_places_must_be(void **state)
{
    static const char text[] = HEAD "stale-fetch by - at here there\n";

    (void)state;
    assert_true(has(text, "-", "here", NULL));
    assert_true(has(text, "-", "there", "here"));
    assert_false(has(text, "-", "here", "elsewhere"));
    assert_false(has(text, "writer", "here", NULL));
}

static void a_star_is_any_function(void **state)
{
    (void)state;
    assert_true(has(HEAD "stale-fetch by * at here\n", "writer", "here", NULL));
    assert_true(has(HEAD "stale-fetch by - at *\n", "-", "here", "there"));
    assert_false(has(HEAD "stale-fetch by * at here\n", "writer", "there", NULL));
    assert_false(has(HEAD "stale-fetch by writer* at here\n", "writer", "here", NULL));
}

static void what_the_compiler_has_added_to_a_name_does_not_count(void **state)
{
    (void)state;
    assert_true(has(HEAD "stale-fetch by writer.isra.0 at here.part.0\n", "writer", "here", NULL));
    assert_false(has(HEAD "stale-fetch by write.isra.0 at here\n", "writer", "here", NULL));
}

static void comments_blanks_and_ends_of_lines_of_other_systems_do_not_matter(void **state)
{
    (void)state;
    assert_true(has("rvftrace-baseline 2\r\n# stale-fetch\r\n\r\n  \t\n"
                    "  stale-fetch  by\twriter at  here \r\n",
                    "writer", "here", NULL));
    assert_true(has(HEAD "stale-fetch by writer at here", "writer", "here", NULL));
}

static void a_file_that_is_no_baseline_is_refused(void **state)
{
    (void)state;
    refuses("", "known: no baseline");
    refuses("\n" HEAD, "known: no baseline");
    refuses("rvftrace-baseline 3\n", "known: no baseline");
    refuses("rvftrace-baseline 20\n", "known: no baseline");
    refuses("{\"version\":3}\n", "known: no baseline");
    refuses_bytes("\0", 1, "known: no baseline");
}

static void a_baseline_with_the_keys_of_before_is_to_be_written_again(void **state)
{
    (void)state;
    refuses("rvftrace-baseline 1\nstale-fetch by w at here\n", "known: its first line is `rvftrace-"
                                                               "baseline 1'");
    refuses("rvftrace-baseline 1", "write it again with --write-baseline");
}

static void a_damaged_line_is_refused_and_named(void **state)
{
    static const char *const damaged[] = {
        "stale-fetch",
        "stale-fetch by",
        "stale-fetch by writer",
        "stale-fetch by writer at",
        "stale-fetch by writer here",
        "stale-fetch at here",
        "stale-fetch writer by at here",
        "stale-fetch BY writer AT here",
    };

    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        char *text = xasprintf(HEAD "# a comment\n%s\n", damaged[i]);

        refuses(text, "known:3: not a line of a baseline; expected `RULE by");
        free(text);
    }
    refuses_bytes(HEAD "stale-fetch by w\0 at here\n", sizeof HEAD + 25, "known:2: has a NUL byte");
}

static void an_unknown_rule_is_refused_with_the_nearest_one(void **state)
{
    (void)state;
    refuses(HEAD "stale-fetsh by w at here\n",
            "known:2: there is no rule `stale-fetsh'; did you mean `stale-fetch'?");
    refuses(HEAD "xyz by w at here\n", "known:2: there is no rule `xyz'; docs/rules.md");
}

/* Each beginning of a file is a file or is refused: nothing else is read. */
static void no_beginning_of_a_file_does_harm(void **state)
{
    static const char text[] =
        HEAD "# c\nstale-fetch by writer at here there\nmissing-local-fence by * at -\n";

    (void)state;
    for (size_t size = 0; size < sizeof text; size++) {
        struct baseline *b = NULL;
        char *copy = xmalloc(size ? size : 1);

        memcpy(copy, text, size);
        if (parse_bytes(copy, size, &b) == EXIT_PASS)
            baseline_free(b);
        else
            assert_true(said_size > 0);
        free(copy);
    }
}

static void what_was_written_is_read_and_lines_that_no_longer_occur_are_told(void **state)
{
    struct finding_key one = key_of(RULE_stale_fetch, "w", "a", "b");
    struct finding_key two = key_of(RULE_missing_local_fence, "-", "m:c", NULL);
    struct baseline *b;
    char *text;
    size_t size, at = 0;
    FILE *out = open_memstream(&text, &size);
    unsigned line;

    (void)state;
    baseline_write_head(out);
    baseline_write(out, &one);
    baseline_write(out, &two);
    fclose(out);
    b = parse(text);
    assert_true(baseline_has(b, &one) && baseline_has(b, &two));
    baseline_mark(b, &one);
    assert_string_equal(baseline_gone(b, &at, &line), "missing-local-fence by - at m:c");
    assert_int_equal(line, 4);
    assert_null(baseline_gone(b, &at, &line));
    at = 0;
    baseline_mark(b, &two);
    assert_null(baseline_gone(b, &at, &line));
    baseline_free(b);
    free(text);
}

/* ---- names ---- */

static void a_key_has_the_name_in_the_source_as_one_word(void **state)
{
    char name[KEY_NAME_MAX];

    (void)state;
    finding_key_name(name, "update.constprop.0");
    assert_string_equal(name, "update");
    finding_key_name(name, ".hidden");
    assert_string_equal(name, ".hidden");
    finding_key_name(name, "");
    assert_string_equal(name, KEY_UNKNOWN);
    finding_key_name(name, "operator new\n");
    assert_string_equal(name, "operator?new?");
}

static const char *nearest(const char *wrong, const char *const *names)
{
    struct nearest n = nearest_to(wrong);

    for (; *names; names++)
        nearest_offer(&n, *names);
    return n.found;
}

static void the_nearest_name_takes_the_fewest_changes(void **state)
{
    static const char *const names[] = {"schedule", "schedule_tail", "reschedule", "do_exit", NULL};

    (void)state;
    assert_string_equal(nearest("shedule", names), "schedule");
    assert_string_equal(nearest("schedule_tial", names), "schedule_tail");
    assert_string_equal(nearest("rschedule", names), "schedule"); /* of equals the first */
    assert_string_equal(nearest("do_exit", names), "do_exit");
    assert_null(nearest("kmalloc", names));
    assert_null(nearest("", names));
    assert_null(nearest("x", names));
}

static void two_neighbours_that_are_exchanged_are_one_change(void **state)
{
    static const char *const names[] = {"run", "log", "report", NULL};

    (void)state;
    assert_string_equal(nearest("rnu", names), "run");
    assert_string_equal(nearest("lgo", names), "log");
    assert_string_equal(nearest("reprot", names), "report");
    assert_null(nearest("nur", names));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_is_known_if_rule_and_writer_are_equal_and_a_place_is_common),
        cmocka_unit_test(if_the_writer_is_not_known_all_places_must_be),
        cmocka_unit_test(a_star_is_any_function),
        cmocka_unit_test(what_the_compiler_has_added_to_a_name_does_not_count),
        cmocka_unit_test(comments_blanks_and_ends_of_lines_of_other_systems_do_not_matter),
        cmocka_unit_test(a_file_that_is_no_baseline_is_refused),
        cmocka_unit_test(a_baseline_with_the_keys_of_before_is_to_be_written_again),
        cmocka_unit_test(a_damaged_line_is_refused_and_named),
        cmocka_unit_test(an_unknown_rule_is_refused_with_the_nearest_one),
        cmocka_unit_test(no_beginning_of_a_file_does_harm),
        cmocka_unit_test(what_was_written_is_read_and_lines_that_no_longer_occur_are_told),
        cmocka_unit_test(a_key_has_the_name_in_the_source_as_one_word),
        cmocka_unit_test(the_nearest_name_takes_the_fewest_changes),
        cmocka_unit_test(two_neighbours_that_are_exchanged_are_one_change),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    free(said);
    return failed;
}
