/*
 * inode.c - tracefs, which is mounted at /sys/kernel/tracing.
 *
 * Only the kernel creates and removes its files; in `instances` users make and remove directories,
 * and the tracer fills them.
 *
 * What is in such a directory has an owner, which has to be there for a file to be opened, and
 * cannot go as long as one is open.
 */
#include <linux/errno.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/tracefs.h>

static struct dentry *tracefs_root; /* set once at boot */

static struct file_system_type trace_fs_type = {
    .name = "tracefs",
    .magic = 0x74726163,
    .fs_flags = FS_SINGLE | FS_MODE_OPTION,
    .root_mode = S_IRWXU,
    .fill_super = simple_fill_super,
};

void tracefs_init(void)
{
    tracefs_root = simple_pin_fs(&trace_fs_type);
    sysfs_create_mount_point("tracing");
}

/* ---- files with an owner ---- */

struct owned_file {
    struct inode_operations iop;
    const struct file_operations *fops;
    struct tracefs_owner *owner;
};

static const struct owned_file *owned_file_of(const struct inode *inode)
{
    return container_of(inode->i_op, struct owned_file, iop);
}

void tracefs_put_owner(struct tracefs_owner *owner)
{
    if (owner && atomic_dec_and_test(&owner->refs))
        kfree(owner);
}

static void put_directory(struct inode *inode)
{
    tracefs_put_owner(inode->i_private);
}

static void put_file(struct inode *inode)
{
    const struct owned_file *f = owned_file_of(inode);

    tracefs_put_owner(f->owner);
    kfree((void *)f);
}

static int owned_open(struct inode *inode, struct file *file)
{
    const struct owned_file *f = owned_file_of(inode);
    int err = READ_ONCE(inode->i_op) ? f->owner->get(f->owner) : -ENODEV; /* it is being made */

    if (err || !f->fops->open)
        return err;
    err = f->fops->open(inode, file);
    if (err)
        f->owner->put(f->owner);
    return err;
}

static int owned_release(struct inode *inode, struct file *file)
{
    const struct owned_file *f = owned_file_of(inode);
    int ret = f->fops->release ? f->fops->release(inode, file) : 0;

    f->owner->put(f->owner);
    return ret;
}

static ssize_t owned_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    const struct owned_file *f = owned_file_of(file->f_inode);

    return f->fops->read ? f->fops->read(file, buf, count, pos) : -EINVAL;
}

static ssize_t owned_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
    const struct owned_file *f = owned_file_of(file->f_inode);

    return f->fops->write ? f->fops->write(file, buf, count, pos) : -EINVAL;
}

static loff_t owned_llseek(struct file *file, loff_t offset, int whence)
{
    const struct owned_file *f = owned_file_of(file->f_inode);

    return f->fops->llseek ? f->fops->llseek(file, offset, whence) : -ESPIPE;
}

static ssize_t owned_splice_page(struct file *file, char *page, size_t len, unsigned int flags)
{
    return owned_file_of(file->f_inode)->fops->splice_page(file, page, len, flags);
}

static unsigned int owned_poll(struct file *file, struct poll_table *table)
{
    const struct file_operations *fops = owned_file_of(file->f_inode)->fops;

    return fops->poll ? fops->poll(file, table) : POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;
}

static const struct file_operations owned_fops = {
    .llseek = owned_llseek,
    .read = owned_read,
    .write = owned_write,
    .poll = owned_poll,
    .open = owned_open,
    .release = owned_release,
};

/* For files that have whole pages: those of others are read by splice(). */
static const struct file_operations owned_page_fops = {
    .llseek = owned_llseek,
    .read = owned_read,
    .write = owned_write,
    .poll = owned_poll,
    .splice_page = owned_splice_page,
    .open = owned_open,
    .release = owned_release,
};

static struct tracefs_owner *owner_of(const struct dentry *dir)
{
    return dir ? dir->d_inode->i_private : NULL;
}

static struct dentry *create_owned_file(const char *name, umode_t mode, struct dentry *parent,
                                        void *data, const struct file_operations *fops)
{
    struct owned_file *f = kzalloc(sizeof(*f));
    struct dentry *dentry;

    if (!f)
        return NULL;
    *f = (struct owned_file){.iop = {.evict = put_file}, .fops = fops, .owner = owner_of(parent)};
    atomic_inc(&f->owner->refs);
    dentry = simple_create_file(parent, name, mode, data,
                                fops->splice_page ? &owned_page_fops : &owned_fops);
    if (!dentry) {
        tracefs_put_owner(f->owner);
        kfree(f);
        return NULL;
    }
    WRITE_ONCE(dentry->d_inode->i_op, &f->iop);
    return dentry;
}

struct dentry *tracefs_create_owned_dir(const char *name, struct dentry *parent,
                                        struct tracefs_owner *owner)
{
    static const struct inode_operations iop = {.evict = put_directory};
    struct dentry *dentry = simple_create_dir(parent ? parent : tracefs_root, name, NULL);

    if (!dentry || !owner)
        return dentry;
    atomic_inc(&owner->refs);
    dentry->d_inode->i_private = owner;
    dentry->d_inode->i_op = &iop;
    return dentry;
}

/* ---- creating and removing ---- */

struct dentry *tracefs_create_file(const char *name, umode_t mode, struct dentry *parent,
                                   void *data, const struct file_operations *fops)
{
    if (owner_of(parent))
        return create_owned_file(name, mode, parent, data, fops);
    return simple_create_file(parent ? parent : tracefs_root, name, mode, data, fops);
}

struct dentry *tracefs_create_dir(const char *name, struct dentry *parent)
{
    return tracefs_create_owned_dir(name, parent, owner_of(parent));
}

void tracefs_remove(struct dentry *dentry)
{
    if (dentry)
        simple_recursive_removal(dentry);
}

/* ---- instances ---- */

static int (*instance_mkdir)(const char *name);
static int (*instance_rmdir)(const char *name);

/*
 * The tracer makes the directory itself and takes its own locks, which are taken before those of
 * directories, so the lock is dropped. The caller's new name is not used.
 */
static int instances_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
    int err;

    (void)mode;
    inode_unlock(dir);
    err = instance_mkdir(dentry->d_name);
    inode_lock(dir);
    return err;
}

static int instances_rmdir(struct inode *dir, struct dentry *dentry)
{
    int err;

    inode_unlock(dentry->d_inode);
    inode_unlock(dir);
    err = instance_rmdir(dentry->d_name);
    inode_lock(dir);
    inode_lock(dentry->d_inode);
    return err;
}

struct dentry *tracefs_create_instance_dir(const char *name, int (*mkdir)(const char *name),
                                           int (*rmdir)(const char *name))
{
    static const struct inode_operations iop = {.mkdir = instances_mkdir, .rmdir = instances_rmdir};

    instance_mkdir = mkdir;
    instance_rmdir = rmdir;
    return simple_create_dir(tracefs_root, name, &iop);
}
