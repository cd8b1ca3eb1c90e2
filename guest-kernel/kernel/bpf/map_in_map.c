/*
 * map_in_map.c - what maps of maps have in common.
 *
 * Such a map has a description of the maps that may be in it, made of one of them; the verifier
 * takes it for what a program finds there.
 */
#include "syscall.h"
#include <linux/errno.h>
#include <linux/slab.h>

struct bpf_map *bpf_map_meta_alloc(u32 fd)
{
    struct bpf_map *inner = bpf_map_get(fd), *meta;
    int err = 0;

    if (IS_ERR(inner))
        return inner;
    if (inner->inner_map_meta)
        err = -EINVAL; /* a map of maps of maps */
    else if (inner->map_type == BPF_MAP_TYPE_PROG_ARRAY)
        err = -ENOTSUPP;
    meta = err ? NULL : kzalloc(sizeof(*meta));
    if (meta) {
        meta->ops = inner->ops;
        meta->map_type = inner->map_type;
        meta->key_size = inner->key_size;
        meta->value_size = inner->value_size;
        meta->max_entries = inner->max_entries;
        meta->map_flags = inner->map_flags;
    }
    bpf_map_put(inner);
    return meta ? meta : ERR_PTR(err ? err : -ENOMEM);
}

void bpf_map_meta_free(struct bpf_map *meta)
{
    kfree(meta);
}

/* An array's text may have its size as a constant, unless it is of those that may differ. */
static bool meta_equal(const struct bpf_map *meta, const struct bpf_map *map)
{
    if (meta->map_type != map->map_type || meta->key_size != map->key_size ||
        meta->value_size != map->value_size || meta->map_flags != map->map_flags)
        return false;
    return meta->map_type != BPF_MAP_TYPE_ARRAY || meta->map_flags & BPF_F_INNER_MAP ||
           meta->max_entries == map->max_entries;
}

struct bpf_map *bpf_map_get_inner(const struct bpf_map *outer, u32 fd)
{
    struct bpf_map *inner = bpf_map_get(fd);

    if (IS_ERR(inner) || meta_equal(outer->inner_map_meta, inner))
        return inner;
    bpf_map_put(inner);
    return ERR_PTR(-EINVAL);
}
