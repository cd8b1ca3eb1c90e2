/* inode.c - allocation and reference counts of inodes. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/slab.h>

static atomic_t last_ino;

struct inode *new_inode(umode_t mode)
{
    struct inode *inode = kzalloc(sizeof(*inode));

    if (!inode)
        return NULL;
    inode->i_mode = mode;
    inode->i_ino = atomic_add_return(1, &last_ino);
    inode->i_nlink = S_ISDIR(mode) ? 2 : 1;
    atomic_set(&inode->i_count, 1);
    mutex_init(&inode->i_rwsem);
    return inode;
}

void ihold(struct inode *inode)
{
    atomic_inc(&inode->i_count);
}

void iput(struct inode *inode)
{
    if (!atomic_dec_and_test(&inode->i_count))
        return;
    if (inode->i_op && inode->i_op->evict)
        inode->i_op->evict(inode);
    kfree(inode);
}

void inode_lock(struct inode *inode)
{
    mutex_lock(&inode->i_rwsem);
}

void inode_unlock(struct inode *inode)
{
    mutex_unlock(&inode->i_rwsem);
}
