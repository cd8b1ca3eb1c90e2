/*
 * cache.h - a set-associative memory of numbers: a cache of lines, a TLB of pages, a table of
 * branch targets. It knows which numbers it holds, not what stands in them.
 *
 * A look-up that finds its number changes nothing with fifo and random replacement; with lru and
 * plru a second one in a row changes nothing.
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
    uint64_t holes;  /* of one set of up to 64: which ones, a bit each */
};

/* ways 0: as many as entries. A cache of no entries holds nothing, and takes nothing. */
void cache_init(struct cache *c, uint32_t entries, uint32_t ways, uint32_t policy);
void cache_free(struct cache *c);
void cache_clear(struct cache *c);
void cache_state_io(struct state_io *io, struct cache *c);

/* Where the key is, or CACHE_NOT; no use is noted. */
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

/* The same, as a use. */
int64_t cache_find(struct cache *c, uint64_t key);

/*
 * Puts a key in that is not there; note 0. Returns its place; in `gone` the key that had it before,
 * or CACHE_EMPTY, and in `note` what was noted there. CACHE_NOT: the cache has no entries.
 */
int64_t cache_put(struct cache *c, uint64_t key, uint64_t *gone, uint64_t *note);

void cache_remove(struct cache *c, uint64_t key);

/* There is a key. */
static inline void cache_remove_at(struct cache *c, uint64_t at)
{
    c->keys[at] = CACHE_EMPTY;
    c->empty++;
    c->holes |= UINT64_C(1) << at % 64;
}

#endif
