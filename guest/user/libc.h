/*
 * libc.h - the C library of the programs for the guest kernel.
 *
 * Functions return the result of the system call, or a negative error number; there is no
 * errno. Error numbers, signals and flags come from the kernel's headers, and so do the string
 * functions.
 */
#ifndef USER_LIBC_H
#define USER_LIBC_H

#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/glob.h>
#include <linux/signal.h>
#include <linux/stat.h>
#include <linux/string.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uapi/linux/mount.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define min(a, b)     ((a) < (b) ? (a) : (b))
#define max(a, b)     ((a) > (b) ? (a) : (b))
#define PRINTF(n, m)  __attribute__((format(printf, n, m)))

enum { SEEK_SET, SEEK_CUR, SEEK_END };
enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4 };
enum { MAP_SHARED = 1, MAP_PRIVATE = 2, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20 };
enum { SIG_DFL = 0, SIG_IGN = 1, SA_RESTART = 0x10000000, SA_NODEFER = 0x40000000 };
#define SA_RESETHAND 0x80000000ul
enum { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };
enum { WNOHANG = 1, WUNTRACED = 2, WCONTINUED = 8, CLONE_VM = 0x100, CLONE_VFORK = 0x4000 };
enum { F_DUPFD = 0, F_GETFD = 1, F_SETFD = 2, F_DUPFD_CLOEXEC = 1030, FD_CLOEXEC = 1 };
enum { TCGETS = 0x5401, TCSETSW = 0x5403, TIOCSCTTY = 0x540e, TIOCGPGRP, TIOCSPGRP };
enum { TIOCGWINSZ = 0x5413 };
/* Of struct termios. */
enum { VMIN = 6, OPOST = 1, ICANON = 2, ECHO = 8 };
enum { PAGE_SIZE = 4096, PATH_MAX = 4096 };

#define WIFEXITED(status)   (((status)&0x7f) == 0)
#define WEXITSTATUS(status) ((status) >> 8 & 0xff)
#define WTERMSIG(status)    ((status)&0x7f)
#define WIFSTOPPED(status)  (((status)&0xff) == 0x7f)
#define WSTOPSIG(status)    WEXITSTATUS(status)
#define WIFCONTINUED(s)     ((s) == 0xffff)

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

struct dirent {
    uint64_t ino;
    int64_t off;
    unsigned short reclen;
    unsigned char type;
    char name[];
};

struct termios {
    uint32_t c_iflag, c_oflag, c_cflag, c_lflag;
    uint8_t c_line, c_cc[19];
};

struct winsize {
    unsigned short rows, columns, xpixel, ypixel;
};

struct iovec {
    const void *iov_base;
    size_t iov_len;
};

/* The handler gets the signal's number, and Linux's siginfo and ucontext. */
struct sigaction {
    unsigned long handler, flags;
    uint64_t mask;
};

extern char **environ;

/* syscall.S: the system call number, then up to six arguments. */
long syscall(long number, ...);

/* unistd.c */
ssize_t read(int fd, void *buf, size_t count);
ssize_t write(int fd, const void *buf, size_t count);
int open(const char *path, int flags, unsigned int mode);
int close(int fd);
long lseek(int fd, long offset, int whence);
int pipe(int fd[2]);
int dup2(int oldfd, int newfd);
int fcntl(int fd, int command, long arg);
int ioctl(int fd, unsigned int command, void *arg);
int stat(const char *path, struct stat *st);
/* The same, but of a symbolic link itself. */
int lstat(const char *path, struct stat *st);
int fstat(int fd, struct stat *st);
int mkdir(const char *path, unsigned int mode);
int rmdir(const char *path);
int unlink(const char *path);
int rename(const char *from, const char *to);
int chdir(const char *path);
int mount(const char *dev, const char *dir, const char *type, unsigned long flags,
          const char *options);
int umount(const char *dir, int flags);
ssize_t getdents(int fd, void *buf, size_t size);
pid_t getpid(void);
pid_t fork(void);
pid_t waitpid(pid_t pid, int *status, int options);
int execve(const char *path, char *const argv[], char *const envp[]);
_Noreturn void _exit(int code);
void *mmap(void *addr, size_t len, int prot, int flags, int fd, long offset);
int munmap(void *addr, size_t len);
int mprotect(void *addr, size_t len, int prot);
int kill(pid_t pid, int sig);
int setpgid(pid_t pid, pid_t pgrp);
int sigaction(int sig, const struct sigaction *act, struct sigaction *old);
int sigprocmask(int how, const uint64_t *set, uint64_t *old);
int sched_yield(void);
int nanosleep(const struct timespec *time, struct timespec *rest);
uint64_t clock_ns(void);
/* Moves the program break; new memory is zeroed. Returns the old break; NULL: no memory. */
void *sbrk(long bytes);

/*
 * Creates a child in the same memory, on its own stack, which runs fn(arg) and ends with status
 * 0.
 */
pid_t spawn(void (*fn)(void *), void *arg, void *stack_top);

/* Returns whether a result of mmap() is an error. */
static inline bool is_error(const void *p)
{
    return IS_ERR(p);
}

/* malloc.c: return NULL if there is no memory. Not thread-safe. */
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void free(void *p);

/* The kernel's lib/kstrtox.c: returns 0, -EINVAL (not a number) or -ERANGE. */
int kstrtoul(const char *s, unsigned int base, unsigned long *res);
/* Converts the leading decimal digits of s. */
unsigned long strtoul(const char *s);

/*
 * printf() in stdio.c writes once per call; snprintf() and vsnprintf() are the kernel's
 * lib/vsprintf.c, without %pS and its like.
 */
int printf(const char *fmt, ...) PRINTF(1, 2);
int snprintf(char *buf, size_t size, const char *fmt, ...) PRINTF(3, 4);
int vsnprintf(char *buf, size_t size, const char *fmt, va_list args);

/* check.c: check() prints whether a claim holds; check_result() returns 1 if any did not. */
void check(const char *sentence, bool holds);
int check_result(void);

#endif
