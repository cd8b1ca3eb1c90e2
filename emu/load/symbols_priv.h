/*
 * symbols_priv.h - the symbol table for the files that fill it; for emu/load only.
 *
 * symbols_new, any number of symbols_add, then symbols_finish once.
 */
#ifndef LOAD_SYMBOLS_PRIV_H
#define LOAD_SYMBOLS_PRIV_H

#include "base/vec.h"
#include "load/symbols.h"

struct symbols_entry {
    struct symbol symbol;
    uint64_t limit; /* without a size it reaches no further: the end of its section */
    size_t outer;   /* the nearest entry before this one that reaches over its start */
    bool weak;
};

struct symbols {
    VEC_OF(struct symbols_entry) entries;
    size_t *by_name; /* indices of entries */
    size_t first;    /* entry that may be the name of an address; those before it may not */
    VEC_OF(char *) names;
};

struct symbols *symbols_new(void);

/* Copies the name; drops the symbol if symbols.h says that such names are left out. */
void symbols_add(struct symbols *s, struct symbols_entry e, const char *name, size_t len);

void symbols_finish(struct symbols *s);

#endif
