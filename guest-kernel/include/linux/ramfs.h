/* ramfs.h - files whose contents are memory. */
#ifndef LINUX_RAMFS_H
#define LINUX_RAMFS_H

struct inode;
extern const struct inode_operations ramfs_dir_inode_operations;
/* The root of a tree, with one reference. NULL: no memory. */
struct inode *ramfs_get_root(void);

#endif
