/*
 * libc.h - what programs of the guest kernel build on.
 *
 * System calls answer as the kernel does: a result, or a negative error
 * number.  There is no errno.
 */
#ifndef USER_LIBC_H
#define USER_LIBC_H

#include <asm/unistd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int pid_t;
typedef long ssize_t;

enum {
    ENOENT = 2,
    EBADF = 9,
    ECHILD = 10,
    EAGAIN = 11,
    ENOMEM = 12,
    EACCES = 13,
    EFAULT = 14,
    EEXIST = 17,
    ENOTDIR = 20,
    EISDIR = 21,
    EINVAL = 22,
    ENOTTY = 25,
    ESPIPE = 29,
    EPIPE = 32,
    ENOEXEC = 8,
    ESRCH = 3,
    E2BIG = 7,
    ENOSYS = 38,
};

enum { O_RDONLY = 0, O_WRONLY = 1, O_RDWR = 2, O_CREAT = 0100, O_EXCL = 0200, O_TRUNC = 01000 };
enum { O_APPEND = 02000, O_CLOEXEC = 02000000, AT_FDCWD = -100, AT_REMOVEDIR = 0x200 };
enum { SEEK_SET, SEEK_CUR, SEEK_END };
enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4 };
enum { MAP_SHARED = 1, MAP_PRIVATE = 2, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20 };
enum { SIGILL = 4, SIGTRAP = 5, SIGBUS = 7, SIGKILL = 9, SIGSEGV = 11, SIGPIPE = 13 };
enum { SIGTERM = 15, SIGCHLD = 17, SIG_IGN = 1, SIG_DFL = 0 };
enum { WNOHANG = 1, CLONE_VM = 0x100, CLONE_VFORK = 0x4000 };
enum { PAGE_SIZE = 4096 };

#define WIFEXITED(status)   (((status)&0x7f) == 0)
#define WEXITSTATUS(status) ((status) >> 8 & 0xff)
#define WTERMSIG(status)    ((status)&0x7f)

struct timespec {
    int64_t tv_sec;
    long tv_nsec;
};

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

struct iovec {
    const void *iov_base;
    size_t iov_len;
};

struct sigaction {
    unsigned long handler, flags;
    uint64_t mask;
};

extern char **environ;

/* syscall.S: the number, then up to six arguments. */
long syscall(long number, ...);

ssize_t read(int fd, void *buf, size_t count);
ssize_t write(int fd, const void *buf, size_t count);
int open(const char *path, int flags, unsigned int mode);
int close(int fd);
int pipe(int fd[2]);
int dup2(int oldfd, int newfd);
pid_t getpid(void);
pid_t fork(void);
pid_t waitpid(pid_t pid, int *status, int options);
int execve(const char *path, char *const argv[], char *const envp[]);
_Noreturn void _exit(int code);
void *mmap(void *addr, size_t len, int prot, int flags, int fd, long offset);
int munmap(void *addr, size_t len);
int mprotect(void *addr, size_t len, int prot);
int kill(pid_t pid, int sig);
int sched_yield(void);
int nanosleep(const struct timespec *time, struct timespec *rest);
uint64_t clock_ns(void);
/* Moves the break up; the memory is zero. NULL: there is no more. */
void *sbrk(long bytes);

/* A child in the same memory, on a stack of its own, that runs fn(arg) and ends with status 0. */
pid_t spawn(void (*fn)(void *), void *arg, void *stack_top);

/* mmap's results that are errors. */
static inline bool is_error(const void *p)
{
    return (uintptr_t)p >= (uintptr_t)-4095;
}

/* string.c */
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
void *memcpy(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
unsigned long strtoul(const char *s);

/* stdio.c: %d %u %x %lu %lx %ld %s %c %%, widths, zero padding. Unbuffered: one write a call. */
int printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int vsnprintf(char *buf, size_t size, const char *fmt, va_list args);

/* check.c: a test is a sentence that can be false. */
void check(const char *sentence, bool holds);
int check_result(void);

#endif
