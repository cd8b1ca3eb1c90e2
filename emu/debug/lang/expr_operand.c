/*
 * expr_operand.c - the operands of expressions, with the operators before and after them.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hex.h"
#include "debug/lang/dwarf.h"
#include "debug/lang/expr_priv.h"

static struct node *constant(struct parser *p, struct type *type, uint64_t number)
{
    struct node *n = node_new(p, NODE_CONSTANT);

    n->type = type;
    n->number = number;
    return n;
}

/*
 * Returns the type of a number, by C's rules: a hexadecimal one may be unsigned without a suffix.
 */
static struct type *type_of_number(struct parser *p, uint64_t number, bool decimal, unsigned longs,
                                   bool is_unsigned)
{
    struct types *t = language_types(p->l);

    if (!longs && !is_unsigned && number <= INT32_MAX)
        return type_builtin(t, "int");
    if (!longs && (is_unsigned || !decimal) && number <= UINT32_MAX)
        return type_builtin(t, "unsigned int");
    if (!is_unsigned && number <= INT64_MAX)
        return type_builtin(t, longs > 1 ? "long long" : "long");
    return type_builtin(t, longs > 1 ? "unsigned long long" : "unsigned long");
}

static struct node *invalid_number(struct parser *p, const char *text, size_t len)
{
    language_fail(p->l, "Invalid number \"%.*s\".", (int)(len < 80 ? len : 80), text);
    return NULL;
}

static struct node *parse_real(struct parser *p, size_t len)
{
    struct node *n = node_new(p, NODE_CONSTANT);
    char *end, last;

    n->real = strtod(p->at, &end);
    last = end < p->at + len ? *end : '\0';
    if (end + (last != '\0') != p->at + len || (last && !strchr("fFlL", last)))
        return invalid_number(p, p->at, len);
    n->type = type_float(language_types(p->l), last == 'f' || last == 'F' ? 4 : 8);
    p->at += len;
    return n;
}

static struct node *parse_integer(struct parser *p, size_t len)
{
    const char *text = p->at, *at = text, *end = text + len;
    unsigned base = 10, longs = 0;
    bool is_unsigned = false;
    uint64_t number = 0;

    if (len > 1 && *at == '0') {
        base = tolower((unsigned char)at[1]) == 'x'   ? 16
               : tolower((unsigned char)at[1]) == 'b' ? 2
                                                      : 8;
        at += base == 8 ? 1 : 2;
        if (at == end)
            return invalid_number(p, text, len);
    }
    for (; at < end && (unsigned)hex_digit(*at) < base; at++)
        if (__builtin_mul_overflow(number, base, &number) ||
            __builtin_add_overflow(number, (unsigned)hex_digit(*at), &number)) {
            language_fail(p->l, "Numeric constant too large.");
            return NULL;
        }
    for (; at < end; at++) {
        if (strchr("uU", *at) && !is_unsigned)
            is_unsigned = true;
        else if (strchr("lL", *at) && longs < 2)
            longs++;
        else
            return invalid_number(p, text, len);
    }
    p->at = end;
    return constant(p, type_of_number(p, number, base == 10, longs, is_unsigned), number);
}

static struct node *parse_number(struct parser *p)
{
    size_t len = 0;
    bool real = false, hex = p->at[0] == '0' && tolower((unsigned char)p->at[1]) == 'x';

    for (;; len++) {
        char c = p->at[len];

        if (c == '.' || (!hex && tolower((unsigned char)c) == 'e' && len))
            real = true;
        else if ((c == '+' || c == '-') && real && tolower((unsigned char)p->at[len - 1]) == 'e')
            continue;
        else if (!isalnum((unsigned char)c) && c != '_')
            break;
    }
    return real && !hex ? parse_real(p, len) : parse_integer(p, len);
}

/* Reads one character of a literal; false: the literal ends too early. */
static bool take_char(struct parser *p, char *c)
{
    static const char escapes[] = "nrtbfave0", values[] = "\n\r\t\b\f\a\v\033";
    const char *known;
    unsigned number = 0;

    if (!*p->at)
        return false;
    *c = *p->at++;
    if (*c != '\\')
        return true;
    if (!*p->at)
        return false;
    if (*p->at >= '0' && *p->at <= '7') {
        for (unsigned i = 0; i < 3 && *p->at >= '0' && *p->at <= '7'; i++)
            number = number * 8 + (unsigned)(*p->at++ - '0');
        *c = (char)number;
    } else if (*p->at == 'x') {
        for (p->at++; isxdigit((unsigned char)*p->at); p->at++)
            number = number * 16 + (unsigned)hex_digit(*p->at);
        *c = (char)number;
    } else {
        known = strchr(escapes, *p->at);
        *c = known && *known != '0' ? values[known - escapes] : *p->at;
        p->at++;
    }
    return true;
}

