/* prog_cmd.c - programs: loading them, running them by a call, and what is known of them. */
#include "syscall.h"
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/filter.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

static void free_prog(struct bpf_prog *prog)
{
    u32 i;

    for (i = 0; i < prog->used_map_cnt; i++)
        bpf_map_put(prog->used_maps[i]);
    bpf_jit_free(prog);
    kfree(prog->active);
    vfree(prog->insns);
    kfree(prog);
}

void bpf_prog_put(struct bpf_prog *prog)
{
    if (!bpf_drop_ref(&prog->refcnt))
        return;
    perf_event_bpf_event(prog, PERF_BPF_EVENT_PROG_UNLOAD);
    bpf_prog_kallsyms_del_all(prog);
    synchronize_rcu();
    free_prog(prog);
}

static int bpf_prog_release(struct inode *inode, struct file *file)
{
    (void)inode;
    bpf_prog_put(file->private_data);
    return 0;
}

static const struct file_operations bpf_prog_fops = {.release = bpf_prog_release};

void bpf_prog_inc(struct bpf_prog *prog)
{
    __atomic_add_fetch(&prog->refcnt, 1, __ATOMIC_SEQ_CST);
}

struct bpf_prog *bpf_prog_get(u32 fd)
{
    struct file *file = bpf_object_file(fd, &bpf_prog_fops);
    struct bpf_prog *prog;

    if (IS_ERR(file))
        return (struct bpf_prog *)file;
    prog = file->private_data;
    bpf_prog_inc(prog);
    fput(file);
    return prog;
}

/* ---- loading ---- */

/* A log in the user's buffer. */
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

