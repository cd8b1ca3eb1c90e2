/* link_cmd.c - links: what attaches a program while it exists. */
#include "syscall.h"
#include <linux/bpf_trace.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

void bpf_link_put(struct bpf_link *link)
{
    if (!bpf_drop_ref(&link->refcnt))
        return;
    bpf_remove_object(KIND_LINK, link);
    if (link->btp) {
        bpf_probe_unregister(link->btp, link->prog);
        bpf_put_raw_tracepoint(link->btp);
    }
    if (link->perf_file) {
        perf_event_free_bpf_prog(perf_event_of(link->perf_file));
        fput(link->perf_file);
    }
    bpf_prog_put(link->prog);
    kfree(link);
}

void bpf_link_inc(struct bpf_link *link)
{
    bpf_ref_unless_zero(&link->refcnt);
}

struct bpf_link *bpf_link_get(u32 fd)
{
    struct file *file = fget(fd);
    struct bpf_link *link = ERR_PTR(-EINVAL);

    if (!file)
        return ERR_PTR(-EBADF);
    if (file->f_op == &bpf_link_fops) {
        link = file->private_data;
        bpf_link_inc(link);
    }
    fput(file);
    return link;
}

int bpf_link_new_fd(struct bpf_link *link)
{
    int fd = bpf_object_fd(&bpf_link_fops, link, O_RDWR);

    if (fd < 0)
        bpf_link_put(link);
    return fd;
}

static int bpf_link_release(struct inode *inode, struct file *file)
{
    (void)inode;
    bpf_link_put(file->private_data);
    return 0;
}

const struct file_operations bpf_link_fops = {.release = bpf_link_release};

static int open_raw_tracepoint(struct bpf_prog *prog, const char *name)
{
    const struct bpf_raw_event_map *btp = bpf_get_raw_tracepoint(name);
    struct bpf_link *link;
    int err = -EINVAL;

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
    link->refcnt = 1;
    link->type = BPF_LINK_TYPE_RAW_TRACEPOINT;
    link->prog = prog;
    link->btp = btp;
    bpf_prog_inc(prog);
    err = bpf_add_object(KIND_LINK, link, &link->id);
    if (err) {
        bpf_link_put(link);
        return err;
    }
    return bpf_link_new_fd(link);
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

/* The event and the link each hold the program. */
static int link_perf_event(struct bpf_prog *prog, struct file *perf_file, u64 cookie)
{
    struct bpf_link *link = kzalloc(sizeof(*link));
    int err;

    if (!link)
        return -ENOMEM;
    bpf_ref_unless_zero(&prog->refcnt);
    err = perf_event_set_bpf_prog(perf_event_of(perf_file), prog, cookie);
    if (err) {
        bpf_prog_put(prog);
        kfree(link);
        return err;
    }
    link->refcnt = 1;
    link->type = BPF_LINK_TYPE_PERF_EVENT;
    link->prog = prog;
    bpf_ref_unless_zero(&prog->refcnt);
    link->perf_file = get_file(perf_file);
    err = bpf_add_object(KIND_LINK, link, &link->id);
    if (err) {
        bpf_link_put(link);
        return err;
    }
    return bpf_link_new_fd(link);
}

int bpf_link_create(const union bpf_attr *attr)
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

/* Links of cgroups, networks and the like can get another program; not those that are here. */
int bpf_link_update(const union bpf_attr *attr)
{
    struct bpf_prog *new_prog, *old_prog;
    struct bpf_link *link;
    int err = -EINVAL;

    if (!CHECK_ATTR(link_update.old_prog_fd) || attr->link_update.flags & ~BPF_F_REPLACE)
        return -EINVAL;
    link = bpf_link_get(attr->link_update.link_fd);
    if (IS_ERR(link))
        return PTR_ERR(link);
    new_prog = bpf_prog_get(attr->link_update.new_prog_fd);
    if (IS_ERR(new_prog)) {
        err = PTR_ERR(new_prog);
    } else {
        if (attr->link_update.flags & BPF_F_REPLACE) {
            old_prog = bpf_prog_get(attr->link_update.old_prog_fd);
            if (IS_ERR(old_prog))
                err = PTR_ERR(old_prog);
            else
                bpf_prog_put(old_prog);
        }
        bpf_prog_put(new_prog);
    }
    bpf_link_put(link);
    return err;
}

/* Nor can these be detached while they exist. */
int bpf_link_detach(const union bpf_attr *attr)
{
    struct bpf_link *link;

    if (!CHECK_ATTR(link_detach.link_fd))
        return -EINVAL;
    link = bpf_link_get(attr->link_detach.link_fd);
    if (IS_ERR(link))
        return PTR_ERR(link);
    bpf_link_put(link);
    return -EOPNOTSUPP;
}
