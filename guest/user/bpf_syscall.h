/* bpf_syscall.h - bpf(2), and what programs ask it for again and again. */
#ifndef USER_BPF_SYSCALL_H
#define USER_BPF_SYSCALL_H

#include "libc.h"
#include <uapi/linux/bpf.h>

static inline int bpf(int cmd, union bpf_attr *attr)
{
    return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

/* The map's descriptor. */
static inline int map_create(unsigned int type, unsigned int key, unsigned int value,
                             unsigned int entries, unsigned int flags)
{
    union bpf_attr attr = {.map_type = type};

    attr.key_size = key;
    attr.value_size = value;
    attr.max_entries = entries;
    attr.map_flags = flags;
    return bpf(BPF_MAP_CREATE, &attr);
}

/* The same; the map gets this descriptor. */
static inline void map_at(int at, unsigned int type, unsigned int key, unsigned int value,
                          unsigned int entries)
{
    int fd = map_create(type, key, value, entries, 0);

    dup2(fd, at);
    close(fd);
}

/* Looks an element up, updates or deletes it, or gets the next key. */
static inline int map_op(int cmd, int fd, const void *key, void *value, uint64_t flags)
{
    union bpf_attr attr = {.map_fd = fd};

    attr.key = (unsigned long)key;
    attr.value = (unsigned long)value;
    attr.flags = flags;
    return bpf(cmd, &attr);
}

#endif
