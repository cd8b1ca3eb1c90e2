/* ramfs.h - a filesystem in memory. */
#ifndef LINUX_RAMFS_H
#define LINUX_RAMFS_H

#include <linux/types.h>

struct inode;
struct super_block;

/* Creates a file without a name; returns it with one reference. NULL: no memory. */
struct inode *ramfs_get_file(umode_t mode);
/* fill_super() for file system types that keep their files in memory. */
int ramfs_fill_super(struct super_block *sb);
void ramfs_init(void);

#endif
