/*
 * value.c - values: reading, the operators of C, assignment, history and variables.
 *
 * Arithmetic follows C's usual conversions on RV64.
 */
#include "debug/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "debug/dwarf.h"

struct block {
    struct block *next;
    uint64_t bytes[]; /* aligned for everything that is kept here */
};

struct variable {
    char *name;
    struct value value; /* its bytes are the variable's own */
};

struct language {
    struct language_env env;
    struct debug_info *info;
    struct block *blocks;
    VEC_OF(struct value) history; /* their bytes are the history's own */
    VEC_OF(struct variable) variables;
    struct type *code_pointer; /* of registers such as pc; made when needed */
    bool types_only;
    struct print_options options;
    char why[LANGUAGE_WHY_MAX];
};

struct language *language_new(const struct language_env *env, struct debug_info *info)
{
    struct language *l = xcalloc(1, sizeof *l);

    l->env = *env;
    l->info = info;
    l->options = (struct print_options){.elements = 200, .repeats = 10};
    return l;
}

struct print_options *language_options(struct language *l)
{
    return &l->options;
}

void language_free(struct language *l)
{
    if (!l)
        return;
    language_release(l);
    for (size_t i = 0; i < l->history.len; i++)
        free((void *)(uintptr_t)l->history.at[i].bytes);
    for (size_t i = 0; i < l->variables.len; i++) {
        free((void *)(uintptr_t)l->variables.at[i].value.bytes);
        free(l->variables.at[i].name);
    }
    VEC_FREE(&l->history);
    VEC_FREE(&l->variables);
    free(l);
}

const struct language_env *language_env(const struct language *l)
{
    return &l->env;
}

struct debug_info *language_debug(const struct language *l)
{
    return l->info;
}

struct types *language_types(const struct language *l)
{
    return debug_types(l->info);
}

const char *language_why(const struct language *l)
{
    return l->why;
}

bool language_fail(struct language *l, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(l->why, sizeof l->why, format, args);
    va_end(args);
    return false;
}

void *language_alloc(struct language *l, size_t size)
{
    struct block *b = xcalloc(1, sizeof *b + size);

    b->next = l->blocks;
    l->blocks = b;
    return b->bytes;
}

void language_release(struct language *l)
{
    struct block *b;

    while ((b = l->blocks)) {
        l->blocks = b->next;
        free(b);
    }
}

bool language_types_only(struct language *l, bool on)
{
    bool before = l->types_only;

    l->types_only = on;
    return before;
}

bool language_types_only_now(const struct language *l)
{
    return l->types_only;
}

static struct type *strip(struct language *l, struct type *type)
{
    return type_strip(language_types(l), type);
}

static uint64_t size_of(struct language *l, struct type *type)
{
    return type_size(language_types(l), type);
}

static bool is_aggregate(const struct type *type)
{
    return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}

/* ---- making values ---- */

struct value value_of_bytes(struct language *l, struct type *type, const void *bytes, uint64_t size)
{
    uint8_t *copy = language_alloc(l, size ? size : 1);

    if (size)
        memcpy(copy, bytes, size);
    return (struct value){.type = type, .bytes = copy, .size = size};
}

struct value value_of_int(struct language *l, struct type *type, uint64_t number)
{
    uint64_t size = size_of(l, type);
    uint8_t bytes[16] = {0};

    if (strip(l, type)->is_bool)
        number = number != 0;
    memcpy(bytes, &number, sizeof number); /* hosts we support are little-endian */
    if (size > 8 && (int64_t)number < 0 && strip(l, type)->is_signed)
        memset(bytes + 8, 0xff, 8);
    return value_of_bytes(l, type, bytes, size < sizeof bytes ? size : sizeof bytes);
}

struct value value_of_float(struct language *l, struct type *type, double number)
{
    float single = (float)number;

    if (size_of(l, type) == sizeof single)
        return value_of_bytes(l, type, &single, sizeof single);
    return value_of_bytes(l, type, &number, sizeof number);
}

struct value value_at(struct type *type, uint64_t address)
{
    return (struct value){.type = type, .place = VALUE_IN_MEMORY, .address = address};
}

struct value value_lost(struct type *type)
{
    return (struct value){.type = type, .lost = true};
}

