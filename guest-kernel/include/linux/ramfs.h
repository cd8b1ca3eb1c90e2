/* ramfs.h - files whose contents are memory. */
#ifndef LINUX_RAMFS_H
#define LINUX_RAMFS_H

#include <linux/types.h>

struct inode;
extern const struct inode_operations ramfs_dir_inode_operations;
/* A file without a name, with one reference. NULL: no memory. */
struct inode *ramfs_get_file(umode_t mode);
/* The root of a tree, with one reference. NULL: no memory. */
struct inode *ramfs_get_root(void);

#endif
