/* sync.c - system calls that bring files to their device, and statfs. */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

SYSCALL_DEFINE0(sync)
{
    ksys_sync();
    return 0;
}

int vfs_fsync(struct file *file, bool datasync)
{
    return file->f_op->fsync ? file->f_op->fsync(file, datasync) : -EINVAL;
}

static int do_fsync(int fd, bool datasync)
{
    struct file *file = fget(fd);
    int err;

    if (!file)
        return -EBADF;
    err = vfs_fsync(file, datasync);
    fput(file);
    return err;
}

SYSCALL_DEFINE1(fsync, unsigned int, fd)
{
    return do_fsync(fd, false);
}

SYSCALL_DEFINE1(fdatasync, unsigned int, fd)
{
    return do_fsync(fd, true);
}

/* The generic layout, which RISC-V uses. */
struct statfs {
    long f_type, f_bsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree;
    int f_fsid[2];
    long f_namelen, f_frsize, f_flags, f_spare[4];
};

/* File systems in memory have no limits to report, as simple ones in Linux. */
static int vfs_statfs(struct super_block *sb, struct statfs __user *to)
{
    enum { SIMPLE_MAGIC = 0x858458f6 };
    struct statfs st = {.f_type = sb->s_type->magic ?: SIMPLE_MAGIC,
                        .f_bsize = 4096,
                        .f_namelen = NAME_MAX,
                        .f_frsize = 4096};

    return copy_to_user(to, &st, sizeof(st)) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(statfs, const char __user *, pathname, struct statfs __user *, buf)
{
    char *path = getname(pathname);
    struct path at;
    int err;

    if (IS_ERR(path))
        return PTR_ERR(path);
    err = kern_path(path, LOOKUP_FOLLOW, &at);
    kfree(path);
    if (err)
        return err;
    err = vfs_statfs(at.mnt->mnt_sb, buf);
    path_put(&at);
    return err;
}

SYSCALL_DEFINE2(fstatfs, unsigned int, fd, struct statfs __user *, buf)
{
    struct file *file = fget(fd);
    int err = -EINVAL;

    if (!file)
        return -EBADF;
    if (file->f_path.mnt)
        err = vfs_statfs(file->f_path.mnt->mnt_sb, buf);
    fput(file);
    return err;
}