static struct type *code_pointer(struct language *l)
{
    struct types *t = language_types(l);

    if (!l->code_pointer)
        l->code_pointer = type_pointer_to(t, type_function(t, type_void(t)));
    return l->code_pointer;
}

struct value value_of_register(struct language *l, unsigned number)
{
    struct types *t = language_types(l);
    unsigned bits = 64, kind = 0;
    struct type *type;
    struct value v;
    uint64_t word = 0;
    bool known;

    l->env.register_kind(l->env.ctx, number, &bits, &kind);
    switch (kind) {
    case 1: type = code_pointer(l); break;
    case 2: type = type_pointer_to(t, type_void(t)); break;
    case 3: type = type_float(t, bits / 8); break;
    default: type = type_builtin(t, bits == 32 ? "int" : "long"); break;
    }
    known = l->env.get_register(l->env.ctx, number, &word);
    v = value_of_bytes(l, type, &word, bits / 8);
    v.place = VALUE_IN_REGISTER;
    v.number = number;
    v.lost = v.unsaved = !known;
    return v;
}

/* ---- reading them ---- */

bool value_fetch(struct language *l, struct value *v)
{
    uint64_t size;
    uint8_t *bytes;

    if (v->lost && !l->types_only)
        return language_fail(l, v->unsaved ? "value is not available: the register was not saved"
                                           : "value has been optimized out");
    if (v->bytes)
        return true;
    size = size_of(l, v->type);
    if (v->bit_size)
        size = (v->bit_offset + v->bit_size + 7) / 8;
    if (size > VALUE_BYTES_MAX)
        return language_fail(
            l, "value requires %" PRIu64 " bytes, which is more than max-value-size", size);
    bytes = language_alloc(l, size + 8);
    if (size && !l->types_only && !l->env.load(l->env.ctx, v->address, bytes, size))
        return language_fail(l, "Cannot access memory at address 0x%" PRIx64, v->address);
    v->bytes = bytes;
    v->size = size;
    return true;
}

static uint64_t low_bits(uint64_t number, unsigned bits)
{
    return bits < 64 ? number & ((UINT64_C(1) << bits) - 1) : number;
}

static uint64_t sign_extend(uint64_t number, unsigned bits)
{
    return bits && bits < 64 ? (uint64_t)((int64_t)(number << (64 - bits)) >> (64 - bits)) : number;
}

/* The bytes as a number, extended by its sign. A bit-field may begin in one word and end in the
 * next. */
static uint64_t raw_integer(const struct value *v, uint64_t size, bool is_signed)
{
    unsigned __int128 wide = 0;
    uint64_t number;
    unsigned bits = (unsigned)(size < 8 ? size * 8 : 64);

    if (!v->bit_size) {
        number = 0;
        memcpy(&number, v->bytes, size < 8 ? size : 8);
    } else {
        memcpy(&wide, v->bytes, v->size < sizeof wide ? v->size : sizeof wide);
        bits = v->bit_size;
        number = low_bits((uint64_t)(wide >> v->bit_offset), bits);
    }
    return is_signed ? sign_extend(number, bits) : number;
}

static double raw_float(const struct value *v)
{
    float single;
    double number;

    if (v->size == sizeof single) {
        memcpy(&single, v->bytes, sizeof single);
        return (double)single;
    }
    if (v->size < sizeof number)
        return 0;
    memcpy(&number, v->bytes, sizeof number);
    return number;
}

static bool float_integer(double number, uint64_t *out)
{
    if (!(number >= -9223372036854775808.0 && number < 18446744073709551616.0))
        *out = 0;
    else if (number < 0)
        *out = (uint64_t)(int64_t)number;
    else
        *out = (uint64_t)number;
    return true;
}

bool value_integer(struct language *l, struct value v, uint64_t *number)
{
    struct type *type = strip(l, v.type);

    switch (type->kind) {
    case TYPE_INT:
    case TYPE_ENUM:
        if (!value_fetch(l, &v))
            return false;
        *number = raw_integer(&v, size_of(l, type), type->is_signed);
        return true;
    case TYPE_POINTER:
        if (!value_fetch(l, &v))
            return false;
        *number = raw_integer(&v, 8, false);
        return true;
    case TYPE_FLOAT: return value_fetch(l, &v) && float_integer(raw_float(&v), number);
    case TYPE_ARRAY:
    case TYPE_FUNCTION:
    case TYPE_NO_CODE:
        if (v.place != VALUE_IN_MEMORY)
            return language_fail(l, "Attempt to take address of value not located in memory.");
        *number = v.address;
        return true;
    case TYPE_VOID: return language_fail(l, "Attempt to take contents of a non-pointer value.");
    default: return language_fail(l, "Value can't be converted to integer.");
    }
}

