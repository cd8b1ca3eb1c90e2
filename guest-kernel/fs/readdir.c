/* readdir.c - lists directories. */
#include <linux/errno.h>
#include <linux/fs.h>

/* A removed directory lists nothing; one that lookup() created was never in the tree. */
static bool is_dead(const struct file *dir)
{
    const struct inode_operations *op = dir->f_inode->i_op;

    return d_unhashed(dir->f_path.dentry) && !(op && op->lookup);
}

int iterate_dir(struct file *file, struct dir_context *ctx)
{
    int err = -ENOENT;

    if (!file->f_op->iterate_shared)
        return -ENOTDIR;
    mutex_lock(&file->f_pos_lock);
    inode_lock(file->f_inode);
    if (!is_dead(file)) {
        ctx->pos = file->f_pos;
        err = file->f_op->iterate_shared(file, ctx);
        file->f_pos = ctx->pos;
    }
    inode_unlock(file->f_inode);
    mutex_unlock(&file->f_pos_lock);
    return err;
}
