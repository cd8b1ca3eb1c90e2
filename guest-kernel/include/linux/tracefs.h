/* tracefs.h - what is in tracefs, usually mounted at /sys/kernel/tracing. */
#ifndef LINUX_TRACEFS_H
#define LINUX_TRACEFS_H

#include <linux/fs.h>

void tracefs_init(void);
/* parent NULL is the root.  NULL when there is no memory. */
struct dentry *tracefs_create_file(const char *name, umode_t mode, struct dentry *parent,
                                   void *data, const struct file_operations *fops);
struct dentry *tracefs_create_dir(const char *name, struct dentry *parent);
/* The name and all below it.  Files that are open stay until they are closed. */
void tracefs_remove(struct dentry *dentry);

#endif
