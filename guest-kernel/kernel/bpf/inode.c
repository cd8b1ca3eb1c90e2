/*
 * inode.c - the file system bpf, mounted at /sys/fs/bpf: names that keep maps, programs and links.
 *
 * BPF_OBJ_PIN makes a name, which holds a reference; BPF_OBJ_GET makes a descriptor from it. Names
 * with a dot are reserved, as in Linux.
 */
#include "syscall.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/uaccess.h>

static const struct inode_operations bpf_dir_iops;

static int bpffs_obj_open(struct inode *inode, struct file *file)
{
    (void)inode;
    (void)file;
    return -EIO;
}

static const struct file_operations bpffs_obj_fops = {.open = bpffs_obj_open};

/* ---- names of objects: the operations tell the kind ---- */

static void evict_map(struct inode *inode)
{
    bpf_map_put_uref(inode->i_private);
    bpf_map_put(inode->i_private);
}

static void evict_prog(struct inode *inode)
{
    bpf_prog_put(inode->i_private);
}

static void evict_link(struct inode *inode)
{
    bpf_link_put(inode->i_private);
}

static const struct inode_operations bpf_object_iops[NR_KINDS] = {
    [KIND_MAP] = {.evict = evict_map},
    [KIND_PROG] = {.evict = evict_prog},
    [KIND_LINK] = {.evict = evict_link},
};

/* NR_KINDS: it is no name of an object. */
static unsigned int kind_of(const struct inode *inode)
{
    unsigned int kind = 0;

    while (kind < NR_KINDS && inode->i_op != &bpf_object_iops[kind])
        kind++;
    return kind;
}

/* The object of a descriptor, to be given a name. */
struct pin {
    enum bpf_kind kind;
    void *object;
};

/* The name takes over a reference to the object. */
static int make_name(struct inode *dir, struct dentry *dentry, void *arg)
{
    const struct pin *pin = arg;
    struct inode *inode;

    if (dir->i_op != &bpf_dir_iops)
        return -EPERM;
    inode = new_inode(S_IFREG | S_IRUSR | S_IWUSR);
    if (!inode)
        return -ENOSPC;
    inode->i_op = &bpf_object_iops[pin->kind];
    inode->i_fop = &bpffs_obj_fops;
    inode->i_private = pin->object;
    d_add(dentry, inode);
    return 0;
}

static int get_object(struct pin *pin, u32 fd)
{
    pin->object = bpf_map_get(fd);
    pin->kind = KIND_MAP;
    if (!IS_ERR(pin->object)) {
        bpf_map_inc_uref(pin->object);
        return 0;
    }
    pin->object = bpf_prog_get(fd);
    pin->kind = KIND_PROG;
    if (!IS_ERR(pin->object))
        return 0;
    pin->object = bpf_link_get(fd);
    pin->kind = KIND_LINK;
    return IS_ERR(pin->object) ? -EINVAL : 0;
}

static void put_object(const struct pin *pin)
{
    if (pin->kind == KIND_MAP) {
        bpf_map_put_uref(pin->object);
        bpf_map_put(pin->object);
    } else if (pin->kind == KIND_PROG) {
        bpf_prog_put(pin->object);
    } else {
        bpf_link_put(pin->object);
    }
}

int bpf_obj_pin(const union bpf_attr *attr)
{
    struct pin pin;
    char *name;
    int err;

    if (!CHECK_ATTR(file_flags) || attr->file_flags)
        return -EINVAL;
    err = get_object(&pin, attr->obj_fd);
    if (err)
        return err;
    name = getname(bpf_user_ptr(attr->pathname));
    err = IS_ERR(name) ? PTR_ERR(name) : vfs_mkobj(AT_FDCWD, name, make_name, &pin);
    if (!IS_ERR(name))
        kfree(name);
    if (err)
        put_object(&pin);
    return err;
}

int bpf_obj_get(const union bpf_attr *attr)
{
    int err, flags = bpf_map_open_flags(attr->file_flags);
    struct path path;
    struct inode *inode;

    if (!CHECK_ATTR(file_flags) || attr->obj_fd ||
        attr->file_flags & ~(BPF_F_RDONLY | BPF_F_WRONLY) ||
        attr->file_flags == (BPF_F_RDONLY | BPF_F_WRONLY))
        return -EINVAL;
    err = user_path_at(AT_FDCWD, bpf_user_ptr(attr->pathname), 0, &path);
    if (err)
        return err;
    inode = path.dentry->d_inode;
    switch (kind_of(inode)) {
    case KIND_MAP:
        bpf_map_inc(inode->i_private);
        err = bpf_map_new_fd(inode->i_private, flags);
        break;
    case KIND_PROG:
        bpf_prog_inc(inode->i_private);
        err = bpf_prog_new_fd(inode->i_private);
        break;
    case KIND_LINK:
        err = -EINVAL;
        if (flags == O_RDWR) {
            bpf_link_inc(inode->i_private);
            err = bpf_link_new_fd(inode->i_private);
        }
        break;
    default: err = -EACCES;
    }
    path_put(&path);
    return err;
}

/* ---- directories ---- */

static struct dentry *bpf_lookup(struct dentry *dir, const char *name, size_t len)
{
    size_t i;

    (void)dir;
    for (i = 0; i < len; i++)
        if (name[i] == '.')
            return ERR_PTR(-EPERM);
    return NULL;
}

static struct inode *new_dir(umode_t mode)
{
    struct inode *inode = new_inode(mode);

    if (inode) {
        inode->i_op = &bpf_dir_iops;
        inode->i_fop = &simple_dir_operations;
    }
    return inode;
}

static int bpf_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
    struct inode *inode = new_dir(mode);

    if (!inode)
        return -ENOSPC;
    d_add(dentry, inode);
    dir->i_nlink++;
    return 0;
}

static const struct inode_operations bpf_dir_iops = {
    .lookup_stored = bpf_lookup,
    .mkdir = bpf_mkdir,
    .link = simple_link,
    .unlink = simple_unlink,
    .rmdir = simple_rmdir,
    .rename = simple_rename,
};

static int bpf_fill_super(struct super_block *sb)
{
    return d_make_root(sb, new_dir(S_IFDIR | sb->s_mode));
}

static struct file_system_type bpf_fs_type = {
    .name = "bpf",
    .magic = 0xcafe4a11,
    .fs_flags = FS_MODE_OPTION,
    .root_mode = 01777,
    .fill_super = bpf_fill_super,
};

void bpf_fs_init(void)
{
    register_filesystem(&bpf_fs_type);
    sysfs_create_dir(sysfs_create_dir(NULL, "fs"), "bpf");
}
