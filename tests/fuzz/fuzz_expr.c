/*
 * fuzz_expr.c - expressions for the debugger (debug/lang/expr.h), without debug information. The
 * value of a register is its name's length, the address of a symbol twice that, and half of memory
 * can be read. There is a value or a message, never both; the position after it is right; what is
 * printed of it has no end of line.
 */
#include <ctype.h>

#include "debug/lang/dwarf.h"
#include "debug/lang/expr.h"
#include "fuzz/check.h"
#include "fuzz/input.h"

enum { TEXT_MAX = 2000 };

static int some_register(void *ctx, const char *name)
{
    (void)ctx;
    CHECK(strlen(name) < EXPR_NAME_MAX);
    return name[0] != 'n' ? (int)strlen(name) : -1;
}

static void some_kind(void *ctx, unsigned number, unsigned *bits, unsigned *kind)
{
    (void)ctx;
    *bits = number % 2 ? 64 : 32;
    *kind = *bits == 64 ? number / 2 % 4 : 0;
}

static bool some_value(void *ctx, unsigned number, uint64_t *value)
{
    (void)ctx;
    *value = number;
    return number % 7 != 0;
}

static bool no_register(void *ctx, unsigned number, uint64_t value)
{
    (void)ctx;
    (void)number;
    (void)value;
    return false;
}

static bool some_memory(void *ctx, uint64_t address, void *to, size_t len)
{
    (void)ctx;
    memset(to, (int)address, len);
    return !(address & 1);
}

static bool no_memory(void *ctx, uint64_t address, const void *from, size_t len)
{
    (void)ctx;
    (void)from;
    (void)len;
    return !(address & 1);
}

static bool some_symbol(void *ctx, const char *name, struct plain_symbol *s)
{
    (void)ctx;
    CHECK(strlen(name) > 0);
    *s = (struct plain_symbol){.address = 2 * strlen(name), .code = name[0] == 'c'};
    return name[0] != 'n';
}

static const char *no_name(void *ctx, uint64_t address, uint64_t *offset)
{
    (void)ctx;
    (void)address;
    (void)offset;
    return NULL;
}

static void check_value(struct language *l, struct expr *e)
{
    static const char letters[] = "xduotzcafs";
    struct print_format f = {.letter = 0};
    char *text = NULL;
    size_t size;
    struct value v;
    FILE *out;

    if (!expr_evaluate(l, e, &v)) {
        CHECK(language_why(l)[0]);
        return;
    }
    out = open_memstream(&text, &size);
    CHECK(out);
    for (size_t i = 0; i < sizeof letters; i++) { /* the last one is 0: by the type */
        f.letter = letters[i];
        (void)!value_print(l, out, v, f);
    }
    fclose(out);
    CHECK(!strchr(text, '\n'));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct language_env env = {
        .find_register = some_register,
        .register_kind = some_kind,
        .get_register = some_value,
        .set_register = no_register,
        .load = some_memory,
        .store = no_memory,
        .symbol = some_symbol,
        .name_at = no_name,
    };
    size_t len = size < TEXT_MAX ? size : TEXT_MAX;
    char *text = calloc(1, len + 1);
    const char *at = text;
    struct debug_info *info = debug_info_new(NULL);
    struct language *l = language_new(&env, info);
    struct expr *e;

    memcpy(text, bytes, len);
    e = expr_parse(l, &at, EXPR_LONGEST);
    if (e) {
        CHECK(at > text && at <= text + strlen(text));
        CHECK(!isspace((unsigned char)*at));
        if (!expr_type_name(e))
            check_value(l, e);
    } else {
        CHECK(language_why(l)[0] && at == text);
    }
    expr_free(e);
    language_free(l);
    debug_info_free(info);
    free(text);
    return 0;
}
