/*
 * stackmap.c - maps of type stack_trace: stacks by a number that is made of their addresses; and
 * perf_event_array, whose values are descriptors of events.
 */
#include "bpf_internal.h"
#include <asm/ptrace.h>
#include <asm/stacktrace.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

enum { MAX_DEPTH = 127 }; /* Linux's kernel.perf_event_max_stack */

struct stack_bucket {
    u32 hash, nr; /* nr 0: free */
    u64 ip[];
};

struct bpf_stack_map {
    struct bpf_map map;
    spinlock_t lock; /* guards the buckets */
    u32 nr_buckets;
    char *buckets;
};

static struct bpf_stack_map *stack_map_of(struct bpf_map *map)
{
    return container_of(map, struct bpf_stack_map, map);
}

static struct stack_bucket *bucket(struct bpf_stack_map *smap, u32 id)
{
    return (struct stack_bucket *)(smap->buckets +
                                   (u64)id * (sizeof(struct stack_bucket) + smap->map.value_size));
}

static void stack_map_free(struct bpf_map *map)
{
    bpf_map_area_free(stack_map_of(map)->buckets);
    bpf_map_area_free(map);
}

static struct bpf_map *stack_map_alloc(const union bpf_attr *attr)
{
    struct bpf_stack_map *smap;
    u32 n = 1;

    if (attr->map_flags & ~(BPF_F_NUMA_NODE | BPF_F_RDONLY | BPF_F_WRONLY) || !attr->max_entries ||
        attr->key_size != 4 || attr->value_size < 8 || attr->value_size % 8 ||
        attr->value_size / 8 > MAX_DEPTH)
        return ERR_PTR(-EINVAL);
    while (n && n < attr->max_entries)
        n *= 2;
    if (!n)
        return ERR_PTR(-E2BIG);
    smap = bpf_map_area_alloc(sizeof(*smap));
    if (!smap)
        return ERR_PTR(-ENOMEM);
    bpf_map_init(&smap->map, attr, &stack_trace_map_ops);
    smap->nr_buckets = n;
    smap->buckets = bpf_map_area_alloc((u64)n * (sizeof(struct stack_bucket) + attr->value_size));
    if (!smap->buckets) {
        stack_map_free(&smap->map);
        return ERR_PTR(-ENOMEM);
    }
    return &smap->map;
}

static void *no_lookup(struct bpf_map *map, const void *key)
{
    (void)map;
    (void)key;
    return ERR_PTR(-ENOTSUPP);
}

static int stack_map_update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
    (void)map;
    (void)key;
    (void)value;
    (void)flags;
    return -EINVAL;
}

static int stack_map_copy(struct bpf_map *map, const void *key, void *value)
{
    struct bpf_stack_map *smap = stack_map_of(map);
    u32 id = *(const u32 *)key, len = 0;
    unsigned long flags;

    if (id >= smap->nr_buckets)
        return -ENOENT;
    memset(value, 0, map->value_size);
    flags = bpf_lock(&smap->lock);
    len = bucket(smap, id)->nr * sizeof(u64);
    memcpy(value, bucket(smap, id)->ip, len);
    bpf_unlock(&smap->lock, flags);
    return len ? 0 : -ENOENT;
}

static int stack_map_remove(struct bpf_map *map, const void *key)
{
    struct bpf_stack_map *smap = stack_map_of(map);
    u32 id = *(const u32 *)key, nr;
    unsigned long flags;

    if (id >= smap->nr_buckets)
        return -E2BIG;
    flags = bpf_lock(&smap->lock);
    nr = bucket(smap, id)->nr;
    bucket(smap, id)->nr = 0;
    bpf_unlock(&smap->lock, flags);
    return nr ? 0 : -ENOENT;
}

static int stack_map_next_key(struct bpf_map *map, const void *key, void *next)
{
    struct bpf_stack_map *smap = stack_map_of(map);
    u32 id = 0;

    if (key) {
        id = *(const u32 *)key;
        id = id >= smap->nr_buckets || !bucket(smap, id)->nr ? 0 : id + 1;
    }
    while (id < smap->nr_buckets && !bucket(smap, id)->nr)
        id++;
    if (id >= smap->nr_buckets)
        return -ENOENT;
    *(u32 *)next = id;
    return 0;
}

