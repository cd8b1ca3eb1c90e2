/* map_cmd.c - maps: making them, their descriptors, and access by key. */
#include "syscall.h"
#include <asm/page.h>
#include <linux/bpf_trace.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/mm.h>
#include <linux/poll.h>
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

void *bpf_map_page_alloc(void)
{
    struct page *page = alloc_pages(0);

    if (!page)
        return NULL;
    atomic_set(&page->_refcount, 1);
    memset(page_address(page), 0, PAGE_SIZE);
    return page_address(page);
}

void bpf_map_init(struct bpf_map *map, const union bpf_attr *attr, const struct bpf_map_ops *ops)
{
    map->ops = ops;
    map->map_type = attr->map_type;
    map->key_size = attr->key_size;
    map->value_size = attr->value_size;
    map->max_entries = attr->max_entries;
    map->map_flags = attr->map_flags;
    map->map_extra = attr->map_extra;
    map->refcnt = 1;
}

static const struct bpf_map_ops *map_ops(u32 type)
{
    switch (type) {
    case BPF_MAP_TYPE_ARRAY:
    case BPF_MAP_TYPE_PERCPU_ARRAY: return &array_map_ops;
    case BPF_MAP_TYPE_HASH:
    case BPF_MAP_TYPE_PERCPU_HASH:
    case BPF_MAP_TYPE_LRU_HASH: return &htab_map_ops;
    case BPF_MAP_TYPE_STACK_TRACE: return &stack_trace_map_ops;
    case BPF_MAP_TYPE_RINGBUF: return &ringbuf_map_ops;
    case BPF_MAP_TYPE_PERF_EVENT_ARRAY: return &perf_event_array_map_ops;
    case BPF_MAP_TYPE_PROG_ARRAY: return &prog_array_map_ops;
    case BPF_MAP_TYPE_ARRAY_OF_MAPS: return &array_of_maps_map_ops;
    case BPF_MAP_TYPE_HASH_OF_MAPS: return &htab_of_maps_map_ops;
    default: return NULL;
    }
}

/* A program that runs may still use the map until a grace period after its own end. */
void bpf_map_put(struct bpf_map *map)
{
    if (!bpf_drop_ref(&map->refcnt))
        return;
    bpf_remove_object(KIND_MAP, map);
    synchronize_rcu();
    btf_put(map->btf);
    map->ops->free(map);
}

void bpf_map_inc(struct bpf_map *map)
{
    bpf_ref_unless_zero(&map->refcnt);
}

void bpf_map_inc_uref(struct bpf_map *map)
{
    __atomic_add_fetch(&map->usercnt, 1, __ATOMIC_SEQ_CST);
}

void bpf_map_put_uref(struct bpf_map *map)
{
    if (bpf_drop_ref(&map->usercnt) && map->ops->release_uref)
        map->ops->release_uref(map);
}

int bpf_map_new_fd(struct bpf_map *map, int flags)
{
    int fd;

    bpf_map_inc_uref(map);
    fd = bpf_object_fd(&bpf_map_fops, map, flags);
    if (fd < 0) {
        bpf_map_put_uref(map);
        bpf_map_put(map);
    }
    return fd;
}

int bpf_map_open_flags(u32 map_flags)
{
    if (map_flags & BPF_F_RDONLY)
        return O_RDONLY;
    return map_flags & BPF_F_WRONLY ? O_WRONLY : O_RDWR;
}

int bpf_map_create(const union bpf_attr *attr)
{
    const struct bpf_map_ops *ops = map_ops(attr->map_type);
    struct bpf_map *map;
    int err;
    char name[BPF_OBJ_NAME_LEN];

    if (!CHECK_ATTR(map_extra) || attr->btf_vmlinux_value_type_id ||
        (attr->btf_key_type_id && !attr->btf_value_type_id) || attr->map_extra || !ops ||
        attr->map_ifindex)
        return -EINVAL;
    if ((attr->map_flags & BPF_F_RDONLY && attr->map_flags & BPF_F_WRONLY) ||
        (attr->map_flags & BPF_F_RDONLY_PROG && attr->map_flags & BPF_F_WRONLY_PROG))
        return -EINVAL;
    err = bpf_copy_name(name, attr->map_name);
    if (err)
        return err;
    map = ops->alloc(attr);
    if (IS_ERR(map))
        return PTR_ERR(map);
    memcpy(map->name, name, sizeof(name));
    err = bpf_map_set_btf(map, attr);
    if (!err)
        err = bpf_add_object(KIND_MAP, map, &map->id);
    if (err) {
        bpf_map_put(map);
        return err;
    }
    return bpf_map_new_fd(map, bpf_map_open_flags(attr->map_flags));
}

/* The file of a map, with a reference; or ERR_PTR. */
static struct file *map_file(u32 fd)
{
    struct file *file = fget(fd);