static struct node *parse_string(struct parser *p)
{
    struct node *n = node_new(p, NODE_STRING);

    p->at++;
    n->text = xcalloc(1, strlen(p->at) + 1);
    while (*p->at && *p->at != '"')
        if (!take_char(p, &n->text[n->len++]))
            break;
    if (*p->at != '"') {
        language_fail(p->l, "Unterminated string in expression.");
        return NULL;
    }
    p->at++;
    n->type =
        type_array_of(language_types(p->l), type_builtin(language_types(p->l), "char"), ++n->len);
    return n;
}

static struct node *place_node(struct parser *p, struct type *type, uint64_t address)
{
    struct node *n = node_new(p, NODE_PLACE);

    n->type = type;
    n->number = address;
    return n;
}

static struct node *plain_symbol_node(struct parser *p, const struct plain_symbol *s)
{
    struct types *t = language_types(p->l);

    return place_node(p, type_no_debug(t, s->code ? TYPE_NO_CODE : TYPE_NO_DATA), s->address);
}

static struct node *symbol_node(struct parser *p, const struct debug_symbol *s)
{
    struct node *n;

    if (s->class == DEBUG_CONSTANT)
        return constant(p, s->type, (uint64_t)s->value);
    if (s->class == DEBUG_TYPEDEF) {
        n = node_new(p, NODE_TYPE);
        n->type = s->type;
        return n;
    }
    if (s->fixed)
        return place_node(p, s->type, s->address);
    n = node_new(p, NODE_VARIABLE);
    n->type = s->type;
    n->symbol = *s;
    return n;
}

static struct node *find_name(struct parser *p, const char *name)
{
    const struct language_env *env = language_env(p->l);
    struct frame_scope f = {.pc = 0};
    struct plain_symbol plain;
    struct debug_symbol s;
    struct type *type;

    if (env->frame)
        env->frame(env->ctx, &f);
    if (debug_find(language_debug(p->l), f.canonical, f.level, name, &s))
        return symbol_node(p, &s);
    if (!env->symbol(env->ctx, name, &plain))
        return NULL;
    /*
     * The symbol is defined in a file without debug information, but declared in one that has it.
     */
    type = debug_find_declared(language_debug(p->l), name);
    return type ? place_node(p, type, plain.address) : plain_symbol_node(p, &plain);
}

/* Parses a symbol such as `schedule.part.0', whose dots are not operators. */
static struct node *parse_dotted(struct parser *p)
{
    const struct language_env *env = language_env(p->l);
    struct plain_symbol s;
    char name[EXPR_NAME_MAX];
    size_t len = 0;

    while (parser_continues_name(p->at[len]) || p->at[len] == '.')
        len++;
    for (; len && len < sizeof name; len--) {
        snprintf(name, sizeof name, "%.*s", (int)len, p->at);
        if (strchr(name, '.') && env->symbol(env->ctx, name, &s)) {
            p->at += len;
            return plain_symbol_node(p, &s);
        }
    }
    return NULL;
}

/* Whether the variable is one of the function of the selected frame, where it has a place. */
static bool is_in_frame(struct parser *p, struct debug_symbol *s)
{
    const struct language_env *env = language_env(p->l);
    struct frame_scope f = {.pc = 0};

    if (s->fixed)
        return true;
    if (env->frame)
        env->frame(env->ctx, &f);
    return debug_is_in(language_debug(p->l), f.canonical, &s->die);
}

/* Parses FUNCTION::NAME or 'FILE'::NAME, from the colons on. */
static struct node *parse_scoped(struct parser *p, const char *scope)
{
    char name[EXPR_NAME_MAX];
    struct debug_symbol s;
    bool known;

