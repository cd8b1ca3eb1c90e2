/*
 * dcache.h - the trees of names, one in each superblock.
 *
 * Every name there is, is in memory: no name is looked up anywhere else.  A
 * dentry in the tree has one reference for that and one for each child.
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
    const char *d_name;         /* ours; all but d_inode under dcache_lock */
    struct dentry *d_parent;    /* itself in the root; referenced */
    struct list_head d_child;   /* among d_parent's d_subdirs; empty when unhashed */
    struct list_head d_subdirs; /* by d_offset */
    loff_t d_offset;            /* its place in a listing, never given twice */
    unsigned int d_count;
    unsigned int d_mounted; /* number of mounts on this directory; under mount_lock */
    struct inode *d_inode;  /* referenced; set by d_add() for good */
    struct super_block *d_sb;
    const struct dentry_operations *d_op; /* may be NULL */
};

/* Creates the root directory of sb. Takes over the reference to inode. 0 or -ENOMEM. */
int d_make_root(struct super_block *sb, struct inode *inode);
/* A dentry outside of the tree; parent is referenced. NULL: no memory. */
struct dentry *d_alloc(struct dentry *parent, const char *name, size_t len);
/* Gives the name its inode, whose reference is taken over, and puts it into the tree. */
void d_add(struct dentry *dentry, struct inode *inode);
/* Takes the name out of the tree, with the tree's reference. */
void d_drop(struct dentry *dentry);
bool d_unhashed(const struct dentry *dentry);
/* 0, -ENOMEM, -EINVAL if the new parent is below the name itself. */
int d_move(struct dentry *dentry, struct dentry *new_parent, const char *new_name);
/* Referenced, or NULL; `.` and `..` are not names. */
struct dentry *d_lookup(struct dentry *parent, const char *name, size_t len);
struct dentry *dget(struct dentry *dentry);
struct dentry *dget_parent(struct dentry *dentry);
void dput(struct dentry *dentry);
bool simple_empty(struct dentry *dentry);
/* Is dentry the same as or below top? */
bool is_subdir(struct dentry *dentry, struct dentry *top);
/* The first child at offset or after it, referenced; NULL: there is none. */
struct dentry *d_next_child(struct dentry *parent, loff_t offset);
/* Writes text in front of p, in a buffer that starts at buf. Returns its start; NULL: no room. */
char *prepend(char *p, char *buf, const char *text, size_t len);
/* Writes "/NAME" for each name from below top to dentry in front of p. Returns as prepend(). */
char *prepend_names(const struct dentry *dentry, const struct dentry *top, char *buf, char *p);

#endif
