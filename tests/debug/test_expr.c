/*
 * test_expr.c - the values of the expressions that a user types, without debug information:
 * grammar, arithmetic, history, variables. Registers, symbols and memory are simulated.
 * tests/debug/like_gdb.sh compares the rest with gdb.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "debug/lang/dwarf.h"
#include "debug/lang/expr.h"

static struct debug_info *info;
static struct language *language;
static uint64_t sp = 0x1000;
static unsigned loads;

static int find_register(void *ctx, const char *name)
{
    (void)ctx;
    return strcmp(name, "sp") ? -1 : 2;
}

static void register_kind(void *ctx, unsigned number, unsigned *bits, unsigned *kind)
{
    (void)ctx;
    (void)number;
    *bits = 64;
    *kind = 2; /* a data address */
}

static bool get_register(void *ctx, unsigned number, uint64_t *value)
{
    (void)ctx;
    *value = sp;
    return number == 2;
}

static bool set_register(void *ctx, unsigned number, uint64_t value)
{
    (void)ctx;
    sp = value;
    return number == 2;
}

static uint8_t memory[0x100]; /* at address 0x2000 */

static bool load(void *ctx, uint64_t address, void *to, size_t len)
{
    (void)ctx;
    loads++;
    if (address < 0x2000 || address + len > 0x2000 + sizeof memory)
        return false;
    memcpy(to, memory + (address - 0x2000), len);
    return true;
}

static bool store(void *ctx, uint64_t address, const void *from, size_t len)
{
    (void)ctx;
    if (address < 0x2000 || address + len > 0x2000 + sizeof memory)
        return false;
    memcpy(memory + (address - 0x2000), from, len);
    return true;
}

static bool find_symbol(void *ctx, const char *name, struct plain_symbol *s)
{
    (void)ctx;
    *s = (struct plain_symbol){.address = 0x2000, .code = !strcmp(name, "schedule")};
    return s->code || !strcmp(name, "counter") || !strcmp(name, "part.0") || !strcmp(name, ".Lx$1");
}

static const char *name_at(void *ctx, uint64_t address, uint64_t *offset)
{
    (void)ctx;
    *offset = address - 0x2000;
    return *offset < 8 ? "schedule" : NULL;
}

static int begin(void **state)
{
    static const struct language_env env = {
        .find_register = find_register,
        .register_kind = register_kind,
        .get_register = get_register,
        .set_register = set_register,
        .load = load,
        .store = store,
        .symbol = find_symbol,
        .name_at = name_at,
    };

    (void)state;
    info = debug_info_new(NULL);
    language = language_new(&env, info);
    sp = 0x1000;
    loads = 0;
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = (uint8_t)i;
    return 0;
}

static int end(void **state)
{
    (void)state;
    language_free(language);
    debug_info_free(info);
    return 0;
}

/* What `print` shows of it, or the message; the rest of the text in *rest. */
static char *shown(const char *text, const char **rest)
{
    struct print_format plain = {.letter = 0};
    char *out = NULL;
    size_t size;
    struct value v;
    unsigned number;
    FILE *f = open_memstream(&out, &size);
    struct expr *e = expr_parse(language, &text, EXPR_LONGEST);

    assert_non_null(f);
    *rest = text;
    if (!e || !expr_evaluate(language, e, &v) || !value_record(language, &v, &number) ||
        !value_print(language, f, v, plain))
        fprintf(f, "%s", language_why(language));
    expr_free(e);
    language_release(language);
    fclose(f);
    return out;
}

static void expect_rest(const char *text, const char *answer, const char *rest)
{
    const char *after;
    char *got = shown(text, &after);

    if (strcmp(got, answer) != 0)
        fail_msg("%s: expected %s, got %s", text, answer, got);
    if (rest)
        assert_string_equal(after, rest);
    free(got);
}

static void expect(const char *text, const char *answer)
{
    expect_rest(text, answer, "");
}

static void refuse(const char *text, const char *message)
{
    expect_rest(text, message, NULL);
}

