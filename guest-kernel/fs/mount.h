/* mount.h - a mount, for those who show the tree of mounts. */
#ifndef FS_MOUNT_H
#define FS_MOUNT_H

#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>

struct mount {
    struct vfsmount mnt;
    char *mnt_devname;
    /* All under mount_lock. */
    struct list_head mnt_list; /* of the mounts in the tree, in order of mounting */
    struct mount *mnt_parent;  /* referenced, as the next one; NULL: the root, or not in the tree */
    struct dentry *mnt_mountpoint; /* in mnt_parent */
    bool mnt_attached;             /* it is in the tree, which has a reference for that */
    unsigned int mnt_count;        /* references */
    unsigned int mnt_children;     /* mounts that stand on this one */
    unsigned int mnt_writers;
};

static inline struct mount *real_mount(struct vfsmount *mnt)
{
    return container_of(mnt, struct mount, mnt);
}

/* show(each mount of the tree, in order of mounting, data) while it answers 0. */
int iterate_mounts(int (*show)(struct vfsmount *mnt, void *data), void *data);

#endif
