/*
 * syscall.c - bpf(2): maps, programs and links by descriptors and by ids.
 *
 * Maps, programs and links are counted: by descriptors, by programs that use a map, by links to a
 * program. An object's id stays while it exists.
 */
#include "bpf_internal.h"
#include <asm/page.h>
#include <linux/bpf_trace.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

/* The last field that a command uses; all after it must be zero. */
#define CHECK_ATTR(field)                                                                \
    all_zero((const char *)attr + offsetof(union bpf_attr, field) + sizeof(attr->field), \
             (const char *)(attr + 1))

static bool all_zero(const char *from, const char *to)
{
    for (; from < to; from++)
        if (*from)
            return false;
    return true;
}

static void __user *user_ptr(u64 addr)
{
    return (void __user *)(unsigned long)addr;
}

/* ---- ids ---- */

enum bpf_kind { KIND_MAP, KIND_PROG, KIND_LINK, NR_KINDS };

struct bpf_object {
    struct list_head list;
    u32 id;
    void *object;
};

/* All objects, by id. */
static DEFINE_MUTEX(bpf_objects_mutex);
static struct list_head bpf_objects[NR_KINDS] = {
    LIST_HEAD_INIT(bpf_objects[0]), LIST_HEAD_INIT(bpf_objects[1]), LIST_HEAD_INIT(bpf_objects[2])};
static u32 last_id[NR_KINDS];

static int add_object(enum bpf_kind kind, void *object, u32 *id)
{
    struct bpf_object *o = kzalloc(sizeof(*o));

    if (!o)
        return -ENOMEM;
    o->object = object;
    mutex_lock(&bpf_objects_mutex);
    *id = o->id = ++last_id[kind];
    list_add_tail(&o->list, &bpf_objects[kind]);
    mutex_unlock(&bpf_objects_mutex);
    return 0;
}

static void remove_object(enum bpf_kind kind, const void *object)
{
    struct bpf_object *o, *next;

    mutex_lock(&bpf_objects_mutex);
    list_for_each_entry_safe(o, next, &bpf_objects[kind], list)
    {
        if (o->object != object)
            continue;
        list_del_init(&o->list);
        kfree(o);
    }
    mutex_unlock(&bpf_objects_mutex);
}

static bool ref_unless_zero(int *refcnt)
{
    int n = __atomic_load_n(refcnt, __ATOMIC_RELAXED);

    while (n)
        if (__atomic_compare_exchange_n(refcnt, &n, n + 1, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

static bool drop_ref(int *refcnt)
{
    return __atomic_sub_fetch(refcnt, 1, __ATOMIC_SEQ_CST) == 0;
}

/* ---- maps ---- */

static const struct file_operations bpf_map_fops, bpf_prog_fops, bpf_link_fops, bpf_stats_fops;

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
    default: return NULL;
    }
}

/* A program that runs may still use the map until a grace period after its own end. */
void bpf_map_put(struct bpf_map *map)
{
    if (!drop_ref(&map->refcnt))
        return;
    remove_object(KIND_MAP, map);
    synchronize_rcu();
    map->ops->free(map);
}

/* A name is of letters, digits, `_' and `.', and ends within its field. */
static int copy_name(char *to, const char *from)
{
    unsigned int i;

    memset(to, 0, BPF_OBJ_NAME_LEN);
    for (i = 0; i < BPF_OBJ_NAME_LEN && from[i]; i++) {
        char c = from[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '.'))
            return -EINVAL;
        to[i] = c;
    }
    return i == BPF_OBJ_NAME_LEN || !all_zero(from + i, from + BPF_OBJ_NAME_LEN) ? -EINVAL : 0;
}

/* The open file of an object, with the caller's reference to it; or ERR_PTR. */
static struct file *object_file(const struct file_operations *fops, void *object, int flags)
{
    struct inode *inode = new_inode(S_IRUSR | S_IWUSR);
    struct file *file;

    if (!inode)
        return ERR_PTR(-ENOMEM);
    inode->i_fop = fops;
    file = dentry_open(NULL, inode, flags);
    iput(inode);
    if (!IS_ERR(file))
        file->private_data = object;
    return file;
}

