/* link_cmd.c - the link that attaches a program to a tracepoint while its descriptor exists. */
#include "syscall.h"
#include <linux/bpf_trace.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

struct bpf_raw_tp_link {
    struct bpf_prog *prog;               /* referenced */
    const struct bpf_raw_event_map *btp; /* likewise */
};

static void free_link(struct bpf_raw_tp_link *link)
{
    bpf_probe_unregister(link->btp, link->prog);
    bpf_put_raw_tracepoint(link->btp);
    bpf_prog_put(link->prog);
    kfree(link);
}

static int bpf_link_release(struct inode *inode, struct file *file)
{
    (void)inode;
    free_link(file->private_data);
    return 0;
}

static const struct file_operations bpf_link_fops = {.release = bpf_link_release};

static int open_raw_tracepoint(struct bpf_prog *prog, const char *name)
{
    const struct bpf_raw_event_map *btp = bpf_get_raw_tracepoint(name);
    struct bpf_raw_tp_link *link;
    int err = -EINVAL, fd;

    if (!btp)
        return -ENOENT;
    link = kzalloc(sizeof(*link));
    if (!link)
        err = -ENOMEM;
    else if (prog->max_ctx_offset <= btp->num_args * sizeof(u64))
        err = bpf_probe_register(btp, prog);
    if (err) {
        bpf_put_raw_tracepoint(btp);
        kfree(link);
        return err;
    }
    bpf_prog_inc(prog);
    link->prog = prog;
    link->btp = btp;
    fd = bpf_object_fd(&bpf_link_fops, link);
    if (fd < 0)
        free_link(link);
    return fd;
}

int bpf_raw_tracepoint_open(const union bpf_attr *attr)
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
    n = strncpy_from_user(name, bpf_user_ptr(attr->raw_tracepoint.name), sizeof(name) - 1);
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
