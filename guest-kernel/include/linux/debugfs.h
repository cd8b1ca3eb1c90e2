/* debugfs.h - debugfs, usually mounted at /sys/kernel/debug. */
#ifndef LINUX_DEBUGFS_H
#define LINUX_DEBUGFS_H

struct dentry;
struct vfsmount;

/* Returns a mount for the directory, not yet in the tree, or ERR_PTR(). */
typedef struct vfsmount *(*debugfs_automount_t)(struct dentry *dentry);

void debugfs_init(void);
/*
 * Creates a directory on which mount() is mounted when a path is followed through it. At boot
 * only.
 */
void debugfs_create_automount(const char *name, debugfs_automount_t mount);

#endif
