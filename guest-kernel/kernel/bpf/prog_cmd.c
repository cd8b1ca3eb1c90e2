/* prog_cmd.c - programs: loading them, running them by a call, and binding maps to them. */
#include "syscall.h"
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/filter.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
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
    kfree(prog->subprogs);
    bpf_prog_free_btf(prog);
    kfree(prog->stats);
    vfree(prog->insns);
    kfree(prog);
}

void bpf_prog_put(struct bpf_prog *prog)
{
    if (!bpf_drop_ref(&prog->refcnt))
        return;
    if (prog->id) /* else it was never there */
        perf_event_bpf_event(prog, PERF_BPF_EVENT_PROG_UNLOAD);
    bpf_remove_object(KIND_PROG, prog);
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
    bpf_ref_unless_zero(&prog->refcnt);
    fput(file);
    return prog;
}

void bpf_prog_inc(struct bpf_prog *prog)
{
    bpf_ref_unless_zero(&prog->refcnt);
}

int bpf_prog_new_fd(struct bpf_prog *prog)
{
    int fd = bpf_object_fd(&bpf_prog_fops, prog, O_RDWR);

    if (fd < 0)
        bpf_prog_put(prog);
    return fd;
}

static int bpf_prog_release(struct inode *inode, struct file *file)
{
    (void)inode;
    bpf_prog_put(file->private_data);
    return 0;
}

const struct file_operations bpf_prog_fops = {.release = bpf_prog_release};

int bpf_verifier_pause(void)
{
    cond_resched();
    return signal_pending(current) ? -EAGAIN : 0;
}

static void write_user_log(struct bpf_verifier_log *log, const char *text, size_t len)
{
    struct bpf_user_log *ul = container_of(log, struct bpf_user_log, log);
    size_t room = ul->size - 1 - ul->used, n = min(len, room);

    if (ul->fault)
        return;
    if (copy_to_user(ul->buf + ul->used, text, n) || put_user((char)0, ul->buf + ul->used + n))
        ul->fault = true;
    ul->used += n;
    ul->full |= n < len;
}

