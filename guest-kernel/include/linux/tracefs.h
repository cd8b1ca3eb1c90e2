/* tracefs.h - the directory /sys/kernel/tracing. */
#ifndef LINUX_TRACEFS_H
#define LINUX_TRACEFS_H

#include <linux/fs.h>

/* parent NULL is /sys/kernel/tracing itself.  NULL when there is no memory; names must stay. */
struct dentry *tracefs_create_file(const char *name, unsigned int mode, struct dentry *parent,
                                   void *data, const struct file_operations *fops);
struct dentry *tracefs_create_dir(const char *name, struct dentry *parent);

#endif