/* A new descriptor of the object, which takes over a reference; or an error. */
static int object_fd(const struct file_operations *fops, void *object, int flags)
{
    int fd = get_unused_fd_flags(O_CLOEXEC);
    struct file *file;

    if (fd < 0)
        return fd;
    file = object_file(fops, object, flags);
    if (IS_ERR(file)) {
        put_unused_fd(fd);
        return PTR_ERR(file);
    }
    fd_install(fd, file);
    return fd;
}

static int map_open_flags(u32 map_flags)
{
    if (map_flags & BPF_F_RDONLY)
        return O_RDONLY;
    return map_flags & BPF_F_WRONLY ? O_WRONLY : O_RDWR;
}

static int map_create(const union bpf_attr *attr)
{
    const struct bpf_map_ops *ops = map_ops(attr->map_type);
    struct bpf_map *map;
    int err, fd;
    char name[BPF_OBJ_NAME_LEN];

    if (!CHECK_ATTR(map_extra) || attr->btf_vmlinux_value_type_id || attr->map_extra ||
        attr->inner_map_fd || !ops || attr->map_ifindex)
        return -EINVAL;
    if ((attr->map_flags & BPF_F_RDONLY && attr->map_flags & BPF_F_WRONLY) ||
        (attr->map_flags & BPF_F_RDONLY_PROG && attr->map_flags & BPF_F_WRONLY_PROG))
        return -EINVAL;
    err = copy_name(name, attr->map_name);
    if (err)
        return err;
    map = ops->alloc(attr);
    if (IS_ERR(map))
        return PTR_ERR(map);
    memcpy(map->name, name, sizeof(name));
    err = add_object(KIND_MAP, map, &map->id);
    fd = err ? err : object_fd(&bpf_map_fops, map, map_open_flags(attr->map_flags));
    if (fd < 0)
        bpf_map_put(map);
    return fd;
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
    ref_unless_zero(&map->refcnt);
    fput(file);
    return map;
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

static unsigned int bpf_map_poll(struct file *file, struct poll_table *table)
{
    struct bpf_map *map = file->private_data;

    return map->ops->poll ? map->ops->poll(map, file, table) : POLLERR;
}

/* Maps all pages at once. */
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
    for (addr = vma->vm_start; !err && addr < vma->vm_end; addr += PAGE_SIZE, index++) {
        page = map->ops->mmap_page(map, index, vma->vm_flags & VM_WRITE);
        err = IS_ERR(page) ? PTR_ERR(page) : vm_insert_page(vma, addr, page);
    }
    return err;
}

static const struct file_operations bpf_map_fops = {
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
};

static void end_access(struct map_access *a)
{
    kfree(a->key);
    kfree(a->value);
    fput(a->file);
}

static void *copy_in(u64 from, u32 size)
{
    void *to = kmalloc(size ? size : 1);

    if (!to)
        return ERR_PTR(-ENOMEM);
    if (copy_from_user(to, user_ptr(from), size)) {
        kfree(to);
        return ERR_PTR(-EFAULT);
    }
    return to;
}

