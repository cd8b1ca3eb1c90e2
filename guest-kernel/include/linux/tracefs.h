/* tracefs.h - the directory /sys/kernel/tracing. */
#ifndef LINUX_TRACEFS_H
#define LINUX_TRACEFS_H

#include <linux/fs.h>

struct dentry *tracefs_create_file(const char *name, unsigned int mode, void *data,
                                   const struct file_operations *fops);

#endif
