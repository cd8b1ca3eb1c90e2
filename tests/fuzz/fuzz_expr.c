/*
 * fuzz_expr.c - expressions for the debugger (debug/expr.h). The value of a register
 * is its name's length, that of a symbol twice that, and half of memory can be
 * read. There is a value or a message, never both, and the position after it is
 * right.
 */
#include <ctype.h>

#include "debug/expr.h"
#include "fuzz/check.h"
#include "fuzz/input.h"

enum { TEXT_MAX = 2000 };

static bool some_register(void *ctx, const char *name, uint64_t *value)
{
    (void)ctx;
    CHECK(strlen(name) < EXPR_NAME_MAX);
    *value = strlen(name);
    return name[0] != 'n';
}

static bool some_symbol(void *ctx, const char *name, uint64_t *value)
{
    CHECK(strlen(name) > 0);
    return some_register(ctx, name, value) && (*value *= 2);
}

static bool some_memory(void *ctx, uint64_t address, uint64_t *value)
{
    (void)ctx;
    *value = ~address;
    return !(address & 1);
}

/* The same text in parentheses has the same value. */
static void check_parentheses(const char *text, size_t len, const struct expr_env *env,
                              uint64_t expected)
{
    char again[TEXT_MAX + 3], why[EXPR_WHY_MAX] = "";
    const char *at = again;
    uint64_t value;

    snprintf(again, sizeof again, "(%.*s)", (int)len, text);
    if (expr_eval(&at, env, &value, why))
        CHECK(value == expected && !*at);
    else
        CHECK(strstr(why, "nested too deeply"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct expr_env env = {NULL, some_register, some_symbol, some_memory};
    size_t len = size < TEXT_MAX ? size : TEXT_MAX;
    char *text = calloc(1, len + 1), why[EXPR_WHY_MAX] = "";
    const char *at = text;
    uint64_t value = 0;

    memcpy(text, bytes, len);
    if (expr_eval(&at, &env, &value, why)) {
        CHECK(!why[0] && at > text && at <= text + strlen(text));
        CHECK(!isspace((unsigned char)*at));
        check_parentheses(text, (size_t)(at - text), &env, value);
    } else {
        CHECK(why[0] && memchr(why, '\0', sizeof why) && at == text);
    }
    free(text);
    return 0;
}
