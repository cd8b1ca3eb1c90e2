/*
 * arithmetic.c - the operators of C on values, and casts. Arithmetic follows C's usual conversions
 * on RV64.
 */
#include "debug/lang/value_priv.h"

static const char *operator_text(enum value_operator op)
{
    static const char *const texts[] = {
        [VALUE_ADD] = "+",       [VALUE_SUBTRACT] = "-",  [VALUE_MULTIPLY] = "*",
        [VALUE_DIVIDE] = "/",    [VALUE_REMAINDER] = "%", [VALUE_LEFT] = "<<",
        [VALUE_RIGHT] = ">>",    [VALUE_AND] = "&",       [VALUE_OR] = "|",
        [VALUE_XOR] = "^",       [VALUE_EQUAL] = "==",    [VALUE_DIFFERENT] = "!=",
        [VALUE_LESS] = "<",      [VALUE_GREATER] = ">",   [VALUE_AT_MOST] = "<=",
        [VALUE_AT_LEAST] = ">=",
    };

    return texts[op];
}

static bool compares(enum value_operator op)
{
    return op >= VALUE_EQUAL;
}

static struct type *plain_int(struct language *l)
{
    return type_builtin(language_types(l), "int");
}

bool value_decay(struct language *l, struct value *v)
{
    struct types *t = language_types(l);
    struct type *type = value_strip(l, v->type);

    if (type->kind == TYPE_NO_DATA)
        return language_fail(l, "a variable without debug information has unknown type; cast it to "
                                "its declared type");
    if (type->kind == TYPE_FUNCTION || type->kind == TYPE_NO_CODE)
        *v = value_of_int(l, type_pointer_to(t, v->type), v->address);
    if (type->kind == TYPE_ARRAY) {
        uint64_t address;

        if (v->place != VALUE_IN_MEMORY)
            return language_fail(l, "Attempt to take address of value not located in memory.");
        address = v->address;
        *v = value_of_int(l, type_pointer_to(t, type->target), address);
    }
    return true;
}

/* Returns the type of an arithmetic result, by C's usual conversions. */
static struct type *common_type(struct language *l, struct type *a, struct type *b)
{
    struct types *t = language_types(l);
    uint64_t a_size = a->size < 4 ? 4 : a->size, b_size = b->size < 4 ? 4 : b->size;
    bool a_signed = a->size < 4 || a->is_signed, b_signed = b->size < 4 || b->is_signed;
    uint64_t size = a_size > b_size ? a_size : b_size;
    bool is_signed = a_size > b_size ? a_signed : b_size > a_size ? b_signed : a_signed && b_signed;

    if (a->kind == TYPE_FLOAT || b->kind == TYPE_FLOAT) {
        unsigned real = 4;

        if ((a->kind == TYPE_FLOAT && a->size > 4) || (b->kind == TYPE_FLOAT && b->size > 4))
            real = 8;
        return type_float(t, real);
    }
    return type_int(t, (unsigned)(size > 8 ? 8 : size), is_signed);
}

static bool float_binary(struct language *l, enum value_operator op, struct value a, struct value b,
                         struct type *type, struct value *out)
{
    double x, y, z = 0;
    bool holds = false;

    if (!value_number(l, a, &x) || !value_number(l, b, &y))
        return false;
    switch (op) {
    case VALUE_ADD: z = x + y; break;
    case VALUE_SUBTRACT: z = x - y; break;
    case VALUE_MULTIPLY: z = x * y; break;
    case VALUE_DIVIDE: z = x / y; break;
    case VALUE_EQUAL: holds = x == y; break;
    case VALUE_DIFFERENT: holds = x != y; break;
    case VALUE_LESS: holds = x < y; break;
    case VALUE_GREATER: holds = x > y; break;
    case VALUE_AT_MOST: holds = x <= y; break;
    case VALUE_AT_LEAST: holds = x >= y; break;
    default: return language_fail(l, "Integer only operation %s.", operator_text(op));
    }
    *out = compares(op) ? value_of_int(l, plain_int(l), holds) : value_of_float(l, type, z);
    return true;
}

