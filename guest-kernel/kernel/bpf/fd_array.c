/*
 * fd_array.c - arrays whose values are descriptors for system calls: prog_array, of programs that
 * tail calls go to, and array_of_maps.
 *
 * Who reads one learns the id of what is there. An array of programs forgets them when its last
 * descriptor and name are gone, so that a program may be in an array that it uses.
 */
#include "syscall.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>

struct bpf_fd_array {
    struct bpf_map map;
    /* prog_array: what kind of programs it has; set by the first one. 0: none yet. Atomics only. */
    u32 owner;
    void *ptrs[]; /* referenced; atomics only */
};

static struct bpf_fd_array *fd_array_of(const struct bpf_map *map)
{
    return container_of(map, struct bpf_fd_array, map);
}

static struct bpf_map *fd_array_alloc(const union bpf_attr *attr, const struct bpf_map_ops *ops)
{
    struct bpf_fd_array *array;

    if (!attr->max_entries || attr->key_size != 4 || attr->value_size != 4 ||
        attr->map_flags & ~(BPF_F_NUMA_NODE | BPF_F_RDONLY | BPF_F_WRONLY))
        return ERR_PTR(-EINVAL);
    array = bpf_map_area_alloc(sizeof(*array) + (u64)attr->max_entries * sizeof(array->ptrs[0]));
    if (!array)
        return ERR_PTR(-ENOMEM);
    bpf_map_init(&array->map, attr, ops);
    return &array->map;
}

/* What is at the key: NULL: nothing. */
static void *ptr_at(const struct bpf_map *map, const void *key)
{
    u32 index = *(const u32 *)key;

    return index < map->max_entries ? rcu_dereference(fd_array_of(map)->ptrs[index]) : NULL;
}

/* Stores ptr, which may be NULL, in place of what was there. */
static void *exchange(struct bpf_map *map, u32 index, void *ptr)
{
    return __atomic_exchange_n(&fd_array_of(map)->ptrs[index], ptr, __ATOMIC_SEQ_CST);
}

static int check_update(const struct bpf_map *map, const void *key, u64 flags)
{
    if (flags)
        return -EINVAL;
    return *(const u32 *)key >= map->max_entries ? -E2BIG : 0;
}

/* Programs change none. */
static int fd_array_update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
    (void)map;
    (void)key;
    (void)value;
    (void)flags;
    return -EINVAL;
}

/* ---- programs ---- */

static struct bpf_map *prog_array_alloc(const union bpf_attr *attr)
{
    return fd_array_alloc(attr, &prog_array_map_ops);
}

