/* sysfs.h - the file system of /sys. */
#ifndef LINUX_SYSFS_H
#define LINUX_SYSFS_H

#include <linux/fs.h>

void sysfs_init(void);
/* At boot: creates an empty directory in /sys/kernel. */
/* At boot: creates a directory in parent; NULL: in /sys. Panics if there is no memory. */
struct dentry *sysfs_create_dir(struct dentry *parent, const char *name);
void sysfs_create_mount_point(const char *name);

#endif
