/* mount.h - struct mount, for namespace.c and the code that lists mounts. */
#ifndef FS_MOUNT_H
#define FS_MOUNT_H

#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>

struct mount {
    struct vfsmount mnt;
    char *mnt_devname;
    /* All guarded by mount_lock. */
    struct list_head mnt_list;     /* in the list of attached mounts, in order of mounting */
    struct mount *mnt_parent;      /* referenced; NULL: the root, or detached */
    struct dentry *mnt_mountpoint; /* a directory of mnt_parent; referenced */
    bool mnt_attached;             /* in the tree, which holds a reference */
    unsigned int mnt_count;        /* references */
    unsigned int mnt_children;     /* number of mounts attached to this one */
    unsigned int mnt_writers;
};

static inline struct mount *real_mount(struct vfsmount *mnt)
{
    return container_of(mnt, struct mount, mnt);
}

/* Calls show(mnt, data) for each attached mount, in order of mounting, until it returns an error.
 */
int iterate_mounts(int (*show)(struct vfsmount *mnt, void *data), void *data);

#endif