static void numbers_have_the_types_of_c(void **state)
{
    (void)state;
    expect("12", "12");
    expect("0x1F", "31");
    expect("010", "8");
    expect("0b101", "5");
    expect("1.5e3", "1500");
    expect("18446744073709551615", "18446744073709551615");
    expect("0x80000000 - 0x80000001", "4294967295");
    expect("2147483648 - 2147483649", "-1");
    expect("1u - 2", "4294967295");
    refuse("18446744073709551616", "Numeric constant too large.");
    refuse("12ab", "Invalid number \"12ab\".");
    refuse("0x1g", "Invalid number \"0x1g\".");
}

static void characters_and_texts_have_the_escapes_of_c(void **state)
{
    (void)state;
    expect("'a'", "97 'a'");
    expect("'\\n'", "10 '\\n'");
    expect("'\\0'", "0 '\\000'");
    expect("'\\x41'", "65 'A'");
    expect("\"a\\tb\\\"\"", "\"a\\tb\\\"\"");
    expect("sizeof(\"abc\")", "4");
    refuse("\"abc", "Unterminated string in expression.");
}

static void registers_and_symbols_are_looked_up(void **state)
{
    (void)state;
    expect("$sp", "(void *) 0x1000");
    expect("schedule", "{<text variable, no debug info>} 0x2000 <schedule>");
    expect("&counter", "(<data variable, no debug info> *) 0x2000 <schedule>");
    expect("&part.0", "(<data variable, no debug info> *) 0x2000 <schedule>");
    expect("(char)counter", "0 '\\000'");
    expect("*((char *)&counter + 1)", "1 '\\001'");
    expect("$nothing", "void");
    refuse("nothing", "No symbol \"nothing\" in current context.");
    refuse("counter + 1", "a variable without debug information has unknown type; cast it to its "
                          "declared type");
}

static void operators_bind_as_in_c(void **state)
{
    (void)state;
    expect("2+3*4", "14");
    expect("(2+3)*4", "20");
    expect("1<<2+1", "8");
    expect("0xff & 0x0f | 0x100", "271");
    expect("1|6&3", "3");
    expect("256 >> 4 >> 2", "4");
    expect("10-3-2", "5");
    expect("6 & 3 == 3", "0");
    expect("0 || 0 && 1", "0");
    expect("1 || 0 && 0", "1");
    expect("!0 + 1", "2");
    expect("- -5", "5");
    expect("3 - -2", "5");
    expect("1 ? 2 : 0 ? 3 : 4", "2");
    expect("1, 2", "2");
    expect("-1 < 1", "1");
    expect("-1 < 1u", "0");
    expect("-7 / 2", "-3");
    expect("-7 % 2", "-1");
    refuse("1/0", "Division by zero");
    refuse("1 % (2-2)", "Division by zero");
}

static void what_and_and_or_do_not_need_is_not_read(void **state)
{
    (void)state;
    expect("0 && *(long *)1", "0");
    expect("1 || *(long *)1 == 3", "1");
    expect("0 && 1 / 0", "0");
    assert_int_equal(loads, 0);
    refuse("1 && *(long *)1", "Cannot access memory at address 0x1");
    refuse("0 && nothing", "No symbol \"nothing\" in current context.");
}

