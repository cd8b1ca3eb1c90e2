/*
 * syscall.c - bpf(2): objects by descriptors and by ids.
 *
 * The commands are in map_cmd.c, prog_cmd.c, link_cmd.c, btf_cmd.c and info_cmd.c.
 *
 * Maps, programs and links are counted: by descriptors, by programs that use a map, by links to a
 * program. An object's id stays while it exists.
 */
#include "syscall.h"
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

bool bpf_all_zero(const char *from, const char *to)
{
    for (; from < to; from++)
        if (*from)
            return false;
    return true;
}

int bpf_check_uarg_tail_zero(const void __user *uaddr, u32 known, u32 size)
{
    const char __user *from = (const char __user *)uaddr + known;
    char c;

    if (size > PAGE_SIZE)
        return -E2BIG;
    for (; size > known; size--, from++) {
        if (get_user(c, from))
            return -EFAULT;
        if (c)
            return -E2BIG;
    }
    return 0;
}

/* ---- objects ---- */

struct bpf_object {
    struct list_head list;
    u32 id;
    void *object;
};

/* All objects, by id. */
static DEFINE_MUTEX(bpf_objects_mutex);
static struct list_head bpf_objects[NR_KINDS] = {
    LIST_HEAD_INIT(bpf_objects[0]), LIST_HEAD_INIT(bpf_objects[1]), LIST_HEAD_INIT(bpf_objects[2]),
    LIST_HEAD_INIT(bpf_objects[3])};
static u32 last_id[NR_KINDS];

int bpf_add_object(enum bpf_kind kind, void *object, u32 *id)
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

void bpf_remove_object(enum bpf_kind kind, const void *object)
{
    struct bpf_object *o, *next;

    mutex_lock(&bpf_objects_mutex);
    list_for_each_entry_safe(o, next, &bpf_objects[kind], list) {
        if (o->object != object)
            continue;
        list_del_init(&o->list);
        kfree(o);
    }
    mutex_unlock(&bpf_objects_mutex);
}