/* mode: FMODE_* that the descriptor must have. 0, or an error and nothing to end. */
static int begin_access(struct map_access *a, const union bpf_attr *attr, unsigned int mode,
                        bool key_optional)
{
    memset(a, 0, sizeof(*a));
    a->file = map_file(attr->map_fd);
    if (IS_ERR(a->file))
        return PTR_ERR(a->file);
    a->map = a->file->private_data;
    if ((a->file->f_mode & mode) != mode || (mode == FMODE_WRITE && a->map->frozen)) {
        fput(a->file);
        return -EPERM;
    }
    if (!a->map->key_size && attr->key) {
        fput(a->file);
        return -EINVAL;
    }
    if (key_optional && !attr->key)
        return 0;
    a->key = copy_in(attr->key, a->map->key_size);
    if (!IS_ERR(a->key))
        return 0;
    fput(a->file);
    return PTR_ERR(a->key);
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

static int map_lookup_elem(const union bpf_attr *attr, bool and_delete)
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
    if (!err) {
        rcu_read_lock();
        bpf_disable_programs();
        err = copy_value(&a);
        if (!err && and_delete)
            err = a.map->ops->remove(a.map, a.key);
        bpf_enable_programs();
        rcu_read_unlock();
    }
    if (!err && copy_to_user(user_ptr(attr->value), a.value, size))
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

static int map_update_elem(const union bpf_attr *attr)
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

static int map_delete_elem(const union bpf_attr *attr)
{
    struct map_access a;
    int err;

    if (!CHECK_ATTR(key))
        return -EINVAL;
    err = begin_access(&a, attr, FMODE_WRITE, false);
    if (err)
        return err;
    if (a.map->map_type == BPF_MAP_TYPE_PERF_EVENT_ARRAY) {
        err = a.map->ops->update_fd(a.map, a.file, a.key, -1, 0);
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

static int map_get_next_key(const union bpf_attr *attr)
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
    if (!err && copy_to_user(user_ptr(attr->next_key), a.value, a.map->key_size))
        err = -EFAULT;
    end_access(&a);
    return err;
}

static int map_freeze(const union bpf_attr *attr)
{
    struct file *file;
    struct bpf_map *map;
    int err = 0;

    if (!CHECK_ATTR(map_fd))
        return -EINVAL;
    file = map_file(attr->map_fd);
    if (IS_ERR(file))
        return PTR_ERR(file);
    map = file->private_data;
    if (!(file->f_mode & FMODE_WRITE))
        err = -EPERM;
    else if (__atomic_exchange_n(&map->frozen, 1, __ATOMIC_SEQ_CST))
        err = -EBUSY;
    fput(file);
    return err;
}

/* ---- programs ---- */

struct static_key bpf_stats_enabled_key;

static void free_prog(struct bpf_prog *prog)
{
    u32 i;

    for (i = 0; i < prog->used_map_cnt; i++)
        bpf_map_put(prog->used_maps[i]);
    bpf_jit_free(prog);
    kfree(prog->subprogs);
    kfree(prog->stats);
    vfree(prog->insns);
    kfree(prog);
}

void bpf_prog_put(struct bpf_prog *prog)
{
    if (!drop_ref(&prog->refcnt))
        return;
    remove_object(KIND_PROG, prog);
    bpf_prog_kallsyms_del_all(prog);
    synchronize_rcu();
    free_prog(prog);
}

static struct file *prog_file(u32 fd)
{
    struct file *file = fget(fd);

    if (!file)
        return ERR_PTR(-EBADF);
    if (file->f_op == &bpf_prog_fops)
        return file;
    fput(file);
    return ERR_PTR(-EINVAL);
}

struct bpf_prog *bpf_prog_get(u32 fd)
{
    struct file *file = prog_file(fd);
    struct bpf_prog *prog;

    if (IS_ERR(file))
        return (struct bpf_prog *)file;
    prog = file->private_data;
    ref_unless_zero(&prog->refcnt);
    fput(file);
    return prog;
}

void bpf_prog_inc(struct bpf_prog *prog)
{
    ref_unless_zero(&prog->refcnt);
}

static int bpf_prog_release(struct inode *inode, struct file *file)
{
    (void)inode;
    bpf_prog_put(file->private_data);
    return 0;
}

static const struct file_operations bpf_prog_fops = {.release = bpf_prog_release};

int bpf_verifier_pause(void)
{
    cond_resched();
    return signal_pending(current) ? -EAGAIN : 0;
}

/* The user's buffer of the log. */
struct user_log {
    struct bpf_verifier_log log;
    char __user *buf;
    u32 size, used;
    bool full, fault;
};

static void write_user_log(struct bpf_verifier_log *log, const char *text, size_t len)
{
    struct user_log *ul = container_of(log, struct user_log, log);
    size_t room = ul->size - 1 - ul->used, n = min(len, room);

    if (ul->fault)
        return;
    if (copy_to_user(ul->buf + ul->used, text, n) || put_user((char)0, ul->buf + ul->used + n))
        ul->fault = true;
    ul->used += n;
    ul->full |= n < len;
}

static int init_user_log(struct user_log *ul, const union bpf_attr *attr)
{
    memset(ul, 0, sizeof(*ul));
    if (!attr->log_level && !attr->log_buf && !attr->log_size)
        return 0;
    ul->log.level = attr->log_level;
    ul->log.write = write_user_log;
    ul->buf = user_ptr(attr->log_buf);
    ul->size = attr->log_size;
    if (attr->log_size < 128 || attr->log_size > ~0u >> 2 || !attr->log_level || !attr->log_buf ||
        attr->log_level & ~7u)
        return -EINVAL;
    return 0;
}

static bool license_is_gpl(const char *license)
{
    static const char *const gpl[] = {"GPL",          "GPL v2",       "GPL and additional rights",
                                      "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"};
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(gpl); i++)
        if (!strcmp(license, gpl[i]))
            return true;
    return false;
}

/* A number of the text, which is the same for the same text. */
static void make_tag(struct bpf_prog *prog)
{
    u64 hash = 14695981039346656037ull;
    const u8 *p = (const u8 *)prog->insns;
    u32 i;

    for (i = 0; i < prog->len * sizeof(struct bpf_insn); i++)
        hash = (hash ^ p[i]) * 1099511628211ull;
    memcpy(prog->tag, &hash, sizeof(prog->tag));
}

static bool prog_type_is_supported(u32 type)
{
    return type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_TRACEPOINT ||
           type == BPF_PROG_TYPE_PERF_EVENT || type == BPF_PROG_TYPE_RAW_TRACEPOINT;
}

static int read_prog(struct bpf_prog *prog, const union bpf_attr *attr)
{
    char license[128];
    long n = strncpy_from_user(license, user_ptr(attr->license), sizeof(license) - 1);
    size_t size = attr->insn_cnt * sizeof(struct bpf_insn);

    if (n < 0)
        return -EFAULT;
    license[n] = 0;
    if (!attr->insn_cnt || attr->insn_cnt > BPF_COMPLEXITY_LIMIT)
        return -E2BIG;
    if (!prog_type_is_supported(attr->prog_type))
        return -EINVAL;
    prog->gpl_compatible = license_is_gpl(license);
    prog->type = attr->prog_type;
    prog->len = attr->insn_cnt;
    prog->prog_flags = attr->prog_flags;
    prog->expected_attach_type = attr->expected_attach_type;
    prog->insns = vmalloc(size);
    prog->stats = kzalloc(sizeof(*prog->stats) * nr_cpu_ids);
    if (!prog->insns || !prog->stats)
        return -ENOMEM;
    if (copy_from_user(prog->insns, user_ptr(attr->insns), size))
        return -EFAULT;
    return copy_name(prog->name, attr->prog_name);
}

static bool calls_trace_printk(const struct bpf_prog *prog)
{
    u32 i;

    for (i = 0; i < prog->len; i++)
        if (prog->insns[i].code == (BPF_JMP | BPF_CALL) && !prog->insns[i].src_reg &&
            prog->insns[i].imm == BPF_FUNC_trace_printk)
            return true;
    return false;
}

static int check_prog(struct bpf_prog *prog, const union bpf_attr *attr)
{
    struct user_log *ul = kmalloc(sizeof(*ul));
    int err;

    if (!ul)
        return -ENOMEM;
    err = init_user_log(ul, attr);
    if (!err) {
        err = bpf_check(prog, ul->log.level ? &ul->log : NULL);
        if (ul->full)
            err = -ENOSPC;
        if (ul->fault)
            err = -EFAULT;
    }
    kfree(ul);
    return err;
}

static int prog_load(const union bpf_attr *attr)
{
    u32 flags =
        BPF_F_STRICT_ALIGNMENT | BPF_F_ANY_ALIGNMENT | BPF_F_TEST_RND_HI32 | BPF_F_TEST_STATE_FREQ;
    struct bpf_prog *prog;
    int err, fd;

    if (!CHECK_ATTR(core_relo_rec_size) || attr->prog_flags & ~flags || attr->attach_prog_fd ||
        attr->attach_btf_id || attr->prog_ifindex || attr->core_relo_cnt)
        return -EINVAL;
    prog = kzalloc(sizeof(*prog));
    if (!prog)
        return -ENOMEM;
    prog->refcnt = 1;
    err = read_prog(prog, attr);
    if (!err) {
        make_tag(prog);
        err = check_prog(prog, attr);
    }
    if (err) {
        free_prog(prog);
        return err;
    }
    bpf_prog_select_runtime(prog);
    if (calls_trace_printk(prog))
        bpf_trace_printk_enable();
    prog->load_time = ktime_get();
    err = add_object(KIND_PROG, prog, &prog->id);
    fd = err ? err : object_fd(&bpf_prog_fops, prog, O_RDWR);
    if (fd < 0)
        bpf_prog_put(prog);
    return fd;
}

/* Only programs of raw tracepoints can be run by a call; their context is an array of numbers. */
static int prog_test_run(const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    struct bpf_prog *prog;
    u64 *ctx;
    u32 retval;
    int err = 0;

    if (!CHECK_ATTR(test.batch_size))
        return -EINVAL;
    prog = bpf_prog_get(attr->test.prog_fd);
    if (IS_ERR(prog))
        return PTR_ERR(prog);
    ctx = kzalloc(MAX_BPF_FUNC_ARGS * sizeof(*ctx));
    if (!ctx)
        err = -ENOMEM;
    else if (prog->type != BPF_PROG_TYPE_RAW_TRACEPOINT)
        err = -ENOTSUPP;
    else if (attr->test.data_in || attr->test.data_out || attr->test.ctx_out ||
             attr->test.duration || attr->test.repeat || attr->test.batch_size ||
             attr->test.flags || attr->test.cpu)
        err = -EINVAL;
    else if (attr->test.ctx_size_in < prog->max_ctx_offset ||
             attr->test.ctx_size_in > MAX_BPF_FUNC_ARGS * sizeof(*ctx))
        err = -EINVAL;
    else if (attr->test.ctx_size_in &&
             copy_from_user(ctx, user_ptr(attr->test.ctx_in), attr->test.ctx_size_in))
        err = -EFAULT;
    if (!err) {
        rcu_read_lock();
        retval = bpf_prog_run(prog, ctx);
        rcu_read_unlock();
        err = put_user(retval, &uattr->test.retval);
    }
    kfree(ctx);
    bpf_prog_put(prog);
    return err;
}

/* ---- links ---- */

struct bpf_link {
    int refcnt; /* atomics only */
    u32 id, type;
    struct bpf_prog *prog;               /* referenced */
    const struct bpf_raw_event_map *btp; /* of a raw tracepoint */
    struct file *perf_file;              /* of an event; referenced */
};

static void bpf_link_put(struct bpf_link *link)
{
    if (!drop_ref(&link->refcnt))
        return;
    remove_object(KIND_LINK, link);
    if (link->btp)
        bpf_probe_unregister(link->btp, link->prog);
    if (link->perf_file) {
        perf_event_free_bpf_prog(perf_event_of(link->perf_file));
        fput(link->perf_file);
    }
    bpf_prog_put(link->prog);
    kfree(link);
}

static int bpf_link_release(struct inode *inode, struct file *file)
{
    (void)inode;
    bpf_link_put(file->private_data);
    return 0;
}

static const struct file_operations bpf_link_fops = {.release = bpf_link_release};

static int open_raw_tracepoint(struct bpf_prog *prog, const char *name)
{
    const struct bpf_raw_event_map *btp = bpf_get_raw_tracepoint(name);
    struct bpf_link *link;
    int err, fd;

    if (!btp)
        return -ENOENT;
    if (prog->max_ctx_offset > btp->num_args * sizeof(u64))
        return -EINVAL;
    link = kzalloc(sizeof(*link));
    if (!link)
        return -ENOMEM;
    err = bpf_probe_register(btp, prog);
    if (err) {
        kfree(link);
        return err;
    }
    link->refcnt = 1;
    link->type = BPF_LINK_TYPE_RAW_TRACEPOINT;
    link->prog = prog;
    link->btp = btp;
    ref_unless_zero(&prog->refcnt);
    err = add_object(KIND_LINK, link, &link->id);
    fd = err ? err : object_fd(&bpf_link_fops, link, O_RDWR);
    if (fd < 0)
        bpf_link_put(link);
    return fd;
}

static int raw_tracepoint_open(const union bpf_attr *attr)
{
    struct bpf_prog *prog;
    char name[128];
    long n;
    int ret;

    if (!CHECK_ATTR(raw_tracepoint.prog_fd))
        return -EINVAL;
    prog = bpf_prog_get(attr->raw_tracepoint.prog_fd);
    if (IS_ERR(prog))
        return PTR_ERR(prog);
    n = strncpy_from_user(name, user_ptr(attr->raw_tracepoint.name), sizeof(name) - 1);
    if (n < 0) {
        ret = -EFAULT;
    } else if (prog->type != BPF_PROG_TYPE_RAW_TRACEPOINT) {
        ret = -EINVAL;
    } else {
        name[n] = 0;
        ret = open_raw_tracepoint(prog, name);
    }
    bpf_prog_put(prog);
    return ret;
}

/* The event and the link each hold the program. */
static int link_perf_event(struct bpf_prog *prog, struct file *perf_file, u64 cookie)
{
    struct bpf_link *link = kzalloc(sizeof(*link));
    int err, fd;

    if (!link)
        return -ENOMEM;
    ref_unless_zero(&prog->refcnt);
    err = perf_event_set_bpf_prog(perf_event_of(perf_file), prog, cookie);
    if (err) {
        bpf_prog_put(prog);
        kfree(link);
        return err;
    }
    link->refcnt = 1;
    link->type = BPF_LINK_TYPE_PERF_EVENT;
    link->prog = prog;
    ref_unless_zero(&prog->refcnt);
    link->perf_file = get_file(perf_file);
    err = add_object(KIND_LINK, link, &link->id);
    fd = err ? err : object_fd(&bpf_link_fops, link, O_RDWR);
    if (fd < 0)
        bpf_link_put(link);
    return fd;
}

static int link_create(const union bpf_attr *attr)
{
    struct bpf_prog *prog;
    struct file *perf_file;
    int ret;

    if (!CHECK_ATTR(link_create.perf_event.bpf_cookie))
        return -EINVAL;
    prog = bpf_prog_get(attr->link_create.prog_fd);
    if (IS_ERR(prog))
        return PTR_ERR(prog);
    perf_file = ERR_PTR(-EINVAL);
    if (attr->link_create.attach_type == BPF_PERF_EVENT && !attr->link_create.flags &&
        prog->type != BPF_PROG_TYPE_RAW_TRACEPOINT)
        perf_file = perf_event_get(attr->link_create.target_fd);
    if (IS_ERR(perf_file)) {
        ret = PTR_ERR(perf_file);
    } else {
        ret = link_perf_event(prog, perf_file, attr->link_create.perf_event.bpf_cookie);
        fput(perf_file);
    }
    bpf_prog_put(prog);
    return ret;
}

/* ---- ids and information ---- */

static int get_next_id(enum bpf_kind kind, const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    struct bpf_object *o;
    u32 id = 0;

    if (!CHECK_ATTR(next_id) || attr->start_id >= 0x7fffffff)
        return -EINVAL;
    mutex_lock(&bpf_objects_mutex);
    list_for_each_entry(o, &bpf_objects[kind], list)
    {
        if (o->id > attr->start_id) {
            id = o->id;
            break;
        }
    }
    mutex_unlock(&bpf_objects_mutex);
    return id ? put_user(id, &uattr->next_id) : -ENOENT;
}

static int *refcnt_of(enum bpf_kind kind, void *object)
{
    if (kind == KIND_MAP)
        return &((struct bpf_map *)object)->refcnt;
    return kind == KIND_PROG ? &((struct bpf_prog *)object)->refcnt
                             : &((struct bpf_link *)object)->refcnt;
}

static void put_object(enum bpf_kind kind, void *object)
{
    if (kind == KIND_MAP)
        bpf_map_put(object);
    else if (kind == KIND_PROG)
        bpf_prog_put(object);
    else
        bpf_link_put(object);
}

static int get_fd_by_id(enum bpf_kind kind, const union bpf_attr *attr)
{
    static const struct file_operations *const fops[] = {&bpf_map_fops, &bpf_prog_fops,
                                                         &bpf_link_fops};
    void *object = NULL;
    struct bpf_object *o;
    int fd;

    if (!(kind == KIND_MAP ? CHECK_ATTR(open_flags) : CHECK_ATTR(prog_id)))
        return -EINVAL;
    if (attr->open_flags & ~(BPF_F_RDONLY | BPF_F_WRONLY) ||
        attr->open_flags == (BPF_F_RDONLY | BPF_F_WRONLY))
        return -EINVAL;
    mutex_lock(&bpf_objects_mutex);
    list_for_each_entry(o, &bpf_objects[kind], list)
    {
        if (o->id == attr->prog_id && ref_unless_zero(refcnt_of(kind, o->object))) {
            object = o->object;
            break;
        }
    }
    mutex_unlock(&bpf_objects_mutex);
    if (!object)
        return -ENOENT;
    fd = object_fd(fops[kind], object, map_open_flags(attr->open_flags));
    if (fd < 0)
        put_object(kind, object);
    return fd;
}

static void sum_stats(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
    unsigned int cpu;

    info->run_cnt = info->run_time_ns = info->recursion_misses = 0;
    for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
        info->run_cnt += READ_ONCE(prog->stats[cpu].cnt);
        info->run_time_ns += READ_ONCE(prog->stats[cpu].nsecs);
        info->recursion_misses += READ_ONCE(prog->stats[cpu].misses);
    }
}