static uint64_t divide(enum value_operator op, uint64_t x, uint64_t y, bool is_signed)
{
    if (!is_signed)
        return op == VALUE_DIVIDE ? x / y : x % y;
    if ((int64_t)y == -1) /* the lowest number / -1 would trap on the host */
        return op == VALUE_DIVIDE ? -x : 0;
    return op == VALUE_DIVIDE ? (uint64_t)((int64_t)x / (int64_t)y)
                              : (uint64_t)((int64_t)x % (int64_t)y);
}

static uint64_t shift(enum value_operator op, uint64_t x, uint64_t y, const struct type *type)
{
    bool negative = type->is_signed && (int64_t)x < 0;

    if (y >= type->size * 8)
        return op == VALUE_RIGHT && negative ? UINT64_MAX : 0;
    if (op == VALUE_LEFT)
        return x << y;
    return type->is_signed ? (uint64_t)((int64_t)x >> y) : x >> y;
}

/* Whether the comparison holds between numbers of the same width and sign. */
static bool holds(enum value_operator op, uint64_t x, uint64_t y, bool is_signed)
{
    int order =
        is_signed ? ((int64_t)x > (int64_t)y) - ((int64_t)x < (int64_t)y) : (x > y) - (x < y);

    switch (op) {
    case VALUE_EQUAL: return order == 0;
    case VALUE_DIFFERENT: return order != 0;
    case VALUE_LESS: return order < 0;
    case VALUE_GREATER: return order > 0;
    case VALUE_AT_MOST: return order <= 0;
    default: return order >= 0;
    }
}

static uint64_t narrow(uint64_t number, const struct type *type)
{
    unsigned bits = (unsigned)(type->size * 8);

    return type->is_signed ? value_sign_extend(value_low_bits(number, bits), bits)
                           : value_low_bits(number, bits);
}

static bool integer_binary(struct language *l, enum value_operator op, uint64_t x, uint64_t y,
                           struct type *type, struct value *out)
{
    uint64_t z = 0;

    x = narrow(x, type);
    if (op != VALUE_LEFT && op != VALUE_RIGHT)
        y = narrow(y, type);
    if ((op == VALUE_DIVIDE || op == VALUE_REMAINDER) && !y && language_types_only_now(l))
        y = 1;
    if ((op == VALUE_DIVIDE || op == VALUE_REMAINDER) && !y)
        return language_fail(l, "Division by zero");
    switch (op) {
    case VALUE_ADD: z = x + y; break;
    case VALUE_SUBTRACT: z = x - y; break;
    case VALUE_MULTIPLY: z = x * y; break;
    case VALUE_DIVIDE:
    case VALUE_REMAINDER: z = divide(op, x, y, type->is_signed); break;
    case VALUE_LEFT:
    case VALUE_RIGHT: z = shift(op, x, y, type); break;
    case VALUE_AND: z = x & y; break;
    case VALUE_OR: z = x | y; break;
    case VALUE_XOR: z = x ^ y; break;
    default: *out = value_of_int(l, plain_int(l), holds(op, x, y, type->is_signed)); return true;
    }
    *out = value_of_int(l, type, z);
    return true;
}

static uint64_t step_of(struct language *l, const struct type *pointer)
{
    uint64_t size = value_size(l, pointer->target);

    return size ? size : 1;
}

/* Adds, subtracts or compares where one of the operands is a pointer. */
static bool pointer_binary(struct language *l, enum value_operator op, struct value a,
                           struct value b, struct value *out)
{
    struct types *t = language_types(l);
    struct type *at = value_strip(l, a.type), *bt = value_strip(l, b.type);
    bool both = at->kind == TYPE_POINTER && bt->kind == TYPE_POINTER;
    uint64_t x, y;

