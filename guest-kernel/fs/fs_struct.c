/* fs_struct.c - a task's working directory, root directory and umask. */
#include <linux/errno.h>
#include <linux/fs_struct.h>
#include <linux/sched.h>
#include <linux/slab.h>

struct fs_struct init_fs = {.users = {1}, .umask = 022};

struct fs_struct *get_fs_struct(struct fs_struct *fs)
{
    atomic_inc(&fs->users);
    return fs;
}

struct fs_struct *copy_fs_struct(struct fs_struct *old)
{
    struct fs_struct *fs = kzalloc(sizeof(*fs));

    if (!fs)
        return NULL;
    atomic_set(&fs->users, 1);
    fs->umask = old->umask;
    get_fs_pwd(old, &fs->pwd);
    get_fs_root(old, &fs->root);
    return fs;
}

void put_fs_struct(struct fs_struct *fs)
{
    if (!atomic_dec_and_test(&fs->users))
        return;
    path_put(&fs->pwd);
    path_put(&fs->root);
    kfree(fs);
}

int unshare_fs_struct(void)
{
    struct fs_struct *old = current->fs, *copy;

    if (atomic_read(&old->users) == 1)
        return 0;
    copy = copy_fs_struct(old);
    if (!copy)
        return -ENOMEM;
    current->fs = copy;
    put_fs_struct(old);
    return 0;
}

void exit_fs(struct task_struct *task)
{
    struct fs_struct *fs = task->fs;

    task->fs = NULL;
    if (fs)
        put_fs_struct(fs);
}

static void get_path(struct fs_struct *fs, const struct path *from, struct path *to)
{
    spin_lock(&fs->lock);
    *to = *from;
    if (to->mnt)
        path_get(to);
    else
        get_root(to);
    spin_unlock(&fs->lock);
}

static void set_path(struct fs_struct *fs, struct path *to, const struct path *from)
{
    struct path old;

    path_get(from);
    spin_lock(&fs->lock);
    old = *to;
    *to = *from;
    spin_unlock(&fs->lock);
    if (old.mnt)
        path_put(&old);
}

void get_fs_pwd(struct fs_struct *fs, struct path *pwd)
{
    get_path(fs, &fs->pwd, pwd);
}

void set_fs_pwd(struct fs_struct *fs, const struct path *pwd)
{
    set_path(fs, &fs->pwd, pwd);
}

void get_fs_root(struct fs_struct *fs, struct path *root)
{
    get_path(fs, &fs->root, root);
}

void set_fs_root(struct fs_struct *fs, const struct path *root)
{
    set_path(fs, &fs->root, root);
}

bool is_fs_root(struct fs_struct *fs, const struct path *path)
{
    bool same;

    spin_lock(&fs->lock);
    same = fs->root.mnt == path->mnt && fs->root.dentry == path->dentry;
    spin_unlock(&fs->lock);
    return same;
}

int do_chdir(const char *name)
{
    struct path path;
    int err = kern_path(name, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);

    if (err)
        return err;
    set_fs_pwd(current->fs, &path);
    path_put(&path);
    return 0;
}

int do_chroot(const char *name)
{
    struct path path;
    int err = kern_path(name, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &path);

    if (err)
        return err;
    set_fs_root(current->fs, &path);
    path_put(&path);
    return 0;
}