    p->at += 2;
    if (!parser_peek_name(p, name))
        return parser_syntax_error(p);
    if (!debug_find_in(language_debug(p->l), scope, name, &s, &known)) {
        if (known)
            language_fail(p->l, "No symbol \"%s\" in specified context.", name);
        else
            language_fail(p->l, "No symbol \"%s\" in current context.", scope);
        return NULL;
    }
    if (!is_in_frame(p, &s)) {
        language_fail(p->l,
                      "`%s' is a variable of %s, which is not the selected frame's function; "
                      "`frame function %s' selects one of it.",
                      name, scope, scope);
        return NULL;
    }
    p->at += strlen(name);
    return symbol_node(p, &s);
}

static struct node *parse_name(struct parser *p)
{
    char name[EXPR_NAME_MAX];
    struct node *n;

    if (!parser_peek_name(p, name) && *p->at != '.')
        return parser_syntax_error(p);
    if (*p->at != '.' && !strncmp(p->at + strlen(name), "::", 2)) {
        p->at += strlen(name);
        return parse_scoped(p, name);
    }
    n = *p->at == '.' ? NULL : find_name(p, name);
    if (n)
        p->at += strlen(name);
    else
        n = parse_dotted(p);
    if (!n && *p->at == '.')
        return parser_syntax_error(p);
    if (!n)
        language_fail(p->l, "No symbol \"%s\" in current context.", name);
    return n;
}

/* Parses 'c', or a name in quotes. */
static struct node *parse_quoted(struct parser *p)
{
    const char *start = ++p->at, *end;
    char c, name[EXPR_NAME_MAX];
    struct node *n;

    if (*start == '\'') {
        language_fail(p->l, "Empty character constant.");
        return NULL;
    }
    if (take_char(p, &c) && *p->at == '\'') {
        p->at++;
        return constant(p, type_builtin(language_types(p->l), "char"), (uint8_t)c);
    }
    end = strchr(start, '\'');
    snprintf(name, sizeof name, "%.*s", end ? (int)(end - start) : 0, start);
    if (end && end - start < EXPR_NAME_MAX && !strncmp(end, "'::", 3)) {
        p->at = end + 1;
        return parse_scoped(p, name);
    }
    n = end && end - start < EXPR_NAME_MAX ? find_name(p, name) : NULL;
    if (!n)
        language_fail(
            p->l, end ? "No symbol \"%s\" in current context." : "Unmatched single quote.%s", name);
    p->at = end ? end + 1 : start;
    return n;
}

/* Parses $1 $ $$ $$2. */
static struct node *parse_history(struct parser *p, const char *text, size_t len)
{
    struct node *n = node_new(p, NODE_HISTORY);
    unsigned dollars = len > 1 && text[1] == '$' ? 2 : 1;

    n->absolute = dollars == 1 && len > 1;
    n->number = len > dollars ? strtoull(text + dollars, NULL, 10) : dollars - 1;
    p->at += len;
    return n;
}

static bool is_history(const char *text, size_t len)
{
    size_t at = len > 1 && text[1] == '$' ? 2 : 1;

    for (; at < len; at++)
        if (!isdigit((unsigned char)text[at]))
            return false;
    return true;
}

static struct node *parse_dollar(struct parser *p)
{
    const struct language_env *env = language_env(p->l);
    char name[EXPR_NAME_MAX];
    struct node *n;
    size_t len = 1;
    int number;

    while (parser_continues_name(p->at[len]))
        len++;
    if (len >= sizeof name) {
        language_fail(p->l, "name is too long");
        return NULL;
    }
    if (is_history(p->at, len))
        return parse_history(p, p->at, len);
    snprintf(name, sizeof name, "%.*s", (int)len - 1, p->at + 1);
    p->at += len;
    number = env->find_register(env->ctx, name);
    n = node_new(p, number >= 0 ? NODE_REGISTER : NODE_CONVENIENCE);
    n->number = number >= 0 ? (unsigned)number : variable_number(p->l, name);
    return n;
}

static struct node *parse_type_node(struct parser *p, struct type *type)
{
    struct node *n;

    type = type ? parse_declarator(p, type) : NULL;
    if (!type)
        return NULL;
    n = node_new(p, NODE_TYPE);
    n->type = type;
    return n;
}

/* Parses what parentheses begin: a cast, or an expression. */
static struct node *parse_parentheses(struct parser *p)
{
    struct type *type;
    struct node *n, *cast;

