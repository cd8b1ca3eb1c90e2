/* libfs.c - functions for filesystems whose only directory data are dentries. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/string.h>

static unsigned int dt_type(umode_t mode)
{
    return (mode & S_IFMT) >> 12;
}

static bool emit(struct dir_context *ctx, const char *name, const struct inode *inode)
{
    if (!ctx->actor(ctx, name, strlen(name), ctx->pos, inode->i_ino, dt_type(inode->i_mode)))
        return false;
    ctx->pos++;
    return true;
}

static bool emit_dots(struct dentry *dir, struct dir_context *ctx)
{
    struct dentry *parent;
    bool ok = true;

    if (ctx->pos == 0)
        ok = emit(ctx, ".", dir->d_inode);
    if (ok && ctx->pos == 1) {
        parent = dget_parent(dir);
        ok = emit(ctx, "..", parent->d_inode);
        dput(parent);
    }
    return ok;
}

/*
 * Positions are d_offset values, which are not reused: names may be added and removed between
 * calls.
 */
bool dir_emit_children(struct file *file, struct dir_context *ctx)
{
    struct dentry *dir = file->f_path.dentry, *child;
    bool ok = emit_dots(dir, ctx);

    while (ok && (child = d_next_child(dir, ctx->pos))) {
        ctx->pos = child->d_offset;
        ok = emit(ctx, child->d_name, child->d_inode);
        dput(child);
    }
    return ok;
}

static int dcache_readdir(struct file *file, struct dir_context *ctx)
{
    dir_emit_children(file, ctx);
    return 0;
}

loff_t dcache_dir_llseek(struct file *file, loff_t offset, int whence)
{
    if (whence == SEEK_CUR)
        offset += file->f_pos;
    else if (whence != SEEK_SET)
        return -EINVAL;
    if (offset < 0)
        return -EINVAL;
    file->f_pos = offset;
    return offset;
}

const struct file_operations simple_dir_operations = {
    .llseek = dcache_dir_llseek,
    .iterate_shared = dcache_readdir,
};

int simple_link(struct inode *inode, struct inode *dir, struct dentry *dentry)
{
    (void)dir;
    inode->i_nlink++;
    ihold(inode);
    d_add(dentry, inode);
    return 0;
}

int simple_unlink(struct inode *dir, struct dentry *dentry)
{
    (void)dir;
    dentry->d_inode->i_nlink--;
    return 0;
}

int simple_rmdir(struct inode *dir, struct dentry *dentry)
{
    if (!simple_empty(dentry))
        return -ENOTEMPTY;
    dentry->d_inode->i_nlink = 0;
    dir->i_nlink--;
    return 0;
}

int simple_rename(struct inode *old_dir, struct dentry *old_dentry, struct inode *new_dir,
                  const char *new_name)
{
    (void)new_name;
    if (S_ISDIR(old_dentry->d_inode->i_mode)) {
        old_dir->i_nlink--;
        new_dir->i_nlink++;
    }
    return 0;
}

ssize_t simple_read_from_buffer(char *to, size_t count, loff_t *pos, const void *from,
                                size_t available)
{
    if (*pos < 0)
        return -EINVAL;
    if ((size_t)*pos >= available)
        return 0;
    count = min(count, available - (size_t)*pos);
    memcpy(to, (const char *)from + *pos, count);
    *pos += count;
    return count;
}

/* Takes over the reference to inode; the returned dentry is referenced by the tree only. */
static struct dentry *add_name(struct dentry *dir, const char *name, struct inode *inode)
{
    struct dentry *d;

    if (!inode)
        return NULL;
    d = d_alloc(dir, name, strlen(name));
    if (!d) {
        iput(inode);
        return NULL;
    }
    inode_lock(dir->d_inode);
    d_add(d, inode);
    dir->d_inode->i_nlink += S_ISDIR(inode->i_mode);
    inode_unlock(dir->d_inode);
    dput(d);
    return d;
}

struct dentry *simple_create_dir(struct dentry *parent, const char *name,
                                 const struct inode_operations *iop)
{
    struct inode *inode = new_inode(S_IFDIR | S_IRUGO | S_IXUGO | (iop ? S_IWUSR : 0));

    if (inode) {
        inode->i_op = iop;
        inode->i_fop = &simple_dir_operations;
    }
    return add_name(parent, name, inode);
}

struct dentry *simple_create_file(struct dentry *parent, const char *name, umode_t mode, void *data,
                                  const struct file_operations *fops)
{
    struct inode *inode = new_inode(mode & S_IFMT ? mode : mode | S_IFREG);

    if (inode) {
        inode->i_private = data;
        inode->i_fop = fops;
    }
    return add_name(parent, name, inode);
}

static void remove_empty(struct dentry *dir, struct dentry *dentry)
{
    inode_lock(dir->d_inode);
    inode_lock(dentry->d_inode);
    dir->d_inode->i_nlink -= S_ISDIR(dentry->d_inode->i_mode);
    dentry->d_inode->i_nlink = 0;
    d_drop(dentry);
    inode_unlock(dentry->d_inode);
    inode_unlock(dir->d_inode);
    detach_mounts(dentry);
}

/* Removes the deepest names first. No recursion: programs can nest directories to any depth. */
void simple_recursive_removal(struct dentry *dentry)
{
    struct dentry *victim = dget(dentry), *child, *dir;
    bool done;

    do {
        while ((child = d_next_child(victim, 0))) {
            dput(victim);
            victim = child;
        }
        dir = dget_parent(victim);
        done = victim == dentry;
        remove_empty(dir, victim);
        dput(victim);
        victim = dir;
    } while (!done);
    dput(dir);
}
