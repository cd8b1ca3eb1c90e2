/* syscalls.c - system calls for files: descriptors, names, attributes, times, directories. */
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kdev_t.h>
#include <linux/kernel.h>
#include <linux/ramfs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

/* ---- descriptors ---- */

SYSCALL_DEFINE1(close, unsigned int, fd)
{
    return close_fd(fd);
}

SYSCALL_DEFINE1(dup, unsigned int, fildes)
{
    return do_dup(fildes, 0, 0);
}

SYSCALL_DEFINE3(dup3, unsigned int, oldfd, unsigned int, newfd, int, flags)
{
    return ksys_dup3(oldfd, newfd, flags);
}

SYSCALL_DEFINE2(pipe2, int __user *, fildes, int, flags)
{
    int fd[2];
    int err = flags & ~(O_CLOEXEC | O_NONBLOCK) ? -EINVAL : do_pipe_flags(fd, flags);

    if (err)
        return err;
    if (!copy_to_user(fildes, fd, sizeof(fd)))
        return 0;
    close_fd(fd[0]);
    close_fd(fd[1]);
    return -EFAULT;
}

enum {
    F_DUPFD = 0,
    F_GETFD = 1,
    F_SETFD = 2,
    F_GETFL = 3,
    F_SETFL = 4,
    F_DUPFD_CLOEXEC = 1030,
    FD_CLOEXEC = 1
};

static long file_fcntl(struct file *file, int fd, unsigned int cmd, unsigned long arg)
{
    switch (cmd) {
    case F_DUPFD: return do_dup(fd, arg, 0);
    case F_DUPFD_CLOEXEC: return do_dup(fd, arg, O_CLOEXEC);
    case F_GETFD: return get_close_on_exec(fd) ? FD_CLOEXEC : 0;
    case F_SETFD: set_close_on_exec(fd, arg & FD_CLOEXEC); return 0;
    case F_GETFL: return file->f_flags;
    case F_SETFL:
        file->f_flags &= ~(O_APPEND | O_NONBLOCK);
        file->f_flags |= arg & (O_APPEND | O_NONBLOCK);
        return 0;
    default: return -EINVAL;
    }
}

SYSCALL_DEFINE3(fcntl, unsigned int, fd, unsigned int, cmd, unsigned long, arg)
{
    struct file *file = fget(fd);
    long ret;

    if (!file)
        return -EBADF;
    ret = file_fcntl(file, fd, cmd, arg);
    fput(file);
    return ret;
}

SYSCALL_DEFINE3(ioctl, unsigned int, fd, unsigned int, cmd, unsigned long, arg)
{
    struct file *file = fget(fd);
    long ret = -ENOTTY;

    if (!file)
        return -EBADF;
    if (file->f_op->unlocked_ioctl)
        ret = file->f_op->unlocked_ioctl(file, cmd, arg);
    fput(file);
    return ret;
}

SYSCALL_DEFINE2(ftruncate, unsigned int, fd, unsigned long, length)
{
    struct file *file = fget(fd);
    int err = -EINVAL;

    if (!file)
        return -EBADF;
    if (file->f_mode & FMODE_WRITE && S_ISREG(file->f_inode->i_mode))
        err = do_truncate(file->f_inode, length);
    fput(file);
    return err;
}

/* ---- names ---- */

char *getname(const char __user *name)
{
    char *path = kmalloc(PATH_MAX);
    long n;

    if (!path)
        return ERR_PTR(-ENOMEM);
    n = strncpy_from_user(path, name, PATH_MAX);
    if (n > 0 && n < PATH_MAX)
        return path;
    kfree(path);
    return ERR_PTR(n < 0 ? n : n ? -ENAMETOOLONG : -ENOENT);
}

/* LOOKUP_* for a system call's AT_* flags. */
static unsigned int follow_flags(int flags)
{
    return flags & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW;
}

int user_path_at(int dfd, const char __user *name, int flags, struct path *path)
{
    char *text = getname(name);
    int err;

    if (IS_ERR(text))
        return PTR_ERR(text);
    err = kern_path_at(dfd, text, follow_flags(flags), path);
    kfree(text);
    return err;
}

