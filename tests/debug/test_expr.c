/*
 * test_expr.c - the values of the expressions that a user types. Registers, symbols and memory
 * are simulated, so only the grammar is tested.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "debug/expr.h"

static bool known_register(void *ctx, const char *name, uint64_t *value)
{
    (void)ctx;
    *value = 0x1000;
    return !strcmp(name, "sp");
}

static bool known_symbol(void *ctx, const char *name, uint64_t *value)
{
    (void)ctx;
    *value = UINT64_C(0xffffffff80000000);
    return !strcmp(name, "schedule") || !strcmp(name, ".Lx$1");
}

/* Each readable cell holds its own address plus one. */
static bool readable_below_64k(void *ctx, uint64_t address, uint64_t *value)
{
    (void)ctx;
    if (address >= 0x10000)
        return false;
    *value = address + 1;
    return true;
}

static const struct expr_env env = {NULL, known_register, known_symbol, readable_below_64k};

static void expect(const char *text, uint64_t value, const char *rest)
{
    char why[EXPR_WHY_MAX] = "";
    uint64_t found = 0;

    if (!expr_eval(&text, &env, &found, why))
        fail_msg("%s: %s", text, why);
    assert_int_equal(found, value);
    assert_string_equal(text, rest);
}

static void refuse(const char *text, const char *reason)
{
    char why[EXPR_WHY_MAX] = "";
    const char *at = text;
    uint64_t value;

    assert_false(expr_eval(&at, &env, &value, why));
    assert_ptr_equal(at, text);
    assert_non_null(strstr(why, reason));
}

static void numbers_are_decimal_or_hexadecimal(void **state)
{
    (void)state;
    expect("12", 12, "");
    expect("0x1F", 31, "");
    expect("010", 10, "");
    expect("18446744073709551615", UINT64_MAX, "");
    refuse("18446744073709551616", "64 bits");
    refuse("0x10000000000000000", "64 bits");
    refuse("0x", "expected digits after 0x");
    refuse("12ab", "invalid digit");
    refuse("0x1g", "invalid digit");
}

static void registers_and_symbols_are_looked_up(void **state)
{
    (void)state;
    expect("$sp", 0x1000, "");
    expect("schedule", UINT64_C(0xffffffff80000000), "");
    expect(".Lx$1", UINT64_C(0xffffffff80000000), "");
    refuse("$nothing", "no register $nothing");
    refuse("nothing", "no symbol nothing");
}

static void operators_bind_as_in_c(void **state)
{
    (void)state;
    expect("2+3*4", 14, "");
    expect("(2+3)*4", 20, "");
    expect("1<<2+1", 8, "");
    expect("0xff & 0x0f | 0x100", 0x10f, "");
    expect("1|6&3", 3, "");
    expect("256 >> 4 >> 2", 4, "");
    expect("10-3-2", 5, "");
    expect("7*9/2%8", 7, "");
    refuse("1/0", "division by zero");
    refuse("1 % (2-2)", "division by zero");
}

static void comparisons_are_1_or_0_and_bind_as_in_c(void **state)
{
    (void)state;
    expect("3 == 3", 1, "");
    expect("3 != 3", 0, "");
    expect("2 < 3", 1, "");
    expect("3 <= 3", 1, "");
    expect("3 > 3", 0, "");
    expect("3 >= 4", 0, "");
    expect("-1 < 1", 0, "");
    expect("1 << 2 < 5", 1, "");
    expect("6 & 3 == 3", 0, "");
    expect("6 ^ 3 | 8", 13, "");
    expect("1 + 1 == 2 && 3 > 2", 1, "");
    expect("0 || 0 && 1", 0, "");
    expect("1 || 0 && 0", 1, "");
    expect("!5", 0, "");
    expect("!0 + 1", 2, "");
    expect("5 != 4 hart 1", 1, "hart 1");
    expect("0x20=1", 0x20, "=1");
    refuse("1 ==", "expected a value at the end");
}

static void what_and_and_or_do_not_need_is_not_read(void **state)
{
    (void)state;
    expect("0 && *schedule", 0, "");
    expect("1 || *schedule == 3", 1, "");
    expect("0 && 1 / 0", 0, "");
    expect("(0 && *schedule) + *0x20", 0x21, "");
    refuse("1 && *schedule", "cannot read memory at");
    refuse("0 && nothing", "no symbol nothing");
    refuse("0 && *schedule || *schedule", "cannot read memory at");
}

static void signs_stand_before_what_they_change(void **state)
{
    (void)state;
    expect("-1", UINT64_MAX, "");
    expect("~0 >> 60", 15, "");
    expect("- -5", 5, "");
    expect("3 - -2", 5, "");
    expect("2*-3 + 7", 1, "");
}

static void values_wrap_at_64_bits_and_shifts_run_out(void **state)
{
    (void)state;
    expect("0xffffffffffffffff + 2", 1, "");
    expect("0 - 1", UINT64_MAX, "");
    expect("1 << 63", UINT64_C(1) << 63, "");
    expect("1 << 64", 0, "");
    expect("-1 >> 99999999999", 0, "");
}

static void a_star_loads_eight_bytes(void **state)
{
    (void)state;
    expect("*0x20", 0x21, "");
    expect("*$sp", 0x1001, "");
    expect("*$sp + 1", 0x1002, "");
    expect("*($sp + 1)", 0x1002, "");
    expect("**0x20", 0x22, "");
    expect("3**2", 9, "");
    refuse("*schedule", "cannot read memory at 0xffffffff80000000");
}

static void an_expression_ends_where_no_operator_follows(void **state)
{
    (void)state;
    expect("schedule+0x1c 10", UINT64_C(0xffffffff8000001c), "10");
    expect("$sp 4 d", 0x1000, "4 d");
    expect(" ( 1 ) hart 2", 1, "hart 2");
    expect("1)", 1, ")");
}

static void what_is_no_expression_is_refused(void **state)
{
    (void)state;
    refuse("", "expected a value at the end");
    refuse("1+", "expected a value at the end");
    refuse("+1", "expected a value at `+1`");
    refuse("(1", "expected `)`");
    refuse("1+)", "expected a value at");
    refuse("()", "expected a value at");
    refuse("%", "expected a value at");
    refuse("$", "no register $");
}

static void depth_and_length_have_limits(void **state)
{
    char text[2000];

    (void)state;
    memset(text, '(', sizeof text);
    text[sizeof text - 1] = '\0';
    refuse(text, "nested too deeply");
    memset(text, '-', sizeof text - 1);
    refuse(text, "nested too deeply");
    memset(text, 'a', sizeof text - 1);
    refuse(text, "too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_decimal_or_hexadecimal),
        cmocka_unit_test(registers_and_symbols_are_looked_up),
        cmocka_unit_test(operators_bind_as_in_c),
        cmocka_unit_test(comparisons_are_1_or_0_and_bind_as_in_c),
        cmocka_unit_test(what_and_and_or_do_not_need_is_not_read),
        cmocka_unit_test(signs_stand_before_what_they_change),
        cmocka_unit_test(values_wrap_at_64_bits_and_shifts_run_out),
        cmocka_unit_test(a_star_loads_eight_bytes),
        cmocka_unit_test(an_expression_ends_where_no_operator_follows),
        cmocka_unit_test(what_is_no_expression_is_refused),
        cmocka_unit_test(depth_and_length_have_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
