/*
 * tracing_map.c - a table of sums and variables by key.
 *
 * A key's element is in the first place, from the one that its hash says, that was free when it
 * came. A new element is complete before a compare-and-exchange puts it there; who loses the place
 * looks at what came instead, and goes on. Places are never freed one by one, so two elements of
 * one key cannot be, and a search ends at a free place: there are twice as many places as elements.
 *
 * Not instrumented.
 */
#include "tracing_map.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

enum { CHUNK_SIZE = 64 << 10 };

static unsigned int number_of_places(const struct tracing_map *map)
{
    return 2u << map->bits;
}

static unsigned int elts_per_chunk(const struct tracing_map *map)
{
    return max(CHUNK_SIZE / map->elt_size, 1u);
}

static struct tracing_map_elt *elt_of(const struct tracing_map *map, u32 index)
{
    unsigned int n = elts_per_chunk(map);

    return (void *)(map->chunks[(index - 1) / n] + (index - 1) % n * map->elt_size);
}

/* ---- free elements ---- */

static u64 new_head(u64 old, u32 index)
{
    return ((old >> 32) + 1) << 32 | index;
}

static struct tracing_map_elt *take_free(struct tracing_map *map)
{
    u64 head = __atomic_load_n(&map->free, __ATOMIC_ACQUIRE);
    struct tracing_map_elt *elt;

    do {
        if (!(u32)head)
            return NULL;
        elt = elt_of(map, head);
    } while (!__atomic_compare_exchange_n(&map->free, &head, new_head(head, READ_ONCE(elt->next)),
                                          false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return elt;
}

static void put_free(struct tracing_map *map, struct tracing_map_elt *elt)
{
    u64 head = __atomic_load_n(&map->free, __ATOMIC_RELAXED);

    do
        WRITE_ONCE(elt->next, (u32)head);
    while (!__atomic_compare_exchange_n(&map->free, &head, new_head(head, elt->index), false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* ---- finding ---- */

static u32 hash_key(const struct tracing_map *map, const u64 *key)
{
    u64 hash = map->key_size;
    unsigned int i;

    for (i = 0; i < map->key_size / sizeof(u64); i++) {
        hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_key_of(const struct tracing_map *map, struct tracing_map_elt *elt, const u64 *key,
                      u32 hash)
{
    return elt->hash == hash && !memcmp(tracing_map_key(map, elt), key, map->key_size);
}

struct tracing_map_elt *tracing_map_lookup(const struct tracing_map *map, const u64 *key)
{
    u32 hash = hash_key(map, key), mask = number_of_places(map) - 1, at = hash;
    struct tracing_map_elt *elt;

    while ((elt = __atomic_load_n(&map->places[at & mask], __ATOMIC_ACQUIRE))) {
        if (is_key_of(map, elt, key, hash))
            return elt;
        at++;
    }
    return NULL;
}

static struct tracing_map_elt *make_elt(struct tracing_map *map, const u64 *key, u32 hash)
{
    struct tracing_map_elt *elt = take_free(map);

    if (!elt)
        return NULL;
    elt->hash = hash;
    memcpy(tracing_map_key(map, elt), key, map->key_size);
    if (map->init_elt)
        map->init_elt(elt, tracing_map_private(map, elt));
    return elt;
}

static void count(u64 *counter)
{
    (void)__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

struct tracing_map_elt *tracing_map_insert(struct tracing_map *map, const u64 *key)
{
    u32 hash = hash_key(map, key), mask = number_of_places(map) - 1, at = hash;
    struct tracing_map_elt *made = NULL, *elt;

    for (;; at++) {
        elt = __atomic_load_n(&map->places[at & mask], __ATOMIC_ACQUIRE);
        if (!elt) {
            if (!made)
                made = make_elt(map, key, hash);
            if (!made) {
                count(&map->drops);
                return NULL;
            }
            if (__atomic_compare_exchange_n(&map->places[at & mask], &elt, made, false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
                elt = made;
                break;
            }
        }
        if (is_key_of(map, elt, key, hash)) {
            if (made)
                put_free(map, made);
            break;
        }
    }
    count(&map->hits);
    return elt;
}

/* ---- memory ---- */

/* Empty, and all in the list of free ones, the first first. */
static void reset_elts(struct tracing_map *map)
{
    u32 i;

    for (i = 1u << map->bits; i; i--) {
        struct tracing_map_elt *elt = elt_of(map, i);

        memset(elt, 0, map->elt_size);
        elt->index = i;
        elt->next = i == 1u << map->bits ? 0 : i + 1;
    }
    map->free = new_head(map->free, 1);
}

int tracing_map_init(struct tracing_map *map)
{
    unsigned int n = 1u << map->bits, i;

    map->elt_size = sizeof(struct tracing_map_elt) + (map->n_sums + map->n_vars) * sizeof(u64) +
                    map->key_size + ALIGN(map->private_size, (unsigned int)sizeof(u64));
    map->n_chunks = (n + elts_per_chunk(map) - 1) / elts_per_chunk(map);
    map->places = kzalloc(number_of_places(map) * sizeof(map->places[0]));
    map->chunks = kzalloc(map->n_chunks * sizeof(map->chunks[0]));
    if (!map->places || !map->chunks)
        return -ENOMEM;
    for (i = 0; i < map->n_chunks; i++) {
        map->chunks[i] = kmalloc(elts_per_chunk(map) * map->elt_size);
        if (!map->chunks[i])
            return -ENOMEM;
    }
    reset_elts(map);
    return 0;
}

void tracing_map_free(struct tracing_map *map)
{
    unsigned int i;

    for (i = 0; map->chunks && i < map->n_chunks; i++)
        kfree(map->chunks[i]);
    kfree(map->chunks);
    kfree(map->places);
}

void tracing_map_clear(struct tracing_map *map)
{
    unsigned int i;

    for (i = 0; i < number_of_places(map); i++)
        WRITE_ONCE(map->places[i], NULL);
    tracepoint_synchronize_unregister();
    reset_elts(map);
    map->hits = 0;
    map->drops = 0;
}

unsigned int tracing_map_elements(const struct tracing_map *map, struct tracing_map_elt **elts,
                                  unsigned int max)
{
    unsigned int i, n = 0;

    for (i = 0; i < number_of_places(map); i++) {
        struct tracing_map_elt *elt = __atomic_load_n(&map->places[i], __ATOMIC_ACQUIRE);

        if (!elt || n == max)
            continue;
        if (elts)
            elts[n] = elt;
        n++;
    }
    return n;
}
