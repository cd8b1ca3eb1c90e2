/*
 * dwarf_priv.h - the state of struct debug_info, for the files of dwarf.h only:
 *
 *     dwarf.c        sections, the index of names, scopes, symbols
 *     dwarf_types.c  types
 */
#ifndef DEBUG_DWARF_PRIV_H
#define DEBUG_DWARF_PRIV_H

#include "base/vec.h"
#include "debug/lang/dwarf.h"

struct name {
    const char *name;
    Dwarf_Off die;
    uint32_t next; /* in its bucket: index + 1 */
    uint16_t tag;
};

struct known_type {
    Dwarf_Off die;
    struct type *type;
};

struct debug_info {
    struct lines *lines;
    struct types *types;
    bool indexed;
    uint32_t *buckets; /* index + 1 of the first name; NULL: not indexed */
    VEC_OF(struct name) names;
    struct known_type *known; /* a hash table, by the die; known_size is a power of two */
    size_t known_size, known_count;
    unsigned depth;     /* of types being made, each for the one before */
    uint64_t blocks_pc; /* of the last answer of debug_blocks; 0: none */
    struct blocks blocks;
};

/* Returns the first name with the hash of this one, as index in `names` + 1; 0: there is none. */
uint32_t dwarf_first_name(struct debug_info *i, const char *name);

/* The functions of struct types_reader; ctx is the struct debug_info. */
void dwarf_fill_type(void *ctx, struct type *t);
struct type *dwarf_complete_type(void *ctx, enum type_kind kind, const char *name);

/* Returns the type of a DIE of a type or a function. */
struct type *dwarf_type_from(struct debug_info *i, Dwarf_Die *die);
/* Whether a flag is set. */
bool dwarf_flag(Dwarf_Die *die, unsigned name);
int64_t dwarf_enumerator_value(Dwarf_Die *die);

#endif
