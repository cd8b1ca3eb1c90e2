/*
 * map.h - a hash map from a 64-bit key to a pointer or a 64-bit value.
 *
 * Open addressing, grows by itself, keeps no order. The key UINT64_MAX is
 * reserved (it is neither an address nor a page number in use).
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint64_t key, value;
};

struct map {
    struct map_slot *slots;
    size_t len, cap; /* cap: a power of two, or 0 */
};

/*
 * For the functions of maps only; cap must not be 0: the index of the slot where a key is looked
 * for first, and the slot with the key, or the empty slot for it.
 */
static inline size_t map_home(const struct map *m, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (m->cap - 1);
}
static inline struct map_slot *map_slot_of(const struct map *m, uint64_t key)
{
    size_t i = map_home(m, key);

    while (m->slots[i].key != UINT64_MAX && m->slots[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return &m->slots[i];
}

static inline bool map_get(const struct map *m, uint64_t key, uint64_t *value)
{
    const struct map_slot *s;

    if (!m->len)
        return false;
    s = map_slot_of(m, key);
    if (s->key == UINT64_MAX)
        return false;
    *value = s->value;
    return true;
}
void map_put(struct map *m, uint64_t key, uint64_t value);
void map_remove(struct map *m, uint64_t key);
void map_clear(
    struct map *m); /* keeps the memory, unless it is far too large for the number of keys */
void map_free(struct map *m);

/* All keys in ascending order; the caller frees the array. */
uint64_t *map_keys(const struct map *m, size_t *count);

/* The same for pointers; NULL: the key is not in the map. */
void *map_get_ptr(const struct map *m, uint64_t key);
void map_put_ptr(struct map *m, uint64_t key, void *value);

#endif