    if (!value_integer(l, a, &x) || !value_integer(l, b, &y))
        return false;
    if (compares(op)) {
        *out = value_of_int(l, plain_int(l), holds(op, x, y, false));
        return true;
    }
    if (both && op == VALUE_SUBTRACT) {
        if (step_of(l, at) != step_of(l, bt) || step_of(l, at) > INT64_MAX)
            return language_fail(l, "First argument of `-' is a pointer and second argument is "
                                    "neither\nan integer nor a pointer of the same type.");
        *out = value_of_int(l, type_builtin(t, "long"),
                            (uint64_t)((int64_t)(x - y) / (int64_t)step_of(l, at)));
        return true;
    }
    if (!both && op == VALUE_ADD)
        *out = at->kind == TYPE_POINTER ? value_of_int(l, a.type, x + y * step_of(l, at))
                                        : value_of_int(l, b.type, y + x * step_of(l, bt));
    else if (!both && op == VALUE_SUBTRACT && at->kind == TYPE_POINTER)
        *out = value_of_int(l, a.type, x - y * step_of(l, at));
    else
        return language_fail(l, "Argument to arithmetic operation not a number or boolean.");
    return true;
}

bool value_binary(struct language *l, enum value_operator op, struct value a, struct value b,
                  struct value *out)
{
    struct type *at, *bt, *type;
    uint64_t x, y;

    if (!value_decay(l, &a) || !value_decay(l, &b))
        return false;
    at = value_strip(l, a.type);
    bt = value_strip(l, b.type);
    if (type_is_aggregate(at) || type_is_aggregate(bt))
        return language_fail(l, "Structure has no component named operator%s.", operator_text(op));
    if (at->kind == TYPE_VOID || bt->kind == TYPE_VOID)
        return language_fail(l, "Argument to arithmetic operation not a number or boolean.");
    if (at->kind == TYPE_POINTER || bt->kind == TYPE_POINTER)
        return pointer_binary(l, op, a, b, out);
    type = common_type(l, at, bt);
    if (type->kind == TYPE_FLOAT)
        return float_binary(l, op, a, b, type, out);
    if (op == VALUE_LEFT || op == VALUE_RIGHT)
        type = common_type(l, at, at);
    return value_integer(l, a, &x) && value_integer(l, b, &y) &&
           integer_binary(l, op, x, y, type, out);
}

/* Converts v, or -v, to a floating-point type, or to a type whose values are integers. */
static bool convert_scalar(struct language *l, struct type *type, struct value v, bool negate,
                           struct value *out)
{
    uint64_t number;
    double real;

    if (value_strip(l, type)->kind == TYPE_FLOAT) {
        if (!value_number(l, v, &real))
            return false;
        *out = value_of_float(l, type, negate ? -real : real);
        return true;
    }
    if (!value_integer(l, v, &number))
        return false;
    *out = value_of_int(l, type, negate ? -number : number);
    return true;
}

bool value_negate(struct language *l, struct value v, struct value *out)
{
    struct type *type = value_strip(l, v.type);

    if (type->kind == TYPE_FLOAT)
        return convert_scalar(l, v.type, v, true, out);
    if (!type_is_integer(type))
        return language_fail(l, "Argument to negate operation not a number.");
    return convert_scalar(l, common_type(l, type, type), v, true, out);
}

bool value_complement(struct language *l, struct value v, struct value *out)
{
    struct type *type = value_strip(l, v.type);
    uint64_t number;

    if (!type_is_integer(type))
        return language_fail(l, "Argument to complement operation not an integer, boolean.");
    if (!value_integer(l, v, &number))
        return false;
    *out = value_of_int(l, common_type(l, type, type), ~number);
    return true;
}

/* ---- casts ---- */

bool value_cast(struct language *l, struct type *type, struct value v, struct value *out)
{
    struct type *to = value_strip(l, type), *from = value_strip(l, v.type);

    if (from->kind == TYPE_NO_DATA) { /* the cast gives the type */
        *out = value_at(type, v.address);
        return true;
    }
    if (to->kind == TYPE_VOID) {
        *out = (struct value){.type = type};
        return true;
    }
    if (v.place == VALUE_IN_MEMORY && !type_is_scalar(to)) {
        v.type = type;
        v.bytes = NULL;
        *out = v;
        return true;
    }
    if (v.lost) {
        *out = value_lost(type);
        return true;
    }
    if (!type_is_scalar(to) || type_is_aggregate(from))
        return language_fail(l, "Invalid cast.");
    return convert_scalar(l, type, v, false, out);
}
