/* arraymap.c - maps of type array. */
#include "bpf_internal.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

struct bpf_array {
    struct bpf_map map;
    u32 elem_size;
    char *values;
};

static struct bpf_array *array_of(const struct bpf_map *map)
{
    return container_of(map, struct bpf_array, map);
}

static void array_free(struct bpf_map *map)
{
    bpf_map_area_free(array_of(map)->values);
    bpf_map_area_free(array_of(map));
}

static struct bpf_map *array_alloc(const union bpf_attr *attr)
{
    u32 allowed = BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG;
    struct bpf_array *array;

    if (!attr->max_entries || attr->key_size != 4 || !attr->value_size ||
        attr->map_flags & ~allowed)
        return ERR_PTR(-EINVAL);
    if (attr->value_size > 0x7fffffff - 8)
        return ERR_PTR(-E2BIG);
    array = bpf_map_area_alloc(sizeof(*array));
    if (!array)
        return ERR_PTR(-ENOMEM);
    bpf_map_init(&array->map, attr, &array_map_ops);
    array->elem_size = bpf_round_up(attr->value_size, 8);
    array->values = bpf_map_area_alloc((u64)array->elem_size * attr->max_entries);
    if (!array->values) {
        array_free(&array->map);
        return ERR_PTR(-ENOMEM);
    }
    return &array->map;
}

static char *elem(const struct bpf_map *map, const void *key)
{
    struct bpf_array *array = array_of(map);
    u32 index = *(const u32 *)key;

    return index < map->max_entries ? array->values + (u64)array->elem_size * index : NULL;
}

static void *array_lookup(struct bpf_map *map, const void *key)
{
    return elem(map, key);
}

static int check_update(const struct bpf_map *map, const void *key, u64 flags)
{
    if (flags > BPF_EXIST)
        return -EINVAL;
    if (*(const u32 *)key >= map->max_entries)
        return -E2BIG;
    return flags == BPF_NOEXIST ? -EEXIST : 0;
}

static int array_update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
    int err = check_update(map, key, flags);

    if (!err)
        memcpy(elem(map, key), value, map->value_size);
    return err;
}

int array_remove(struct bpf_map *map, const void *key)
{
    (void)map;
    (void)key;
    return -EINVAL;
}

int array_get_next_key(struct bpf_map *map, const void *key, void *next)
{
    u32 index = key ? *(const u32 *)key : ~0u;

    if (index >= map->max_entries)
        *(u32 *)next = 0;
    else if (index == map->max_entries - 1)
        return -ENOENT;
    else
        *(u32 *)next = index + 1;
    return 0;
}

/* Only of a map with a single value: the variables of a program. */
static int array_direct_value_addr(const struct bpf_map *map, u64 *addr, u32 off)
{
    if (map->max_entries != 1)
        return -ENOTSUPP;
    if (off >= map->value_size)
        return -EINVAL;
    *addr = (unsigned long)array_of(map)->values;
    return 0;
}

const struct bpf_map_ops array_map_ops = {
    .alloc = array_alloc,
    .free = array_free,
    .lookup = array_lookup,
    .update = array_update,
    .remove = array_remove,
    .get_next_key = array_get_next_key,
    .direct_value_addr = array_direct_value_addr,
};
