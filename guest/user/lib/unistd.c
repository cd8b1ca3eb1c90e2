/* unistd.c - system calls by their C names. */
#include "../libc.h"

ssize_t read(int fd, void *buf, size_t count)
{
    return syscall(__NR_read, fd, buf, count);
}

ssize_t write(int fd, const void *buf, size_t count)
{
    return syscall(__NR_write, fd, buf, count);
}

int open(const char *path, int flags, unsigned int mode)
{
    return syscall(__NR_openat, AT_FDCWD, path, flags, mode);
}

int close(int fd)
{
    return syscall(__NR_close, fd);
}

int pipe(int fd[2])
{
    return syscall(__NR_pipe2, fd, 0);
}

int dup2(int oldfd, int newfd)
{
    return oldfd == newfd ? oldfd : syscall(__NR_dup3, oldfd, newfd, 0);
}

long lseek(int fd, long offset, int whence)
{
    return syscall(__NR_lseek, fd, offset, whence);
}

int fcntl(int fd, int command, long arg)
{
    return syscall(__NR_fcntl, fd, command, arg);
}

int ioctl(int fd, unsigned int command, void *arg)
{
    return syscall(__NR_ioctl, fd, command, arg);
}

int stat(const char *path, struct stat *st)
{
    return syscall(__NR_newfstatat, AT_FDCWD, path, st, 0);
}

int lstat(const char *path, struct stat *st)
{
    return syscall(__NR_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *st)
{
    return syscall(__NR_fstat, fd, st);
}

int mkdir(const char *path, unsigned int mode)
{
    return syscall(__NR_mkdirat, AT_FDCWD, path, mode);
}

int rmdir(const char *path)
{
    return syscall(__NR_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int unlink(const char *path)
{
    return syscall(__NR_unlinkat, AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to)
{
    return syscall(__NR_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int chdir(const char *path)
{
    return syscall(__NR_chdir, path);
}

int mount(const char *dev, const char *dir, const char *type, unsigned long flags,
          const char *options)
{
    return syscall(__NR_mount, dev, dir, type, flags, options);
}

int umount(const char *dir, int flags)
{
    return syscall(__NR_umount2, dir, flags);
}

ssize_t getdents(int fd, void *buf, size_t size)
{
    return syscall(__NR_getdents64, fd, buf, size);
}

pid_t getpid(void)
{
    return syscall(__NR_getpid);
}

pid_t fork(void)
{
    return syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    return syscall(__NR_wait4, pid, status, options, 0);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
    return syscall(__NR_execve, path, argv, envp);
}

void _exit(int code)
{
    for (;;)
        syscall(__NR_exit_group, code);
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, long offset)
{
    return (void *)syscall(__NR_mmap, addr, len, prot, flags, fd, offset);
}

int munmap(void *addr, size_t len)
{
    return syscall(__NR_munmap, addr, len);
}

int mprotect(void *addr, size_t len, int prot)
{
    return syscall(__NR_mprotect, addr, len, prot);
}

int kill(pid_t pid, int sig)
{
    return syscall(__NR_kill, pid, sig);
}

int setpgid(pid_t pid, pid_t pgrp)
{
    return syscall(__NR_setpgid, pid, pgrp);
}

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
    return syscall(__NR_rt_sigaction, sig, act, old, sizeof(uint64_t));
}

int sigprocmask(int how, const uint64_t *set, uint64_t *old)
{
    return syscall(__NR_rt_sigprocmask, how, set, old, sizeof(*set));
}

int sched_yield(void)
{
    return syscall(__NR_sched_yield);
}

int nanosleep(const struct timespec *time, struct timespec *rest)
{
    return syscall(__NR_nanosleep, time, rest);
}

uint64_t clock_ns(void)
{
    struct timespec now = {0, 0};

    syscall(__NR_clock_gettime, 1, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

void *sbrk(long bytes)
{
    char *old = (char *)syscall(__NR_brk, 0);

    return (char *)syscall(__NR_brk, old + bytes) == old + bytes ? old : NULL;
}

unsigned long strtoul(const char *s)
{
    unsigned long n = 0;

    for (; *s >= '0' && *s <= '9'; s++)
        n = n * 10 + (*s - '0');
    return n;
}
