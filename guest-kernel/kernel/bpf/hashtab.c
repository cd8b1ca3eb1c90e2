/*
 * hashtab.c - maps of type hash.
 *
 * All elements are allocated with the map, so that a program can add one in any context. A value
 * that a program uses may be given to another key when its own is deleted, as in Linux.
 */
#include "bpf_internal.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

struct htab_elem {
    struct htab_elem *next; /* in its bucket, or free */
    u32 hash;
    char key[]; /* then the value, aligned */
};

struct bpf_htab {
    struct bpf_map map;
    u32 nr_buckets, value_off, elem_size;
    spinlock_t lock; /* guards all below */
    struct htab_elem **buckets, *free;
    char *elems;
};

static struct bpf_htab *htab_of(const struct bpf_map *map)
{
    return container_of(map, struct bpf_htab, map);
}

static int check_attr(const union bpf_attr *attr)
{
    u32 allowed = BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG;

    if (attr->map_flags & ~allowed || !attr->max_entries || !attr->key_size || !attr->value_size)
        return -EINVAL;
    if ((u64)attr->key_size + attr->value_size >= (4u << 20) - sizeof(struct htab_elem))
        return -E2BIG;
    return 0;
}

static u32 buckets_for(u32 entries)
{
    u32 n = 1;

    while (n < entries && n < 1u << 20)
        n *= 2;
    return n;
}

static struct htab_elem *nth(const struct bpf_htab *htab, u32 n)
{
    return (struct htab_elem *)(htab->elems + (u64)htab->elem_size * n);
}

static void htab_free(struct bpf_map *map)
{
    struct bpf_htab *htab = htab_of(map);

    bpf_map_area_free(htab->elems);
    bpf_map_area_free(htab->buckets);
    bpf_map_area_free(htab);
}

static struct bpf_map *htab_alloc(const union bpf_attr *attr)
{
    int err = check_attr(attr);
    struct bpf_htab *htab;
    u32 i;

    if (err)
        return ERR_PTR(err);
    htab = bpf_map_area_alloc(sizeof(*htab));
    if (!htab)
        return ERR_PTR(-ENOMEM);
    bpf_map_init(&htab->map, attr, &htab_map_ops);
    htab->nr_buckets = buckets_for(attr->max_entries);
    htab->value_off = bpf_round_up(sizeof(struct htab_elem) + attr->key_size, 8);
    htab->elem_size = htab->value_off + bpf_round_up(attr->value_size, 8);
    htab->buckets = bpf_map_area_alloc((u64)htab->nr_buckets * sizeof(*htab->buckets));
    htab->elems = bpf_map_area_alloc((u64)htab->elem_size * attr->max_entries);
    if (!htab->buckets || !htab->elems) {
        htab_free(&htab->map);
        return ERR_PTR(-ENOMEM);
    }
    for (i = attr->max_entries; i-- > 0;) {
        nth(htab, i)->next = htab->free;
        htab->free = nth(htab, i);
    }
    return &htab->map;
}

static u32 hash_key(const char *key, u32 size)
{
    u32 hash = 2166136261u, i;

    for (i = 0; i < size; i++)
        hash = (hash ^ (u8)key[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static struct htab_elem **bucket_of(struct bpf_htab *htab, u32 hash)
{
    return &htab->buckets[hash & (htab->nr_buckets - 1)];
}

/* The link to the element, or to NULL. */
static struct htab_elem **find(struct bpf_htab *htab, const void *key, u32 hash)
{
    struct htab_elem **link = bucket_of(htab, hash);

    while (*link && ((*link)->hash != hash || memcmp((*link)->key, key, htab->map.key_size)))
        link = &(*link)->next;
    return link;
}

static char *value_of(const struct bpf_htab *htab, struct htab_elem *elem)
{
    return (char *)elem + htab->value_off;
}

static void *htab_lookup(struct bpf_map *map, const void *key)
{
    struct bpf_htab *htab = htab_of(map);
    u32 hash = hash_key(key, map->key_size);
    unsigned long flags = bpf_lock(&htab->lock);
    struct htab_elem *elem = *find(htab, key, hash);

    bpf_unlock(&htab->lock, flags);
    return elem ? value_of(htab, elem) : NULL;
}

static void unlink_elem(struct bpf_htab *htab, struct htab_elem **link)
{
    struct htab_elem *elem = *link;

    *link = elem->next;
    elem->next = htab->free;
    htab->free = elem;
}

static struct htab_elem *new_elem(struct bpf_htab *htab, const void *key, u32 hash)
{
    struct htab_elem *elem = htab->free;

    if (!elem)
        return NULL;
    htab->free = elem->next;
    elem->hash = hash;
    memcpy(elem->key, key, htab->map.key_size);
    elem->next = *bucket_of(htab, hash);
    *bucket_of(htab, hash) = elem;
    return elem;
}

/* The element that an update with these flags writes, which is new if there was none. Under the
 * lock. */
static struct htab_elem *elem_to_update(struct bpf_htab *htab, const void *key, u64 map_flags)
{
    u32 hash = hash_key(key, htab->map.key_size);
    struct htab_elem *elem = *find(htab, key, hash);

    if (elem)
        return map_flags == BPF_NOEXIST ? ERR_PTR(-EEXIST) : elem;
    if (map_flags == BPF_EXIST)
        return ERR_PTR(-ENOENT);
    return new_elem(htab, key, hash) ?: ERR_PTR(-E2BIG);
}

static int htab_update(struct bpf_map *map, const void *key, const void *value, u64 map_flags)
{
    struct bpf_htab *htab = htab_of(map);
    struct htab_elem *elem;
    unsigned long flags;

    if (map_flags > BPF_EXIST)
        return -EINVAL;
    flags = bpf_lock(&htab->lock);
    elem = elem_to_update(htab, key, map_flags);
    if (!IS_ERR(elem))
        memcpy(value_of(htab, elem), value, map->value_size);
    bpf_unlock(&htab->lock, flags);
    return IS_ERR(elem) ? PTR_ERR(elem) : 0;
}

static int htab_remove(struct bpf_map *map, const void *key)
{
    struct bpf_htab *htab = htab_of(map);
    u32 hash = hash_key(key, map->key_size);
    unsigned long flags = bpf_lock(&htab->lock);
    struct htab_elem **link = find(htab, key, hash);
    bool found = *link;

    if (found)
        unlink_elem(htab, link);
    bpf_unlock(&htab->lock, flags);
    return found ? 0 : -ENOENT;
}

/* By buckets. After a key that is gone it begins anew. */
static int htab_get_next_key(struct bpf_map *map, const void *key, void *next)
{
    struct bpf_htab *htab = htab_of(map);
    u32 hash = key ? hash_key(key, map->key_size) : 0, i = 0;
    unsigned long flags = bpf_lock(&htab->lock);
    struct htab_elem *elem = key ? *find(htab, key, hash) : NULL;

    if (elem) {
        i = (hash & (htab->nr_buckets - 1)) + 1;
        elem = elem->next;
    }
    for (; !elem && i < htab->nr_buckets; i++)
        elem = htab->buckets[i];
    if (elem)
        memcpy(next, elem->key, map->key_size);
    bpf_unlock(&htab->lock, flags);
    return elem ? 0 : -ENOENT;
}

const struct bpf_map_ops htab_map_ops = {
    .alloc = htab_alloc,
    .free = htab_free,
    .lookup = htab_lookup,
    .update = htab_update,
    .remove = htab_remove,
    .get_next_key = htab_get_next_key,
};