static int prog_info_arrays(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
    u32 room = info->nr_map_ids, insn_room = info->xlated_prog_len, i;
    u64 insns = info->xlated_prog_insns, ids = info->map_ids;
    u32 len = prog->len * sizeof(struct bpf_insn);

    info->nr_map_ids = prog->used_map_cnt;
    for (i = 0; ids && i < min(room, prog->used_map_cnt); i++)
        if (put_user(prog->used_maps[i]->id, (u32 __user *)user_ptr(ids) + i))
            return -EFAULT;
    info->xlated_prog_len = len;
    if (insns && insn_room && copy_to_user(user_ptr(insns), prog->insns, min(insn_room, len)))
        return -EFAULT;
    return 0;
}

/* info comes with what the caller has set: sizes and addresses of arrays. */
static int fill_prog_info(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
    info->type = prog->type;
    info->id = prog->id;
    memcpy(info->tag, prog->tag, sizeof(info->tag));
    memcpy(info->name, prog->name, sizeof(info->name));
    info->load_time = prog->load_time;
    info->created_by_uid = 0;
    info->gpl_compatible = prog->gpl_compatible;
    info->verified_insns = prog->verified_insns;
    info->nr_func_info = info->nr_line_info = info->nr_jited_line_info = info->nr_prog_tags = 0;
    sum_stats(prog, info);
    if (bpf_jit_fill_info(prog, info))
        return -EFAULT;
    return prog_info_arrays(prog, info);
}

