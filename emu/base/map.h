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

bool map_get(const struct map *m, uint64_t key, uint64_t *value);
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