bool bpf_ref_unless_zero(int *refcnt)
{
    int n = __atomic_load_n(refcnt, __ATOMIC_RELAXED);

    while (n)
        if (__atomic_compare_exchange_n(refcnt, &n, n + 1, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

bool bpf_drop_ref(int *refcnt)
{
    return __atomic_sub_fetch(refcnt, 1, __ATOMIC_SEQ_CST) == 0;
}

/* A name is of letters, digits, `_' and `.', and ends within its field. */
int bpf_copy_name(char *to, const char *from)
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
    return i == BPF_OBJ_NAME_LEN || !bpf_all_zero(from + i, from + BPF_OBJ_NAME_LEN) ? -EINVAL : 0;
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
int bpf_object_fd(const struct file_operations *fops, void *object, int flags)
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

/* ---- by ids ---- */

static int get_next_id(enum bpf_kind kind, const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    struct bpf_object *o;
    u32 id = 0;

    if (!CHECK_ATTR(next_id) || attr->start_id >= 0x7fffffff)
        return -EINVAL;
    mutex_lock(&bpf_objects_mutex);
    list_for_each_entry(o, &bpf_objects[kind], list) {
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
    switch (kind) {
    case KIND_MAP: return &((struct bpf_map *)object)->refcnt;
    case KIND_PROG: return &((struct bpf_prog *)object)->refcnt;
    case KIND_LINK: return &((struct bpf_link *)object)->refcnt;
    default: return &((struct btf *)object)->refcnt;
    }
}

static int get_fd_by_id(enum bpf_kind kind, const union bpf_attr *attr)
{
    void *object = NULL;
    struct bpf_object *o;

    if (!(kind == KIND_MAP ? CHECK_ATTR(open_flags) : CHECK_ATTR(prog_id)))
        return -EINVAL;
    if (attr->open_flags & ~(BPF_F_RDONLY | BPF_F_WRONLY) ||
        attr->open_flags == (BPF_F_RDONLY | BPF_F_WRONLY))
        return -EINVAL;
    mutex_lock(&bpf_objects_mutex);
    list_for_each_entry(o, &bpf_objects[kind], list) {
        if (o->id == attr->prog_id && bpf_ref_unless_zero(refcnt_of(kind, o->object))) {
            object = o->object;
            break;
        }
    }
    mutex_unlock(&bpf_objects_mutex);
    if (!object)
        return -ENOENT;
    switch (kind) {
    case KIND_MAP: return bpf_map_new_fd(object, bpf_map_open_flags(attr->open_flags));
    case KIND_PROG: return bpf_prog_new_fd(object);
    case KIND_LINK: return bpf_link_new_fd(object);
    default: return btf_new_fd(object);
    }
}

/* ---- the system call ---- */

/* Run counts are taken while such a descriptor is open. */
struct static_key bpf_stats_enabled_key;
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
    fd = bpf_object_fd(&bpf_stats_fops, NULL, O_RDWR);
    if (fd < 0)
        change_stats_users(-1);
    return fd;
}

static int do_bpf(int cmd, const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    switch (cmd) {
    case BPF_MAP_CREATE: return bpf_map_create(attr);
    case BPF_MAP_LOOKUP_ELEM: return bpf_map_lookup(attr, false);
    case BPF_MAP_LOOKUP_AND_DELETE_ELEM: return bpf_map_lookup(attr, true);
    case BPF_MAP_UPDATE_ELEM: return bpf_map_update(attr);
    case BPF_MAP_DELETE_ELEM: return bpf_map_delete(attr);
    case BPF_MAP_GET_NEXT_KEY: return bpf_map_next_key(attr);
    case BPF_MAP_FREEZE: return bpf_map_freeze(attr);
    case BPF_PROG_LOAD: return bpf_prog_load(attr);
    case BPF_PROG_TEST_RUN: return bpf_prog_test_run(attr, uattr);
    case BPF_PROG_GET_NEXT_ID: return get_next_id(KIND_PROG, attr, uattr);
    case BPF_MAP_GET_NEXT_ID: return get_next_id(KIND_MAP, attr, uattr);
    case BPF_LINK_GET_NEXT_ID: return get_next_id(KIND_LINK, attr, uattr);
    case BPF_PROG_GET_FD_BY_ID: return get_fd_by_id(KIND_PROG, attr);
    case BPF_MAP_GET_FD_BY_ID: return get_fd_by_id(KIND_MAP, attr);
    case BPF_LINK_GET_FD_BY_ID: return get_fd_by_id(KIND_LINK, attr);
    case BPF_BTF_GET_NEXT_ID: return get_next_id(KIND_BTF, attr, uattr);
    case BPF_BTF_GET_FD_BY_ID: return get_fd_by_id(KIND_BTF, attr);
    case BPF_BTF_LOAD: return bpf_btf_load(attr);
    case BPF_OBJ_GET_INFO_BY_FD: return bpf_obj_get_info(attr, uattr);
    case BPF_RAW_TRACEPOINT_OPEN: return bpf_raw_tracepoint_open(attr);
    case BPF_OBJ_PIN: return bpf_obj_pin(attr);
    case BPF_OBJ_GET: return bpf_obj_get(attr);
    case BPF_PROG_BIND_MAP: return bpf_prog_bind_map(attr);
    case BPF_LINK_UPDATE: return bpf_link_update(attr);
    case BPF_LINK_DETACH: return bpf_link_detach(attr);
    case BPF_LINK_CREATE: return bpf_link_create(attr);
    case BPF_ENABLE_STATS: return enable_stats(attr);
    default: return -EINVAL;
    }
}

SYSCALL_DEFINE3(bpf, int, cmd, union bpf_attr *, uattr, unsigned int, size)
{
    union bpf_attr attr;
    int err;

    err = bpf_check_uarg_tail_zero(uattr, sizeof(attr), size);
    if (err)
        return err;
    size = min(size, (unsigned int)sizeof(attr));
    memset(&attr, 0, sizeof(attr));
    if (copy_from_user(&attr, uattr, size))
        return -EFAULT;
    return do_bpf(cmd, &attr, uattr);
}
