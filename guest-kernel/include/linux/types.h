/* types.h - integer types, and the link of lists. */
#ifndef LINUX_TYPES_H
#define LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>

/* A type instead of a macro: formats of events show the names of types. */
#undef bool
typedef _Bool bool;

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed int s32;
typedef signed long long s64;
typedef long ssize_t;
typedef long long loff_t;
typedef long off_t;
typedef int clockid_t;
typedef unsigned long uintptr_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int umode_t;
typedef unsigned int dev_t;

struct list_head {
    struct list_head *next, *prev;
};

#endif
