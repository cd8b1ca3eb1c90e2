/*
 * prototypes_btf.c - the parameters and results of functions by BTF: see prototypes.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "load/btf_priv.h"
#include "load/prototypes_priv.h"
#include "load/symbols.h"

enum { PARAMETER_BYTES = 8, ENUM_BYTES = 8, ENUM64_BYTES = 12, POINTER_BYTES = 8 };

/* More typedefs, const and the like, one after the other, than any type has. */
enum { PEELS_MAX = 32 };

struct btf_functions {
    struct btf btf;
    VEC_OF(uint32_t) types; /* their offsets; type number n is at n - 1 */
    struct map by_name;     /* hash of a name -> number of the BTF_FUNC */
    struct map symbols;     /* the same -> how many functions have that name */
};

static const char *name_of(const struct btf *b, uint32_t offset)
{
    return offset < b->names_size ? (const char *)b->names + offset : "";
}

static uint64_t key_of(const char *name)
{
    uint64_t hash = fnv1a(FNV1A_START, (const uint8_t *)name, strlen(name));

    return hash - (hash == UINT64_MAX);
}

/* NULL: there is no such type. */
static const uint8_t *type_at(const struct btf_functions *b, uint32_t number)
{
    return number && number <= b->types.len ? b->btf.types + b->types.at[number - 1] : NULL;
}

static void read_types(struct btf_functions *b)
{
    uint64_t rest;

    for (uint64_t at = 0; at + BTF_TYPE_BYTES <= b->btf.types_size; at += BTF_TYPE_BYTES + rest) {
        const uint8_t *type = b->btf.types + at;

        if (!btf_rest(btf_kind(type), btf_parts(type), &rest) ||
            rest > b->btf.types_size - at - BTF_TYPE_BYTES)
            return;
        VEC_PUSH(&b->types, (uint32_t)at);
        if (btf_kind(type) == BTF_FUNC)
            map_put(&b->by_name, key_of(name_of(&b->btf, btf_word(type))), b->types.len);
    }
}

/* Several functions may have one name, and then it does not say which of them is meant. */
static void count_names(struct btf_functions *b, const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols_count(symbols); i++) {
        const struct symbol *s = symbols_get(symbols, i);
        uint64_t key = key_of(s->name), count = 0;

        if (s->kind != SYMBOL_FUNC)
            continue;
        (void)map_get(&b->symbols, key, &count);
        map_put(&b->symbols, key, count + 1);
    }
}

struct btf_functions *btf_functions_new(const uint8_t *file, size_t size,
                                        const struct symbols *symbols)
{
    struct btf_functions *b;
    struct btf btf;

    if (!btf_find(file, size, &btf))
        return NULL;
    b = xcalloc(1, sizeof *b);
    b->btf = btf;
    read_types(b);
    count_names(b, symbols);
    return b;
}

void btf_functions_free(struct btf_functions *b)
{
    if (!b)
        return;
    VEC_FREE(&b->types);
    map_free(&b->by_name);
    map_free(&b->symbols);
    free(b);
}

/* ---- types ---- */

static bool only_qualifies(unsigned kind)
{
    return kind == BTF_TYPEDEF || kind == BTF_VOLATILE || kind == BTF_CONST ||
           kind == BTF_RESTRICT || kind == BTF_TYPE_TAG;
}

/* The type itself; NULL: void. *is_const: it is one that must not be changed. */
static const uint8_t *peel(const struct btf_functions *b, uint32_t number, uint32_t *peeled,
                           bool *is_const)
{
    const uint8_t *type = type_at(b, number);

    *is_const = false;
    for (unsigned i = 0; type && i < PEELS_MAX && only_qualifies(btf_kind(type)); i++) {
        *is_const |= btf_kind(type) == BTF_CONST;
        number = btf_word(type + 8);
        type = type_at(b, number);
    }
    *peeled = number;
    return type;
}

static bool points_to_text(const struct btf_functions *b, const uint8_t *pointer)
{
    uint32_t number;
    bool is_const;
    const uint8_t *target = peel(b, btf_word(pointer + 8), &number, &is_const);

    return target && is_const && btf_kind(target) == BTF_INT &&
           !strcmp(name_of(&b->btf, btf_word(target)), "char");
}

static enum value_kind kind_of_int(const uint8_t *type)
{
    enum { SIGNED = 1, BOOLEAN = 4 };
    uint32_t encoding = btf_word(type + BTF_TYPE_BYTES) >> 24 & 0xf;

