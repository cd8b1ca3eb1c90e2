/* debugfs.h - what is in debugfs, usually mounted at /sys/kernel/debug. */
#ifndef LINUX_DEBUGFS_H
#define LINUX_DEBUGFS_H

struct dentry;
struct vfsmount;

/* What to mount on the directory: a mount that is nowhere yet, or ERR_PTR. */
typedef struct vfsmount *(*debugfs_automount_t)(struct dentry *dentry);

void debugfs_init(void);
/* At boot: a directory that mounts something on itself when a path goes through it. */
void debugfs_create_automount(const char *name, debugfs_automount_t mount);

#endif