static void memory_is_read_by_type(void **state)
{
    (void)state;
    expect("*(char *)0x2041", "65 'A'");
    expect("*(unsigned short *)0x2002", "770");
    expect("*(int *)0x20fc == 0xfffefdfc", "1");
    expect("*(long *)0x2000", "506097522914230528");
    expect("((char *)0x2040)[1]@3", "\"ABC\"");
    expect("*(short *)0x2000@2", "{256, 770}");
    expect(
        "(char *)0x2041 + 1",
        "0x2042 \"BCDEFGHIJKLMNOPQRSTUVWXYZ[\\\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
        "\\177\\200\\201\\202\\203\\204\\205\\206\\207\\210\\211\\212\\213\\214\\215\\216\\217\\220"
        "\\221"
        "\\222\\223\\224\\225\\226\\227\\230\\231\\232\\233\\234\\235\\236\\237\\240\\241\\242\\243"
        "\\244\\245\\246\\247\\250\\251\\252\\253\\254\\255\\256\\257\\260\\261\\262\\263\\264\\265"
        "\\266\\267\\270\\271\\272\\273\\274\\275\\276\\277\\300\\301\\302\\303\\304\\305\\306\\307"
        "\\310\\311\\312\\313\\314\\315\\316\\317\\320\\321\\322\\323\\324\\325\\326\\327\\330\\331"
        "\\332\\333\\334\\335\\336\\337\\340\\341\\342\\343\\344\\345\\346\\347\\350\\351\\352\\353"
        "\\354\\355\\356\\357\\360\\361\\362\\363\\364\\365\\366\\367\\370\\371\\372\\373\\374\\375"
        "\\376\\377\"<error: Cannot access memory at address 0x2100>");
    expect("(int *)0x2010 - (int *)0x2000", "4");
    refuse("*(long *)0x20fc", "Cannot access memory at address 0x20fc");
    refuse("*$sp", "Attempt to take contents of a non-pointer value.");
}

static void assignments_write(void **state)
{
    (void)state;
    expect("*(int *)0x2000 = -2", "-2");
    expect("*(long *)0x2000", "506097527158734846");
    expect("*(char *)0x2008 += 1", "9 '\\t'");
    expect("(*(char *)0x2008)++", "9 '\\t'");
    assert_int_equal(memory[8], 10);
    expect("$sp = 0x3000", "(void *) 0x3000");
    assert_int_equal(sp, 0x3000);
    expect("$x = 5", "5");
    expect("++$x", "6");
    expect("$x * $x", "36");
    expect("sizeof($x = 7)", "4");
    expect("$x", "6");
    refuse("3 = 4", "Left operand of assignment is not an lvalue.");
    refuse("*(int *)0 = 4", "Cannot access memory at address 0x0");
}

static void the_history_is_numbered(void **state)
{
    (void)state;
    expect("11", "11");
    expect("22", "22");
    expect("$", "22");
    expect("$1 + $2", "33");
    expect("$$", "22");
    expect("$$4", "11");
    refuse("$99", "History has not yet reached $99.");
}

static void an_expression_ends_where_no_operator_follows(void **state)
{
    (void)state;
    expect_rest("0x1c 10", "28", "10");
    expect_rest(" ( 1 ) hart 2", "1", "hart 2");
    expect_rest("5 != 4 if $sp", "1", "if $sp");
    expect_rest("1)", "1", ")");
}

static void what_is_no_expression_is_refused(void **state)
{
    (void)state;
    refuse("", "A syntax error in expression, near `'.");
    refuse("1+", "A syntax error in expression, near `'.");
    refuse("(1", "A syntax error in expression, near `'.");
    refuse("1+)", "A syntax error in expression, near `)'.");
    refuse("()", "A syntax error in expression, near `)'.");
    refuse("(struct nothing *)1", "No struct type named nothing.");
    refuse("schedule(1)",
           "Functions of the guest are not called: that would change the run. In gdb, `target "
           "remote' and `print' call them.");
    refuse("int", "Attempt to use a type name as an expression");
}

static void depth_and_length_have_limits(void **state)
{
    char text[8000];

    (void)state;
    memset(text, '(', sizeof text);
    text[sizeof text - 1] = '\0';
    refuse(text, "expression is nested too deeply");
    memset(text, '-', sizeof text - 1);
    refuse(text, "expression is nested too deeply");
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = i % 2 ? '+' : '1';
    refuse(text, "expression is too long");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(numbers_have_the_types_of_c),
        TEST(characters_and_texts_have_the_escapes_of_c),
        TEST(registers_and_symbols_are_looked_up),
        TEST(operators_bind_as_in_c),
        TEST(what_and_and_or_do_not_need_is_not_read),
        TEST(memory_is_read_by_type),
        TEST(assignments_write),
        TEST(the_history_is_numbered),
        TEST(an_expression_ends_where_no_operator_follows),
        TEST(what_is_no_expression_is_refused),
        TEST(depth_and_length_have_limits),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