int bpf_user_log_init(struct bpf_user_log *ul, u32 level, u64 buf, u32 size)
{
    memset(ul, 0, sizeof(*ul));
    if (!level && !buf && !size)
        return 0;
    ul->log.level = level;
    ul->log.write = write_user_log;
    ul->buf = bpf_user_ptr(buf);
    ul->size = size;
    return size < 128 || size > ~0u >> 2 || !level || !buf || level & ~7u ? -EINVAL : 0;
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

/* There are no sockets, but libbpf learns by programs for them what the kernel can do. */
static bool prog_type_is_supported(u32 type)
{
    return type == BPF_PROG_TYPE_KPROBE || type == BPF_PROG_TYPE_TRACEPOINT ||
           type == BPF_PROG_TYPE_PERF_EVENT || type == BPF_PROG_TYPE_RAW_TRACEPOINT ||
           type == BPF_PROG_TYPE_SOCKET_FILTER;
}

static int read_prog(struct bpf_prog *prog, const union bpf_attr *attr)
{
    char license[128];
    long n = strncpy_from_user(license, bpf_user_ptr(attr->license), sizeof(license) - 1);
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
    if (copy_from_user(prog->insns, bpf_user_ptr(attr->insns), size))
        return -EFAULT;
    return bpf_copy_name(prog->name, attr->prog_name);
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
    struct bpf_user_log *ul = kmalloc(sizeof(*ul));
    int err;

    if (!ul)
        return -ENOMEM;
    err = bpf_user_log_init(ul, attr->log_level, attr->log_buf, attr->log_size);
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

int bpf_prog_load(const union bpf_attr *attr)
{
    u32 flags =
        BPF_F_STRICT_ALIGNMENT | BPF_F_ANY_ALIGNMENT | BPF_F_TEST_RND_HI32 | BPF_F_TEST_STATE_FREQ;
    struct bpf_prog *prog;
    int err;

    if (!CHECK_ATTR(core_relo_rec_size) || attr->prog_flags & ~flags || attr->attach_prog_fd ||
        attr->attach_btf_id || attr->prog_ifindex || attr->core_relo_cnt)
        return -EINVAL;
    prog = kzalloc(sizeof(*prog));
    if (!prog)
        return -ENOMEM;
    prog->refcnt = 1;
    err = read_prog(prog, attr);
    if (!err) {
        bpf_prog_calc_tag(prog);
        err = bpf_prog_set_btf(prog, attr);
        if (!err)
            err = check_prog(prog, attr);
    }
    if (err) {
        free_prog(prog);
        return err;
    }
    err = bpf_prog_select_runtime(prog);
    if (!err && calls_trace_printk(prog))
        bpf_trace_printk_enable();
    prog->load_time = ktime_get();
    if (!err)
        err = bpf_add_object(KIND_PROG, prog, &prog->id);
    if (err) {
        bpf_prog_put(prog);
        return err;
    }
    perf_event_bpf_event(prog, PERF_BPF_EVENT_PROG_LOAD);
    return bpf_prog_new_fd(prog);
}

/* ---- running by a call ---- */

struct test_run {
    struct bpf_prog *prog;
    u64 *ctx;
    u32 retval, cpu;
    bool on_cpu; /* on this hart only */
};

static void run_here(void *info)
{
    struct test_run *run = info;

    if (run->on_cpu && run->cpu != (u32)raw_smp_processor_id())
        return;
    rcu_read_lock();
    run->retval = bpf_prog_run(run->prog, run->ctx);
    rcu_read_unlock();
}

/* Only programs of raw tracepoints; their context is an array of numbers. */
static int check_test_run(const struct test_run *run, const union bpf_attr *attr)
{
    if (run->prog->type != BPF_PROG_TYPE_RAW_TRACEPOINT)
        return -ENOTSUPP;
    if (attr->test.data_in || attr->test.data_out || attr->test.ctx_out || attr->test.duration ||
        attr->test.repeat || attr->test.batch_size)
        return -EINVAL;
    if (attr->test.ctx_size_in < run->prog->max_ctx_offset ||
        attr->test.ctx_size_in > MAX_BPF_FUNC_ARGS * sizeof(*run->ctx))
        return -EINVAL;
    if (!run->on_cpu && run->cpu)
        return -EINVAL;
    if (attr->test.ctx_size_in &&
        copy_from_user(run->ctx, bpf_user_ptr(attr->test.ctx_in), attr->test.ctx_size_in))
        return -EFAULT;
    return run->on_cpu && run->cpu >= nr_cpu_ids ? -ENXIO : 0;
}

int bpf_prog_test_run(const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    struct test_run run = {.cpu = attr->test.cpu,
                           .on_cpu = attr->test.flags & BPF_F_TEST_RUN_ON_CPU};
    int err;

    if (!CHECK_ATTR(test.batch_size))
        return -EINVAL;
    if ((attr->test.ctx_size_in && !attr->test.ctx_in) ||
        (!attr->test.ctx_size_in && attr->test.ctx_in) ||
        (attr->test.ctx_size_out && !attr->test.ctx_out) ||
        (!attr->test.ctx_size_out && attr->test.ctx_out))
        return -EINVAL;
    run.prog = bpf_prog_get(attr->test.prog_fd);
    if (IS_ERR(run.prog))
        return PTR_ERR(run.prog);
    run.ctx = kzalloc(MAX_BPF_FUNC_ARGS * sizeof(*run.ctx));
    err = run.ctx ? check_test_run(&run, attr) : -ENOMEM;
    if (!err && run.on_cpu)
        on_each_cpu(run_here, &run);
    else if (!err)
        run_here(&run);
    if (!err)
        err = put_user(run.retval, &uattr->test.retval);
    kfree(run.ctx);
    bpf_prog_put(run.prog);
    return err;
}

/* ---- maps that a program keeps, though its text has none of them ---- */

/* Guards used_maps of programs that are loaded. */
static DEFINE_MUTEX(used_maps_mutex);

static int bind_map(struct bpf_prog *prog, struct bpf_map *map)
{
    u32 i;

    for (i = 0; i < prog->used_map_cnt; i++)
        if (prog->used_maps[i] == map)
            return 0;
    if (prog->used_map_cnt == MAX_BPF_MAPS)
        return -ENOMEM;
    bpf_map_inc(map);
    prog->used_maps[prog->used_map_cnt] = map;
    /* Who reads the number without the lock finds as many maps. */
    __atomic_store_n(&prog->used_map_cnt, prog->used_map_cnt + 1, __ATOMIC_RELEASE);
    return 0;
}

int bpf_prog_bind_map(const union bpf_attr *attr)
{
    struct bpf_prog *prog;
    struct bpf_map *map;
    int err;

    if (!CHECK_ATTR(prog_bind_map.flags) || attr->prog_bind_map.flags)
        return -EINVAL;
    prog = bpf_prog_get(attr->prog_bind_map.prog_fd);
    if (IS_ERR(prog))
        return PTR_ERR(prog);
    map = bpf_map_get(attr->prog_bind_map.map_fd);
    if (IS_ERR(map)) {
        err = PTR_ERR(map);
    } else {
        mutex_lock(&used_maps_mutex);
        err = bind_map(prog, map);
        mutex_unlock(&used_maps_mutex);
        bpf_map_put(map);
    }
    bpf_prog_put(prog);
    return err;
}
