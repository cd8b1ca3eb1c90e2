/* fs_struct.c - a task's working directory. */
#include <linux/errno.h>
#include <linux/fs_struct.h>
#include <linux/sched.h>
#include <linux/slab.h>

struct fs_struct init_fs = {.users = {1}};

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
    get_fs_pwd(old, &fs->pwd);
    return fs;
}

void put_fs_struct(struct fs_struct *fs)
{
    if (!atomic_dec_and_test(&fs->users))
        return;
    path_put(&fs->pwd);
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

void get_fs_pwd(struct fs_struct *fs, struct path *pwd)
{
    spin_lock(&fs->lock);
    *pwd = fs->pwd;
    if (pwd->mnt)
        path_get(pwd);
    else
        get_root(pwd);
    spin_unlock(&fs->lock);
}

void set_fs_pwd(struct fs_struct *fs, const struct path *pwd)
{
    struct path old;

    path_get(pwd);
    spin_lock(&fs->lock);
    old = fs->pwd;
    fs->pwd = *pwd;
    spin_unlock(&fs->lock);
    path_put(&old);
}

int do_chdir(const char *name)
{
    struct path path;
    int err = kern_path(name, LOOKUP_DIRECTORY, &path);

    if (err)
        return err;
    set_fs_pwd(current->fs, &path);
    path_put(&path);
    return 0;
}
