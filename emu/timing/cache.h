/*
 * cache.h - a set-associative memory of numbers: a cache of lines, a TLB of pages, a table of
 * branch targets. It has the numbers only, not the contents of the lines.
 *
 * With fifo and random replacement a look-up that finds its number changes nothing; with lru and
 * plru a repeated look-up of one number changes nothing.
 */
#ifndef TIMING_CACHE_H
#define TIMING_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct state_io;

#define CACHE_EMPTY UINT64_MAX

enum { CACHE_NOT = -1 };

struct cache {
    uint64_t *keys;  /* sets of `ways` */
    uint64_t *notes; /* the owner's, one for each key */
    uint64_t *order; /* lru: of the last use, by key; fifo and plru: one for each set */
    uint64_t clock;  /* lru: uses; random: state of the generator */
    uint32_t sets, ways;
    uint32_t policy; /* enum core_replacement */
    uint32_t empty;  /* entries that hold nothing */
    uint64_t holes;  /* with one set of up to 64 entries: those that hold nothing, a bit each */
};

/* ways 0: as many as entries. A cache without entries holds nothing. */
void cache_init(struct cache *c, uint32_t entries, uint32_t ways, uint32_t policy);
void cache_free(struct cache *c);
void cache_clear(struct cache *c);
void cache_state_io(struct state_io *io, struct cache *c);

/* Returns the key's place, or CACHE_NOT, without noting a use. */
static inline int64_t cache_peek(const struct cache *c, uint64_t key)
{
    uint64_t first;

    if (!c->sets)
        return CACHE_NOT;
    first = (key & (c->sets - 1)) * c->ways;
    for (uint64_t i = first; i < first + c->ways; i++)
        if (c->keys[i] == key)
            return (int64_t)i;
    return CACHE_NOT;
}

/* The same, and notes a use. */
int64_t cache_find(struct cache *c, uint64_t key);

/*
 * Adds a key that is not in the cache, with note 0. Returns its place; in `gone` the key that was
 * there, or CACHE_EMPTY, and in `note` its note. CACHE_NOT: the cache has no entries.
 */
int64_t cache_put(struct cache *c, uint64_t key, uint64_t *gone, uint64_t *note);

void cache_remove(struct cache *c, uint64_t key);

/* Removes the key at that place, where there is one. */
static inline void cache_remove_at(struct cache *c, uint64_t at)
{
    c->keys[at] = CACHE_EMPTY;
    c->empty++;
    c->holes |= UINT64_C(1) << at % 64;
}

#endif