/* The stack of what runs now: the kernel's from the event on, or the program's. */
static unsigned int take_stack(unsigned long *ips, unsigned int size, bool user)
{
    const struct pt_regs *regs = bpf_program_regs();
    unsigned long start = bpf_stack_start();
    unsigned int n, i;

    if (user)
        return stack_trace_save_user(ips, size);
    if (regs) /* those of a probe have no status */
        return regs->epc < TASK_SIZE ? 0 : stack_trace_save_regs(regs, ips, size);
    n = stack_trace_save(ips, size, 0);
    for (i = 0; start && i < n; i++)
        if (ips[i] == start)
            break;
    if (!start || i >= n)
        return n;
    i++;
    memmove(ips, ips + i, (n - i) * sizeof(*ips));
    return n - i;
}

static u32 hash_stack(const unsigned long *ips, u32 n)
{
    u32 hash = 2166136261u, i;

    for (i = 0; i < n; i++)
        hash = (hash ^ (u32)ips[i] ^ (u32)(ips[i] >> 32)) * 16777619u;
    return hash ^ hash >> 16;
}

static bool same_stack(const struct stack_bucket *b, const unsigned long *ips, u32 n)
{
    return b->nr == n && !memcmp(b->ip, ips, n * sizeof(u64));
}

static u64 store_stack(struct bpf_stack_map *smap, const unsigned long *ips, u32 n, u64 flags)
{
    u32 hash = hash_stack(ips, n), id = hash & (smap->nr_buckets - 1);
    struct stack_bucket *b = bucket(smap, id);
    unsigned long irq_flags = bpf_lock(&smap->lock);
    u64 ret = id;

    if (b->nr && b->hash == hash && (flags & BPF_F_FAST_STACK_CMP || same_stack(b, ips, n))) {
        bpf_unlock(&smap->lock, irq_flags);
        return ret;
    }
    if (b->nr && !(flags & BPF_F_REUSE_STACKID)) {
        ret = -EEXIST;
    } else {
        b->hash = hash;
        b->nr = n;
        memcpy(b->ip, ips, n * sizeof(u64));
    }
    bpf_unlock(&smap->lock, irq_flags);
    return ret;
}

u64 bpf_get_stackid(u64 ctx, u64 map, u64 flags, u64 r4, u64 r5)
{
    struct bpf_stack_map *smap = stack_map_of((struct bpf_map *)(unsigned long)map);
    unsigned long ips[MAX_DEPTH];
    u32 skip = flags & BPF_F_SKIP_FIELD_MASK, n, depth = smap->map.value_size / 8;

    (void)ctx;
    (void)r4;
    (void)r5;
    if (flags &
        ~(BPF_F_SKIP_FIELD_MASK | BPF_F_USER_STACK | BPF_F_FAST_STACK_CMP | BPF_F_REUSE_STACKID))
        return -EINVAL;
    n = take_stack(ips, MAX_DEPTH, flags & BPF_F_USER_STACK);
    if (n <= skip)
        return -EFAULT;
    return store_stack(smap, ips + skip, min(n - skip, depth), flags);
}

u64 bpf_get_stack(u64 ctx, u64 buf, u64 size, u64 flags, u64 r5)
{
    unsigned long ips[MAX_DEPTH];
    u32 skip = flags & BPF_F_SKIP_FIELD_MASK, n;
    char *to = (char *)(unsigned long)buf;

    (void)ctx;
    (void)r5;
    if (flags & ~(BPF_F_SKIP_FIELD_MASK | BPF_F_USER_STACK) || size % 8) {
        memset(to, 0, size);
        return -EINVAL;
    }
    n = take_stack(ips, MAX_DEPTH, flags & BPF_F_USER_STACK);
    if (n < skip) {
        memset(to, 0, size);
        return -EFAULT;
    }
    n = min(n - skip, (u32)(size / 8));
    memcpy(to, ips + skip, n * 8);
    memset(to + n * 8, 0, size - n * 8);
    return n * 8;
}

const struct bpf_map_ops stack_trace_map_ops = {
    .alloc = stack_map_alloc,
    .free = stack_map_free,
    .lookup = no_lookup,
    .update = stack_map_update,
    .remove = stack_map_remove,
    .get_next_key = stack_map_next_key,
    .copy_value = stack_map_copy,
};
