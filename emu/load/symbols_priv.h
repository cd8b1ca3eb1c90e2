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
    struct symbol symbol;
    uint64_t limit; /* upper bound for its end if it has no size: the end of its section */
    size_t outer;   /* the nearest entry before this one that extends over its start */
    bool weak;
};

struct symbols {
    VEC_OF(struct symbols_entry) entries;
    size_t *by_name; /* indices of entries */
    size_t first;    /* the first entry that may name addresses (symbols_hide_below) */
    VEC_OF(char *) names;
};

struct symbols *symbols_new(void);

/* Adds a symbol, with a copy of its name. Drops names that symbols.h lists as left out. */
void symbols_add(struct symbols *s, struct symbols_entry e, const char *name, size_t len);

void symbols_finish(struct symbols *s);

#endif
