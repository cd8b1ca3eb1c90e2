/* inode.c - allocation and reference counts of inodes. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/wait.h>

static atomic_t last_ino;
static DEFINE_SPINLOCK(inode_hash_lock); /* s_inodes, i_state, and the last reference of those */
static DECLARE_WAIT_QUEUE_HEAD(freeing_wait);

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
    INIT_LIST_HEAD(&inode->i_sb_list);
    return inode;
}

/* ---- inodes of stored files ---- */

/* Returns the inode with a reference. *freeing: it is there, but goes away. */
static struct inode *find_inode(struct super_block *sb, unsigned long ino, bool *freeing)
{
    struct inode *inode, *found = NULL;

    *freeing = false;
    spin_lock(&inode_hash_lock);
    list_for_each_entry(inode, &sb->s_inodes, i_sb_list) {
        if (inode->i_ino != ino)
            continue;
        *freeing = inode->i_state & I_FREEING;
        if (!*freeing) {
            ihold(inode);
            found = inode;
        }
        break;
    }
    spin_unlock(&inode_hash_lock);
    return found;
}

void insert_inode(struct super_block *sb, struct inode *inode)
{
    inode->i_sb = sb;
    spin_lock(&inode_hash_lock);
    list_add(&inode->i_sb_list, &sb->s_inodes);
    spin_unlock(&inode_hash_lock);
}

/* Two tasks may read the same inode at a time; names change under their directory's lock, but a
 * file with two names has two directories. */
static DEFINE_MUTEX(iget_mutex);

struct inode *iget(struct super_block *sb, unsigned long ino, int (*init)(struct inode *inode))
{
    struct inode *inode;
    bool freeing;
    int err;

    mutex_lock(&iget_mutex);
    wait_event(freeing_wait, ((inode = find_inode(sb, ino, &freeing)), !freeing));
    if (!inode) {
        inode = new_inode(0);
        if (inode) {
            inode->i_ino = ino;
            inode->i_sb = sb;
            err = init(inode);
            if (err) {
                kfree(inode);
                inode = ERR_PTR(err);
            } else {
                insert_inode(sb, inode);
            }
        } else {
            inode = ERR_PTR(-ENOMEM);
        }
    }
    mutex_unlock(&iget_mutex);
    return inode;
}

/* Drops a reference; returns whether it was the last one. */
static bool put_stored(struct inode *inode)
{
    bool last;

    spin_lock(&inode_hash_lock);
    last = atomic_dec_and_test(&inode->i_count);
    if (last)
        inode->i_state |= I_FREEING;
    spin_unlock(&inode_hash_lock);
    return last;
}

static void evict_stored(struct inode *inode)
{
    inode->i_op->evict(inode);
    spin_lock(&inode_hash_lock);
    list_del_init(&inode->i_sb_list);
    spin_unlock(&inode_hash_lock);
    wake_up_all(&freeing_wait);
    kfree(inode);
}

void ihold(struct inode *inode)
{
    atomic_inc(&inode->i_count);
}

void iput(struct inode *inode)
{
    if (inode->i_sb) {
        if (put_stored(inode))
            evict_stored(inode);
        return;
    }
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

struct inode *next_inode(struct super_block *sb, struct inode *prev)
{
    struct list_head *at;
    struct inode *found = NULL;

    spin_lock(&inode_hash_lock);
    for (at = prev ? prev->i_sb_list.next : sb->s_inodes.next; at != &sb->s_inodes && !found;
         at = at->next) {
        struct inode *inode = list_entry(at, struct inode, i_sb_list);

        if (inode->i_state & I_FREEING)
            continue;
        ihold(inode);
        found = inode;
    }
    spin_unlock(&inode_hash_lock);
    if (prev)
        iput(prev);
    return found;
}
