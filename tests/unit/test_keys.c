/*
 * test_keys.c - the escape of the terminal, key by key.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/keys.h"

static void every_byte_but_the_escape_is_sent(void **state)
{
    struct keys k = {0};

    (void)state;
    for (unsigned byte = 0; byte < 256; byte++)
        if (byte != CTRL('A'))
            assert_int_equal(keys_take(&k, (uint8_t)byte), KEY_SEND);
}

static void one_byte_behind_the_escape_is_ours(void **state)
{
    static const struct {
        uint8_t byte;
        enum key_action action;
    } rows[] = {{'x', KEY_QUIT},         {'c', KEY_DEBUG},      {'h', KEY_HELP},
                {CTRL('A'), KEY_SEND},   {CTRL('C'), KEY_SEND}, {'y', KEY_SWALLOW},
                {'\r', KEY_SWALLOW},     {0, KEY_SWALLOW},      {'X', KEY_SWALLOW},
                {CTRL('X'), KEY_SWALLOW}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct keys k = {0};

        assert_int_equal(keys_take(&k, CTRL('A')), KEY_SWALLOW);
        assert_int_equal(keys_take(&k, rows[i].byte), rows[i].action);
        assert_int_equal(keys_take(&k, 'x'), KEY_SEND); /* the escape is over */
    }
}

static void ctrl_c_stops_where_it_is_asked_to(void **state)
{
    struct keys k = {.ctrl_c_stops = true};

    (void)state;
    assert_int_equal(keys_take(&k, CTRL('C')), KEY_DEBUG);
    assert_int_equal(keys_take(&k, CTRL('A')), KEY_SWALLOW);
    assert_int_equal(keys_take(&k, CTRL('C')), KEY_SEND);
    assert_int_equal(keys_take(&k, CTRL('C')), KEY_DEBUG);
}

static void the_help_has_a_line_for_each_key(void **state)
{
    char *text;
    size_t size, lines = 0;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    keys_print_help(out);
    fclose(out);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 5);
    for (const char *at = text; *at; at = strchr(at, '\n') + 1)
        assert_memory_equal(at, "Ctrl-A ", 7);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_but_the_escape_is_sent),
        cmocka_unit_test(one_byte_behind_the_escape_is_ours),
        cmocka_unit_test(ctrl_c_stops_where_it_is_asked_to),
        cmocka_unit_test(the_help_has_a_line_for_each_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
