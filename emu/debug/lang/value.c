/*
 * value.c - makes and reads values; places in memory, assignment.
 */
#include "debug/lang/value_priv.h"

#include <inttypes.h>
#include <string.h>

struct value value_of_bytes(struct language *l, struct type *type, const void *bytes, uint64_t size)
{
    uint8_t *copy = language_alloc(l, size ? size : 1);

    if (size)
        memcpy(copy, bytes, size);
    return (struct value){.type = type, .bytes = copy, .size = size};
}

struct value value_of_int(struct language *l, struct type *type, uint64_t number)
{
    uint64_t size = value_size(l, type);
    uint8_t bytes[16] = {0};

    if (value_strip(l, type)->is_bool)
        number = number != 0;
    memcpy(bytes, &number, sizeof number); /* hosts we support are little-endian */
    if (size > 8 && (int64_t)number < 0 && value_strip(l, type)->is_signed)
        memset(bytes + 8, 0xff, 8);
    return value_of_bytes(l, type, bytes, size < sizeof bytes ? size : sizeof bytes);
}

struct value value_of_float(struct language *l, struct type *type, double number)
{
    float single = (float)number;

    if (value_size(l, type) == sizeof single)
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

/* The vector register, which has the type of none of the others. False: the register is none. */
static bool value_of_vector(struct language *l, unsigned number, struct value *v)
{
    const struct language_env *env = language_env(l);
    unsigned bytes;
    const uint8_t *from = env->get_vector ? env->get_vector(env->ctx, number, &bytes) : NULL;

    if (!from)
        return false;
    *v = value_of_bytes(l, language_vector_type(l, bytes), from, bytes);
    v->place = VALUE_IN_REGISTER;
    v->number = number;
    return true;
}

struct value value_of_register(struct language *l, unsigned number)
{
    struct types *t = language_types(l);
    unsigned bits = 64, kind = 0;
    struct type *type;
    struct value v;
    uint64_t word = 0;
    bool known;

