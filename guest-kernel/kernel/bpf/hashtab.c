/*
 * hashtab.c - maps of type hash, one value for all harts or one for each, and LRU hash.
 *
 * All elements are allocated with the map, so that a program can add one in any context. A value
 * that a program uses may be given to another key when its own is deleted, as in Linux.
 */
#include "bpf_internal.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/string.h>

struct htab_elem {
    struct htab_elem *next; /* in its bucket, or free */
    struct list_head lru;   /* in use: the newest first */
    u32 hash;
    bool referenced; /* a program has looked it up since it was last passed over */
    char key[];      /* then the value, aligned */
};

struct bpf_htab {
    struct bpf_map map;
    u32 nr_buckets, value_off, elem_size, value_size;
    spinlock_t lock; /* guards all below */
    struct htab_elem **buckets, *free;
    char *elems;
    struct list_head lru;
};

static struct bpf_htab *htab_of(const struct bpf_map *map)
{
    return container_of(map, struct bpf_htab, map);
}

static bool is_lru(const struct bpf_map *map)
{
    return map->map_type == BPF_MAP_TYPE_LRU_HASH;
}

static int check_attr(const union bpf_attr *attr)
{
    bool lru = attr->map_type == BPF_MAP_TYPE_LRU_HASH;
    u32 allowed = BPF_F_NO_PREALLOC | BPF_F_NO_COMMON_LRU | BPF_F_NUMA_NODE | BPF_F_RDONLY |
                  BPF_F_WRONLY | BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG;

    if (attr->map_flags & ~allowed || (!lru && attr->map_flags & BPF_F_NO_COMMON_LRU))
        return -EINVAL;
    if (lru && attr->map_flags & BPF_F_NO_PREALLOC)
        return -ENOTSUPP;
    if (!attr->max_entries || !attr->key_size || !attr->value_size)
        return -EINVAL;
    if ((u64)attr->key_size + attr->value_size >= (4u << 20) - sizeof(struct htab_elem))
        return -E2BIG;
    if (attr->map_type == BPF_MAP_TYPE_PERCPU_HASH && attr->value_size > 32768)
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

static bool has_maps(const struct bpf_map *map)
{
    return map->map_type == BPF_MAP_TYPE_HASH_OF_MAPS;
}

static const struct bpf_map_ops *ops_of(u32 type)
{
    if (type == BPF_MAP_TYPE_HASH_OF_MAPS)
        return &htab_of_maps_map_ops;
    return type == BPF_MAP_TYPE_PERCPU_HASH ? &htab_percpu_map_ops : &htab_map_ops;
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
    bpf_map_init(&htab->map, attr, ops_of(attr->map_type));
    INIT_LIST_HEAD(&htab->lru);
    htab->nr_buckets = buckets_for(attr->max_entries);
    htab->value_off = bpf_round_up(sizeof(struct htab_elem) + attr->key_size, 8);
    htab->value_size = bpf_map_is_percpu(&htab->map) ? bpf_percpu_size(&htab->map)
                       : has_maps(&htab->map)        ? sizeof(struct bpf_map *)
                                                     : bpf_round_up(attr->value_size, 8);
    htab->elem_size = htab->value_off + htab->value_size;
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

static void *lookup_elem(struct bpf_map *map, const void *key, bool by_program)
{
    struct bpf_htab *htab = htab_of(map);
    u32 hash = hash_key(key, map->key_size);
    unsigned long flags = bpf_lock(&htab->lock);
    struct htab_elem *elem = *find(htab, key, hash);

    if (elem && by_program)
        elem->referenced = true;
    bpf_unlock(&htab->lock, flags);
    return elem ? value_of(htab, elem) : NULL;
}

static void *htab_lookup(struct bpf_map *map, const void *key)
{
    return lookup_elem(map, key, true);
}

static void *htab_percpu_lookup(struct bpf_map *map, const void *key)
{
    char *value = lookup_elem(map, key, true);

    return value ? value + bpf_round_up(map->value_size, 8) * raw_smp_processor_id() : NULL;
}

static void unlink_elem(struct bpf_htab *htab, struct htab_elem **link)
{
    struct htab_elem *elem = *link;

    *link = elem->next;
    list_del_init(&elem->lru);
    elem->next = htab->free;
    htab->free = elem;
}

/* Frees the element that was not used for longest; those looked up meanwhile are passed over. */
static void evict(struct bpf_htab *htab)
{
    u32 left = htab->map.max_entries;

    while (!list_empty(&htab->lru)) {
        struct htab_elem *elem = list_entry(htab->lru.prev, struct htab_elem, lru);

        if (elem->referenced && left) {
            left--;
            elem->referenced = false;
            list_del_init(&elem->lru);
            list_add(&elem->lru, &htab->lru);
            continue;
        }
        unlink_elem(htab, find(htab, elem->key, elem->hash));
        return;
    }
}

static struct htab_elem *new_elem(struct bpf_htab *htab, const void *key, u32 hash)
{
    struct htab_elem *elem;

    if (!htab->free && is_lru(&htab->map))
        evict(htab);
    elem = htab->free;
    if (!elem)
        return NULL;
    htab->free = elem->next;
    elem->hash = hash;
    elem->referenced = false;
    memcpy(elem->key, key, htab->map.key_size);
    memset(value_of(htab, elem), 0, htab->value_size);
    elem->next = *bucket_of(htab, hash);
    *bucket_of(htab, hash) = elem;
    list_add(&elem->lru, &htab->lru);
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

/* off, size: the part of the value to be written. */
static int update_elem(struct bpf_map *map, const void *key, const void *value, u64 map_flags,
                       u32 off, u32 size)
{
    struct bpf_htab *htab = htab_of(map);
    struct htab_elem *elem;
    unsigned long flags;

    if (map_flags > BPF_EXIST)
        return -EINVAL;
    flags = bpf_lock(&htab->lock);
    elem = elem_to_update(htab, key, map_flags);
    if (!IS_ERR(elem)) {
        memcpy(value_of(htab, elem) + off, value, size);
        elem->referenced |= is_lru(map);
    }
    bpf_unlock(&htab->lock, flags);
    return IS_ERR(elem) ? PTR_ERR(elem) : 0;
}

static int htab_update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
    return update_elem(map, key, value, flags, 0, map->value_size);
}

static int htab_percpu_update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
    return update_elem(map, key, value, flags,
                       bpf_round_up(map->value_size, 8) * raw_smp_processor_id(), map->value_size);
}

static int htab_percpu_update_all(struct bpf_map *map, const void *key, const void *value,
                                  u64 flags)
{
    return update_elem(map, key, value, flags, 0, bpf_percpu_size(map));
}

/* For system calls, whose lookups do not count as uses. */
static int htab_copy(struct bpf_map *map, const void *key, void *value)
{
    const char *from = lookup_elem(map, key, false);

    if (!from)
        return -ENOENT;
    memcpy(value, from, bpf_map_is_percpu(map) ? bpf_percpu_size(map) : map->value_size);
    return 0;
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
    .copy_value = htab_copy,
};

const struct bpf_map_ops htab_percpu_map_ops = {
    .alloc = htab_alloc,
    .free = htab_free,
    .lookup = htab_percpu_lookup,
    .update = htab_percpu_update,
    .remove = htab_remove,
    .get_next_key = htab_get_next_key,
    .copy_value = htab_copy,
    .update_all = htab_percpu_update_all,
};

/* ---- maps as values ---- */

/* Where the address of the element's map is. */
static struct bpf_map **inner_of(const struct bpf_htab *htab, struct htab_elem *elem)
{
    return (struct bpf_map **)(void *)value_of(htab, elem);
}

static void *htab_of_maps_lookup(struct bpf_map *map, const void *key)
{
    struct bpf_map **inner = lookup_elem(map, key, true);

    return inner ? READ_ONCE(*inner) : NULL;
}

static int htab_of_maps_copy(struct bpf_map *map, const void *key, void *value)
{
    const struct bpf_map *inner = htab_of_maps_lookup(map, key);

    if (!inner)
        return -ENOENT;
    *(u32 *)value = inner->id;
    return 0;
}

/* *inner: the map to be stored, and then the one that was there before, or NULL. */
static int exchange_inner(struct bpf_map *map, const void *key, struct bpf_map **inner,
                          u64 map_flags)
{
    struct bpf_htab *htab = htab_of(map);
    unsigned long flags = bpf_lock(&htab->lock);
    struct htab_elem *elem = elem_to_update(htab, key, map_flags);

    if (!IS_ERR(elem))
        *inner = __atomic_exchange_n(inner_of(htab, elem), *inner, __ATOMIC_SEQ_CST);
    bpf_unlock(&htab->lock, flags);
    return IS_ERR(elem) ? PTR_ERR(elem) : 0;
}

static int htab_of_maps_update_fd(struct bpf_map *map, struct file *map_file, const void *key,
                                  int fd, u64 flags)
{
    struct bpf_map *inner = bpf_map_get_inner(map, fd);
    int err;

    (void)map_file;
    if (IS_ERR(inner))
        return PTR_ERR(inner);
    err = flags > BPF_EXIST ? -EINVAL : exchange_inner(map, key, &inner, flags);
    if (inner)
        bpf_map_put(inner);
    return err;
}

static int htab_of_maps_remove_fd(struct bpf_map *map, const void *key)
{
    struct bpf_htab *htab = htab_of(map);
    u32 hash = hash_key(key, map->key_size);
    unsigned long flags = bpf_lock(&htab->lock);
    struct htab_elem **link = find(htab, key, hash);
    struct bpf_map *inner = NULL;

    if (*link) {
        inner = *inner_of(htab, *link);
        unlink_elem(htab, link);
    }
    bpf_unlock(&htab->lock, flags);
    if (inner)
        bpf_map_put(inner);
    return inner ? 0 : -ENOENT;
}

static struct bpf_map *htab_of_maps_alloc(const union bpf_attr *attr)
{
    struct bpf_map *map, *meta;

    if (attr->value_size != sizeof(u32))
        return ERR_PTR(-EINVAL);
    map = htab_alloc(attr);
    if (IS_ERR(map))
        return map;
    meta = bpf_map_meta_alloc(attr->inner_map_fd);
    if (IS_ERR(meta)) {
        htab_free(map);
        return meta;
    }
    map->inner_map_meta = meta;
    return map;
}

static void htab_of_maps_free(struct bpf_map *map)
{
    struct bpf_htab *htab = htab_of(map);
    struct htab_elem *elem;

    list_for_each_entry(elem, &htab->lru, lru) {
        bpf_map_put(*inner_of(htab, elem));
    }
    bpf_map_meta_free(map->inner_map_meta);
    htab_free(map);
}

const struct bpf_map_ops htab_of_maps_map_ops = {
    .alloc = htab_of_maps_alloc,
    .free = htab_of_maps_free,
    .lookup = htab_of_maps_lookup,
    .update = htab_update,
    .remove = htab_remove,
    .get_next_key = htab_get_next_key,
    .copy_value = htab_of_maps_copy,
    .update_fd = htab_of_maps_update_fd,
    .remove_fd = htab_of_maps_remove_fd,
};
