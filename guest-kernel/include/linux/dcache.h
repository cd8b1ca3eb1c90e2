/*
 * dcache.h - directory entries.
 *
 * All names are in memory; there is no other storage to look them up in. A dentry in the tree
 * has one reference for that, and one for each child.
 */
#ifndef LINUX_DCACHE_H
#define LINUX_DCACHE_H

#include <linux/list.h>
#include <linux/types.h>

struct dentry;
struct inode;
struct super_block;
struct vfsmount;

struct dentry_operations {
    /* Creates the mount for a directory that is an automount point; or ERR_PTR. */
    struct vfsmount *(*d_automount)(struct dentry *dentry);
};

struct dentry {
    const char *d_name;         /* allocated; all members but d_inode are under dcache_lock */
    struct dentry *d_parent;    /* itself in the root; referenced */
    struct list_head d_child;   /* among d_parent's d_subdirs; empty when unhashed */
    struct list_head d_subdirs; /* by d_offset */
    loff_t d_offset;            /* its position in a listing, never reused */
    unsigned int d_count;
    unsigned int d_mounted; /* number of mounts on this directory; under mount_lock */
    struct inode *d_inode;  /* referenced; d_add() sets it once */
    struct super_block *d_sb;
    const struct dentry_operations *d_op; /* may be NULL */
};

/* Creates the root directory of sb. Takes over the reference to inode. 0 or -ENOMEM. */
int d_make_root(struct super_block *sb, struct inode *inode);
/* Allocates a dentry that is not yet in the tree; takes a reference to parent. NULL: no memory. */
struct dentry *d_alloc(struct dentry *parent, const char *name, size_t len);
/* Sets the inode, whose reference it takes over, and adds the dentry to the tree. */
void d_add(struct dentry *dentry, struct inode *inode);
/* Removes the dentry from the tree and drops the tree's reference. */
void d_drop(struct dentry *dentry);
bool d_unhashed(const struct dentry *dentry);
/* Returns 0, -ENOMEM, or -EINVAL if the new parent is below the dentry. */
int d_move(struct dentry *dentry, struct dentry *new_parent, const char *new_name);
/* Returns the child with a reference, or NULL; `.` and `..` are not handled here. */
struct dentry *d_lookup(struct dentry *parent, const char *name, size_t len);
struct dentry *dget(struct dentry *dentry);
struct dentry *dget_parent(struct dentry *dentry);
void dput(struct dentry *dentry);
bool simple_empty(struct dentry *dentry);
/* Returns whether dentry is top or below it. */
bool is_subdir(struct dentry *dentry, struct dentry *top);
/* Returns the first child with d_offset >= offset, with a reference, or NULL. */
struct dentry *d_next_child(struct dentry *parent, loff_t offset);
/* Writes text in front of p, in a buffer that starts at buf. Returns its start; NULL: no room. */
char *prepend(char *p, char *buf, const char *text, size_t len);
/* Writes "/NAME" for each name from below top to dentry in front of p. Returns as prepend(). */
char *prepend_names(const struct dentry *dentry, const struct dentry *top, char *buf, char *p);

#endif
