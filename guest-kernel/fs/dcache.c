/*
 * dcache.c - the tree of directory entries.
 *
 * dcache_lock guards its links and reference counts, and is held briefly; a directory's i_rwsem
 * (namei.c) keeps a name from changing between a check and the operation.
 */
#include <linux/bug.h>
#include <linux/dcache.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

static DEFINE_SPINLOCK(dcache_lock);
static loff_t last_offset = 1; /* under dcache_lock; smaller ones are for `.` and `..` */

static bool is_root(const struct dentry *dentry)
{
    return dentry == dentry->d_parent;
}

struct dentry *dget(struct dentry *dentry)
{
    spin_lock(&dcache_lock);
    dentry->d_count++;
    spin_unlock(&dcache_lock);
    return dentry;
}

struct dentry *dget_parent(struct dentry *dentry)
{
    struct dentry *parent;

    spin_lock(&dcache_lock);
    parent = dentry->d_parent;
    parent->d_count++;
    spin_unlock(&dcache_lock);
    return parent;
}

static void free_dentry(struct dentry *dentry)
{
    BUG_ON(!list_empty(&dentry->d_child) || !list_empty(&dentry->d_subdirs));
    if (dentry->d_inode)
        iput(dentry->d_inode);
    kfree(dentry->d_name);
    kfree(dentry);
}

/* Drops a reference. The last one also drops the reference to the parent, and so on upwards. */
void dput(struct dentry *dentry)
{
    while (dentry) {
        struct dentry *parent = NULL;
        bool last;

        spin_lock(&dcache_lock);
        BUG_ON(!dentry->d_count);
        last = !--dentry->d_count;
        if (last && !is_root(dentry))
            parent = dentry->d_parent;
        spin_unlock(&dcache_lock);
        if (last)
            free_dentry(dentry);
        dentry = parent;
    }
}

struct dentry *d_alloc(struct dentry *parent, const char *name, size_t len)
{
    struct dentry *d = kzalloc(sizeof(*d));

    if (!d)
        return NULL;
    d->d_name = kmemdup_nul(name, len);
    if (!d->d_name) {
        kfree(d);
        return NULL;
    }
    d->d_count = 1;
    d->d_parent = parent ? dget(parent) : d;
    d->d_sb = parent ? parent->d_sb : NULL;
    INIT_LIST_HEAD(&d->d_child);
    INIT_LIST_HEAD(&d->d_subdirs);
    return d;
}

static void hash_locked(struct dentry *dentry)
{
    dentry->d_offset = ++last_offset;
    list_add_tail(&dentry->d_child, &dentry->d_parent->d_subdirs);
}

void d_add(struct dentry *dentry, struct inode *inode)
{
    spin_lock(&dcache_lock);
    dentry->d_inode = inode;
    dentry->d_count++;
    hash_locked(dentry);
    spin_unlock(&dcache_lock);
}

void d_drop(struct dentry *dentry)
{
    bool was_hashed;

    spin_lock(&dcache_lock);
    was_hashed = !list_empty(&dentry->d_child);
    if (was_hashed)
        list_del_init(&dentry->d_child);
    spin_unlock(&dcache_lock);
    if (was_hashed)
        dput(dentry);
}

bool d_unhashed(const struct dentry *dentry)
{
    return !is_root(dentry) && list_empty(&dentry->d_child);
}

static bool is_subdir_locked(const struct dentry *dentry, const struct dentry *top)
{
    while (dentry != top && !is_root(dentry))
        dentry = dentry->d_parent;
    return dentry == top;
}

bool is_subdir(struct dentry *dentry, struct dentry *top)
{
    bool below;

    spin_lock(&dcache_lock);
    below = is_subdir_locked(dentry, top);
    spin_unlock(&dcache_lock);
    return below;
}

int d_move(struct dentry *dentry, struct dentry *new_parent, const char *new_name)
{
    const char *name = kmemdup_nul(new_name, strlen(new_name)), *old_name;
    struct dentry *old_parent;

    if (!name)
        return -ENOMEM;
    spin_lock(&dcache_lock);
    if (is_subdir_locked(new_parent, dentry)) {
        spin_unlock(&dcache_lock);
        kfree(name);
        return -EINVAL;
    }
    old_name = dentry->d_name;
    old_parent = dentry->d_parent;
    new_parent->d_count++;
    dentry->d_name = name;
    dentry->d_parent = new_parent;
    list_del_init(&dentry->d_child);
    hash_locked(dentry);
    spin_unlock(&dcache_lock);
    kfree(old_name);
    dput(old_parent);
    return 0;
}

struct dentry *d_lookup(struct dentry *parent, const char *name, size_t len)
{
    struct dentry *d, *found = NULL;

    spin_lock(&dcache_lock);
    list_for_each_entry(d, &parent->d_subdirs, d_child) {
        if (strlen(d->d_name) == len && !memcmp(d->d_name, name, len)) {
            found = d;
            found->d_count++;
            break;
        }
    }
    spin_unlock(&dcache_lock);
    return found;
}

struct dentry *d_next_child(struct dentry *parent, loff_t offset)
{
    struct dentry *d, *found = NULL;

    spin_lock(&dcache_lock);
    list_for_each_entry(d, &parent->d_subdirs, d_child) {
        if (d->d_offset >= offset) {
            found = d;
            found->d_count++;
            break;
        }
    }
    spin_unlock(&dcache_lock);
    return found;
}

bool simple_empty(struct dentry *dentry)
{
    bool empty;

    spin_lock(&dcache_lock);
    empty = list_empty(&dentry->d_subdirs);
    spin_unlock(&dcache_lock);
    return empty;
}

char *prepend(char *p, char *buf, const char *text, size_t len)
{
    if ((size_t)(p - buf) < len)
        return NULL;
    return memcpy(p - len, text, len);
}

char *prepend_names(const struct dentry *dentry, const struct dentry *top, char *buf, char *p)
{
    spin_lock(&dcache_lock);
    for (; p && dentry != top && !is_root(dentry); dentry = dentry->d_parent) {
        p = prepend(p, buf, dentry->d_name, strlen(dentry->d_name));
        if (p)
            p = prepend(p, buf, "/", 1);
    }
    spin_unlock(&dcache_lock);
    return p;
}

int d_make_root(struct super_block *sb, struct inode *inode)
{
    struct dentry *d = inode ? d_alloc(NULL, "/", 1) : NULL;

    if (!d) {
        if (inode)
            iput(inode);
        return -ENOMEM;
    }
    d->d_inode = inode;
    d->d_sb = sb;
    sb->s_root = d;
    return 0;
}
