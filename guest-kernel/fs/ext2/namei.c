/* namei.c - names in ext2 directories. The directories are locked. */
#include "ext2.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

static struct dentry *ext2_lookup(struct dentry *dir, const char *name, size_t len)
{
    struct ext2_dir_entry *e;
    struct buffer_head *bh = ext2_find_entry(dir->d_inode, name, len, &e);
    struct dentry *d;
    struct inode *inode;

    if (!bh)
        return NULL;
    inode = ext2_iget(dir->d_inode->i_sb, e->inode);
    brelse(bh);
    if (IS_ERR(inode))
        return ERR_PTR(PTR_ERR(inode));
    d = d_alloc(dir, name, len);
    if (!d) {
        iput(inode);
        return ERR_PTR(-ENOMEM);
    }
    d_add(d, inode);
    return d;
}

/* Gives up a new inode, which has no name. */
static int discard(struct inode *inode, int err)
{
    inode->i_nlink = 0;
    iput(inode);
    return err;
}

static int ext2_create(struct inode *dir, struct dentry *dentry, umode_t mode)
{
    struct inode *inode = ext2_new_inode(dir, mode);
    int err;

    if (IS_ERR(inode))
        return PTR_ERR(inode);
    err = ext2_add_link(dir, dentry->d_name, strlen(dentry->d_name), inode);
    if (err)
        return discard(inode, err);
    d_add(dentry, inode);
    return 0;
}

static int ext2_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
    struct inode *inode = ext2_new_inode(dir, mode);
    int err;

    if (IS_ERR(inode))
        return PTR_ERR(inode);
    err = ext2_make_empty(inode, dir);
    if (!err)
        err = ext2_add_link(dir, dentry->d_name, strlen(dentry->d_name), inode);
    if (err)
        return discard(inode, err);
    dir->i_nlink++;
    ext2_write_inode(dir);
    d_add(dentry, inode);
    return 0;
}

/* Only targets that fit in the inode. */
static int ext2_symlink(struct inode *dir, struct dentry *dentry, const char *target)
{
    size_t len = strlen(target);
    struct inode *inode;
    int err;

    if (len >= sizeof(EXT2_I(inode)->i_data))
        return -ENAMETOOLONG;
    inode = ext2_new_inode(dir, S_IFLNK | 0777);
    if (IS_ERR(inode))
        return PTR_ERR(inode);
    memcpy(EXT2_I(inode)->i_data, target, len);
    inode->i_size = len;
    ext2_write_inode(inode);
    err = ext2_add_link(dir, dentry->d_name, strlen(dentry->d_name), inode);
    if (err)
        return discard(inode, err);
    d_add(dentry, inode);
    return 0;
}

static int ext2_link(struct inode *inode, struct inode *dir, struct dentry *dentry)
{
    int err = ext2_add_link(dir, dentry->d_name, strlen(dentry->d_name), inode);

    if (err)
        return err;
    inode->i_nlink++;
    inode->i_ctime = ext2_now(inode->i_sb);
    ext2_write_inode(inode);
    ihold(inode);
    d_add(dentry, inode);
    return 0;
}

static int remove_entry(struct inode *dir, const struct dentry *dentry)
{
    struct ext2_dir_entry *e;
    struct buffer_head *bh = ext2_find_entry(dir, dentry->d_name, strlen(dentry->d_name), &e);

    if (!bh)
        return -ENOENT;
    ext2_delete_entry(dir, bh, e);
    return 0;
}

static int ext2_unlink(struct inode *dir, struct dentry *dentry)
{
    struct inode *inode = dentry->d_inode;
    int err = remove_entry(dir, dentry);

    if (err)
        return err;
    inode->i_nlink--;
    inode->i_ctime = dir->i_ctime;
    ext2_write_inode(inode);
    return 0;
}

static int ext2_rmdir(struct inode *dir, struct dentry *dentry)
{
    struct inode *inode = dentry->d_inode;
    int err = ext2_empty_dir(inode) ? remove_entry(dir, dentry) : -ENOTEMPTY;

    if (err)
        return err;
    inode->i_nlink = 0;
    ext2_write_inode(inode);
    dir->i_nlink--;
    ext2_write_inode(dir);
    return 0;
}

/* The new name first, so that the file always has one. */
static int ext2_rename(struct inode *old_dir, struct dentry *old_dentry, struct inode *new_dir,
                       const char *new_name)
{
    struct inode *inode = old_dentry->d_inode;
    int err = ext2_add_link(new_dir, new_name, strlen(new_name), inode);

    if (!err)
        err = remove_entry(old_dir, old_dentry);
    if (err)
        return err;
    inode->i_ctime = ext2_now(inode->i_sb);
    ext2_write_inode(inode);
    if (!S_ISDIR(inode->i_mode) || old_dir == new_dir)
        return 0;
    ext2_set_dotdot(inode, new_dir);
    old_dir->i_nlink--;
    new_dir->i_nlink++;
    ext2_write_inode(old_dir);
    ext2_write_inode(new_dir);
    return 0;
}

static void ext2_dir_evict(struct inode *inode)
{
    ext2_file_inode_operations.evict(inode);
}

const struct inode_operations ext2_dir_inode_operations = {
    .create = ext2_create,
    .mkdir = ext2_mkdir,
    .symlink = ext2_symlink,
    .link = ext2_link,
    .unlink = ext2_unlink,
    .rmdir = ext2_rmdir,
    .rename = ext2_rename,
    .attributes_changed = ext2_write_inode,
    .evict = ext2_dir_evict,
    .lookup_stored = ext2_lookup,
};
