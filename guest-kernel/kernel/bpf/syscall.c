/*
 * syscall.c - bpf(2): objects by descriptors.
 *
 * The commands are in map_cmd.c, prog_cmd.c and link_cmd.c. Maps and programs are counted: by
 * descriptors, by programs that use a map, by what a program is attached to.
 */
#include "syscall.h"
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/kernel.h>
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

bool bpf_drop_ref(int *refcnt)
{
    return __atomic_sub_fetch(refcnt, 1, __ATOMIC_SEQ_CST) == 0;
}

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
static struct file *object_file(const struct file_operations *fops, void *object)
{
    struct inode *inode = new_inode(S_IRUSR | S_IWUSR);
    struct file *file;

    if (!inode)
        return ERR_PTR(-ENOMEM);
    inode->i_fop = fops;
    file = dentry_open(NULL, inode, O_RDWR);
    iput(inode);
    if (!IS_ERR(file))
        file->private_data = object;
    return file;
}

int bpf_object_fd(const struct file_operations *fops, void *object)
{
    int fd = get_unused_fd_flags(O_CLOEXEC);
    struct file *file;

    if (fd < 0)
        return fd;
    file = object_file(fops, object);
    if (IS_ERR(file)) {
        put_unused_fd(fd);
        return PTR_ERR(file);
    }
    fd_install(fd, file);
    return fd;
}

struct file *bpf_object_file(u32 fd, const struct file_operations *fops)
{
    struct file *file = fget(fd);

    if (!file)
        return ERR_PTR(-EBADF);
    if (file->f_op == fops)
        return file;
    fput(file);
    return ERR_PTR(-EINVAL);
}

static int do_bpf(int cmd, const union bpf_attr *attr, union bpf_attr __user *uattr)
{
    switch (cmd) {
    case BPF_MAP_CREATE: return bpf_map_create(attr);
    case BPF_MAP_LOOKUP_ELEM: return bpf_map_lookup(attr);
    case BPF_MAP_UPDATE_ELEM: return bpf_map_update(attr);
    case BPF_MAP_DELETE_ELEM: return bpf_map_delete(attr);
    case BPF_MAP_GET_NEXT_KEY: return bpf_map_next_key(attr);
    case BPF_PROG_LOAD: return bpf_prog_load(attr);
    case BPF_PROG_TEST_RUN: return bpf_prog_test_run(attr, uattr);
    case BPF_OBJ_GET_INFO_BY_FD: return bpf_prog_get_info(attr, uattr);
    case BPF_RAW_TRACEPOINT_OPEN: return bpf_raw_tracepoint_open(attr);
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
