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
    fs->pwd = get_fs_pwd(old);
    return fs;
}

void put_fs_struct(struct fs_struct *fs)
{
    if (!atomic_dec_and_test(&fs->users))
        return;
    dput(fs->pwd);
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

struct dentry *get_fs_pwd(struct fs_struct *fs)
{
    struct dentry *pwd;

    spin_lock(&fs->lock);
    pwd = dget(fs->pwd ? fs->pwd : root_dentry);
    spin_unlock(&fs->lock);
    return pwd;
}

/* Takes the reference over. */
static void replace_pwd(struct fs_struct *fs, struct dentry *pwd)
{
    struct dentry *old;

    spin_lock(&fs->lock);
    old = fs->pwd;
    fs->pwd = pwd;
    spin_unlock(&fs->lock);
    dput(old);
}

void set_fs_pwd(struct fs_struct *fs, struct dentry *pwd)
{
    replace_pwd(fs, dget(pwd));
}

int do_chdir(const char *name)
{
    struct dentry *d;
    int err = kern_path(name, &d);

    if (err)
        return err;
    if (!S_ISDIR(d->d_inode->i_mode)) {
        dput(d);
        return -ENOTDIR;
    }
    replace_pwd(current->fs, d);
    return 0;
}
