/*
 * mount.h - mounted filesystems.
 *
 * A mount shows the tree of a superblock at a directory of another mount, whose entries it
 * hides.
 */
#ifndef LINUX_MOUNT_H
#define LINUX_MOUNT_H

#include <linux/path.h>
#include <linux/types.h>
#include <uapi/linux/mount.h>

/* Flags of a mount. */
#define MNT_NOSUID     0x01u
#define MNT_NODEV      0x02u
#define MNT_NOEXEC     0x04u
#define MNT_NOATIME    0x08u
#define MNT_NODIRATIME 0x10u
#define MNT_RELATIME   0x20u
#define MNT_READONLY   0x40u
#define MNT_SHRINKABLE 0x100u /* an automount: unmounted with its parent */

struct file_system_type;
struct super_block;

struct vfsmount {
    struct dentry *mnt_root; /* referenced, as is mnt_sb */
    struct super_block *mnt_sb;
    unsigned int mnt_flags; /* under namespace_mutex */
};

/* fs/namespace.c */
void mnt_init(void);              /* mounts the root file system, a ramfs */
void get_root(struct path *path); /* the root directory, with references */
struct vfsmount *mntget(struct vfsmount *mnt);
void mntput(struct vfsmount *mnt); /* NULL: does nothing */
/* Is execution disabled for the mount? false for files without a name (path->mnt is NULL). */
bool path_noexec(const struct path *path);
/* Returns -EROFS, or 0: the mount then stays writable until mnt_drop_write(). */
int mnt_want_write(struct vfsmount *mnt);
void mnt_drop_write(struct vfsmount *mnt);
/* Moves path from a directory to the root directory of the mount on it; false: there is none. */
bool follow_down(struct path *path);
/* Moves path to the mount point of its mount; false: it has none. */
bool follow_up(struct path *path);
/* Calls the directory's d_automount() and attaches the result at path. 0 or an error. */
int follow_automount(struct path *path);
/* Writes the path from the root to the end of buf; returns its start or ERR_PTR(-ENAMETOOLONG). */
char *d_path(const struct path *path, char *buf, size_t size);
/* Creates a mount that is not attached. Returns it with one reference, or ERR_PTR. Modifies
 * options. */
struct vfsmount *vfs_kern_mount(struct file_system_type *type, const char *name, char *options);
/* mount(2) and umount2(2) with strings in kernel memory. dev_name, type and options may be NULL. */
int init_mount(const char *dev_name, const char *dir_name, const char *type, unsigned long flags,
               char *options);
int init_umount(const char *dir_name, int flags);
/* Detaches the mounts on a directory that has been removed. */
void detach_mounts(struct dentry *dentry);

#endif
