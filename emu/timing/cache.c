/*
 * cache.c - see cache.h.
 */
#include "timing/cache.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "timing/core.h"

/* A fixed start: random replacement is a function of what was accessed. */
enum { RANDOM_START = 0xace1 };

void cache_init(struct cache *c, uint32_t entries, uint32_t ways, uint32_t policy)
{
    *c = (struct cache){.ways = ways ? ways : entries, .policy = policy};
    if (!entries)
        return;
    c->sets = entries / c->ways;
    c->keys = xcalloc(entries, sizeof *c->keys);
    c->notes = xcalloc(entries, sizeof *c->notes);
    c->order = xcalloc(entries, sizeof *c->order);
    c->clock = RANDOM_START;
    cache_clear(c);
}

void cache_free(struct cache *c)
{
    free(c->keys);
    free(c->notes);
    free(c->order);
    *c = (struct cache){0};
}

static void count_empty(struct cache *c)
{
    c->empty = 0;
    c->holes = 0;
    for (uint32_t i = 0; i < c->sets * c->ways; i++)
        if (c->keys[i] == CACHE_EMPTY) {
            c->empty++;
            c->holes |= UINT64_C(1) << i % 64;
        }
}

void cache_clear(struct cache *c)
{
    for (uint32_t i = 0; i < c->sets * c->ways; i++) {
        c->keys[i] = CACHE_EMPTY;
        c->notes[i] = c->order[i] = 0;
    }
    count_empty(c);
}

void cache_state_io(struct state_io *io, struct cache *c)
{
    size_t size = (size_t)c->sets * c->ways * sizeof *c->keys;

    STATE_IO(io, c->clock);
    if (!size)
        return;
    state_io_bytes(io, c->keys, size);
    state_io_bytes(io, c->notes, size);
    state_io_bytes(io, c->order, size);
    for (uint32_t set = 0; set < c->sets; set++)
        if (io->loading && c->policy == REPLACEMENT_fifo && c->order[set] >= c->ways)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    if (io->loading)
        count_empty(c);
}

/* The bits of a tree: each inner node says which half was used longer ago. */
static void use_in_tree(struct cache *c, uint64_t set, uint32_t way)
{
    uint32_t node = 1;

    for (uint32_t half = c->ways / 2; half; half /= 2) {
        bool upper = way & half;

        if (upper)
            c->order[set] &= ~(UINT64_C(1) << node);
        else
            c->order[set] |= UINT64_C(1) << node;
        node = 2 * node + upper;
    }
}

static uint32_t oldest_in_tree(const struct cache *c, uint64_t set)
{
    uint32_t node = 1, way = 0;

    for (uint32_t half = c->ways / 2; half; half /= 2) {
        bool upper = c->order[set] >> node & 1;

        way |= upper ? half : 0;
        node = 2 * node + upper;
    }
    return way;
}

static inline void note_use(struct cache *c, uint64_t at)
{
    if (c->policy == REPLACEMENT_lru)
        c->order[at] = ++c->clock;
    else if (UNLIKELY(c->policy == REPLACEMENT_plru))
        use_in_tree(c, at / c->ways, (uint32_t)(at % c->ways));
}

int64_t cache_find(struct cache *c, uint64_t key)
{
    int64_t at = cache_peek(c, key);

    if (at >= 0)
        note_use(c, (uint64_t)at);
    return at;
}

static uint32_t next_random(struct cache *c)
{
    c->clock ^= c->clock << 13;
    c->clock ^= c->clock >> 7;
    c->clock ^= c->clock << 17;
    return (uint32_t)(c->clock >> 32);
}

static uint32_t least_recent(const struct cache *c, uint64_t set)
{
    const uint64_t *order = &c->order[set * c->ways];
    uint32_t oldest = 0;

    for (uint32_t way = 1; way < c->ways; way++)
        if (order[way] < order[oldest])
            oldest = way;
    return oldest;
}

/* The first empty way of a set, or c->ways. */
static uint32_t empty_way(const struct cache *c, uint64_t set)
{
    uint32_t way = 0;

    while (way < c->ways && c->keys[set * c->ways + way] != CACHE_EMPTY)
        way++;
    return way;
}

static uint32_t first_in(struct cache *c, uint64_t set)
{
    uint64_t way = c->order[set];

    c->order[set] = way + 1 < c->ways ? way + 1 : 0;
    return (uint32_t)way;
}

static uint32_t choose_way(struct cache *c, uint64_t set)
{
    uint32_t way = c->empty ? empty_way(c, set) : c->ways;

    if (way < c->ways)
        return way;
    switch ((enum core_replacement)c->policy) {
    case REPLACEMENT_lru: return least_recent(c, set);
    case REPLACEMENT_plru: return oldest_in_tree(c, set);
    case REPLACEMENT_random: return next_random(c) % c->ways;
    case REPLACEMENT_fifo: break;
    }
    return first_in(c, set);
}

/* Puts the key into the first hole of a cache of one set, which has one. */
static int64_t fill_hole(struct cache *c, uint64_t key)
{
    unsigned at = (unsigned)__builtin_ctzll(c->holes);

    c->holes &= c->holes - 1;
    c->empty--;
    c->keys[at] = key;
    c->notes[at] = 0;
    note_use(c, at);
    return at;
}

int64_t cache_put(struct cache *c, uint64_t key, uint64_t *gone, uint64_t *note)
{
    uint64_t set, at;

    *gone = CACHE_EMPTY;
    *note = 0;
    if (!c->sets)
        return CACHE_NOT;
    assert(c->ways);
    if (c->empty && c->sets == 1 && c->ways <= 64)
        return fill_hole(c, key);
    set = key & (c->sets - 1);
    at = set * c->ways + choose_way(c, set);
    *gone = c->keys[at];
    *note = c->notes[at];
    c->empty -= *gone == CACHE_EMPTY;
    c->keys[at] = key;
    c->notes[at] = 0;
    note_use(c, at);
    return (int64_t)at;
}

void cache_remove(struct cache *c, uint64_t key)
{
    int64_t at = cache_peek(c, key);

    if (at >= 0)
        cache_remove_at(c, (uint64_t)at);
}
