/*
 * tracing_map.h - a table of sums and variables by key, which any context may add to without a
 * lock.
 *
 * All elements are allocated before the first use, and an element is never removed from the table,
 * only all of them together. A key is a multiple of eight bytes.
 */
#ifndef KERNEL_TRACING_MAP_H
#define KERNEL_TRACING_MAP_H

#include <linux/compiler.h>
#include <linux/types.h>

enum {
    TRACING_MAP_BITS_DEFAULT = 11,
    TRACING_MAP_BITS_MAX = 17,
    TRACING_MAP_BITS_MIN = 7,
    TRACING_MAP_KEYS_MAX = 3,
    TRACING_MAP_VALS_MAX = 3,
    TRACING_MAP_VARS_MAX = 16,
};

/* The sums, the variables, the key and the private bytes follow. */
struct tracing_map_elt {
    u32 index, next; /* its number; the next free one, 0: none. They begin with 1 */
    u32 hash;
    u32 vars_set; /* bits: the variable has a value */
    u64 data[];
};

struct tracing_map {
    unsigned int bits;     /* of the number of elements; the table has twice as many places */
    unsigned int key_size; /* bytes */
    unsigned int n_sums, n_vars;
    unsigned int private_size; /* bytes of each element that are its owner's */
    void (*init_elt)(struct tracing_map_elt *elt, void *private); /* a key is new; may be NULL */
    /* The rest is set by tracing_map_init(). */
    struct tracing_map_elt **places; /* NULL: free */
    char **chunks;
    unsigned int n_chunks, elt_size;
    u64 free; /* the first free element, and above it a count that changes with each change */
    u64 hits, drops;
};

/* Allocates what the fields ask for. 0 or -ENOMEM. */
int tracing_map_init(struct tracing_map *map);
/* Nobody uses it any more. */
void tracing_map_free(struct tracing_map *map);
/* Finds or adds the element of a key. NULL: there is no room, which is counted. */
struct tracing_map_elt *tracing_map_insert(struct tracing_map *map, const u64 *key);
/* NULL: there is none. */
struct tracing_map_elt *tracing_map_lookup(const struct tracing_map *map, const u64 *key);
/*
 * Removes all elements; nobody adds to the map meanwhile. Who has looked up an element before may
 * still use it.
 */
void tracing_map_clear(struct tracing_map *map);
/* The number of elements; each is stored to elts, if that is not NULL. */
unsigned int tracing_map_elements(const struct tracing_map *map, struct tracing_map_elt **elts,
                                  unsigned int max);

static inline u64 *tracing_map_sum(struct tracing_map_elt *elt, unsigned int i)
{
    return &elt->data[i];
}

static inline u64 *tracing_map_var(const struct tracing_map *map, struct tracing_map_elt *elt,
                                   unsigned int i)
{
    return &elt->data[map->n_sums + i];
}

static inline u64 *tracing_map_key(const struct tracing_map *map, struct tracing_map_elt *elt)
{
    return &elt->data[map->n_sums + map->n_vars];
}

static inline void *tracing_map_private(const struct tracing_map *map, struct tracing_map_elt *elt)
{
    return &elt->data[map->n_sums + map->n_vars + map->key_size / sizeof(u64)];
}

static inline void tracing_map_set_var(const struct tracing_map *map, struct tracing_map_elt *elt,
                                       unsigned int i, u64 value)
{
    __atomic_store_n(tracing_map_var(map, elt, i), value, __ATOMIC_RELAXED);
    (void)__atomic_fetch_or(&elt->vars_set, 1u << i, __ATOMIC_RELEASE);
}

/* False: it has no value. once: then it has none any more. */
static inline bool tracing_map_get_var(const struct tracing_map *map, struct tracing_map_elt *elt,
                                       unsigned int i, bool once, u64 *value)
{
    u32 bit = 1u << i;

    if (!(__atomic_load_n(&elt->vars_set, __ATOMIC_ACQUIRE) & bit))
        return false;
    *value = __atomic_load_n(tracing_map_var(map, elt, i), __ATOMIC_RELAXED);
    return !once || (__atomic_fetch_and(&elt->vars_set, ~bit, __ATOMIC_ACQ_REL) & bit);
}

#endif
