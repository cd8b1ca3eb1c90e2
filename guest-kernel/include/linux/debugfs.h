/* debugfs.h - directories in debugfs, which init mounts at /sys/kernel/debug. */
#ifndef LINUX_DEBUGFS_H
#define LINUX_DEBUGFS_H

#include <linux/fs.h>

struct dentry;
struct vfsmount;

/* Creates the mount for an automount point; returns it with one reference, or ERR_PTR. */
typedef struct vfsmount *(*debugfs_automount_t)(struct dentry *dentry);

void debugfs_init(void);
/* parent NULL: the root directory. NULL: no memory. */
struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
struct dentry *debugfs_create_file(const char *name, umode_t mode, struct dentry *parent,
                                   void *data, const struct file_operations *fops);
/* At boot: creates an automount point, whose file system is mounted on the first access. */
void debugfs_create_automount(const char *name, debugfs_automount_t mount);

#endif
