/* sysfs.h - sysfs, mounted at /sys. */
#ifndef LINUX_SYSFS_H
#define LINUX_SYSFS_H

#include <linux/fs.h>

void sysfs_init(void);
/* Creates an empty directory in /sys/kernel. At boot only. */
void sysfs_create_mount_point(const char *name);

#endif
