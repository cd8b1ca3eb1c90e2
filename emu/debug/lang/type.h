/*
 * type.h - the types of C: those of a program's debug information, and those that expressions
 * make of them.
 *
 * A type is made once and lives as long as its struct types. Members of a struct, values of an
 * enum and parameters of a function are filled in by the reader of the debug information when
 * they are first needed (type_fill).
 */
#ifndef DEBUG_TYPE_H
#define DEBUG_TYPE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/vec.h"

enum type_kind {
    TYPE_VOID,
    TYPE_INT, /* also _Bool and char */
    TYPE_FLOAT,
    TYPE_ENUM,
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_STRUCT,
    TYPE_UNION,
    TYPE_FUNCTION,
    TYPE_TYPEDEF,
    TYPE_QUALIFIED, /* `qualifier` of target */
    TYPE_NO_DATA,   /* a variable without debug information */
    TYPE_NO_CODE,   /* a function or label without debug information */
};

enum type_qualifier { QUALIFIER_CONST, QUALIFIER_VOLATILE, QUALIFIER_RESTRICT, QUALIFIER_ATOMIC };

struct type_field {
    const char *name; /* NULL: an anonymous struct or union; a parameter without a name */
    struct type *type;
    uint64_t offset;               /* bytes; of a bit-field, of the unit that holds its first bit */
    unsigned bit_offset, bit_size; /* bit_size 0: no bit-field */
};

struct type_value {
    const char *name;
    int64_t value;
};

struct type {
    enum type_kind kind;
    const char *name; /* NULL: none, as of pointers */
    uint64_t size;
    bool is_signed, is_bool, is_char; /* INT, ENUM */
    bool flags;                       /* ENUM: its values are bits to be combined */
    bool declared;                    /* STRUCT, UNION, ENUM: only declared, without members */
    bool prototyped, variadic;        /* FUNCTION */
    bool bounded;                     /* ARRAY: `count` is known */
    enum type_qualifier qualifier;
    struct type *target; /* POINTER, ARRAY, FUNCTION (result), TYPEDEF, QUALIFIED; NULL: void */
    uint64_t count;      /* ARRAY */
    VEC_OF(struct type_field) fields; /* STRUCT, UNION; FUNCTION: parameters */
    VEC_OF(struct type_value) values; /* ENUM */
    uint64_t origin; /* offset in the debug information; 0: the type is not from there */
    bool filled;
    struct type *pointer; /* the pointer to it, once made */
};

struct types;

struct types_reader {
    void *ctx;
    /* Fills in fields or values of `t`, whose origin is not 0. */
    void (*fill)(void *ctx, struct type *t);
    /*
     * Returns the complete type of that kind and name, for a type that is only declared; NULL:
     * none.
     */
    struct type *(*complete)(void *ctx, enum type_kind kind, const char *name);
};

struct types *types_new(struct types_reader reader);
void types_free(struct types *t); /* NULL is allowed */

/* Makes a type, zeroed but for kind, name (not copied) and size. */
struct type *type_new(struct types *t, enum type_kind kind, const char *name, uint64_t size);

/* The built-in ones. */
struct type *type_void(struct types *t);
struct type *type_int(struct types *t, unsigned size, bool is_signed); /* 1 (char) to 8 */
struct type *type_float(struct types *t, unsigned size);
struct type *type_no_debug(struct types *t, enum type_kind kind);
/* Returns a built-in arithmetic type by its C name, as "unsigned long"; NULL: it is none. */
struct type *type_builtin(struct types *t, const char *name);

struct type *type_pointer_to(struct types *t, struct type *target);
struct type *type_array_of(struct types *t, struct type *element, uint64_t count);
struct type *type_function(struct types *t, struct type *result);
struct type *type_qualified(struct types *t, struct type *of, enum type_qualifier qualifier);

/*
 * Returns the type without typedefs and qualifiers, completed if it was only declared, with its
 * members filled in.
 */
struct type *type_strip(struct types *t, struct type *type);
/* Returns the type without typedefs at the top only, as `ptype` shows it. */
struct type *type_unalias(struct types *t, struct type *type);
uint64_t type_size(struct types *t, struct type *type);

bool type_is_integer(const struct type *stripped);     /* INT or ENUM */
bool type_is_scalar(const struct type *stripped);      /* also POINTER and FLOAT */
bool type_is_text(struct types *t, struct type *type); /* char, in strings */

/*
 * Prints a declaration in C: the type with `name` in its place (NULL: none). show: 1 with the
 * members of a struct (ptype), 0 without those of named ones, -1 without any.
 */
void type_print(struct types *t, FILE *out, struct type *type, const char *name, int show,
                unsigned indent);

/*
 * Prints a struct or union with offset and size of each member, and a newline. False: the type is
 * neither.
 */
MUST_USE bool type_print_layout(struct types *t, FILE *out, struct type *type, bool hex);

#endif
