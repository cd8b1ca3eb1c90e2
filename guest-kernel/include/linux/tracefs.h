/* tracefs.h - files in tracefs, which is mounted at /sys/kernel/tracing. */
#ifndef LINUX_TRACEFS_H
#define LINUX_TRACEFS_H

#include <linux/fs.h>

void tracefs_init(void);
/* parent NULL: the root directory. Returns NULL if there is no memory. */
struct dentry *tracefs_create_file(const char *name, umode_t mode, struct dentry *parent,
                                   void *data, const struct file_operations *fops);
struct dentry *tracefs_create_dir(const char *name, struct dentry *parent);
/* Removes the entry and all below it. Open files stay until they are closed. */
void tracefs_remove(struct dentry *dentry);

#endif
