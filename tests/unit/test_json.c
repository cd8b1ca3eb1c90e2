/*
 * test_json.c - the output of the JSON writer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

struct world {
    char *text;
    size_t len;
    struct json j;
};

static struct json *build(struct world *w)
{
    *w = (struct world){0};
    w->j = json_to(open_memstream(&w->text, &w->len));
    return &w->j;
}

static void expect(struct world *w, const char *text)
{
    fclose(w->j.out);
    assert_string_equal(w->text, text);
    free(w->text);
}

static void numbers_keep_all_64_bits(void **state)
{
    struct world w;
    struct json *j = build(&w);

    (void)state;
    json_begin_array(j, NULL);
    json_number(j, NULL, 0);
    json_number(j, NULL, UINT64_C(1) << 63);
    json_number(j, NULL, UINT64_MAX);
    json_hex(j, NULL, UINT64_MAX);
    json_end(j);
    expect(&w, "[0,9223372036854775808,18446744073709551615,\"0xffffffffffffffff\"]");
}

static void numbers_may_have_a_sign(void **state)
{
    struct world w;
    struct json *j = build(&w);

    (void)state;
    json_begin_array(j, NULL);
    json_signed(j, NULL, -1);
    json_signed(j, NULL, INT64_MIN);
    json_signed(j, NULL, 7);
    json_end(j);
    expect(&w, "[-1,-9223372036854775808,7]");
}

static void objects_and_arrays_nest(void **state)
{
    struct world w;
    struct json *j = build(&w);

    (void)state;
    json_begin_object(j, NULL);
    json_begin_array(j, "a");
    json_begin_object(j, NULL);
    json_end(j);
    json_null(j, NULL);
    json_end(j);
    json_text(j, "b", NULL);
    json_text(j, "c", "d");
    json_end(j);
    expect(&w, "{\"a\":[{},null],\"b\":null,\"c\":\"d\"}");
}

static void a_line_break_comes_after_the_comma(void **state)
{
    struct world w;
    struct json *j = build(&w);

    (void)state;
    json_begin_array(j, NULL);
    for (uint64_t i = 0; i < 2; i++) {
        json_line(j, 2);
        json_number(j, NULL, i);
    }
    json_line(j, 0);
    json_end(j);
    expect(&w, "[\n  0,\n  1\n]");
}

static void an_empty_list_has_no_line_break(void **state)
{
    struct world w;
    struct json *j = build(&w);

    (void)state;
    json_begin_array(j, NULL);
    json_line(j, 1);
    json_end(j);
    expect(&w, "[]");
}

static void strings_are_quoted(void **state)
{
    struct world w;

    (void)state;
    json_text(build(&w), NULL, "a\"b\\c\n\t\x01\x7f/");
    expect(&w, "\"a\\\"b\\\\c\\n\\t\\u0001\x7f/\"");
}

static void utf8_stays_and_other_bytes_are_replaced(void **state)
{
    static const struct {
        const char *bytes, *text;
    } rows[] = {
        {"caf\xc3\xa9", "\"caf\xc3\xa9\""},
        {"\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"caf\xe9", "\"caf\xef\xbf\xbd\""},
        {"\xc3", "\"\xef\xbf\xbd\""},                                 /* cut off */
        {"\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                 /* overlong */
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* a surrogate */
        {"\xf4\x90\x80\x80z",
         "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\""}, /* too large */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct world w;

        json_text(build(&w), NULL, rows[i].bytes);
        expect(&w, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_keep_all_64_bits),
        cmocka_unit_test(numbers_may_have_a_sign),
        cmocka_unit_test(objects_and_arrays_nest),
        cmocka_unit_test(a_line_break_comes_after_the_comma),
        cmocka_unit_test(an_empty_list_has_no_line_break),
        cmocka_unit_test(strings_are_quoted),
        cmocka_unit_test(utf8_stays_and_other_bytes_are_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
