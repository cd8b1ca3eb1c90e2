/*
 * btf_cmd.c - types by descriptors and ids, and what maps and programs say of themselves by them:
 * the types of keys and values, functions, and lines of the source.
 */
#include "syscall.h"
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

enum { BTF_MAX_SIZE = 16 << 20, MAX_RECORD_SIZE = 252 };

void btf_put(struct btf *btf)
{
    if (!btf || !bpf_drop_ref(&btf->refcnt))
        return;
    bpf_remove_object(KIND_BTF, btf);
    btf_free(btf);
}

static int btf_release(struct inode *inode, struct file *file)
{
    (void)inode;
    btf_put(file->private_data);
    return 0;
}

const struct file_operations btf_fops = {.release = btf_release};

int btf_new_fd(struct btf *btf)
{
    int fd = bpf_object_fd(&btf_fops, btf, O_RDONLY);

    if (fd < 0)
        btf_put(btf);
    return fd;
}

struct btf *btf_get_by_fd(u32 fd)
{
    struct file *file = fget(fd);
    struct btf *btf = ERR_PTR(-EINVAL);

    if (!file)
        return ERR_PTR(-EBADF);
    if (file->f_op == &btf_fops) {
        btf = file->private_data;
        bpf_ref_unless_zero(&btf->refcnt);
    }
    fput(file);
    return btf;
}

/* ---- BPF_BTF_LOAD ---- */

static struct btf *load(const union bpf_attr *attr, struct bpf_verifier_log *log)
{
    void *data = vmalloc(attr->btf_size ? attr->btf_size : 1);

    if (!data)
        return ERR_PTR(-ENOMEM);
    if (copy_from_user(data, bpf_user_ptr(attr->btf), attr->btf_size)) {
        vfree(data);
        return ERR_PTR(-EFAULT);
    }
    return btf_parse(data, attr->btf_size, log);
}

int bpf_btf_load(const union bpf_attr *attr)
{
    struct bpf_user_log *ul;
    struct btf *btf;
    int err;

    if (!CHECK_ATTR(btf_log_level))
        return -EINVAL;
    if (attr->btf_size > BTF_MAX_SIZE)
        return -E2BIG;
    ul = kmalloc(sizeof(*ul));
    if (!ul)
        return -ENOMEM;
    err = bpf_user_log_init(ul, attr->btf_log_level, attr->btf_log_buf, attr->btf_log_size);
    btf = err ? ERR_PTR(err) : load(attr, ul->log.level ? &ul->log : NULL);
    err = IS_ERR(btf) ? PTR_ERR(btf) : ul->full ? -ENOSPC : 0;
    kfree(ul);
    if (IS_ERR(btf))
        return err;
    btf->refcnt = 1;
    if (!err)
        err = bpf_add_object(KIND_BTF, btf, &btf->id);
    if (err) {
        btf_free(btf);
        return err;
    }
    return btf_new_fd(btf);
}

int btf_fill_info(const struct btf *btf, struct bpf_btf_info *info)
{
    u32 room = info->name_len;

    if (copy_to_user(bpf_user_ptr(info->btf), btf->data, min(btf->data_size, info->btf_size)))
        return -EFAULT;
    if (!info->name != !room)
        return -EINVAL;
    info->id = btf->id;
    info->btf_size = btf->data_size;
    info->kernel_btf = 0;
    info->name_len = 0; /* only types of the kernel have one */
    return room ? put_user((char)0, (char __user *)bpf_user_ptr(info->name)) : 0;
}

/* ---- maps ---- */

/* The only map of types without a key: variables of a section. */
static int check_array(const struct bpf_map *map, const struct btf *btf, u32 key, u32 value)
{
    const struct btf_type *t = btf_type_by_id(btf, value), *k;
    u32 size, data;

    if (!key)
        return map->max_entries == 1 && btf_kind(t) == BTF_KIND_DATASEC ? 0 : -EINVAL;
    k = btf_type_id_size(btf, key, &size);
    if (btf_kind(k) != BTF_KIND_INT)
        return -EINVAL;
    data = *(const u32 *)(k + 1);
    return BTF_INT_BITS(data) == 32 && !BTF_INT_OFFSET(data) ? 0 : -EINVAL;
}

static int check_map(const struct bpf_map *map, const struct btf *btf, u32 key, u32 value)
{
    u32 size;

    if (key && (!btf_type_id_size(btf, key, &size) || size != map->key_size))
        return -EINVAL;
    if (!key && (map->map_type == BPF_MAP_TYPE_HASH || map->map_type == BPF_MAP_TYPE_LRU_HASH ||
                 map->map_type == BPF_MAP_TYPE_PERCPU_HASH))
        return -EINVAL;
    if (!btf_type_id_size(btf, value, &size) || size != map->value_size)
        return -EINVAL;
    switch (map->map_type) {
    case BPF_MAP_TYPE_ARRAY: return check_array(map, btf, key, value);
    case BPF_MAP_TYPE_PERCPU_ARRAY: return key ? check_array(map, btf, key, value) : -EINVAL;
    case BPF_MAP_TYPE_HASH:
    case BPF_MAP_TYPE_LRU_HASH:
    case BPF_MAP_TYPE_PERCPU_HASH: return 0;
    case BPF_MAP_TYPE_RINGBUF:
    case BPF_MAP_TYPE_PERF_EVENT_ARRAY:
    case BPF_MAP_TYPE_PROG_ARRAY: return key ? 0 : -EINVAL;
    default: return -ENOTSUPP;
    }
}

