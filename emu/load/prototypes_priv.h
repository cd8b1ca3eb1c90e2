/*
 * prototypes_priv.h - for the files of prototypes.h: DWARF, BTF, and what both need.
 */
#ifndef LOAD_PROTOTYPES_PRIV_H
#define LOAD_PROTOTYPES_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "load/prototypes.h"

struct btf_functions;

struct enumeration {
    VEC_OF(struct enumerator) values;
};

struct prototypes {
    struct lines *lines;
    const struct symbols *symbols;
    struct lines_functions *functions; /* NULL: there is no DWARF */
    struct btf_functions *btf;         /* NULL: there is none, or DWARF */
    bool float_registers;              /* the ABI passes floating point in registers of its own */
    VEC_OF(struct enumeration) enumerations;
    struct map enumeration_at; /* a reader's own number of a type -> index */
};

/* How many registers for arguments are used up: of integers, of floating point. */
struct convention {
    unsigned integers, floats;
    bool lost; /* what follows is not known */
};

/*
 * Gives the next parameter its registers, by the calling convention. The same for a result, of
 * which there is one.
 */
void convention_pass(const struct prototypes *p, struct convention *c, struct parameter *to);

/* Whether a result of this type is written to memory, whose address is a first argument. */
bool convention_returns_in_memory(const struct value_type *type);

/* The enumeration with the reader's number. *is_new: its values must be added. */
struct enumeration *prototypes_add_enumeration(struct prototypes *p, uint64_t key, uint32_t *number,
                                               bool *is_new);

/* By DWARF: *symbol is that of the function. */
struct symbol;
MUST_USE bool prototypes_by_dwarf(struct prototypes *p, const struct symbol *symbol,
                                  uint64_t address, bool at_entry, struct prototype *found);

/* By BTF. NULL: the file has none. */
struct btf_functions *btf_functions_new(const uint8_t *file, size_t size,
                                        const struct symbols *symbols);
void btf_functions_free(struct btf_functions *b); /* NULL is allowed */
MUST_USE bool prototypes_by_btf(struct prototypes *p, const char *function,
                                struct prototype *found);

#endif
