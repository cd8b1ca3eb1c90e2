/* ramfs.h - files whose contents are memory. */
#ifndef LINUX_RAMFS_H
#define LINUX_RAMFS_H

#include <linux/types.h>

struct inode;
struct super_block;

/* A file without a name, with one reference. NULL: no memory. */
struct inode *ramfs_get_file(umode_t mode);
/* The fill_super() of types whose files are memory. */
int ramfs_fill_super(struct super_block *sb);
void ramfs_init(void);

#endif