bool bpf_prog_map_compatible(struct bpf_map *map, const struct bpf_prog *prog)
{
    u32 owner = 0, kind = (prog->type + 1) << 1 | !!prog->jited;

    return __atomic_compare_exchange_n(&fd_array_of(map)->owner, &owner, kind, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
           owner == kind;
}

static int prog_array_update_fd(struct bpf_map *map, struct file *map_file, const void *key, int fd,
                                u64 flags)
{
    int err = check_update(map, key, flags);
    struct bpf_prog *prog, *old;

    (void)map_file;
    if (err)
        return err;
    prog = bpf_prog_get(fd);
    if (IS_ERR(prog))
        return PTR_ERR(prog);
    if (!bpf_prog_map_compatible(map, prog)) {
        bpf_prog_put(prog);
        return -EINVAL;
    }
    old = exchange(map, *(const u32 *)key, prog);
    if (old)
        bpf_prog_put(old);
    return 0;
}

static int prog_array_remove_fd(struct bpf_map *map, const void *key)
{
    int err = check_update(map, key, 0);
    struct bpf_prog *old = err ? NULL : exchange(map, *(const u32 *)key, NULL);

    if (old)
        bpf_prog_put(old);
    return err ? err : old ? 0 : -ENOENT;
}

static int prog_array_copy(struct bpf_map *map, const void *key, void *value)
{
    const struct bpf_prog *prog = ptr_at(map, key);

    if (!prog)
        return -ENOENT;
    *(u32 *)value = prog->id;
    return 0;
}

static void prog_array_clear(struct bpf_map *map)
{
    u32 i;

    for (i = 0; i < map->max_entries; i++)
        prog_array_remove_fd(map, &i);
}

static void prog_array_free(struct bpf_map *map)
{
    prog_array_clear(map);
    bpf_map_area_free(fd_array_of(map));
}

static void *no_lookup(struct bpf_map *map, const void *key)
{
    (void)map;
    (void)key;
    return ERR_PTR(-ENOTSUPP);
}

const struct bpf_prog *bpf_tail_call(u64 map, u64 index, u32 *count)
{
    const struct bpf_map *array = (const struct bpf_map *)(unsigned long)map;
    u32 key = index;

    if (key >= array->max_entries || *count >= MAX_TAIL_CALL_CNT)
        return NULL;
    (*count)++;
    return ptr_at(array, &key);
}

const struct bpf_map_ops prog_array_map_ops = {
    .alloc = prog_array_alloc,
    .free = prog_array_free,
    .lookup = no_lookup,
    .update = fd_array_update,
    .remove = array_remove,
    .get_next_key = array_get_next_key,
    .copy_value = prog_array_copy,
    .update_fd = prog_array_update_fd,
    .remove_fd = prog_array_remove_fd,
    .release_uref = prog_array_clear,
};

/* ---- maps ---- */

static struct bpf_map *array_of_maps_alloc(const union bpf_attr *attr)
{
    struct bpf_map *meta = bpf_map_meta_alloc(attr->inner_map_fd), *map;

    if (IS_ERR(meta))
        return meta;
    map = fd_array_alloc(attr, &array_of_maps_map_ops);
    if (IS_ERR(map))
        bpf_map_meta_free(meta);
    else
        map->inner_map_meta = meta;
    return map;
}

static void *array_of_maps_lookup(struct bpf_map *map, const void *key)
{
    return ptr_at(map, key);
}

static int array_of_maps_copy(struct bpf_map *map, const void *key, void *value)
{
    const struct bpf_map *inner = ptr_at(map, key);

    if (!inner)
        return -ENOENT;
    *(u32 *)value = inner->id;
    return 0;
}

static int array_of_maps_update_fd(struct bpf_map *map, struct file *map_file, const void *key,
                                   int fd, u64 flags)
{
    int err = check_update(map, key, flags);
    struct bpf_map *inner, *old;

    (void)map_file;
    if (err)
        return err;
    inner = bpf_map_get_inner(map, fd);
    if (IS_ERR(inner))
        return PTR_ERR(inner);
    old = exchange(map, *(const u32 *)key, inner);
    if (old)
        bpf_map_put(old);
    return 0;
}

static int array_of_maps_remove_fd(struct bpf_map *map, const void *key)
{
    int err = check_update(map, key, 0);
    struct bpf_map *old = err ? NULL : exchange(map, *(const u32 *)key, NULL);

    if (old)
        bpf_map_put(old);
    return err ? err : old ? 0 : -ENOENT;
}

static void array_of_maps_free(struct bpf_map *map)
{
    u32 i;

    for (i = 0; i < map->max_entries; i++)
        array_of_maps_remove_fd(map, &i);
    bpf_map_meta_free(map->inner_map_meta);
    bpf_map_area_free(fd_array_of(map));
}

const struct bpf_map_ops array_of_maps_map_ops = {
    .alloc = array_of_maps_alloc,
    .free = array_of_maps_free,
    .lookup = array_of_maps_lookup,
    .update = fd_array_update,
    .remove = array_remove,
    .get_next_key = array_get_next_key,
    .copy_value = array_of_maps_copy,
    .update_fd = array_of_maps_update_fd,
    .remove_fd = array_of_maps_remove_fd,
};