    if (encoding & BOOLEAN)
        return VALUE_BOOL;
    return encoding & SIGNED ? VALUE_SIGNED : VALUE_UNSIGNED;
}

/* The flag is newer than BTF itself: without it values of 32 bits may be negative, too. */
static bool is_signed(const uint8_t *type)
{
    for (uint32_t i = 0; btf_kind(type) == BTF_ENUM && i < btf_parts(type); i++)
        if (btf_word(type + BTF_TYPE_BYTES + (size_t)ENUM_BYTES * i + 4) >> 31)
            return true;
    return btf_word(type + 4) >> 31;
}

static void add_values(const struct btf_functions *b, const uint8_t *type, struct enumeration *to)
{
    bool wide = btf_kind(type) == BTF_ENUM64, has_sign = is_signed(type);

    for (uint32_t i = 0; i < btf_parts(type); i++) {
        const uint8_t *at = type + BTF_TYPE_BYTES + (size_t)(wide ? ENUM64_BYTES : ENUM_BYTES) * i;
        uint32_t low = btf_word(at + 4);
        struct enumerator e = {name_of(&b->btf, btf_word(at)),
                               has_sign ? (int32_t)low : (int64_t)low};

        if (wide)
            e.value = (int64_t)((uint64_t)btf_word(at + 8) << 32 | low);
        VEC_PUSH(&to->values, e);
    }
}

static void read_enumeration(struct prototypes *p, const uint8_t *type, uint32_t number,
                             struct value_type *to)
{
    bool is_new;
    struct enumeration *e = prototypes_add_enumeration(p, number, &to->enumeration, &is_new);

    if (is_new)
        add_values(p->btf, type, e);
    to->kind = is_signed(type) ? VALUE_SIGNED : VALUE_UNSIGNED;
}

/* False: a type that no value of a register has. */
static bool read_type(struct prototypes *p, uint32_t number, struct value_type *to)
{
    bool is_const;
    const uint8_t *type = peel(p->btf, number, &number, &is_const);

    *to = (struct value_type){VALUE_VOID, 0, NO_ENUMERATION};
    if (!type)
        return !number;
    to->size = btf_word(type + 8);
    switch (btf_kind(type)) {
    case BTF_INT: to->kind = kind_of_int(type); break;
    case BTF_ENUM:
    case BTF_ENUM64: read_enumeration(p, type, number, to); break;
    case BTF_FLOAT: to->kind = VALUE_FLOAT; break;
    case BTF_STRUCT:
    case BTF_UNION: to->kind = VALUE_AGGREGATE; break;
    case BTF_POINTER:
        to->size = POINTER_BYTES;
        to->kind = points_to_text(p->btf, type) ? VALUE_TEXT : VALUE_POINTER;
        break;
    default: return false;
    }
    return true;
}

/* ---- functions ---- */

static void read_parameters(struct prototypes *p, const uint8_t *type, struct convention *c,
                            struct prototype *to)
{
    for (uint32_t i = 0; i < btf_parts(type); i++) {
        const uint8_t *at = type + BTF_TYPE_BYTES + (size_t)PARAMETER_BYTES * i;
        const char *name = name_of(&p->btf->btf, btf_word(at));
        struct parameter *parameter = &to->parameters[to->count];

        to->variadic |= !btf_word(at + 4);
        if (!btf_word(at + 4) || to->count == PARAMETERS_MAX)
            continue;
        *parameter = (struct parameter){.name = *name ? name : NULL};
        c->lost |= !read_type(p, btf_word(at + 4), &parameter->type);
        convention_pass(p, c, parameter);
        to->count++;
    }
}

bool prototypes_by_btf(struct prototypes *p, const char *function, struct prototype *found)
{
    struct convention c = {0}, of_result = {0};
    const struct btf_functions *b = p->btf;
    const uint8_t *type;
    uint64_t number, count;

    if (!map_get(&b->symbols, key_of(function), &count) || count != 1 ||
        !map_get(&b->by_name, key_of(function), &number))
        return false;
    type = type_at(b, (uint32_t)number);
    if (strcmp(name_of(&b->btf, btf_word(type)), function) != 0)
        return false;
    type = type_at(b, btf_word(type + 8));
    if (!type || btf_kind(type) != BTF_FUNC_PROTO)
        return false;
    of_result.lost = !read_type(p, btf_word(type + 8), &found->result.type);
    if (convention_returns_in_memory(&found->result.type))
        c.integers = 1;
    else
        convention_pass(p, &of_result, &found->result);
    read_parameters(p, type, &c, found);
    return true;
}