int bpf_map_set_btf(struct bpf_map *map, const union bpf_attr *attr)
{
    struct btf *btf;
    int err = 0;

    if (!attr->btf_key_type_id && !attr->btf_value_type_id)
        return 0;
    btf = btf_get_by_fd(attr->btf_fd);
    if (IS_ERR(btf))
        return PTR_ERR(btf);
    err = check_map(map, btf, attr->btf_key_type_id, attr->btf_value_type_id);
    if (err) {
        btf_put(btf);
        return err;
    }
    map->btf = btf;
    map->btf_key_type_id = attr->btf_key_type_id;
    map->btf_value_type_id = attr->btf_value_type_id;
    return 0;
}

/* ---- programs ---- */

/* Copies records, which may be longer than those known here if the rest is zero. */
static int copy_records(void *to, u64 from, u32 count, u32 size, u32 user_size)
{
    u32 i, k;
    u8 byte;

    for (i = 0; i < count; i++, from += user_size) {
        for (k = size; k < user_size; k++) {
            if (get_user(byte, (u8 __user *)bpf_user_ptr(from + k)))
                return -EFAULT;
            if (byte)
                return -E2BIG;
        }
        if (copy_from_user((char *)to + i * size, bpf_user_ptr(from), min(size, user_size)))
            return -EFAULT;
    }
    return 0;
}

/* *to: of vmalloc(). None has more of them than instructions. */
static int take_records(void **to, u64 from, u32 count, u32 size, u32 user_size, u32 most)
{
    if (!count)
        return 0;
    if (user_size < size || user_size > MAX_RECORD_SIZE || user_size % sizeof(u32) || count > most)
        return -EINVAL;
    *to = vmalloc(count * size);
    return *to ? copy_records(*to, from, count, size, user_size) : -ENOMEM;
}

int bpf_prog_set_btf(struct bpf_prog *prog, const union bpf_attr *attr)
{
    struct btf *btf;
    int err;

    if (!attr->func_info_cnt && !attr->line_info_cnt)
        return 0;
    btf = btf_get_by_fd(attr->prog_btf_fd);
    if (IS_ERR(btf))
        return PTR_ERR(btf);
    prog->btf = btf;
    err = take_records((void **)&prog->func_info, attr->func_info, attr->func_info_cnt,
                       sizeof(*prog->func_info), attr->func_info_rec_size, prog->len);
    if (err)
        return err;
    prog->func_info_cnt = attr->func_info_cnt;
    err = take_records((void **)&prog->linfo, attr->line_info, attr->line_info_cnt,
                       sizeof(*prog->linfo), attr->line_info_rec_size, prog->len);
    if (!err)
        prog->nr_linfo = attr->line_info_cnt;
    return err;
}

void bpf_prog_free_btf(struct bpf_prog *prog)
{
    vfree(prog->func_info);
    vfree(prog->linfo);
    btf_put(prog->btf);
}

/* Sizes of records, if they are given, must be those known here. */
static int check_record_sizes(struct bpf_prog_info *info)
{
    if ((info->nr_func_info || info->func_info_rec_size) &&
        info->func_info_rec_size != sizeof(struct bpf_func_info))
        return -EINVAL;
    if ((info->nr_line_info || info->line_info_rec_size) &&
        info->line_info_rec_size != sizeof(struct bpf_line_info))
        return -EINVAL;
    if ((info->nr_jited_line_info || info->jited_line_info_rec_size) &&
        info->jited_line_info_rec_size != sizeof(u64))
        return -EINVAL;
    info->func_info_rec_size = sizeof(struct bpf_func_info);
    info->line_info_rec_size = sizeof(struct bpf_line_info);
    info->jited_line_info_rec_size = sizeof(u64);
    return 0;
}

static int copy_out(u64 to, const void *from, u32 size, u32 *room, u32 count)
{
    u32 n = min(*room, count);

    *room = count;
    return n && copy_to_user(bpf_user_ptr(to), from, n * size) ? -EFAULT : 0;
}

int bpf_prog_fill_btf_info(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
    int err = check_record_sizes(info);

    if (err)
        return err;
    info->btf_id = prog->btf ? prog->btf->id : 0;
    info->nr_jited_line_info = 0;
    err = copy_out(info->func_info, prog->func_info, sizeof(*prog->func_info), &info->nr_func_info,
                   prog->func_info_cnt);
    if (!err)
        err = copy_out(info->line_info, prog->linfo, sizeof(*prog->linfo), &info->nr_line_info,
                       prog->nr_linfo);
    return err ? err : copy_out(info->prog_tags, prog->tag, BPF_TAG_SIZE, &info->nr_prog_tags, 1);
}
