/*
 * symbols_priv.h - how a symbol table is filled; for emu/load only.
 *
 * symbols_new, any number of symbols_add, then symbols_finish once.
 */
#ifndef LOAD_SYMBOLS_PRIV_H
#define LOAD_SYMBOLS_PRIV_H

#include "base/vec.h"
#include "load/symbols.h"

enum { SYMBOLS_MAX = (1 << 27) - 1 }; /* what `wider` can number; later ones are left out */

struct symbols {
    VEC_OF(struct symbol) entries;
    uint32_t *by_name; /* by the hash of the name: index + 1; 0: empty; a power of two of them */
    size_t slots;
    size_t first;          /* the first entry that may name addresses (symbols_hide_below) */
    VEC_OF(char *) chunks; /* the names, many in each */
    size_t chunk_bytes, chunk_left; /* of the last one; the free ones are at its end */
    struct symbols_more more;
};

struct symbols *symbols_new(void);

/*
 * Adds a symbol of `size` bytes, with a copy of its name. 0: its size is not known, and until
 * symbols_finish its `end` is an upper bound, the end of its section. Drops names that symbols.h
 * lists as left out.
 */
void symbols_add(struct symbols *s, struct symbol y, uint64_t size, const char *name, size_t len);

/*
 * The same for a symbol with the letter of `nm` or kallsyms; size 0: not known. After the last one
 * call symbols_bound_last, because no next symbol shows its end.
 */
void symbols_add_lettered(struct symbols *s, uint64_t addr, uint64_t size, char letter,
                          const char *name, size_t len);
void symbols_bound_last(struct symbols *s);

void symbols_finish(struct symbols *s);

#endif