    if (value_of_vector(l, number, &v))
        return v;
    language_env(l)->register_kind(language_env(l)->ctx, number, &bits, &kind);
    switch (kind) {
    case 1: type = language_code_pointer(l); break;
    case 2: type = type_pointer_to(t, type_void(t)); break;
    case 3: type = type_float(t, bits / 8); break;
    default: type = type_builtin(t, bits == 32 ? "int" : "long"); break;
    }
    known = language_env(l)->get_register(language_env(l)->ctx, number, &word);
    v = value_of_bytes(l, type, &word, bits / 8);
    v.place = VALUE_IN_REGISTER;
    v.number = number;
    v.lost = v.unsaved = !known;
    return v;
}

/* ---- reading values ---- */

bool value_fetch(struct language *l, struct value *v)
{
    uint64_t size;
    uint8_t *bytes;

    if (v->lost && !language_types_only_now(l))
        return language_fail(l, v->unsaved ? "value is not available: the register was not saved"
                                           : "value has been optimized out");
    if (v->bytes)
        return true;
    size = value_size(l, v->type);
    if (v->bit_size)
        size = (v->bit_offset + v->bit_size + 7) / 8;
    if (size > VALUE_BYTES_MAX)
        return language_fail(
            l, "value requires %" PRIu64 " bytes, which is more than max-value-size", size);
    bytes = language_alloc(l, size + 8);
    if (size && !language_types_only_now(l) &&
        !language_env(l)->load(language_env(l)->ctx, v->address, bytes, size))
        return language_fail(l, "Cannot access memory at address 0x%" PRIx64, v->address);
    v->bytes = bytes;
    v->size = size;
    return true;
}

/*
 * Returns the bytes as a number, sign-extended. A bit-field may begin in one word and end in the
 * next.
 */
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
        number = value_low_bits((uint64_t)(wide >> v->bit_offset), bits);
    }
    return is_signed ? value_sign_extend(number, bits) : number;
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
    struct type *type = value_strip(l, v.type);

    switch (type->kind) {
    case TYPE_INT:
    case TYPE_ENUM:
        if (!value_fetch(l, &v))
            return false;
        *number = raw_integer(&v, value_size(l, type), type->is_signed);
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
    const struct type *type = value_strip(l, v.type);
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
    const struct type *type = value_strip(l, v.type);

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

    if (type_is_aggregate(value_strip(l, v.type)))
        return language_fail(l, "Structure has no component named operator!.");
    if (value_strip(l, v.type)->kind == TYPE_FLOAT) {
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

/* ---- places ---- */

bool value_dereference(struct language *l, struct value v, struct value *out)
{
    struct type *type = value_strip(l, v.type);
    uint64_t address;

    switch (type->kind) {
    case TYPE_POINTER:
        if (value_strip(l, type->target)->kind == TYPE_VOID)
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
        *out = value_at(type_builtin(language_types(l), "int"), address);
        return true;
    case TYPE_NO_DATA: return value_decay(l, &v);
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
    uint64_t size = value_size(l, type);

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
    if (v->bytes && f->offset < v->size) { /* the size may differ from the type's */
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
    struct type *type = value_strip(l, v->type);

    for (size_t i = 0; i < type->fields.len; i++) {
        const struct type_field *f = &type->fields.at[i];

        if (f->name && !strcmp(f->name, name)) {
            *out = value_field(l, v, f);
            return true;
        }
        if (!f->name && type_is_aggregate(value_strip(l, f->type))) {
            struct value inner = value_field(l, v, f);

            if (find_member(l, &inner, name, out))
                return true;
        }
    }
    return false;
}

/*
 * Finds a member. As in gdb, `pointer.member' and `pointer->member' mean the same, also for a
 * struct.
 */
bool value_member(struct language *l, struct value v, const char *name, struct value *out)
{
    struct type *type = value_strip(l, v.type);

    if (type->kind == TYPE_POINTER && type_is_aggregate(value_strip(l, type->target)) &&
        !value_dereference(l, v, &v))
        return false;
    type = value_strip(l, v.type);
    if (!type_is_aggregate(type))
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
    struct type *type = value_strip(l, v.type);
    uint64_t i;

    if (type->kind == TYPE_ARRAY) {
        if (!value_integer(l, index, &i))
            return false;
        if (v.place != VALUE_IN_MEMORY && type->bounded && i >= type->count)
            return language_fail(l, "no such vector element");
        *out = value_part(l, &v, type->target, i * value_size(l, type->target));
        return true;
    }
    if (type_is_aggregate(type))
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
    if (!language_env(l)->load(language_env(l)->ctx, to->address, &wide, size))
        return language_fail(l, "Cannot access memory at address 0x%" PRIx64, to->address);
    mask = (((unsigned __int128)1 << to->bit_size) - 1) << to->bit_offset;
    wide = (wide & ~mask) | ((unsigned __int128)number << to->bit_offset & mask);
    return language_env(l)->store(language_env(l)->ctx, to->address, &wide, size) ||
           language_fail(l, "Cannot access memory at address 0x%" PRIx64, to->address);
}

static bool store_memory(struct language *l, const struct value *to, const struct value *from)
{
    uint64_t number;

    if (to->bit_size)
        return value_integer(l, *from, &number) && store_bits(l, to, number);
    return language_env(l)->store(language_env(l)->ctx, to->address, from->bytes, from->size) ||
           language_fail(l, "Cannot access memory at address 0x%" PRIx64, to->address);
}

/* A part of a vector register; the rest of it stays. */
static bool store_vector(struct language *l, const struct value *to, const struct value *from)
{
    struct value whole;

    if (!value_of_vector(l, to->number, &whole))
        return false;
    if (to->offset + from->size > whole.size)
        return language_fail(l, "Invalid cast.");
    memcpy((uint8_t *)(uintptr_t)whole.bytes + to->offset, from->bytes, from->size);
    return language_env(l)->set_vector(language_env(l)->ctx, to->number, whole.bytes) ||
           language_fail(l, "The register cannot be written.");
}

static bool is_vector(struct language *l, unsigned number)
{
    const struct language_env *env = language_env(l);
    unsigned bytes;

    return env->get_vector && env->get_vector(env->ctx, number, &bytes);
}

static bool store_register(struct language *l, const struct value *to, const struct value *from)
{
    uint64_t word = 0;

    if (is_vector(l, to->number))
        return store_vector(l, to, from);
    (void)language_env(l)->get_register(language_env(l)->ctx, to->number, &word);
    if (to->offset + from->size > sizeof word)
        return language_fail(l, "Invalid cast.");
    memcpy((uint8_t *)&word + to->offset, from->bytes, from->size);
    return language_env(l)->set_register(language_env(l)->ctx, to->number, word) ||
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
    if (value_strip(l, to.type)->kind == TYPE_NO_DATA)
        return value_decay(l, &to);
    if (type_is_scalar(value_strip(l, to.type))
            ? !value_cast(l, to.type, from, &from)
            : value_strip(l, to.type) != value_strip(l, from.type))
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
