/* fs_struct.h - a task's working directory, root directory and umask. */
#ifndef LINUX_FS_STRUCT_H
#define LINUX_FS_STRUCT_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/spinlock.h>

struct task_struct;

struct fs_struct {
    atomic_t users;
    spinlock_t lock;
    umode_t umask;
    struct path pwd;  /* under lock; referenced; NULLs: the root */
    struct path root; /* the same, for chroot(2) */
};

extern struct fs_struct init_fs;

struct fs_struct *get_fs_struct(struct fs_struct *fs);
struct fs_struct *copy_fs_struct(struct fs_struct *old); /* NULL: no memory */
void put_fs_struct(struct fs_struct *fs);
int unshare_fs_struct(void);
void exit_fs(struct task_struct *task);
/* Returns the working directory with a reference. */
void get_fs_pwd(struct fs_struct *fs, struct path *pwd);
void set_fs_pwd(struct fs_struct *fs, const struct path *pwd);
/* The same for the root directory. */
void get_fs_root(struct fs_struct *fs, struct path *root);
void set_fs_root(struct fs_struct *fs, const struct path *root);
bool is_fs_root(struct fs_struct *fs, const struct path *path);
int do_chdir(const char *name);
int do_chroot(const char *name);

#endif
