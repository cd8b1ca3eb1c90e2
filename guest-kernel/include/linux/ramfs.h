/* ramfs.h - a filesystem in memory. */
#ifndef LINUX_RAMFS_H
#define LINUX_RAMFS_H

#include <linux/types.h>

struct inode;
extern const struct inode_operations ramfs_dir_inode_operations;
/* Creates a file without a name; returns it with one reference. NULL: no memory. */
struct inode *ramfs_get_file(umode_t mode);
/* Creates a root directory; returns it with one reference. NULL: no memory. */
struct inode *ramfs_get_root(void);

#endif