static long open_into_fd(int dfd, const char *path, int flags, umode_t mode)
{
    int fd = get_unused_fd_flags(flags);
    struct file *file;

    if (fd < 0)
        return fd;
    file = do_filp_open(dfd, path, flags, mode);
    if (IS_ERR(file)) {
        put_unused_fd(fd);
        return PTR_ERR(file);
    }
    fd_install(fd, file);
    return fd;
}

struct open_how {
    u64 flags, mode, resolve;
};

/* Of their own, as in Linux, because probes are set on them. */
long do_sys_openat2(int dfd, const char __user *filename, struct open_how *how);
long do_sys_open(int dfd, const char __user *filename, int flags, umode_t mode);

noinline long do_sys_openat2(int dfd, const char __user *filename, struct open_how *how)
{
    char *path = getname(filename);
    long fd;

    if (IS_ERR(path))
        return PTR_ERR(path);
    fd = open_into_fd(dfd, path, how->flags, how->mode & 07777 & ~current->fs->umask);
    kfree(path);
    return fd;
}

noinline long do_sys_open(int dfd, const char __user *filename, int flags, umode_t mode)
{
    struct open_how how = {.flags = (unsigned int)flags, .mode = mode};

    return do_sys_openat2(dfd, filename, &how);
}

SYSCALL_DEFINE4(openat, int, dfd, const char __user *, filename, int, flags, umode_t, mode)
{
    return do_sys_open(dfd, filename, flags, mode);
}

SYSCALL_DEFINE3(mkdirat, int, dfd, const char __user *, pathname, umode_t, mode)
{
    char *path = getname(pathname);
    int err;

    if (IS_ERR(path))
        return PTR_ERR(path);
    err = do_mkdirat(dfd, path, mode & 07777 & ~current->fs->umask);
    kfree(path);
    return err;
}

SYSCALL_DEFINE3(unlinkat, int, dfd, const char __user *, pathname, int, flag)
{
    char *path;
    int err;

    if (flag & ~AT_REMOVEDIR)
        return -EINVAL;
    path = getname(pathname);
    if (IS_ERR(path))
        return PTR_ERR(path);
    err = flag & AT_REMOVEDIR ? do_rmdir(dfd, path) : do_unlinkat(dfd, path);
    kfree(path);
    return err;
}

SYSCALL_DEFINE3(symlinkat, const char __user *, oldname, int, newdfd, const char __user *, newname)
{
    char *target = getname(oldname), *path;
    int err;

    if (IS_ERR(target))
        return PTR_ERR(target);
    path = getname(newname);
    err = IS_ERR(path) ? PTR_ERR(path) : do_symlinkat(target, newdfd, path);
    if (!IS_ERR(path))
        kfree(path);
    kfree(target);
    return err;
}

SYSCALL_DEFINE5(linkat, int, olddfd, const char __user *, oldname, int, newdfd, const char __user *,
                newname, int, flags)
{
    char *from, *to;
    int err;

    if (flags & ~AT_SYMLINK_FOLLOW)
        return -EINVAL;
    from = getname(oldname);
    if (IS_ERR(from))
        return PTR_ERR(from);
    to = getname(newname);
    err = IS_ERR(to) ? PTR_ERR(to) : do_linkat(olddfd, from, newdfd, to, flags & AT_SYMLINK_FOLLOW);
    if (!IS_ERR(to))
        kfree(to);
    kfree(from);
    return err;
}

/* Cuts the target off at the buffer's end, and adds no NUL. */
SYSCALL_DEFINE4(readlinkat, int, dfd, const char __user *, pathname, char __user *, buf, int,
                bufsiz)
{
    char *path = bufsiz > 0 ? getname(pathname) : ERR_PTR(-EINVAL);
    struct path link;
    int n;

    if (IS_ERR(path))
        return PTR_ERR(path);
    n = kern_path_at(dfd, path, 0, &link);
    if (!n) {
        n = vfs_readlink(&link, path);
        path_put(&link);
    }
    if (n > 0)
        n = min(n, bufsiz);
    if (n > 0 && copy_to_user(buf, path, n))
        n = -EFAULT;
    kfree(path);
    return n;
}

SYSCALL_DEFINE5(renameat2, int, olddfd, const char __user *, oldname, int, newdfd,
                const char __user *, newname, unsigned int, flags)
{
    char *from, *to;
    int err;

    if (flags)
        return -EINVAL;
    from = getname(oldname);
    if (IS_ERR(from))
        return PTR_ERR(from);
    to = getname(newname);
    err = IS_ERR(to) ? PTR_ERR(to) : do_renameat(olddfd, from, newdfd, to);
    if (!IS_ERR(to))
        kfree(to);
    kfree(from);
    return err;
}