    p->at++;
    if (!parse_base(p, &type)) {
        n = parse_comma(p);
        return n && !parser_take(p, ")") ? parser_syntax_error(p) : n;
    }
    n = parse_type_node(p, type);
    if (!n)
        return NULL;
    if (!parser_take(p, ")"))
        return parser_syntax_error(p);
    parser_skip_spaces(p);
    if (!*p->at || strchr("),]", *p->at)) /* sizeof (int), whatis (int) */
        return n;
    cast = node_make(p, NODE_CAST, parse_unary(p), NULL);
    if (cast)
        cast->type = n->type;
    return cast;
}

static struct node *parse_primary(struct parser *p)
{
    struct type *type;

    parser_skip_spaces(p);
    if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
        return parse_number(p);
    switch (*p->at) {
    case '"': return parse_string(p);
    case '\'': return parse_quoted(p);
    case '$': return parse_dollar(p);
    case '(': return parse_parentheses(p);
    default: break;
    }
    if (parse_base(p, &type))
        return parse_type_node(p, type);
    return parse_name(p);
}

static struct node *parse_member(struct parser *p, struct node *of)
{
    char name[EXPR_NAME_MAX];
    struct node *n;

    if (!parser_peek_name(p, name))
        return parser_syntax_error(p);
    p->at += strlen(name);
    n = node_make(p, NODE_MEMBER, of, NULL);
    if (n)
        n->text = xstrdup(name);
    return n;
}

static struct node *step_node(struct parser *p, struct node *of, bool up, bool after)
{
    struct node *n = node_make(p, NODE_STEP, of, NULL);

    if (n) {
        n->op = up ? VALUE_ADD : VALUE_SUBTRACT;
        n->after = after;
    }
    return n;
}

static struct node *parse_postfix(struct parser *p)
{
    struct node *n = parse_primary(p);

    while (n) {
        parser_skip_spaces(p);
        if (parser_take(p, "->") || (*p->at == '.' && p->at[1] != '.' && parser_take(p, "."))) {
            n = parse_member(p, n);
        } else if (parser_take(p, "[")) {
            struct node *index = parse_comma(p);

            if (!index)
                return NULL;
            if (!parser_take(p, "]"))
                return parser_syntax_error(p);
            n = node_make(p, NODE_INDEX, n, index);
        } else if (parser_take(p, "++")) {
            n = step_node(p, n, true, true);
        } else if (parser_take(p, "--")) {
            n = step_node(p, n, false, true);
        } else if (*p->at == '(' && (n->kind == NODE_PLACE || n->kind == NODE_MEMBER)) {
            language_fail(
                p->l, "Functions of the guest are not called: that would change the run. In gdb, "
                      "`target remote' and `print' call them.");
            return NULL;
        } else {
            break;
        }
    }
    return n;
}

/* Parses sizeof. `sizeof (type)' ends at the parenthesis: it is no cast of the text after it. */
static struct node *parse_sizeof(struct parser *p)
{
    const char *start = p->at;
    struct type *type;
    struct node *n;

    if (!parser_take(p, "(") || !parse_base(p, &type)) {
        p->at = start;
        return parse_unary(p);
    }
    n = parse_type_node(p, type);
    return n && !parser_take(p, ")") ? parser_syntax_error(p) : n;
}

struct node *parse_unary(struct parser *p)
{
    struct node *n;

    if (!parser_enter(p))
        return NULL;
    if (parser_take_word(p, "sizeof"))
        n = node_make(p, NODE_SIZEOF, parse_sizeof(p), NULL);
    else if (parser_take(p, "++"))
        n = step_node(p, parse_unary(p), true, false);
    else if (parser_take(p, "--"))
        n = step_node(p, parse_unary(p), false, false);
    else if (parser_take(p, "-"))
        n = node_make(p, NODE_NEGATE, parse_unary(p), NULL);
    else if (parser_take(p, "+"))
        n = node_make(p, NODE_PLUS, parse_unary(p), NULL);
    else if (parser_take(p, "~"))
        n = node_make(p, NODE_COMPLEMENT, parse_unary(p), NULL);
    else if (parser_take(p, "!"))
        n = node_make(p, NODE_NOT, parse_unary(p), NULL);
    else if (parser_take(p, "*"))
        n = node_make(p, NODE_DEREFERENCE, parse_unary(p), NULL);
    else if (parser_take(p, "&"))
        n = node_make(p, NODE_ADDRESS, parse_unary(p), NULL);
    else
        n = parse_postfix(p);
    p->depth--;
    return n;
}
