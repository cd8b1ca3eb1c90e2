/* map_cmd.c - maps: making them, their descriptors, and access by key. */
#include "syscall.h"
#include <linux/bpf_trace.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

void *bpf_map_area_alloc(u64 size)
{
    void *area = size < 1ull << 31 ? vmalloc(size) : NULL;

    if (area)
        memset(area, 0, size);
    return area;
}

void bpf_map_area_free(void *area)
{
    vfree(area);
}

void bpf_map_init(struct bpf_map *map, const union bpf_attr *attr, const struct bpf_map_ops *ops)
{
    map->ops = ops;
    map->map_type = attr->map_type;
    map->key_size = attr->key_size;
    map->value_size = attr->value_size;
    map->max_entries = attr->max_entries;
    map->map_flags = attr->map_flags;
    map->refcnt = 1;
}

static const struct bpf_map_ops *map_ops(u32 type)
{
    switch (type) {
    case BPF_MAP_TYPE_ARRAY: return &array_map_ops;
    case BPF_MAP_TYPE_HASH: return &htab_map_ops;
    case BPF_MAP_TYPE_PERF_EVENT_ARRAY: return &perf_event_array_map_ops;
    default: return NULL;
    }
}

/* A program that runs may still use the map until a grace period after its own end. */
void bpf_map_put(struct bpf_map *map)
{
    if (!bpf_drop_ref(&map->refcnt))
        return;
    synchronize_rcu();
    map->ops->free(map);
}

static int bpf_map_release(struct inode *inode, struct file *file)
{
    struct bpf_map *map = file->private_data;

    (void)inode;
    if (map->ops->release)
        map->ops->release(map, file);
    bpf_map_put(map);
    return 0;
}

static const struct file_operations bpf_map_fops = {.release = bpf_map_release};

int bpf_map_create(const union bpf_attr *attr)
{
    const struct bpf_map_ops *ops = map_ops(attr->map_type);
    struct bpf_map *map;
    int fd;

    if (!CHECK_ATTR(map_name) || attr->inner_map_fd || attr->numa_node || !ops ||
        (attr->map_flags & BPF_F_RDONLY_PROG && attr->map_flags & BPF_F_WRONLY_PROG))
        return -EINVAL;
    map = ops->alloc(attr);
    if (IS_ERR(map))
        return PTR_ERR(map);
    fd = bpf_copy_name(map->name, attr->map_name);
    if (!fd)
        fd = bpf_object_fd(&bpf_map_fops, map);
    if (fd < 0)
        bpf_map_put(map);
    return fd;
}

struct bpf_map *bpf_map_get(u32 fd)
{
    struct file *file = bpf_object_file(fd, &bpf_map_fops);
    struct bpf_map *map;

    if (IS_ERR(file))
        return (struct bpf_map *)file;
    map = file->private_data;
    __atomic_add_fetch(&map->refcnt, 1, __ATOMIC_SEQ_CST);
    fput(file);
    return map;
}

/* ---- access by key ---- */

/* Size of a value for system calls. */
static u32 map_value_size(const struct bpf_map *map)
{
    return map->map_type == BPF_MAP_TYPE_PERF_EVENT_ARRAY ? sizeof(u32) : map->value_size;
}

/* What an access by key works with. */
struct map_access {
    struct file *file;
    struct bpf_map *map;
    void *key, *value;
};

static void end_access(struct map_access *a)
{
    kfree(a->key);
    kfree(a->value);
    fput(a->file);
}

static void *copy_in(u64 from, u32 size)
{
    void *to = kmalloc(size);

    if (!to)
        return ERR_PTR(-ENOMEM);
    if (copy_from_user(to, bpf_user_ptr(from), size)) {
        kfree(to);
        return ERR_PTR(-EFAULT);
    }
    return to;
}

/* 0, or an error and nothing to end. */
static int begin_access(struct map_access *a, const union bpf_attr *attr, bool key_optional)
{
    int err = 0;

    memset(a, 0, sizeof(*a));
    a->file = bpf_object_file(attr->map_fd, &bpf_map_fops);
    if (IS_ERR(a->file))
        return PTR_ERR(a->file);
    a->map = a->file->private_data;
    if (!key_optional || attr->key) {
        a->key = copy_in(attr->key, a->map->key_size);
        err = IS_ERR(a->key) ? PTR_ERR(a->key) : 0;
    }
    if (err) {
        a->key = NULL;
        end_access(a);
    }
    return err;
}

static int copy_value(struct map_access *a)
{
    const void *from = a->map->ops->lookup(a->map, a->key);

    if (IS_ERR(from))
        return PTR_ERR(from);
    if (!from)
        return -ENOENT;
    memcpy(a->value, from, a->map->value_size);
    return 0;
}

/* While a map may be locked, no program runs here that could wait for it. */
static void begin_operation(void)
{
    rcu_read_lock();
    bpf_disable_programs();
}

static void end_operation(void)
{
    bpf_enable_programs();
    rcu_read_unlock();
}

int bpf_map_lookup(const union bpf_attr *attr)
{
    struct map_access a;
    u32 size;
    int err;

    if (!CHECK_ATTR(flags) || attr->flags)
        return -EINVAL;
    err = begin_access(&a, attr, false);
    if (err)
        return err;
    size = map_value_size(a.map);
    a.value = kmalloc(size);
    err = a.value ? 0 : -ENOMEM;
    if (!err) {
        begin_operation();
        err = copy_value(&a);
        end_operation();
    }
    if (!err && copy_to_user(bpf_user_ptr(attr->value), a.value, size))
        err = -EFAULT;
    end_access(&a);
    return err;
}

static int update_value(struct map_access *a, u64 flags)
{
    const struct bpf_map_ops *ops = a->map->ops;
    int err;

    if (ops->update_fd)
        return ops->update_fd(a->map, a->file, a->key, *(const int *)a->value, flags);
    begin_operation();
    err = ops->update(a->map, a->key, a->value, flags);
    end_operation();
    return err;
}

int bpf_map_update(const union bpf_attr *attr)
{
    struct map_access a;
    int err;

    if (!CHECK_ATTR(flags))
        return -EINVAL;
    err = begin_access(&a, attr, false);
    if (err)
        return err;
    a.value = copy_in(attr->value, map_value_size(a.map));
    if (IS_ERR(a.value)) {
        err = PTR_ERR(a.value);
        a.value = NULL;
    } else {
        err = update_value(&a, attr->flags);
    }
    end_access(&a);
    return err;
}

int bpf_map_delete(const union bpf_attr *attr)
{
    struct map_access a;
    int err;

    if (!CHECK_ATTR(key))
        return -EINVAL;
    err = begin_access(&a, attr, false);
    if (err)
        return err;
    if (a.map->ops->remove_fd) {
        err = a.map->ops->remove_fd(a.map, a.key);
    } else {
        begin_operation();
        err = a.map->ops->remove(a.map, a.key);
        end_operation();
    }
    end_access(&a);
    return err;
}

int bpf_map_next_key(const union bpf_attr *attr)
{
    struct map_access a;
    int err;

    if (!CHECK_ATTR(next_key))
        return -EINVAL;
    err = begin_access(&a, attr, true);
    if (err)
        return err;
    a.value = kmalloc(a.map->key_size);
    err = a.value ? 0 : -ENOMEM;
    if (!err) {
        begin_operation();
        err = a.map->ops->get_next_key(a.map, a.key, a.value);
        end_operation();
    }
    if (!err && copy_to_user(bpf_user_ptr(attr->next_key), a.value, a.map->key_size))
        err = -EFAULT;
    end_access(&a);
    return err;
}
