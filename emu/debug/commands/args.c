/*
 * args.c - reads the arguments that several commands have.
 */
#include "debug/commands/args.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "debug/commands/session.h"
#include "debug/lang/dwarf.h"
#include "debug/lang/expr.h"
#include "ftrace/sites/sites.h"
#include "load/symbols.h"

/* ---- words and numbers ---- */

bool arg_end(const struct debugger *d, const char *at)
{
    if (!*at)
        return true;
    complain(d, "unexpected argument `%s`", at);
    return false;
}

bool arg_count(struct debugger *d, const char **at, uint64_t *value)
{
    if (**at == '-') {
        complain(d, "invalid count: expected 1 or more");
        return false;
    }
    if (!isdigit((unsigned char)**at) && **at != '$' && **at != '(')
        return true;
    if (!arg_value(d, at, "a count", value))
        return false;
    if (*value)
        return true;
    complain(d, "invalid count: expected 1 or more");
    return false;
}

static size_t word_len(const char *at)
{
    return strcspn(at, " \t");
}

static void skip_word(const char **at, size_t len)
{
    *at += len;
    *at += strspn(*at, " \t");
}

bool arg_word(const char **at, char *word, size_t size)
{
    size_t len = word_len(*at);

    if (!len || len >= size)
        return false;
    memcpy(word, *at, len);
    word[len] = '\0';
    skip_word(at, len);
    return true;
}

bool arg_keyword(const char **at, const char *keyword)
{
    size_t len = word_len(*at);

    if (len != strlen(keyword) || strncmp(*at, keyword, len) != 0)
        return false;
    skip_word(at, len);
    return true;
}

bool arg_hart(struct debugger *d, const char **at, uint32_t *hart)
{
    uint64_t value;

    if (!arg_value(d, at, "a hart number", &value))
        return false;
    if (value >= target_hart_count(d->target)) {
        complain(d, "no hart %" PRIu64 ": expected 0 to %u", value,
                 target_hart_count(d->target) - 1);
        return false;
    }
    *hart = (uint32_t)value;
    return true;
}

bool arg_thread(struct debugger *d, const char **at, uint32_t *hart)
{
    uint64_t value;

    if (!arg_value(d, at, "a thread's number", &value))
        return false;
    if (!value || value > target_hart_count(d->target)) {
        complain(d, "Unknown thread %" PRIu64 ".", value);
        return false;
    }
    *hart = (uint32_t)value - 1;
    return true;
}

unsigned arg_unit(const char **at)
{
    if (arg_keyword(at, "b"))
        return 1;
    if (arg_keyword(at, "h"))
        return 2;
    if (arg_keyword(at, "w"))
        return 4;
    if (arg_keyword(at, "d"))
        return 8;
    return 0;
}

void words_before(char text[NAME_MAX_LEN], const char *start, const char *end)
{
    while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    snprintf(text, NAME_MAX_LEN, "%.*s", (int)(end - start), start);
}

/* ---- expressions ---- */

bool complain_why(const struct debugger *d)
{
    complain(d, "%s", language_why(d->language));
    return false;
}

struct expr *arg_expr(struct debugger *d, const char **at, enum expr_extent extent,
                      const char *what)
{
    struct expr *e;

    if (!**at) {
        complain(d, "expected %s", what);
        return NULL;
    }
    e = expr_parse(d->language, at, extent);
    if (!e)
        complain_why(d);
    return e;
}

static bool arg_any(struct debugger *d, const char **at, const char *what, struct value *v)
{
    struct expr *e = arg_expr(d, at, EXPR_ARGUMENT, what);
    bool ok = e && expr_evaluate(d->language, e, v);

    if (e && !ok)
        complain_why(d);
    expr_free(e);
    return ok;
}

bool arg_value(struct debugger *d, const char **at, const char *what, uint64_t *value)
{
    struct value v;

    if (!arg_any(d, at, what, &v))
        return false;
    if (value_address(d->language, v, value))
        return true;
    complain_why(d);
    return false;
}

/*
 * Replaces the address of a function that was given by its name alone by that of its symbol. The
 * debug information may have the function begin after its site, and the name must find the site.
 */
static void to_symbol(const struct debugger *d, const char *text, const char *end, uint64_t *va)
{
    char name[NAME_MAX_LEN];
    struct debug_symbol s;
    uint64_t start;

    words_before(name, text, end);
    if (symbols_find(d->config.symbols, name, &start) && start < *va &&
        *va - start <= SITE_BYTES_MAX && debug_find(d->info, 0, 0, name, &s) &&
        s.class == DEBUG_FUNCTION && s.address == *va)
        *va = start;
}

bool arg_code(struct debugger *d, const char **at, const char *what, uint64_t *value)
{
    const char *text = *at;

    if (!arg_value(d, at, what, value))
        return false;
    to_symbol(d, text, *at, value);
    return true;
}

/* Whether the type is a function's, whose size in C is 1. */
static bool is_function(const struct debugger *d, struct type *type)
{
    const struct type *stripped = type_strip(language_types(d->language), type);

    return stripped && stripped->kind == TYPE_FUNCTION;
}

bool arg_variable(struct debugger *d, const char **at, const char *what, uint64_t *address,
                  uint64_t *size)
{
    const char *text = *at;
    struct value v;

    if (!arg_any(d, at, what, &v))
        return false;
    if (v.place == VALUE_IN_REGISTER) {
        complain(d, "cannot watch a register, only memory: its value changes with almost every "
                    "instruction");
        return false;
    }
    if (v.place == VALUE_IN_MEMORY) {
        *address = v.address;
        *size = type_size(language_types(d->language), v.type);
        if (is_function(d, v.type)) {
            to_symbol(d, text, *at, address);
            *size = 0;
        }
        return true;
    }
    *size = 0;
    if (value_integer(d->language, v, address))
        return true;
    complain_why(d);
    return false;
}
