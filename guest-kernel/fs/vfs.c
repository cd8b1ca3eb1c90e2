/* vfs.c - the tree of names, and opening what stands there. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>

/* The tree is made by one thread at boot and only read afterwards. */
static struct dentry root = {
    .d_name = "/",
    .d_parent = &root,
    .d_child = LIST_HEAD_INIT(root.d_child),
    .d_subdirs = LIST_HEAD_INIT(root.d_subdirs),
    .d_inode = {.i_mode = S_IFDIR | S_IRUGO},
};

static struct dentry *new_dentry(struct dentry *parent, const char *name, unsigned int mode)
{
    struct dentry *d = kzalloc(sizeof(*d));

    if (!d)
        return NULL;
    d->d_name = name;
    d->d_parent = parent ? parent : &root;
    d->d_inode.i_mode = mode;
    INIT_LIST_HEAD(&d->d_subdirs);
    list_add_tail(&d->d_child, &d->d_parent->d_subdirs);
    return d;
}

struct dentry *vfs_create_dir(struct dentry *parent, const char *name)
{
    return new_dentry(parent, name, S_IFDIR | S_IRUGO);
}

struct dentry *vfs_create_file(struct dentry *parent, const char *name, unsigned int mode,
                               void *data, const struct file_operations *fops)
{
    struct dentry *d = new_dentry(parent, name, mode | S_IFREG);

    if (d) {
        d->d_inode.i_private = data;
        d->d_inode.i_fop = fops;
    }
    return d;
}

static struct dentry *find_child(struct dentry *dir, const char *name, size_t len)
{
    struct dentry *d;

    if (len == 1 && name[0] == '.')
        return dir;
    if (len == 2 && name[0] == '.' && name[1] == '.')
        return dir->d_parent;
    list_for_each_entry(d, &dir->d_subdirs, d_child) if (strlen(d->d_name) == len &&
                                                         !memcmp(d->d_name, name, len)) return d;
    return NULL;
}

struct dentry *vfs_lookup(const char *path)
{
    struct dentry *d = &root;

    while (d) {
        size_t len = 0;

        while (*path == '/')
            path++;
        if (!*path)
            return d;
        while (path[len] && path[len] != '/')
            len++;
        d = find_child(d, path, len);
        path += len;
    }
    return NULL;
}

static int may_open(const struct inode *inode, unsigned int flags)
{
    unsigned int acc = flags & O_ACCMODE;

    if (inode->i_mode & S_IFDIR)
        return -EISDIR;
    if (acc != O_RDONLY && !(inode->i_mode & S_IWUSR))
        return -EACCES;
    if (acc != O_WRONLY && !(inode->i_mode & S_IRUGO))
        return -EACCES;
    return 0;
}

struct file *filp_open(const char *path, unsigned int flags)
{
    struct dentry *d = vfs_lookup(path);
    struct file *file;
    int err = d ? may_open(&d->d_inode, flags) : -ENOENT;

    if (err)
        return ERR_PTR(err);
    file = kzalloc(sizeof(*file));
    if (!file)
        return ERR_PTR(-ENOMEM);
    file->f_inode = &d->d_inode;
    file->f_op = d->d_inode.i_fop;
    file->f_flags = flags;
    if (file->f_op->open)
        err = file->f_op->open(file->f_inode, file);
    if (err) {
        kfree(file);
        return ERR_PTR(err);
    }
    return file;
}

ssize_t vfs_read(struct file *file, char *buf, size_t count)
{
    if ((file->f_flags & O_ACCMODE) == O_WRONLY)
        return -EBADF;
    return file->f_op->read ? file->f_op->read(file, buf, count, &file->f_pos) : -EINVAL;
}

ssize_t vfs_write(struct file *file, const char *buf, size_t count)
{
    if ((file->f_flags & O_ACCMODE) == O_RDONLY)
        return -EBADF;
    return file->f_op->write ? file->f_op->write(file, buf, count, &file->f_pos) : -EINVAL;
}

int filp_close(struct file *file)
{
    int err = 0;

    if (file->f_op->release)
        err = file->f_op->release(file->f_inode, file);
    kfree(file);
    return err;
}