SYSCALL_DEFINE1(chdir, const char __user *, filename)
{
    char *path = getname(filename);
    int err;

    if (IS_ERR(path))
        return PTR_ERR(path);
    err = unshare_fs_struct();
    if (!err)
        err = do_chdir(path);
    kfree(path);
    return err;
}

SYSCALL_DEFINE1(fchdir, unsigned int, fd)
{
    struct file *file = fget(fd);
    int err;

    if (!file)
        return -EBADF;
    err = S_ISDIR(file->f_inode->i_mode) && file->f_path.mnt ? unshare_fs_struct() : -ENOTDIR;
    if (!err)
        set_fs_pwd(current->fs, &file->f_path);
    fput(file);
    return err;
}

SYSCALL_DEFINE1(chroot, const char __user *, filename)
{
    char *path = getname(filename);
    int err;

    if (IS_ERR(path))
        return PTR_ERR(path);
    err = unshare_fs_struct();
    if (!err)
        err = do_chroot(path);
    kfree(path);
    return err;
}

/* Returns the length with the NUL, as Linux's system call does. */
SYSCALL_DEFINE2(getcwd, char __user *, buf, unsigned long, size)
{
    char *page = kmalloc(PATH_MAX), *path;
    struct path pwd;
    long len;

    if (!page)
        return -ENOMEM;
    get_fs_pwd(current->fs, &pwd);
    path = d_path(&pwd, page, PATH_MAX);
    path_put(&pwd);
    len = IS_ERR(path) ? PTR_ERR(path) : (long)strlen(path) + 1;
    if (len > 0 && (size_t)len > size)
        len = -ERANGE;
    if (len > 0 && copy_to_user(buf, path, len))
        len = -EFAULT;
    kfree(page);
    return len;
}

enum { MFD_CLOEXEC = 1 };

/* Creates a file in memory that is not in the tree. The name is for debuggers only. */
SYSCALL_DEFINE2(memfd_create, const char __user *, uname, unsigned int, flags)
{
    struct inode *inode;
    struct file *file;
    int fd;

    (void)uname;
    if (flags & ~MFD_CLOEXEC)
        return -EINVAL;
    fd = get_unused_fd_flags(flags & MFD_CLOEXEC ? O_CLOEXEC : 0);
    if (fd < 0)
        return fd;
    inode = ramfs_get_file(S_IFREG | S_IRUSR | S_IWUSR);
    file = inode ? dentry_open(NULL, inode, O_RDWR) : ERR_PTR(-ENOMEM);
    if (inode)
        iput(inode);
    if (IS_ERR(file)) {
        put_unused_fd(fd);
        return PTR_ERR(file);
    }
    fd_install(fd, file);
    return fd;
}

/* ---- attributes ---- */

/* As fn for an inode that may be changed. */
static int change_inode(const struct path *path, struct inode *inode,
                        void (*fn)(struct inode *inode, const void *to), const void *to)
{
    int err = path->mnt ? mnt_want_write(path->mnt) : 0;

    if (err)
        return err;
    inode_lock(inode);
    fn(inode, to);
    inode_unlock(inode);
    if (path->mnt)
        mnt_drop_write(path->mnt);
    return 0;
}

static void set_mode(struct inode *inode, const void *to)
{
    inode->i_mode = (inode->i_mode & S_IFMT) | *(const umode_t *)to;
}

SYSCALL_DEFINE2(fchmod, unsigned int, fd, umode_t, mode)
{
    struct file *file = fget(fd);
    int err;

    if (!file)
        return -EBADF;
    mode &= S_IALLUGO;
    err = change_inode(&file->f_path, file->f_inode, set_mode, &mode);
    fput(file);
    return err;
}

SYSCALL_DEFINE3(fchmodat, int, dfd, const char __user *, filename, umode_t, mode)
{
    struct path path;
    int err = user_path_at(dfd, filename, 0, &path);

    if (err)
        return err;
    mode &= S_IALLUGO;
    err = change_inode(&path, path.dentry->d_inode, set_mode, &mode);
    path_put(&path);
    return err;
}

