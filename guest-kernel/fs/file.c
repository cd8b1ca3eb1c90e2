/* file.c - file descriptor tables. */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/sched.h>
#include <linux/slab.h>

/* A placeholder for a reserved descriptor whose file is not installed yet. */
#define FILE_RESERVED ((struct file *)1)

struct files_struct init_files = {.count = {1}};

static struct file *file_at(const struct files_struct *files, unsigned int fd)
{
    struct file *file = fd < NR_OPEN_DEFAULT ? files->fd[fd] : NULL;

    return file == FILE_RESERVED ? NULL : file;
}

static void mark_close_on_exec(struct files_struct *files, unsigned int fd, bool flag)
{
    files->close_on_exec &= ~(1ull << fd);
    files->close_on_exec |= (u64)flag << fd;
}

static int alloc_fd(unsigned int start, unsigned int flags)
{
    struct files_struct *files = current->files;
    unsigned int fd;

    spin_lock(&files->file_lock);
    for (fd = start; fd < NR_OPEN_DEFAULT && files->fd[fd];)
        fd++;
    if (fd < NR_OPEN_DEFAULT) {
        files->fd[fd] = FILE_RESERVED;
        mark_close_on_exec(files, fd, flags & O_CLOEXEC);
    }
    spin_unlock(&files->file_lock);
    return fd < NR_OPEN_DEFAULT ? (int)fd : -EMFILE;
}

int get_unused_fd_flags(unsigned int flags)
{
    return alloc_fd(0, flags);
}

static struct file *swap_fd(struct files_struct *files, unsigned int fd, struct file *file)
{
    struct file *old;

    spin_lock(&files->file_lock);
    old = file_at(files, fd);
    files->fd[fd] = file;
    spin_unlock(&files->file_lock);
    return old;
}

void put_unused_fd(unsigned int fd)
{
    swap_fd(current->files, fd, NULL);
}

void fd_install(unsigned int fd, struct file *file)
{
    swap_fd(current->files, fd, file);
}

struct file *fget(unsigned int fd)
{
    struct files_struct *files = current->files;
    struct file *file;

    spin_lock(&files->file_lock);
    file = file_at(files, fd);
    if (file)
        get_file(file);
    spin_unlock(&files->file_lock);
    return file;
}

int close_fd(unsigned int fd)
{
    struct files_struct *files = current->files;
    struct file *file;

    spin_lock(&files->file_lock);
    file = file_at(files, fd);
    if (file)
        files->fd[fd] = NULL;
    spin_unlock(&files->file_lock);
    return file ? filp_close(file) : -EBADF;
}

int do_dup(unsigned int fd, unsigned int from, unsigned int flags)
{
    struct file *file;
    int copy;

    if (from >= NR_OPEN_DEFAULT)
        return -EINVAL;
    file = fget(fd);
    if (!file)
        return -EBADF;
    copy = alloc_fd(from, flags);
    if (copy < 0)
        fput(file);
    else
        fd_install(copy, file);
    return copy;
}

int replace_fd(unsigned int fd, struct file *file, unsigned int flags)
{
    struct files_struct *files = current->files;
    struct file *old;

    if (fd >= NR_OPEN_DEFAULT)
        return -EBADF;
    spin_lock(&files->file_lock);
    old = files->fd[fd];
    if (old != FILE_RESERVED) {
        files->fd[fd] = get_file(file);
        mark_close_on_exec(files, fd, flags & O_CLOEXEC);
    }
    spin_unlock(&files->file_lock);
    if (old == FILE_RESERVED) /* another thread is opening it */
        return -EBUSY;
    if (old)
        filp_close(old);
    return 0;
}

int ksys_dup3(unsigned int oldfd, unsigned int newfd, int flags)
{
    struct file *file;
    int err;

    if (oldfd == newfd || (flags & ~O_CLOEXEC))
        return -EINVAL;
    file = fget(oldfd);
    if (!file)
        return -EBADF;
    err = replace_fd(newfd, file, flags);
    fput(file);
    return err ? err : (int)newfd;
}

bool get_close_on_exec(unsigned int fd)
{
    return fd < NR_OPEN_DEFAULT && (current->files->close_on_exec >> fd & 1);
}

void set_close_on_exec(unsigned int fd, bool flag)
{
    struct files_struct *files = current->files;

    spin_lock(&files->file_lock);
    if (fd < NR_OPEN_DEFAULT)
        mark_close_on_exec(files, fd, flag);
    spin_unlock(&files->file_lock);
}

int do_pipe_flags(int *fd, int flags)
{
    struct file *ends[2];
    int err = create_pipe_files(ends, flags);

    if (err)
        return err;
    fd[0] = get_unused_fd_flags(flags);
    fd[1] = fd[0] < 0 ? fd[0] : get_unused_fd_flags(flags);
    if (fd[1] < 0) {
        if (fd[0] >= 0)
            put_unused_fd(fd[0]);
        fput(ends[0]);
        fput(ends[1]);
        return fd[1];
    }
    fd_install(fd[0], ends[0]);
    fd_install(fd[1], ends[1]);
    return 0;
}

/* ---- tables ---- */

struct files_struct *get_files_struct(struct files_struct *files)
{
    atomic_inc(&files->count);
    return files;
}

struct files_struct *dup_fd(struct files_struct *old)
{
    struct files_struct *files = kzalloc(sizeof(*files));
    unsigned int fd;

    if (!files)
        return NULL;
    atomic_set(&files->count, 1);
    spin_lock(&old->file_lock);
    for (fd = 0; fd < NR_OPEN_DEFAULT; fd++) {
        files->fd[fd] = file_at(old, fd);
        if (files->fd[fd])
            get_file(files->fd[fd]);
    }
    files->close_on_exec = old->close_on_exec;
    spin_unlock(&old->file_lock);
    return files;
}

/* The last user closes all files. */
void put_files_struct(struct files_struct *files)
{
    unsigned int fd;

    if (!atomic_dec_and_test(&files->count))
        return;
    for (fd = 0; fd < NR_OPEN_DEFAULT; fd++)
        if (file_at(files, fd))
            filp_close(files->fd[fd]);
    kfree(files);
}

int unshare_files(void)
{
    struct files_struct *old = current->files, *copy;

    if (atomic_read(&old->count) == 1)
        return 0;
    copy = dup_fd(old);
    if (!copy)
        return -ENOMEM;
    current->files = copy;
    put_files_struct(old);
    return 0;
}

void exit_files(struct task_struct *task)
{
    struct files_struct *files = task->files;

    task->files = NULL;
    if (files)
        put_files_struct(files);
}

static struct file *take_close_on_exec(struct files_struct *files, unsigned int fd)
{
    struct file *file = NULL;

    spin_lock(&files->file_lock);
    if (files->close_on_exec >> fd & 1) {
        file = file_at(files, fd);
        files->fd[fd] = NULL;
        mark_close_on_exec(files, fd, false);
    }
    spin_unlock(&files->file_lock);
    return file;
}

void do_close_on_exec(struct files_struct *files)
{
    unsigned int fd;

    for (fd = 0; fd < NR_OPEN_DEFAULT; fd++) {
        struct file *file = take_close_on_exec(files, fd);

        if (file)
            filp_close(file);
    }
}
