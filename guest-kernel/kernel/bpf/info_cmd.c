/* info_cmd.c - what a descriptor's program, map or link is. */
#include "syscall.h"
#include <linux/bpf_trace.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/filter.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

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
    u32 nr_maps = __atomic_load_n(&prog->used_map_cnt, __ATOMIC_ACQUIRE);

    info->nr_map_ids = nr_maps;
    for (i = 0; ids && i < min(room, nr_maps); i++)
        if (put_user(prog->used_maps[i]->id, (u32 __user *)bpf_user_ptr(ids) + i))
            return -EFAULT;
    info->xlated_prog_len = len;
    if (insns && insn_room && copy_to_user(bpf_user_ptr(insns), prog->insns, min(insn_room, len)))
        return -EFAULT;
    return 0;
}

/* info comes with what the caller has set: sizes and addresses of arrays. */
static int fill_prog_info(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
    int err;

    info->type = prog->type;
    info->id = prog->id;
    memcpy(info->tag, prog->tag, sizeof(info->tag));
    memcpy(info->name, prog->name, sizeof(info->name));
    info->load_time = prog->load_time;
    info->created_by_uid = 0;
    info->gpl_compatible = prog->gpl_compatible;
    info->verified_insns = prog->verified_insns;
    sum_stats(prog, info);
    if (bpf_jit_fill_info(prog, info))
        return -EFAULT;
    err = bpf_prog_fill_btf_info(prog, info);
    return err ? err : prog_info_arrays(prog, info);
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
    info->btf_id = map->btf ? map->btf->id : 0;
    info->btf_key_type_id = map->btf_key_type_id;
    info->btf_value_type_id = map->btf_value_type_id;
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
    if (to && copy_to_user(bpf_user_ptr(to), name, min(len, room)))
        return -EFAULT;
    if (to && room < len && (put_user((char)0, (char __user *)bpf_user_ptr(to) + room - 1), true))
        return -ENOSPC;
    return 0;
}

int bpf_obj_get_info(const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    struct file *file;
    union {
        struct bpf_prog_info prog;
        struct bpf_map_info map;
        struct bpf_link_info link;
        struct bpf_btf_info btf;
    } * info;
    u32 size = attr->info.info_len, full;
    int err;

    if (!CHECK_ATTR(info.info))
        return -EINVAL;
    file = fget(attr->info.bpf_fd);
    if (!file)
        return -EBADF;
    info = kzalloc(sizeof(*info));
    full = file->f_op == &bpf_prog_fops   ? sizeof(info->prog)
           : file->f_op == &bpf_map_fops  ? sizeof(info->map)
           : file->f_op == &btf_fops      ? sizeof(info->btf)
           : file->f_op == &bpf_link_fops ? sizeof(info->link)
                                          : 0;
    err = !info   ? -ENOMEM
          : !full ? -EINVAL
                  : bpf_check_uarg_tail_zero(bpf_user_ptr(attr->info.info), full, size);
    size = min(size, full);
    if (!err && copy_from_user(info, bpf_user_ptr(attr->info.info), size))
        err = -EFAULT;
    if (err)
        goto out;
    if (file->f_op == &bpf_prog_fops)
        err = fill_prog_info(file->private_data, &info->prog);
    else if (file->f_op == &bpf_map_fops)
        fill_map_info(file->private_data, &info->map);
    else if (file->f_op == &bpf_link_fops)
        err = fill_link_info(file->private_data, &info->link);
    else
        err = btf_fill_info(file->private_data, &info->btf);
    if (!err && (copy_to_user(bpf_user_ptr(attr->info.info), info, size) ||
                 put_user(size, &uattr->info.info_len)))
        err = -EFAULT;
out:
    kfree(info);
    fput(file);
    return err;
}