/* Root is the only user: as in a user namespace that maps no other one. */
static int check_owner(uid_t user, gid_t group)
{
    return (user && user != (uid_t)-1) || (group && group != (gid_t)-1) ? -EINVAL : 0;
}

SYSCALL_DEFINE5(fchownat, int, dfd, const char __user *, filename, uid_t, user, gid_t, group, int,
                flag)
{
    struct path path;
    int err = flag & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH) ? -EINVAL : 0;

    if (!err)
        err = user_path_at(dfd, filename, flag, &path);
    if (err)
        return err;
    path_put(&path);
    return check_owner(user, group);
}

SYSCALL_DEFINE3(fchown, unsigned int, fd, uid_t, user, gid_t, group)
{
    struct file *file = fget(fd);

    if (!file)
        return -EBADF;
    fput(file);
    return check_owner(user, group);
}

SYSCALL_DEFINE1(umask, int, mask)
{
    umode_t old = current->fs->umask;

    current->fs->umask = mask & 0777;
    return old;
}

SYSCALL_DEFINE2(truncate, const char __user *, path, long, length)
{
    struct path at;
    struct inode *inode;
    int err = length < 0 ? -EINVAL : user_path_at(AT_FDCWD, path, 0, &at);

    if (err)
        return err;
    inode = at.dentry->d_inode;
    if (S_ISREG(inode->i_mode))
        err = mnt_want_write(at.mnt);
    else
        err = S_ISDIR(inode->i_mode) ? -EISDIR : -EINVAL;
    if (!err) {
        err = do_truncate(inode, length);
        mnt_drop_write(at.mnt);
    }
    path_put(&at);
    return err;
}

/* ---- times ---- */

#define UTIME_NOW  ((1l << 30) - 1)
#define UTIME_OMIT ((1l << 30) - 2)

struct __kernel_timespec {
    s64 tv_sec;
    long tv_nsec;
};

static u32 time_of(const struct __kernel_timespec *arg, u32 old)
{
    if (arg->tv_nsec == UTIME_OMIT)
        return old;
    return arg->tv_nsec == UTIME_NOW ? sched_clock() / NSEC_PER_SEC : (u32)arg->tv_sec;
}

static void set_times(struct inode *inode, const void *to)
{
    const struct __kernel_timespec *arg = to;

    inode->i_atime = time_of(&arg[0], inode->i_atime);
    inode->i_mtime = time_of(&arg[1], inode->i_mtime);
}

static bool is_time(const struct __kernel_timespec *arg)
{
    return arg->tv_nsec == UTIME_NOW || arg->tv_nsec == UTIME_OMIT ||
           (arg->tv_nsec >= 0 && arg->tv_nsec < (long)NSEC_PER_SEC);
}

