/* syscall.h - what the commands of bpf(2) share: objects, and their descriptors. */
#ifndef BPF_SYSCALL_H
#define BPF_SYSCALL_H

#include "bpf_internal.h"
#include <linux/fs.h>

/* The last field that a command uses; all after it must be zero. */
#define CHECK_ATTR(field)                                                                    \
    bpf_all_zero((const char *)attr + offsetof(union bpf_attr, field) + sizeof(attr->field), \
                 (const char *)(attr + 1))

bool bpf_all_zero(const char *from, const char *to);
/* Whether the bytes after the first `known` ones, of `size` that a newer program has given, are 0.
 */
int bpf_check_uarg_tail_zero(const void __user *uaddr, u32 known, u32 size);

static inline void __user *bpf_user_ptr(u64 addr)
{
    return (void __user *)(unsigned long)addr;
}

/* Whether it was the last reference. */
bool bpf_drop_ref(int *refcnt);
/* The open file of a descriptor, with a reference, if it is of this kind; or ERR_PTR. */
struct file *bpf_object_file(u32 fd, const struct file_operations *fops);
/* A new descriptor of the object, which takes over a reference; or an error. */
int bpf_object_fd(const struct file_operations *fops, void *object);
/* A name is of letters, digits, `_' and `.', and ends within its field. */
int bpf_copy_name(char *to, const char *from);

/* ---- commands ---- */

int bpf_map_create(const union bpf_attr *attr);
int bpf_map_lookup(const union bpf_attr *attr);
int bpf_map_update(const union bpf_attr *attr);
int bpf_map_delete(const union bpf_attr *attr);
int bpf_map_next_key(const union bpf_attr *attr);
int bpf_prog_load(const union bpf_attr *attr);
int bpf_prog_test_run(const union bpf_attr *attr, union bpf_attr __user *uattr);
int bpf_prog_get_info(const union bpf_attr *attr, union bpf_attr __user *uattr);
int bpf_raw_tracepoint_open(const union bpf_attr *attr);

#endif
