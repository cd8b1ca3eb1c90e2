/*
 * prototypes.h - the parameters and results of functions: their names and types, and the registers
 * that they are in, by DWARF or, for a kernel without that, by its BTF (btf.h).
 *
 * At the entry of a function the calling convention of the RISC-V psABI says where a parameter is;
 * after its prologue, and in a function that the compiler has changed (a clone: its symbol has a
 * dot), DWARF does. BTF has no places, and no clones.
 */
#ifndef LOAD_PROTOTYPES_H
#define LOAD_PROTOTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct image;
struct lines;
struct prototypes;
struct symbols;

enum value_kind {
    VALUE_VOID,
    VALUE_SIGNED,
    VALUE_UNSIGNED,
    VALUE_BOOL,
    VALUE_POINTER,
    VALUE_TEXT, /* a pointer to const char */
    VALUE_FLOAT,
    VALUE_AGGREGATE, /* a struct, union, complex or vector, by value */
};

enum { NO_ENUMERATION = UINT32_MAX };

struct value_type {
    enum value_kind kind;
    uint32_t size;        /* in bytes */
    uint32_t enumeration; /* SIGNED, UNSIGNED: which one names its values, or NO_ENUMERATION */
};

/* Numbers of registers: x0 is 0, f0 is 32. */
enum { REGISTER_F0 = 32 };

/* A parameter, or the result, which has no name. */
struct parameter {
    const char *name; /* NULL: it has none */
    struct value_type type;
    uint8_t count;        /* of the registers that it is in; 0: not in registers, or not known */
    uint8_t registers[2]; /* the one with the lower half first */
};

enum { PARAMETERS_MAX = 16 };

struct prototype {
    struct parameter result;
    bool variadic;
    unsigned count;
    struct parameter parameters[PARAMETERS_MAX]; /* further ones are left out */
};

struct enumerator {
    const char *name;
    int64_t value;
};

/*
 * All strings live as long as their arguments, which must outlive the struct prototypes. `lines'
 * may be without debug information, but not NULL.
 */
struct prototypes *prototypes_new(struct lines *lines, const struct image *im,
                                  const struct symbols *symbols);
void prototypes_free(struct prototypes *p); /* NULL is allowed */

/*
 * The prototype of the function that contains the address; the parameters' registers are those at
 * that address. at_entry: nothing of the function was executed before it, so that the calling
 * convention holds. False: it is not known.
 */
MUST_USE bool prototypes_find(struct prototypes *p, uint64_t address, bool at_entry,
                              struct prototype *found);

/* The enumerations met so far, and the values of one. */
uint32_t prototypes_enumerations(const struct prototypes *p);
const struct enumerator *prototypes_enumeration(const struct prototypes *p, uint32_t number,
                                                size_t *count);

#endif
