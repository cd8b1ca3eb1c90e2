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

/* vfsmount.mnt_flags */
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
    struct dentry *mnt_root; /* this and the next are referenced */
    struct super_block *mnt_sb;
    unsigned int mnt_flags; /* under namespace_mutex */
};

/* fs/namespace.c */
void mnt_init(void);              /* mounts the root, a ramfs */
void get_root(struct path *path); /* returns the root directory with a reference */
struct vfsmount *mntget(struct vfsmount *mnt);
void mntput(struct vfsmount *mnt); /* NULL: does nothing */
/* Whether the mount is noexec. A path of NULLs, as of a memfd, is not. */
bool path_noexec(const struct path *path);
/* Returns 0, and keeps the mount writable until mnt_drop_write(); or -EROFS. */
int mnt_want_write(struct vfsmount *mnt);
void mnt_drop_write(struct vfsmount *mnt);
/*
 * Moves path from a directory to the root of what is mounted on it last; returns whether it
 * moved.
 */
bool follow_down(struct path *path);
/* Moves path from anywhere in a mount to its mount point; returns false at the root. */
bool follow_up(struct path *path);
/*
 * Mounts an automount point, which follow_down() then enters. 0, also if it is none, or an
 * error.
 */
int follow_automount(struct path *path);
/* Writes the path to the end of buf and returns its start, or ERR_PTR(-ENAMETOOLONG). */
char *d_path(const struct path *path, char *buf, size_t size);
/* Creates a mount, not yet in the tree, with one reference; or ERR_PTR(). Modifies options. */
struct vfsmount *vfs_kern_mount(struct file_system_type *type, const char *name, char *options);
/* mount(2) and umount2(2) for kernel strings; type and options may be NULL. */
int init_mount(const char *dev_name, const char *dir_name, const char *type, unsigned long flags,
               char *options);
int init_umount(const char *dir_name, int flags);
/* Detaches all mounts on a directory that was removed. */
void detach_mounts(struct dentry *dentry);

#endif
