/* sysfs.h - the file system of /sys. */
#ifndef LINUX_SYSFS_H
#define LINUX_SYSFS_H

#include <linux/fs.h>

void sysfs_init(void);
/* At boot: creates an empty directory in /sys/kernel. */
void sysfs_create_mount_point(const char *name);

#endif
