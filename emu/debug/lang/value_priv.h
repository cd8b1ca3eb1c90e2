/*
 * value_priv.h - for the files of value.h only:
 *
 *     language.c    history, variables, and the memory of the present command
 *     value.c       making and reading values, places, assignment
 *     arithmetic.c  operators and casts
 */
#ifndef DEBUG_VALUE_PRIV_H
#define DEBUG_VALUE_PRIV_H

#include "debug/lang/dwarf.h"
#include "debug/lang/value.h"

static inline struct type *value_strip(struct language *l, struct type *type)
{
    return type_strip(language_types(l), type);
}

static inline uint64_t value_size(struct language *l, struct type *type)
{
    return type_size(language_types(l), type);
}

static inline bool type_is_aggregate(const struct type *stripped)
{
    return stripped->kind == TYPE_STRUCT || stripped->kind == TYPE_UNION;
}

static inline uint64_t value_low_bits(uint64_t number, unsigned bits)
{
    return bits < 64 ? number & ((UINT64_C(1) << bits) - 1) : number;
}

static inline uint64_t value_sign_extend(uint64_t number, unsigned bits)
{
    return bits && bits < 64 ? (uint64_t)((int64_t)(number << (64 - bits)) >> (64 - bits)) : number;
}

/* Returns the type of registers such as pc. */
struct type *language_code_pointer(struct language *l);
/* Returns the type of vector registers of that many bytes: a union of arrays of each width. */
struct type *language_vector_type(struct language *l, unsigned bytes);

/*
 * Converts an array to its first element's address, and a function to its own. False: the value is
 * a symbol without a type.
 */
MUST_USE bool value_decay(struct language *l, struct value *v);

#endif
