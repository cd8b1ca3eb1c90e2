/* errno.h - Linux's error numbers, as far as this kernel returns them. */
#ifndef LINUX_ERRNO_H
#define LINUX_ERRNO_H

#define EPERM        1
#define ENOENT       2
#define EINTR        4
#define EIO          5
#define E2BIG        7
#define EBADF        9
#define EAGAIN       11
#define ENOMEM       12
#define EACCES       13
#define EFAULT       14
#define EBUSY        16
#define EEXIST       17
#define ENODEV       19
#define ENOTDIR      20
#define EISDIR       21
#define EINVAL       22
#define ENOSPC       28
#define ERANGE       34
#define ENAMETOOLONG 36
#define ENOSYS       38

/* A pointer that is an error: the last page of the address space is never mapped. */
#define MAX_ERRNO 4095

static inline void *ERR_PTR(long error)
{
    return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
    return (long)ptr;
}

static inline int IS_ERR(const void *ptr)
{
    return (unsigned long)ptr >= (unsigned long)-MAX_ERRNO;
}

const char *strerror(int errnum);

#endif
