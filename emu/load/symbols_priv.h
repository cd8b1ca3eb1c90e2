/*
 * symbols_priv.h - how a symbol table is filled; for emu/load only.
 *
 * symbols_new, any number of symbols_add, then symbols_finish once.
 */
#ifndef LOAD_SYMBOLS_PRIV_H
#define LOAD_SYMBOLS_PRIV_H

#include "base/vec.h"
#include "load/symbols.h"

struct symbols_entry {
    /*
     * Until symbols_finish its `end` is the upper bound for it if it has no size: the end of its
     * section.
     */
    struct symbol symbol;
    uint32_t outer; /* the nearest entry before this one that extends over its start */
    uint32_t sized; /* the nearest function with a size before this one; see symbols_bounds */
};

/* A slot of the hash table of names; hash 0: it is empty. */
struct symbols_slot {
    uint32_t hash, entry;
};

struct symbols {
    VEC_OF(struct symbols_entry) entries;
    struct symbols_slot *by_name; /* a power of two of them */
    size_t slots;
    size_t first;          /* the first entry that may name addresses (symbols_hide_below) */
    VEC_OF(char *) chunks; /* the names, many in each */
    size_t chunk_bytes, chunk_left; /* of the last one; the free ones are at its end */
    struct symbols_more more;
};

struct symbols *symbols_new(void);

/* Adds a symbol, with a copy of its name. Drops names that symbols.h lists as left out. */
void symbols_add(struct symbols *s, struct symbols_entry e, const char *name, size_t len);

/*
 * The same for a symbol with the letter of `nm` or kallsyms; size 0: not known. After the last one
 * call symbols_bound_last, because no next symbol shows its end.
 */
void symbols_add_lettered(struct symbols *s, uint64_t addr, uint64_t size, char letter,
                          const char *name, size_t len);
void symbols_bound_last(struct symbols *s);

void symbols_finish(struct symbols *s);

#endif