bool value_number(struct language *l, struct value v, double *number)
{
    const struct type *type = strip(l, v.type);
    uint64_t integer;

    if (type->kind == TYPE_FLOAT) {
        if (!value_fetch(l, &v))
            return false;
        *number = raw_float(&v);
        return true;
    }
    if (!value_integer(l, v, &integer))
        return false;
    *number = type->is_signed ? (double)(int64_t)integer : (double)integer;
    return true;
}

bool value_address(struct language *l, struct value v, uint64_t *address)
{
    const struct type *type = strip(l, v.type);

    if (v.place == VALUE_IN_MEMORY && !type_is_scalar(type)) {
        *address = v.address;
        return true;
    }
    return value_integer(l, v, address);
}

bool value_is_same(struct language *l, struct value a, struct value b)
{
    return value_fetch(l, &a) && value_fetch(l, &b) && a.size == b.size &&
           !memcmp(a.bytes, b.bytes, a.size);
}

bool value_is_true(struct language *l, struct value v, bool *is_true)
{
    uint64_t number;
    double real;

    if (is_aggregate(strip(l, v.type)))
        return language_fail(l, "Structure has no component named operator!.");
    if (strip(l, v.type)->kind == TYPE_FLOAT) {
        if (!value_number(l, v, &real))
            return false;
        *is_true = real != 0;
        return true;
    }
    if (!value_integer(l, v, &number))
        return false;
    *is_true = number != 0;
    return true;
}

/* ---- arithmetic ---- */

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

/* An array is its first element's address, a function its own; a symbol without type has none. */
static bool decay(struct language *l, struct value *v)
{
    struct types *t = language_types(l);
    struct type *type = strip(l, v->type);

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

/* The type of an arithmetic result: that of C's usual conversions. */
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

/* Both are of the width and sign of `type`. */
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

    return type->is_signed ? sign_extend(low_bits(number, bits), bits) : low_bits(number, bits);
}

static bool integer_binary(struct language *l, enum value_operator op, uint64_t x, uint64_t y,
                           struct type *type, struct value *out)
{
    uint64_t z = 0;

    x = narrow(x, type);
    if (op != VALUE_LEFT && op != VALUE_RIGHT)
        y = narrow(y, type);
    if ((op == VALUE_DIVIDE || op == VALUE_REMAINDER) && !y && l->types_only)
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
    uint64_t size = size_of(l, pointer->target);

    return size ? size : 1;
}

/* One of the two is a pointer. */
static bool pointer_binary(struct language *l, enum value_operator op, struct value a,
                           struct value b, struct value *out)
{
    struct types *t = language_types(l);
    struct type *at = strip(l, a.type), *bt = strip(l, b.type);
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