/* Without a name, of the open file dfd. Times are kept in seconds. */
SYSCALL_DEFINE4(utimensat, int, dfd, const char __user *, filename,
                const struct __kernel_timespec __user *, utimes, int, flags)
{
    struct __kernel_timespec arg[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    struct file *file = NULL;
    struct path path;
    int err;

    if (utimes && copy_from_user(arg, utimes, sizeof(arg)))
        return -EFAULT;
    if (!is_time(&arg[0]) || !is_time(&arg[1]) || flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
        return -EINVAL;
    if (filename) {
        err = user_path_at(dfd, filename, flags, &path);
        if (!err) {
            err = change_inode(&path, path.dentry->d_inode, set_times, arg);
            path_put(&path);
        }
        return err;
    }
    file = fget(dfd);
    if (!file)
        return -EBADF;
    err = change_inode(&file->f_path, file->f_inode, set_times, arg);
    fput(file);
    return err;
}

/* The generic layout, which RISC-V uses. */
struct stat {
    unsigned long st_dev, st_ino;
    unsigned int st_mode, st_nlink, st_uid, st_gid;
    unsigned long st_rdev, pad1;
    long st_size;
    int st_blksize, pad2;
    long st_blocks;
    long st_atime, st_atime_nsec, st_mtime, st_mtime_nsec, st_ctime, st_ctime_nsec;
    unsigned int unused[2];
};

static int cp_new_stat(const struct kstat *kst, struct stat __user *statbuf)
{
    struct stat st = {
        .st_dev = new_encode_dev(kst->dev),
        .st_ino = kst->ino,
        .st_mode = kst->mode,
        .st_nlink = kst->nlink,
        .st_rdev = new_encode_dev(kst->rdev),
        .st_size = kst->size,
        .st_blksize = kst->blksize,
        .st_blocks = kst->blocks,
        .st_atime = kst->atime,
        .st_mtime = kst->mtime,
        .st_ctime = kst->ctime,
    };

    return copy_to_user(statbuf, &st, sizeof(st)) ? -EFAULT : 0;
}

SYSCALL_DEFINE2(newfstat, unsigned int, fd, struct stat __user *, statbuf)
{
    struct kstat st;
    int err = vfs_fstat(fd, &st);

    return err ? err : cp_new_stat(&st, statbuf);
}

SYSCALL_DEFINE4(newfstatat, int, dfd, const char __user *, filename, struct stat __user *, statbuf,
                int, flag)
{
    struct kstat st;
    char *path;
    int err;

    if (flag & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH))
        return -EINVAL;
    path = getname(filename);
    if (path == ERR_PTR(-ENOENT) && flag & AT_EMPTY_PATH)
        err = vfs_fstat(dfd, &st);
    else
        err = IS_ERR(path) ? PTR_ERR(path) : vfs_fstatat(dfd, path, follow_flags(flag), &st);
    if (!IS_ERR(path))
        kfree(path);
    return err ? err : cp_new_stat(&st, statbuf);
}

enum { R_OK = 4, W_OK = 2, X_OK = 1 };

SYSCALL_DEFINE3(faccessat, int, dfd, const char __user *, filename, int, mode)
{
    char *path = getname(filename);
    struct kstat st;
    umode_t need = (mode & R_OK ? S_IRUGO : 0) | (mode & W_OK ? S_IWUGO : 0);
    int err;

    if (IS_ERR(path))
        return PTR_ERR(path);
    err = mode & ~7 ? -EINVAL : vfs_fstatat(dfd, path, LOOKUP_FOLLOW, &st);
    kfree(path);
    if (err)
        return err;
    if ((mode & R_OK && !(st.mode & need & S_IRUGO)) ||
        (mode & W_OK && !(st.mode & need & S_IWUGO)) || (mode & X_OK && !(st.mode & S_IXUGO)))
        return -EACCES;
    return 0;
}

struct linux_dirent64 {
    u64 d_ino;
    s64 d_off; /* position of the next entry */
    unsigned short d_reclen;
    unsigned char d_type;
    char d_name[];
};

struct getdents_callback {
    struct dir_context ctx;
    char *page;
    size_t used, size;
    struct linux_dirent64 *prev; /* its d_off is set to the next entry's position */
    bool full;
};

/*
 * Collects records in a kernel page: the directory is locked, and access to user memory may
 * sleep.
 */
static bool filldir64(struct dir_context *ctx, const char *name, size_t namelen, loff_t offset,
                      u64 ino, unsigned int type)
{
    struct getdents_callback *buf = container_of(ctx, struct getdents_callback, ctx);
    size_t reclen = ALIGN(offsetof(struct linux_dirent64, d_name) + namelen + 1, (size_t)8);
    struct linux_dirent64 *d = (struct linux_dirent64 *)(buf->page + buf->used);

    if (buf->prev)
        buf->prev->d_off = offset;
    buf->full = buf->used + reclen > buf->size;
    if (buf->full)
        return false;
    memset(d, 0, reclen);
    d->d_ino = ino;
    d->d_reclen = reclen;
    d->d_type = type;
    memcpy(d->d_name, name, namelen);
    buf->used += reclen;
    buf->prev = d;
    return true;
}

SYSCALL_DEFINE3(getdents64, unsigned int, fd, char __user *, dirent, unsigned int, count)
{
    struct getdents_callback buf = {.ctx.actor = filldir64, .size = min(count, PAGE_SIZE)};
    struct file *file = fget(fd);
    long ret;

    if (!file)
        return -EBADF;
    buf.page = kmalloc(PAGE_SIZE);
    ret = buf.page ? iterate_dir(file, &buf.ctx) : -ENOMEM;
    if (buf.prev)
        buf.prev->d_off = buf.ctx.pos;
    if (ret >= 0)
        ret = buf.full && !buf.used ? -EINVAL : (long)buf.used;
    if (ret > 0 && copy_to_user(dirent, buf.page, ret))
        ret = -EFAULT;
    kfree(buf.page);
    fput(file);
    return ret;
}
