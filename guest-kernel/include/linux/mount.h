/*
 * mount.h - mounted file systems.
 *
 * A mount shows the tree of a superblock at a directory of another mount and
 * hides what is below that.
 */
#ifndef LINUX_MOUNT_H
#define LINUX_MOUNT_H

#include <linux/path.h>
#include <linux/types.h>
#include <uapi/linux/mount.h>

/* What a mount is. */
#define MNT_NOSUID     0x01u
#define MNT_NODEV      0x02u
#define MNT_NOEXEC     0x04u
#define MNT_NOATIME    0x08u
#define MNT_NODIRATIME 0x10u
#define MNT_RELATIME   0x20u
#define MNT_READONLY   0x40u
#define MNT_SHRINKABLE 0x100u /* mounted by itself, and goes with what it is mounted on */

struct file_system_type;
struct super_block;

struct vfsmount {
    struct dentry *mnt_root; /* referenced, as the next one */
    struct super_block *mnt_sb;
    unsigned int mnt_flags; /* under namespace_mutex */
};

/* fs/namespace.c */
void mnt_init(void);              /* mounts the root, a ramfs */
void get_root(struct path *path); /* of the tree of mounts, referenced */
struct vfsmount *mntget(struct vfsmount *mnt);
void mntput(struct vfsmount *mnt); /* NULL: nothing to do */
/* May nothing on the mount be executed? path of NULLs: a file of memory, of which all may. */
bool path_noexec(const struct path *path);
/* 0, after which the mount stays writable until mnt_drop_write(); or -EROFS. */
int mnt_want_write(struct vfsmount *mnt);
void mnt_drop_write(struct vfsmount *mnt);
/* From a directory to the root of what is mounted there last; true: path has changed. */
bool follow_down(struct path *path);
/* From anywhere in a mount to the directory that it is mounted on; false: there is none. */
bool follow_up(struct path *path);
/* Lets the directory mount itself, if it does so; afterwards follow_down() goes there. */
int follow_automount(struct path *path);
/* The path from the root, at the end of buf; or ERR_PTR(-ENAMETOOLONG). */
char *d_path(const struct path *path, char *buf, size_t size);
/* A mount that is nowhere yet, with one reference; or ERR_PTR. Options are changed. */
struct vfsmount *vfs_kern_mount(struct file_system_type *type, const char *name, char *options);
/* mount(2) and umount2(2), with strings of the kernel; type and options may be NULL. */
int init_mount(const char *dev_name, const char *dir_name, const char *type, unsigned long flags,
               char *options);
int init_umount(const char *dir_name, int flags);
/* Takes what is mounted on a directory out of the tree, as the directory's name is. */
void detach_mounts(struct dentry *dentry);

#endif