    if (!decay(l, &a) || !decay(l, &b))
        return false;
    at = strip(l, a.type);
    bt = strip(l, b.type);
    if (is_aggregate(at) || is_aggregate(bt))
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

bool value_negate(struct language *l, struct value v, struct value *out)
{
    struct type *type = strip(l, v.type);
    uint64_t number;
    double real;

    if (type->kind == TYPE_FLOAT) {
        if (!value_number(l, v, &real))
            return false;
        *out = value_of_float(l, v.type, -real);
        return true;
    }
    if (!type_is_integer(type))
        return language_fail(l, "Argument to negate operation not a number.");
    if (!value_integer(l, v, &number))
        return false;
    *out = value_of_int(l, common_type(l, type, type), -number);
    return true;
}

bool value_complement(struct language *l, struct value v, struct value *out)
{
    struct type *type = strip(l, v.type);
    uint64_t number;

    if (!type_is_integer(type))
        return language_fail(l, "Argument to complement operation not an integer, boolean.");
    if (!value_integer(l, v, &number))
        return false;
    *out = value_of_int(l, common_type(l, type, type), ~number);
    return true;
}

/* ---- casts ---- */

static bool cast_scalar(struct language *l, struct type *type, struct value v, struct value *out)
{
    const struct type *to = strip(l, type);
    uint64_t number;
    double real;

    if (to->kind == TYPE_FLOAT) {
        if (!value_number(l, v, &real))
            return false;
        *out = value_of_float(l, type, real);
        return true;
    }
    if (!value_integer(l, v, &number))
        return false;
    *out = value_of_int(l, type, number);
    return true;
}

bool value_cast(struct language *l, struct type *type, struct value v, struct value *out)
{
    struct type *to = strip(l, type), *from = strip(l, v.type);

    if (from->kind == TYPE_NO_DATA) { /* the cast says what is there */
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
    if (!type_is_scalar(to) || is_aggregate(from))
        return language_fail(l, "Invalid cast.");
    return cast_scalar(l, type, v, out);
}

/* ---- places ---- */

bool value_dereference(struct language *l, struct value v, struct value *out)
{
    struct type *type = strip(l, v.type);
    uint64_t address;

    switch (type->kind) {
    case TYPE_POINTER:
        if (strip(l, type->target)->kind == TYPE_VOID)
            return language_fail(l, "Attempt to take contents of a non-pointer value.");
        if (!value_integer(l, v, &address))
            return false;
        *out = value_at(type->target, address);
        return true;
    case TYPE_ARRAY: *out = value_part(l, &v, type->target, 0); return true;
    case TYPE_FUNCTION:
    case TYPE_NO_CODE: *out = v; return true;
    case TYPE_INT:
        if (!value_integer(l, v, &address))
            return false;
        *out = value_at(plain_int(l), address);
        return true;
    case TYPE_NO_DATA: return decay(l, &v);
    case TYPE_STRUCT:
    case TYPE_UNION: return language_fail(l, "Structure has no component named operator*.");
    default: return language_fail(l, "Attempt to take contents of a non-pointer value.");
    }
}

bool value_address_of(struct language *l, struct value v, struct value *out)
{
    if (v.bit_size)
        return language_fail(l, "Attempt to take address of a bit-field.");
    if (v.place == VALUE_IN_REGISTER)
        return language_fail(l, "Attempt to take address of value not located in memory.");
    if (v.place != VALUE_IN_MEMORY)
        return language_fail(l, "Attempt to take address of value not located in memory.");
    *out = value_of_int(l, type_pointer_to(language_types(l), v.type), v.address);
    return true;
}

struct value value_part(struct language *l, const struct value *v, struct type *type,
                        uint64_t offset)
{
    struct value part = *v;
    uint64_t size = size_of(l, type);

    part.type = type;
    part.address += offset;
    part.offset += (unsigned)offset;
    part.bit_offset = part.bit_size = 0;
    if (v->bytes && offset <= v->size && size <= v->size - offset) {
        part.bytes = v->bytes + offset;
        part.size = size;
    } else if (v->place == VALUE_IN_MEMORY) {
        part.bytes = NULL;
    } else {
        part.lost = true;
    }
    return part;
}

struct value value_field(struct language *l, const struct value *v, const struct type_field *f)
{
    struct value part = value_part(l, v, f->type, f->offset);

    if (!f->bit_size)
        return part;
    part.bit_size = f->bit_size;
    part.bit_offset = f->bit_offset;
    if (v->bytes && f->offset < v->size) { /* its bytes may be more, or fewer, than its type's */
        uint64_t needed = (f->bit_offset + f->bit_size + 7) / 8, there = v->size - f->offset;

        part.bytes = v->bytes + f->offset;
        part.size = needed < there ? needed : there;
        part.lost = v->lost;
    }
    return part;
}

static bool find_member(struct language *l, const struct value *v, const char *name,
                        struct value *out)
{
    struct type *type = strip(l, v->type);

    for (size_t i = 0; i < type->fields.len; i++) {
        const struct type_field *f = &type->fields.at[i];

        if (f->name && !strcmp(f->name, name)) {
            *out = value_field(l, v, f);
            return true;
        }
        if (!f->name && is_aggregate(strip(l, f->type))) {
            struct value inner = value_field(l, v, f);

            if (find_member(l, &inner, name, out))
                return true;
        }
    }
    return false;
}

/* gdb takes `pointer.member' for `pointer->member', and the other way. */
bool value_member(struct language *l, struct value v, const char *name, struct value *out)
{
    struct type *type = strip(l, v.type);

    if (type->kind == TYPE_POINTER && is_aggregate(strip(l, type->target)) &&
        !value_dereference(l, v, &v))
        return false;
    type = strip(l, v.type);
    if (!is_aggregate(type))
        return language_fail(l,
                             "Attempt to extract a component of a value that is not a "
                             "structure%s.",
                             type->kind == TYPE_POINTER ? " pointer" : "");
    if (type->declared && !type->fields.len)
        return language_fail(l, "There is no member named %s.", name);
    return find_member(l, &v, name, out) || language_fail(l, "There is no member named %s.", name);
}

bool value_index(struct language *l, struct value v, struct value index, struct value *out)
{
    struct type *type = strip(l, v.type);
    uint64_t i;

    if (type->kind == TYPE_ARRAY) {
        if (!value_integer(l, index, &i))
            return false;
        if (v.place != VALUE_IN_MEMORY && type->bounded && i >= type->count)
            return language_fail(l, "no such vector element");
        *out = value_part(l, &v, type->target, i * size_of(l, type->target));
        return true;
    }
    if (is_aggregate(type))
        return language_fail(l, "Structure has no component named operator[].");
    if (type->kind != TYPE_POINTER)
        return language_fail(l, "cannot subscript something of type `%s'",
                             type->name ? type->name : "(unnamed type)");
    return value_binary(l, VALUE_ADD, v, index, &v) && value_dereference(l, v, out);
}

bool value_repeat(struct language *l, struct value v, struct value count, struct value *out)
{
    uint64_t n;

    if (v.place != VALUE_IN_MEMORY || v.bit_size)
        return language_fail(l, "Only values in memory can be extended with '@'.");
    if (!value_integer(l, count, &n))
        return false;
    if ((int64_t)n < 1)
        return language_fail(l, "Invalid number %" PRId64 " of repetitions.", (int64_t)n);
    if (n > VALUE_BYTES_MAX)
        return language_fail(l, "value requires more than %d bytes", VALUE_BYTES_MAX);
    *out = value_at(type_array_of(language_types(l), v.type, n), v.address);
    return true;
}

/* ---- assignment ---- */

static bool store_bits(struct language *l, const struct value *to, uint64_t number)
{
    unsigned __int128 wide = 0, mask;
    size_t size = (to->bit_offset + to->bit_size + 7) / 8;

    if (size > sizeof wide || to->bit_size > 64)
        return language_fail(l, "The bit-field is too wide.");
    if (!l->env.load(l->env.ctx, to->address, &wide, size))
        return language_fail(l, "Cannot access memory at address 0x%" PRIx64, to->address);
    mask = (((unsigned __int128)1 << to->bit_size) - 1) << to->bit_offset;
    wide = (wide & ~mask) | ((unsigned __int128)number << to->bit_offset & mask);
    return l->env.store(l->env.ctx, to->address, &wide, size) ||
           language_fail(l, "Cannot access memory at address 0x%" PRIx64, to->address);
}

static bool store_memory(struct language *l, const struct value *to, const struct value *from)
{
    uint64_t number;

    if (to->bit_size)
        return value_integer(l, *from, &number) && store_bits(l, to, number);
    return l->env.store(l->env.ctx, to->address, from->bytes, from->size) ||
           language_fail(l, "Cannot access memory at address 0x%" PRIx64, to->address);
}

static bool store_register(struct language *l, const struct value *to, const struct value *from)
{
    uint64_t word = 0;

    (void)l->env.get_register(l->env.ctx, to->number, &word);
    if (to->offset + from->size > sizeof word)
        return language_fail(l, "Invalid cast.");
    memcpy((uint8_t *)&word + to->offset, from->bytes, from->size);
    return l->env.set_register(l->env.ctx, to->number, word) ||
           language_fail(l, "The register cannot be written.");
}

bool value_assign(struct language *l, struct value to, struct value from, struct value *out)
{
    if (to.place == VALUE_IN_VARIABLE && !to.offset) {
        if (!variable_set(l, to.number, from))
            return false;
        *out = variable_value(l, to.number);
        return true;
    }
    if (to.place == VALUE_COMPUTED || to.place == VALUE_IN_VARIABLE)
        return language_fail(l, "Left operand of assignment is not an lvalue.");
    if (strip(l, to.type)->kind == TYPE_NO_DATA)
        return decay(l, &to);
    if (type_is_scalar(strip(l, to.type)) ? !value_cast(l, to.type, from, &from)
                                          : strip(l, to.type) != strip(l, from.type))
        return language_fail(l, "Invalid cast.");
    if (!value_fetch(l, &from))
        return false;
    if (!(to.place == VALUE_IN_MEMORY ? store_memory(l, &to, &from)
                                      : store_register(l, &to, &from)))
        return false;
    to.bytes = to.place == VALUE_IN_MEMORY ? NULL : from.bytes;
    to.size = from.size;
    to.lost = to.unsaved = false;
    *out = to;
    return true;
}

/* ---- history and variables ---- */

/* A copy whose bytes are not the command's. */
static bool keep(struct language *l, struct value *v)
{
    uint8_t *bytes;

    if (v->lost || strip(l, v->type)->kind == TYPE_VOID ||
        strip(l, v->type)->kind == TYPE_FUNCTION || strip(l, v->type)->kind == TYPE_NO_CODE) {
        v->bytes = NULL;
        return true;
    }
    if (!value_fetch(l, v))
        return false;
    bytes = xcalloc(1, v->size + 8);
    memcpy(bytes, v->bytes, v->size);
    v->bytes = bytes;
    return true;
}

bool value_record(struct language *l, struct value *v, unsigned *number)
{
    struct value kept = *v;

    if (!keep(l, &kept))
        return false;
    v->bytes = kept.bytes;
    v->size = kept.size;
    VEC_PUSH(&l->history, kept);
    *number = (unsigned)l->history.len;
    return true;
}

unsigned value_history_count(const struct language *l)
{
    return (unsigned)l->history.len;
}

bool value_recall(struct language *l, bool absolute, uint64_t number, struct value *out)
{
    uint64_t last = l->history.len, at = absolute ? number : last - number;

    if (!last || (!absolute && number >= last)) {
        *out = (struct value){.type = type_void(language_types(l))};
        return true;
    }
    if (!at || at > last)
        return language_fail(l, "History has not yet reached $%" PRIu64 ".", at);
    *out = l->history.at[at - 1];
    return true;
}

unsigned variable_number(struct language *l, const char *name)
{
    for (size_t i = 0; i < l->variables.len; i++)
        if (!strcmp(l->variables.at[i].name, name))
            return (unsigned)i;
    VEC_PUSH(&l->variables,
             ((struct variable){xstrdup(name), {.type = type_void(language_types(l))}}));
    return (unsigned)l->variables.len - 1;
}

struct value variable_value(struct language *l, unsigned number)
{
    struct value v = l->variables.at[number].value;

    if (v.bytes) /* a copy: the variable may be assigned while the command still uses this one */
        v = value_of_bytes(l, v.type, v.bytes, v.size);
    v.place = VALUE_IN_VARIABLE;
    v.number = number;
    return v;
}

bool variable_set(struct language *l, unsigned number, struct value v)
{
    struct value *kept = &l->variables.at[number].value;
    uint64_t bits;

    if (v.bit_size && value_integer(l, v, &bits))
        v = value_of_int(l, v.type, bits);
    if (!keep(l, &v))
        return false;
    free((void *)(uintptr_t)kept->bytes);
    if (v.place != VALUE_IN_MEMORY || v.bytes) { /* a function stays where it is */
        v.place = VALUE_COMPUTED;
        v.offset = 0;
    }
    *kept = v;
    return true;
}

void variables_each(struct language *l, void (*found)(void *ctx, const char *name, struct value v),
                    void *ctx)
{
    for (size_t i = l->variables.len; i-- > 0;)
        if (strip(l, l->variables.at[i].value.type)->kind != TYPE_VOID)
            found(ctx, l->variables.at[i].name, variable_value(l, (unsigned)i));
}
