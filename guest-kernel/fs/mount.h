/* mount.h - struct mount, for the files of fs/ only. */
#ifndef FS_MOUNT_H
#define FS_MOUNT_H

#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>

struct mount {
    struct vfsmount mnt;
    char *mnt_devname;
    /* All under mount_lock. */
    struct list_head mnt_list;     /* in mounts, in order of mounting */
    struct mount *mnt_parent;      /* referenced; NULL: the root or detached */
    struct dentry *mnt_mountpoint; /* in mnt_parent; referenced */
    bool mnt_attached;             /* in the tree, which holds a reference */
    unsigned int mnt_count;        /* references */
    unsigned int mnt_children;     /* mounts whose mnt_parent is this */
    unsigned int mnt_writers;
};

static inline struct mount *real_mount(struct vfsmount *mnt)
{
    return container_of(mnt, struct mount, mnt);
}

/* Calls show() for each mount, in order of mounting; stops at an error, which it returns. */
int iterate_mounts(int (*show)(struct vfsmount *mnt, void *data), void *data);

#endif