static void fill_map_info(const struct bpf_map *map, struct bpf_map_info *info)
{
    memset(info, 0, sizeof(*info));
    info->type = map->map_type;
    info->id = map->id;
    info->key_size = map->key_size;
    info->value_size = map->value_size;
    info->max_entries = map->max_entries;
    info->map_flags = map->map_flags;
    info->map_extra = map->map_extra;
    memcpy(info->name, map->name, sizeof(info->name));
}

static int fill_link_info(const struct bpf_link *link, struct bpf_link_info *info)
{
    const char *name;
    u64 to = info->raw_tracepoint.tp_name;
    u32 room = info->raw_tracepoint.tp_name_len, len;

    info->type = link->type;
    info->id = link->id;
    info->prog_id = link->prog->id;
    if (!link->btp)
        return 0;
    if (!to != !room)
        return -EINVAL;
    name = link->btp->tp->name;
    len = strlen(name) + 1;
    info->raw_tracepoint.tp_name_len = len;
    if (to && copy_to_user(user_ptr(to), name, min(len, room)))
        return -EFAULT;
    if (to && room < len && (put_user((char)0, (char __user *)user_ptr(to) + room - 1), true))
        return -ENOSPC;
    return 0;
}

static int obj_get_info(const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    struct file *file;
    union {
        struct bpf_prog_info prog;
        struct bpf_map_info map;
        struct bpf_link_info link;
    } * info;
    u32 size = attr->info.info_len, full;
    int err = 0;

    if (!CHECK_ATTR(info.info))
        return -EINVAL;
    file = fget(attr->info.bpf_fd);
    if (!file)
        return -EBADF;
    info = kzalloc(sizeof(*info));
    full = file->f_op == &bpf_prog_fops  ? sizeof(info->prog)
           : file->f_op == &bpf_map_fops ? sizeof(info->map)
                                         : sizeof(info->link);
    size = min(size, full);
    if (!info)
        err = -ENOMEM;
    else if (copy_from_user(info, user_ptr(attr->info.info), size))
        err = -EFAULT;
    else if (file->f_op == &bpf_prog_fops)
        err = fill_prog_info(file->private_data, &info->prog);
    else if (file->f_op == &bpf_map_fops)
        fill_map_info(file->private_data, &info->map);
    else if (file->f_op == &bpf_link_fops)
        err = fill_link_info(file->private_data, &info->link);
    else
        err = -EINVAL;
    if (!err && (copy_to_user(user_ptr(attr->info.info), info, size) ||
                 put_user(size, &uattr->info.info_len)))
        err = -EFAULT;
    kfree(info);
    fput(file);
    return err;
}