    if (!file)
        return ERR_PTR(-EBADF);
    if (file->f_op == &bpf_map_fops)
        return file;
    fput(file);
    return ERR_PTR(-EINVAL);
}

struct bpf_map *bpf_map_get(u32 fd)
{
    struct file *file = map_file(fd);
    struct bpf_map *map;

    if (IS_ERR(file))
        return (struct bpf_map *)file;
    map = file->private_data;
    bpf_ref_unless_zero(&map->refcnt);
    fput(file);
    return map;
}

static int bpf_map_release(struct inode *inode, struct file *file)
{
    struct bpf_map *map = file->private_data;

    (void)inode;
    if (map->ops->release)
        map->ops->release(map, file);
    bpf_map_put_uref(map);
    bpf_map_put(map);
    return 0;
}

static unsigned int bpf_map_poll(struct file *file, struct poll_table *table)
{
    struct bpf_map *map = file->private_data;

    return map->ops->poll ? map->ops->poll(map, file, table) : POLLERR;
}

/* Counts a mapping that can be written, or a system call that writes; false: the map is frozen. */
static bool begin_write(struct bpf_map *map)
{
    int n = __atomic_load_n(&map->writers, __ATOMIC_RELAXED);

    while (n != BPF_MAP_FROZEN)
        if (__atomic_compare_exchange_n(&map->writers, &n, n + 1, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

static void end_write(struct bpf_map *map)
{
    __atomic_sub_fetch(&map->writers, 1, __ATOMIC_SEQ_CST);
}

/* mprotect can take VM_WRITE away and give it back, so VM_MAYWRITE is what counts. */
static void bpf_map_mmap_open(struct vm_area_struct *vma)
{
    if (vma->vm_flags & VM_MAYWRITE)
        (void)begin_write(vma->vm_file->private_data);
}

static void bpf_map_mmap_close(struct vm_area_struct *vma)
{
    if (vma->vm_flags & VM_MAYWRITE)
        end_write(vma->vm_file->private_data);
}

static const struct vm_operations_struct bpf_map_default_vmops = {
    .open = bpf_map_mmap_open,
    .close = bpf_map_mmap_close,
};

/* Maps all pages at once. What is mapped for reading only stays so. */
static int bpf_map_mmap(struct file *file, struct vm_area_struct *vma)
{
    struct bpf_map *map = file->private_data;
    unsigned long addr, index = vma->vm_offset >> PAGE_SHIFT;
    struct page *page;
    int err = 0;

    if (!map->ops->mmap_page)
        return -ENOTSUPP;
    if (!(vma->vm_flags & VM_SHARED))
        return -EINVAL;
    if (!(vma->vm_flags & VM_WRITE))
        vma->vm_flags &= ~VM_MAYWRITE;
    else if (!begin_write(map))
        return -EPERM;
    vma->vm_ops = &bpf_map_default_vmops; /* from here on the end of the area ends the writing */
    if (vma->vm_flags & VM_WRITE && map->map_flags & BPF_F_RDONLY_PROG)
        return -EACCES;
    for (addr = vma->vm_start; !err && addr < vma->vm_end; addr += PAGE_SIZE, index++) {
        page = map->ops->mmap_page(map, index, vma->vm_flags & VM_WRITE);
        err = IS_ERR(page) ? PTR_ERR(page) : vm_insert_page(vma, addr, page);
    }
    return err;
}

const struct file_operations bpf_map_fops = {
    .release = bpf_map_release,
    .poll = bpf_map_poll,
    .mmap = bpf_map_mmap,
};

/* Size of a value for system calls. */
static u32 map_value_size(const struct bpf_map *map)
{
    if (bpf_map_is_percpu(map))
        return bpf_percpu_size(map);
    return map->map_type == BPF_MAP_TYPE_PERF_EVENT_ARRAY ? sizeof(u32) : map->value_size;
}

/* What an access by key works with. */
struct map_access {
    struct file *file;
    struct bpf_map *map;
    void *key, *value;
    bool writes;
};

static void end_access(struct map_access *a)
{
    kfree(a->key);
    kfree(a->value);
    if (a->writes)
        end_write(a->map);
    fput(a->file);
}

static void *copy_in(u64 from, u32 size)
{
    void *to = kmalloc(size ? size : 1);

    if (!to)
        return ERR_PTR(-ENOMEM);
    if (copy_from_user(to, bpf_user_ptr(from), size)) {
        kfree(to);
        return ERR_PTR(-EFAULT);
    }
    return to;
}

/* mode: FMODE_* that the descriptor must have. 0, or an error and nothing to end. */
static int begin_access(struct map_access *a, const union bpf_attr *attr, unsigned int mode,
                        bool key_optional)
{
    int err = 0;

    memset(a, 0, sizeof(*a));
    a->file = map_file(attr->map_fd);
    if (IS_ERR(a->file))
        return PTR_ERR(a->file);
    a->map = a->file->private_data;
    a->writes = mode & FMODE_WRITE && begin_write(a->map);
    if ((a->file->f_mode & mode) != mode || (mode & FMODE_WRITE && !a->writes)) {
        err = -EPERM;
    } else if (!a->map->key_size && attr->key) {
        err = -EINVAL;
    } else if (!key_optional || attr->key) {
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
    const struct bpf_map_ops *ops = a->map->ops;
    const void *from;

    if (ops->copy_value)
        return ops->copy_value(a->map, a->key, a->value);
    from = ops->lookup(a->map, a->key);
    if (IS_ERR(from))
        return PTR_ERR(from);
    if (!from)
        return -ENOENT;
    memcpy(a->value, from, a->map->value_size);
    return 0;
}

/* What may be looked up and deleted at once. */
static bool is_plain_hash(const struct bpf_map *map)
{
    return map->map_type == BPF_MAP_TYPE_HASH || map->map_type == BPF_MAP_TYPE_PERCPU_HASH ||
           map->map_type == BPF_MAP_TYPE_LRU_HASH;
}

int bpf_map_lookup(const union bpf_attr *attr, bool and_delete)
{
    struct map_access a;
    u32 size;
    int err;

    if (!CHECK_ATTR(flags) || attr->flags & ~(u64)(and_delete ? 0 : BPF_F_LOCK))
        return -EINVAL;
    err = begin_access(&a, attr, and_delete ? FMODE_READ | FMODE_WRITE : FMODE_READ, false);
    if (err)
        return err;
    size = map_value_size(a.map);
    a.value = kmalloc(size ? size : 1);
    err = a.value ? 0 : -ENOMEM;
    if (!err && (attr->flags & BPF_F_LOCK))
        err = -EINVAL; /* no value has a lock */
    if (!err && and_delete && !is_plain_hash(a.map))
        err = -ENOTSUPP;
    if (!err) {
        rcu_read_lock();
        bpf_disable_programs();
        err = copy_value(&a);
        if (!err && and_delete)
            err = a.map->ops->remove(a.map, a.key);
        bpf_enable_programs();
        rcu_read_unlock();
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
    rcu_read_lock();
    bpf_disable_programs();
    err = (ops->update_all ? ops->update_all : ops->update)(a->map, a->key, a->value, flags);
    bpf_enable_programs();
    rcu_read_unlock();
    return err;
}

int bpf_map_update(const union bpf_attr *attr)
{
    struct map_access a;
    int err;

    if (!CHECK_ATTR(flags))
        return -EINVAL;
    err = begin_access(&a, attr, FMODE_WRITE, false);
    if (err)
        return err;
    a.value = copy_in(attr->value, map_value_size(a.map));
    if (IS_ERR(a.value)) {
        err = PTR_ERR(a.value);
        a.value = NULL;
    } else {
        err = attr->flags & BPF_F_LOCK ? -EINVAL : update_value(&a, attr->flags);
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
    err = begin_access(&a, attr, FMODE_WRITE, false);
    if (err)
        return err;
    if (a.map->ops->remove_fd) {
        err = a.map->ops->remove_fd(a.map, a.key);
    } else {
        rcu_read_lock();
        bpf_disable_programs();
        err = a.map->ops->remove(a.map, a.key);
        bpf_enable_programs();
        rcu_read_unlock();
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
    err = begin_access(&a, attr, FMODE_READ, true);
    if (err)
        return err;
    a.value = kmalloc(a.map->key_size ? a.map->key_size : 1);
    err = a.value ? 0 : -ENOMEM;
    if (!err) {
        rcu_read_lock();
        bpf_disable_programs();
        err = a.map->ops->get_next_key(a.map, a.key, a.value);
        bpf_enable_programs();
        rcu_read_unlock();
    }
    if (!err && copy_to_user(bpf_user_ptr(attr->next_key), a.value, a.map->key_size))
        err = -EFAULT;
    end_access(&a);
    return err;
}

int bpf_map_freeze(const union bpf_attr *attr)
{
    struct file *file;
    struct bpf_map *map;
    int err = 0, none = 0;

    if (!CHECK_ATTR(map_fd))
        return -EINVAL;
    file = map_file(attr->map_fd);
    if (IS_ERR(file))
        return PTR_ERR(file);
    map = file->private_data;
    if (!(file->f_mode & FMODE_WRITE))
        err = -EPERM;
    else if (!__atomic_compare_exchange_n(&map->writers, &none, BPF_MAP_FROZEN, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        err = -EBUSY;
    fput(file);
    return err;
}
