/*
 * expr.c - a recursive-descent parser for expr.h that evaluates while it parses.
 */
#include "debug/expr.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Limit for nested parentheses and unary operators, which recurse on the host's stack. */
enum { DEPTH_MAX = 64 };

struct parser {
    const char *at;
    const struct expr_env *env;
    char *why;
    unsigned depth;
    unsigned unused; /* > 0: inside an operand that && or || does not evaluate; nothing is read */
};

static bool PRINTF_LIKE(2, 3) fail(struct parser *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(p->why, EXPR_WHY_MAX, format, args);
    va_end(args);
    return false;
}

static void skip_spaces(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* Fails: there is no value at p->at. */
static bool unexpected(struct parser *p)
{
    if (!*p->at)
        return fail(p, "expected a value at the end");
    return fail(p, "expected a value at `%.40s`", p->at);
}

/* ---- values ---- */

static bool parse_name(struct parser *p, char name[EXPR_NAME_MAX])
{
    size_t len = 0;

    while (is_name_char(p->at[len]))
        len++;
    if (len >= EXPR_NAME_MAX)
        return fail(p, "name is too long");
    memcpy(name, p->at, len);
    name[len] = '\0';
    p->at += len;
    return true;
}

static unsigned digit_value(char c)
{
    return isdigit((unsigned char)c) ? (unsigned)(c - '0')
                                     : (unsigned)(tolower((unsigned char)c) - 'a' + 10);
}

static bool parse_digits(struct parser *p, const char *digits, unsigned base, uint64_t *value)
{
    *value = 0;
    if (!*digits)
        return fail(p, "expected digits after 0x");
    for (; *digits; digits++) {
        unsigned digit = isalnum((unsigned char)*digits) ? digit_value(*digits) : base;

        if (digit >= base)
            return fail(p, "invalid digit `%c` in a %s number", *digits,
                        base == 16 ? "hexadecimal" : "decimal");
        if (__builtin_mul_overflow(*value, base, value) ||
            __builtin_add_overflow(*value, digit, value))
            return fail(p, "number does not fit in 64 bits");
    }
    return true;
}

static bool parse_number(struct parser *p, uint64_t *value)
{
    char text[EXPR_NAME_MAX];

    if (!parse_name(p, text))
        return false;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return parse_digits(p, text + 2, 16, value);
    return parse_digits(p, text, 10, value);
}

static bool parse_register(struct parser *p, uint64_t *value)
{
    char name[EXPR_NAME_MAX];

    p->at++;
    if (!parse_name(p, name))
        return false;
    return p->env->reg(p->env->ctx, name, value) || fail(p, "no register $%s", name);
}

static bool parse_symbol(struct parser *p, uint64_t *value)
{
    char name[EXPR_NAME_MAX];

    if (!parse_name(p, name))
        return false;
    return p->env->symbol(p->env->ctx, name, value) || fail(p, "no symbol %s", name);
}

/* ---- operators ---- */

static bool parse_binary(struct parser *p, unsigned weakest, uint64_t *value);

static bool parse_parenthesis(struct parser *p, uint64_t *value)
{
    p->at++;
    if (!parse_binary(p, 0, value))
        return false;
    skip_spaces(p);
    if (*p->at != ')')
        return fail(p, "expected `)`");
    p->at++;
    return true;
}

static bool parse_operand(struct parser *p, uint64_t *value);

static bool parse_unary(struct parser *p, uint64_t *value)
{
    char sign = *p->at++;

    if (!parse_operand(p, value))
        return false;
    if (sign == '-')
        *value = -*value;
    else if (sign == '~')
        *value = ~*value;
    else if (sign == '!')
        *value = !*value;
    else if (p->unused)
        *value = 0;
    else if (!p->env->load(p->env->ctx, *value, value))
        return fail(p, "cannot read memory at 0x%" PRIx64, *value);
    return true;
}

static bool parse_value(struct parser *p, uint64_t *value)
{
    char c;

    skip_spaces(p);
    c = *p->at;
    if (c == '(')
        return parse_parenthesis(p, value);
    if (c == '-' || c == '~' || c == '*' || c == '!')
        return parse_unary(p, value);
    if (c == '$')
        return parse_register(p, value);
    if (isdigit((unsigned char)c))
        return parse_number(p, value);
    if (is_name_char(c))
        return parse_symbol(p, value);
    return unexpected(p);
}

static bool parse_operand(struct parser *p, uint64_t *value)
{
    bool ok;

    if (p->depth == DEPTH_MAX)
        return fail(p, "expression is nested too deeply");
    p->depth++;
    ok = parse_value(p, value);
    p->depth--;
    return ok;
}

static uint64_t shift_left(uint64_t a, uint64_t b)
{
    return b < 64 ? a << b : 0;
}

static uint64_t shift_right(uint64_t a, uint64_t b)
{
    return b < 64 ? a >> b : 0;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b;
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
    return a - b;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    return a * b;
}

static uint64_t and_bits(uint64_t a, uint64_t b)
{
    return a & b;
}

static uint64_t or_bits(uint64_t a, uint64_t b)
{
    return a | b;
}

static uint64_t divide(uint64_t a, uint64_t b)
{
    return a / b;
}

static uint64_t remainder_of(uint64_t a, uint64_t b)
{
    return a % b;
}

static uint64_t xor_bits(uint64_t a, uint64_t b)
{
    return a ^ b;
}

static uint64_t is_equal(uint64_t a, uint64_t b)
{
    return a == b;
}

static uint64_t is_different(uint64_t a, uint64_t b)
{
    return a != b;
}

static uint64_t is_less(uint64_t a, uint64_t b)
{
    return a < b;
}

static uint64_t is_at_most(uint64_t a, uint64_t b)
{
    return a <= b;
}

static uint64_t is_greater(uint64_t a, uint64_t b)
{
    return a > b;
}

static uint64_t is_at_least(uint64_t a, uint64_t b)
{
    return a >= b;
}

static uint64_t both(uint64_t a, uint64_t b)
{
    return a && b;
}

static uint64_t either(uint64_t a, uint64_t b)
{
    return a || b;
}

struct operation {
    const char *text;
    uint64_t (*apply)(uint64_t a, uint64_t b);
    unsigned strength;
    bool divides; /* not by zero */
};

/* A longer operator comes before its prefixes: "||" before "|". */
static const struct operation operators[] = {
    {"||", either, 0, false},       {"&&", both, 1, false},        {"|", or_bits, 2, false},
    {"^", xor_bits, 3, false},      {"&", and_bits, 4, false},     {"==", is_equal, 5, false},
    {"!=", is_different, 5, false}, {"<<", shift_left, 7, false},  {">>", shift_right, 7, false},
    {"<=", is_at_most, 6, false},   {">=", is_at_least, 6, false}, {"<", is_less, 6, false},
    {">", is_greater, 6, false},    {"+", add, 8, false},          {"-", subtract, 8, false},
    {"*", multiply, 9, false},      {"/", divide, 9, true},        {"%", remainder_of, 9, true},
};

static const struct operation *operator_at(const char *text)
{
    for (size_t i = 0; i < ARRAY_LEN(operators); i++)
        if (!strncmp(text, operators[i].text, strlen(operators[i].text)))
            return &operators[i];
    return NULL;
}

/* Whether the left operand decides && or ||: the right one is then parsed but not evaluated. */
static bool settles(const struct operation *op, uint64_t left)
{
    return (op->apply == both && !left) || (op->apply == either && left);
}

static bool apply(struct parser *p, const struct operation *op, uint64_t *value, uint64_t right)
{
    if (op->divides && !right && !p->unused)
        return fail(p, "division by zero");
    *value = op->divides && !right ? 0 : op->apply(*value, right);
    return true;
}

/* Operands joined by operators of at least the precedence `weakest` (precedence climbing). */
static bool parse_binary(struct parser *p, unsigned weakest, uint64_t *value)
{
    const struct operation *op;
    uint64_t right = 0;

    *value = 0;
    if (!parse_operand(p, value))
        return false;
    for (;;) {
        bool unused;

        skip_spaces(p);
        op = operator_at(p->at);
        if (!op || op->strength < weakest)
            return true;
        p->at += strlen(op->text);
        unused = settles(op, *value);
        p->unused += unused;
        if (!parse_binary(p, op->strength + 1, &right))
            return false;
        p->unused -= unused;
        if (!apply(p, op, value, right))
            return false;
    }
}

bool expr_eval(const char **text, const struct expr_env *env, uint64_t *value,
               char why[EXPR_WHY_MAX])
{
    struct parser p = {.at = *text, .env = env, .why = why};

    if (!parse_binary(&p, 0, value))
        return false;
    *text = p.at;
    return true;
}