static int check_prog(struct bpf_prog *prog, const union bpf_attr *attr)
{
    struct user_log ul = {.log = {.write = write_user_log},
                          .buf = bpf_user_ptr(attr->log_buf),
                          .size = attr->log_size};
    int err;

    if (!attr->log_level && !attr->log_buf && !attr->log_size)
        return bpf_check(prog, NULL);
    if (attr->log_size < 128 || attr->log_size > ~0u >> 2 || !attr->log_level || !attr->log_buf ||
        attr->log_level & ~7u)
        return -EINVAL;
    err = bpf_check(prog, &ul.log);
    return ul.fault ? -EFAULT : ul.full ? -ENOSPC : err;
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

static bool prog_type_is_supported(u32 type)
{
    return type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_TRACEPOINT ||
           type == BPF_PROG_TYPE_PERF_EVENT || type == BPF_PROG_TYPE_RAW_TRACEPOINT;
}

static int read_prog(struct bpf_prog *prog, const union bpf_attr *attr)
{
    char license[128];
    long n = strncpy_from_user(license, bpf_user_ptr(attr->license), sizeof(license) - 1);
    size_t size = attr->insn_cnt * sizeof(struct bpf_insn);

    if (n < 0)
        return -EFAULT;
    license[n] = 0;
    if (!attr->insn_cnt || attr->insn_cnt > BPF_MAXINSNS)
        return -E2BIG;
    if (!prog_type_is_supported(attr->prog_type))
        return -EINVAL;
    prog->gpl_compatible = license_is_gpl(license);
    prog->type = attr->prog_type;
    prog->len = attr->insn_cnt;
    prog->insns = vmalloc(size);
    prog->active = kzalloc(sizeof(*prog->active) * nr_cpu_ids);
    if (!prog->insns || !prog->active)
        return -ENOMEM;
    if (copy_from_user(prog->insns, bpf_user_ptr(attr->insns), size))
        return -EFAULT;
    return bpf_copy_name(prog->name, attr->prog_name);
}

/* The same for the same text: a hash of it. */
static void calc_tag(struct bpf_prog *prog)
{
    const u8 *text = (const u8 *)prog->insns;
    u64 hash = 14695981039346656037ull;
    u32 i;

    for (i = 0; i < prog->len * sizeof(struct bpf_insn); i++)
        hash = (hash ^ text[i]) * 1099511628211ull;
    memcpy(prog->tag, &hash, sizeof(prog->tag));
}

static bool calls_trace_printk(const struct bpf_prog *prog)
{
    u32 i;

    for (i = 0; i < prog->len; i++)
        if (prog->insns[i].code == (BPF_JMP | BPF_CALL) &&
            prog->insns[i].imm == BPF_FUNC_trace_printk)
            return true;
    return false;
}

/* kern_version is for anybody to fill in. */
int bpf_prog_load(const union bpf_attr *attr)
{
    struct bpf_prog *prog;
    int err;

    if (!CHECK_ATTR(prog_name) || attr->prog_flags & ~BPF_F_STRICT_ALIGNMENT)
        return -EINVAL;
    prog = kzalloc(sizeof(*prog));
    if (!prog)
        return -ENOMEM;
    prog->refcnt = 1;
    err = read_prog(prog, attr);
    if (!err) {
        calc_tag(prog);
        err = check_prog(prog, attr);
    }
    if (err) {
        free_prog(prog);
        return err;
    }
    bpf_prog_select_runtime(prog);
    if (calls_trace_printk(prog))
        bpf_trace_printk_enable();
    perf_event_bpf_event(prog, PERF_BPF_EVENT_PROG_LOAD);
    err = bpf_object_fd(&bpf_prog_fops, prog);
    if (err < 0)
        bpf_prog_put(prog);
    return err;
}

/* ---- running by a call ---- */

/* Only programs of raw tracepoints; their context is an array of numbers. */
static int read_context(const struct bpf_prog *prog, const union bpf_attr *attr, u64 *ctx)
{
    if (prog->type != BPF_PROG_TYPE_RAW_TRACEPOINT)
        return -ENOTSUPP;
    if (attr->test.ctx_size_in < prog->max_ctx_offset ||
        attr->test.ctx_size_in > MAX_BPF_FUNC_ARGS * sizeof(*ctx))
        return -EINVAL;
    if (copy_from_user(ctx, bpf_user_ptr(attr->test.ctx_in), attr->test.ctx_size_in))
        return -EFAULT;
    return 0;
}

int bpf_prog_test_run(const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    u64 ctx[MAX_BPF_FUNC_ARGS] = {0};
    struct bpf_prog *prog;
    u32 retval = 0;
    int err;

    if (!CHECK_ATTR(test.ctx_in) || attr->test.data_in || attr->test.data_out ||
        attr->test.duration || attr->test.repeat || attr->test.ctx_size_out)
        return -EINVAL;
    prog = bpf_prog_get(attr->test.prog_fd);
    if (IS_ERR(prog))
        return PTR_ERR(prog);
    err = read_context(prog, attr, ctx);
    if (!err) {
        rcu_read_lock();
        retval = bpf_prog_run(prog, ctx);
        rcu_read_unlock();
        err = put_user(retval, &uattr->test.retval);
    }
    bpf_prog_put(prog);
    return err;
}

/* ---- what is known of one ---- */

/* info comes with what the caller has set: sizes and addresses of arrays. */
static int fill_info(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
    info->type = prog->type;
    memcpy(info->tag, prog->tag, sizeof(info->tag));
    memcpy(info->name, prog->name, sizeof(info->name));
    info->gpl_compatible = prog->gpl_compatible;
    info->xlated_prog_len = prog->len * sizeof(struct bpf_insn);
    return bpf_jit_fill_info(prog, info);
}

int bpf_prog_get_info(const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    struct bpf_prog *prog;
    struct bpf_prog_info info = {0};
    u32 size = attr->info.info_len;
    int err;

    if (!CHECK_ATTR(info.info))
        return -EINVAL;
    prog = bpf_prog_get(attr->info.bpf_fd);
    if (IS_ERR(prog))
        return PTR_ERR(prog);
    err = bpf_check_uarg_tail_zero(bpf_user_ptr(attr->info.info), sizeof(info), size);
    size = min(size, (u32)sizeof(info));
    if (!err && copy_from_user(&info, bpf_user_ptr(attr->info.info), size))
        err = -EFAULT;
    if (!err)
        err = fill_info(prog, &info);
    if (!err && (copy_to_user(bpf_user_ptr(attr->info.info), &info, size) ||
                 put_user(size, &uattr->info.info_len)))
        err = -EFAULT;
    bpf_prog_put(prog);
    return err;
}
