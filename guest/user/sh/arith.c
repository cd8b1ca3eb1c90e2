/*
 * arith.c - $((...)): C's integer expressions; the only side effect is `=`.
 *
 * Precedence climbing, driven by a table of operators.
 */
#include "shell.h"

struct arith {
    struct shell *sh;
    const char *p;
    bool failed;
};

enum arith_op {
    OP_OR,
    OP_AND,
    OP_BITOR,
    OP_BITXOR,
    OP_BITAND,
    OP_EQ,
    OP_NE,
    OP_LE,
    OP_GE,
    OP_LT,
    OP_GT,
    OP_SHL,
    OP_SHR,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
};

static const struct {
    const char *text;
    enum arith_op op;
    int binding;
} binary[] = {
    /* longer operators come before their prefixes */
    {"||", OP_OR, 1},    {"&&", OP_AND, 2}, {"|", OP_BITOR, 3}, {"^", OP_BITXOR, 4},
    {"&", OP_BITAND, 5}, {"==", OP_EQ, 6},  {"!=", OP_NE, 6},   {"<<", OP_SHL, 8},
    {">>", OP_SHR, 8},   {"<=", OP_LE, 7},  {">=", OP_GE, 7},   {"<", OP_LT, 7},
    {">", OP_GT, 7},     {"+", OP_ADD, 9},  {"-", OP_SUB, 9},   {"*", OP_MUL, 10},
    {"/", OP_DIV, 10},   {"%", OP_MOD, 10},
};

static int64_t parse_expr(struct arith *a, int binding);

static void skip_space(struct arith *a)
{
    while (*a->p == ' ' || *a->p == '\t' || *a->p == '\n')
        a->p++;
}

static int64_t fail(struct arith *a, const char *why)
{
    if (!a->failed)
        shell_error("arithmetic: %s", why);
    a->failed = true;
    return 0;
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int64_t number_from(struct arith *a, const char *text)
{
    unsigned long value;
    bool negative;

    while (*text == ' ' || *text == '\t')
        text++;
    if (!*text)
        return 0;
    negative = *text == '-';
    if (kstrtoul(text + negative, 0, &value))
        return fail(a, "not a number");
    return negative ? -(int64_t)value : (int64_t)value;
}

static int64_t parse_number(struct arith *a)
{
    char text[24];
    size_t n = 0;

    while (is_alnum(*a->p) && n < sizeof(text) - 1)
        text[n++] = *a->p++;
    text[n] = 0;
    return number_from(a, text);
}

static int64_t assign(struct arith *a, const char *name)
{
    char text[24];
    int64_t value;

    a->p++;
    value = parse_expr(a, 0);
    snprintf(text, sizeof(text), "%ld", (long)value);
    if (!a->failed)
        shell_setvar(a->sh, name, text);
    return value;
}

static int64_t parse_variable(struct arith *a)
{
    size_t len = name_length(a->p);
    char *name = shell_strndup(a->p, len);
    const char *value;
    int64_t result;

    a->p += len;
    skip_space(a);
    if (*a->p == '=' && a->p[1] != '=') {
        result = assign(a, name);
    } else {
        value = shell_getvar(a->sh, name);
        result = number_from(a, value ? value : "");
    }
    free(name);
    return result;
}

static int64_t parse_unary(struct arith *a)
{
    int64_t value;

    if (shell_stack_low())
        return fail(a, "nested too deeply");
    skip_space(a);
    switch (*a->p) {
    case '-': a->p++; return -(uint64_t)parse_unary(a);
    case '+': a->p++; return parse_unary(a);
    case '!': a->p++; return !parse_unary(a);
    case '~': a->p++; return ~parse_unary(a);
    case '(':
        a->p++;
        value = parse_expr(a, 0);
        skip_space(a);
        if (*a->p != ')')
            return fail(a, "missing )");
        a->p++;
        return value;
    }
    if (name_length(a->p))
        return parse_variable(a);
    if (is_alnum(*a->p))
        return parse_number(a);
    return fail(a, "syntax error");
}

static int64_t divide(struct arith *a, int64_t x, int64_t y, bool modulo)
{
    if (!y)
        return fail(a, "division by zero");
    if (y == -1) /* avoids the overflow of INT64_MIN / -1 */
        return modulo ? 0 : -(uint64_t)x;
    return modulo ? x % y : x / y;
}

static int64_t compute(struct arith *a, enum arith_op op, int64_t x, int64_t y)
{
    switch (op) {
    case OP_OR: return x || y;
    case OP_AND: return x && y;
    case OP_BITOR: return x | y;
    case OP_BITXOR: return x ^ y;
    case OP_BITAND: return x & y;
    case OP_EQ: return x == y;
    case OP_NE: return x != y;
    case OP_LE: return x <= y;
    case OP_GE: return x >= y;
    case OP_LT: return x < y;
    case OP_GT: return x > y;
    case OP_SHL: return (uint64_t)x << (y & 63);
    case OP_SHR: return x >> (y & 63);
    case OP_ADD: return (uint64_t)x + y;
    case OP_SUB: return (uint64_t)x - y;
    case OP_MUL: return (uint64_t)x * y;
    case OP_DIV: return divide(a, x, y, false);
    case OP_MOD: return divide(a, x, y, true);
    }
    return 0;
}

/* Returns the index of the operator at p if its precedence is at least `binding`; -1: none. */
static int find_operator(const struct arith *a, int binding)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(binary); i++)
        if (!strncmp(a->p, binary[i].text, strlen(binary[i].text)))
            return binary[i].binding >= binding ? (int)i : -1;
    return -1;
}

static int64_t parse_conditional(struct arith *a, int64_t condition)
{
    int64_t yes, no;

    a->p++;
    yes = parse_expr(a, 0);
    skip_space(a);
    if (*a->p != ':')
        return fail(a, "missing :");
    a->p++;
    no = parse_expr(a, 0);
    return condition ? yes : no;
}

static int64_t parse_expr(struct arith *a, int binding)
{
    int64_t value = parse_unary(a);

    while (!a->failed) {
        int i;

        skip_space(a);
        i = find_operator(a, binding);
        if (i < 0)
            break;
        a->p += strlen(binary[i].text);
        value = compute(a, binary[i].op, value, parse_expr(a, binary[i].binding + 1));
    }
    if (!a->failed && binding == 0 && *a->p == '?')
        value = parse_conditional(a, value);
    return value;
}

int shell_arith(struct shell *sh, const char *text, int64_t *value)
{
    struct arith a = {sh, text, false};

    skip_space(&a);
    *value = *a.p ? parse_expr(&a, 0) : 0;
    skip_space(&a);
    if (!a.failed && *a.p)
        fail(&a, "syntax error");
    return a.failed ? -EINVAL : 0;
}