/* Run counts are taken while such a descriptor is open. */
static DEFINE_MUTEX(bpf_stats_mutex);
static unsigned int bpf_stats_users;

static void change_stats_users(int by)
{
    mutex_lock(&bpf_stats_mutex);
    bpf_stats_users += by;
    if (bpf_stats_users)
        static_key_enable(&bpf_stats_enabled_key);
    else
        static_key_disable(&bpf_stats_enabled_key);
    mutex_unlock(&bpf_stats_mutex);
}

static int bpf_stats_release(struct inode *inode, struct file *file)
{
    (void)inode;
    (void)file;
    change_stats_users(-1);
    return 0;
}

static const struct file_operations bpf_stats_fops = {.release = bpf_stats_release};

static int enable_stats(const union bpf_attr *attr)
{
    int fd;

    if (!CHECK_ATTR(enable_stats.type) || attr->enable_stats.type != BPF_STATS_RUN_TIME)
        return -EINVAL;
    change_stats_users(1);
    fd = object_fd(&bpf_stats_fops, NULL, O_RDWR);
    if (fd < 0)
        change_stats_users(-1);
    return fd;
}

static int do_bpf(int cmd, const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    switch (cmd) {
    case BPF_MAP_CREATE: return map_create(attr);
    case BPF_MAP_LOOKUP_ELEM: return map_lookup_elem(attr, false);
    case BPF_MAP_LOOKUP_AND_DELETE_ELEM: return map_lookup_elem(attr, true);
    case BPF_MAP_UPDATE_ELEM: return map_update_elem(attr);
    case BPF_MAP_DELETE_ELEM: return map_delete_elem(attr);
    case BPF_MAP_GET_NEXT_KEY: return map_get_next_key(attr);
    case BPF_MAP_FREEZE: return map_freeze(attr);
    case BPF_PROG_LOAD: return prog_load(attr);
    case BPF_PROG_TEST_RUN: return prog_test_run(attr, uattr);
    case BPF_PROG_GET_NEXT_ID: return get_next_id(KIND_PROG, attr, uattr);
    case BPF_MAP_GET_NEXT_ID: return get_next_id(KIND_MAP, attr, uattr);
    case BPF_LINK_GET_NEXT_ID: return get_next_id(KIND_LINK, attr, uattr);
    case BPF_PROG_GET_FD_BY_ID: return get_fd_by_id(KIND_PROG, attr);
    case BPF_MAP_GET_FD_BY_ID: return get_fd_by_id(KIND_MAP, attr);
    case BPF_LINK_GET_FD_BY_ID: return get_fd_by_id(KIND_LINK, attr);
    case BPF_OBJ_GET_INFO_BY_FD: return obj_get_info(attr, uattr);
    case BPF_RAW_TRACEPOINT_OPEN: return raw_tracepoint_open(attr);
    case BPF_LINK_CREATE: return link_create(attr);
    case BPF_ENABLE_STATS: return enable_stats(attr);
    default: return -EINVAL;
    }
}

/* A newer program's larger attr must be zero in what is unknown here. */
static int check_tail(const char __user *from, unsigned int size)
{
    char c;

    for (; size; size--, from++) {
        if (get_user(c, from))
            return -EFAULT;
        if (c)
            return -E2BIG;
    }
    return 0;
}

SYSCALL_DEFINE3(bpf, int, cmd, union bpf_attr *, uattr, unsigned int, size)
{
    union bpf_attr attr;
    int err;

    if (size > PAGE_SIZE)
        return -E2BIG;
    if (size > sizeof(attr)) {
        err = check_tail((const char __user *)uattr + sizeof(attr), size - sizeof(attr));
        if (err)
            return err;
        size = sizeof(attr);
    }
    memset(&attr, 0, sizeof(attr));
    if (copy_from_user(&attr, uattr, size))
        return -EFAULT;
    return do_bpf(cmd, &attr, uattr);
}
