/* syscall.h - what the commands of bpf(2) share: objects with ids, and their descriptors. */
#ifndef BPF_SYSCALL_H
#define BPF_SYSCALL_H

#include "bpf_internal.h"
#include <linux/btf.h>
#include <linux/fs.h>

/* The last field that a command uses; all after it must be zero. */
#define CHECK_ATTR(field)                                                                    \
    bpf_all_zero((const char *)attr + offsetof(union bpf_attr, field) + sizeof(attr->field), \
                 (const char *)(attr + 1))

bool bpf_all_zero(const char *from, const char *to);
/* Whether what follows the bytes that are known here, in so many of a newer program, is zero. */
int bpf_check_uarg_tail_zero(const void __user *uaddr, u32 known, u32 size);

static inline void __user *bpf_user_ptr(u64 addr)
{
    return (void __user *)(unsigned long)addr;
}

/* ---- objects: counted, and with an id while they exist ---- */

enum bpf_kind { KIND_MAP, KIND_PROG, KIND_LINK, KIND_BTF, NR_KINDS };

int bpf_add_object(enum bpf_kind kind, void *object, u32 *id);
void bpf_remove_object(enum bpf_kind kind, const void *object);
/* Another reference to what may be on its way out; false: it is. */
bool bpf_ref_unless_zero(int *refcnt);
/* Whether it was the last one. */
bool bpf_drop_ref(int *refcnt);
/* A new descriptor of the object, which takes over a reference; or an error. */
int bpf_object_fd(const struct file_operations *fops, void *object, int flags);
/* A name is of letters, digits, `_' and `.', and ends within its field. */
int bpf_copy_name(char *to, const char *from);

extern const struct file_operations bpf_map_fops, bpf_prog_fops, bpf_link_fops, btf_fops;

struct bpf_link {
    int refcnt; /* atomics only */
    u32 id, type;
    struct bpf_prog *prog;               /* referenced */
    const struct bpf_raw_event_map *btp; /* of a raw tracepoint */
    struct file *perf_file;              /* of an event; referenced */
};

/* The link of a descriptor, with a reference; or ERR_PTR. */
struct bpf_link *bpf_link_get(u32 fd);
void bpf_link_inc(struct bpf_link *link);
void bpf_link_put(struct bpf_link *link);

/* New descriptors, which take over a reference; without one, it is put. */
int bpf_map_new_fd(struct bpf_map *map, int flags);
int bpf_prog_new_fd(struct bpf_prog *prog);
int bpf_link_new_fd(struct bpf_link *link);

void bpf_map_inc(struct bpf_map *map);
/* Beside a reference: that of a descriptor or name. */
void bpf_map_inc_uref(struct bpf_map *map);
void bpf_map_put_uref(struct bpf_map *map);

/* The types of a descriptor, with a reference; or ERR_PTR. */
struct btf *btf_get_by_fd(u32 fd);
void btf_put(struct btf *btf); /* NULL is allowed */
int btf_new_fd(struct btf *btf);
int btf_fill_info(const struct btf *btf, struct bpf_btf_info *info);
/* What the caller of the command says of a new map or program by types; 0 or an error. */
int bpf_map_set_btf(struct bpf_map *map, const union bpf_attr *attr);
int bpf_prog_set_btf(struct bpf_prog *prog, const union bpf_attr *attr);
void bpf_prog_free_btf(struct bpf_prog *prog);
int bpf_prog_fill_btf_info(const struct bpf_prog *prog, struct bpf_prog_info *info);

/* A log in the user's buffer. */
struct bpf_user_log {
    struct bpf_verifier_log log;
    char __user *buf;
    u32 size, used;
    bool full, fault;
};
/* Without a level, a buffer and a size there is none. 0 or an error. */
int bpf_user_log_init(struct bpf_user_log *ul, u32 level, u64 buf, u32 size);

/* O_*, of BPF_F_RDONLY and BPF_F_WRONLY. */
int bpf_map_open_flags(u32 map_flags);

/* ---- commands ---- */

int bpf_map_create(const union bpf_attr *attr);
int bpf_map_lookup(const union bpf_attr *attr, bool and_delete);
int bpf_map_update(const union bpf_attr *attr);
int bpf_map_delete(const union bpf_attr *attr);
int bpf_map_next_key(const union bpf_attr *attr);
int bpf_map_freeze(const union bpf_attr *attr);
/* kernel/bpf/tag.c: of the text as it was loaded, but without the numbers of descriptors. */
void bpf_prog_calc_tag(struct bpf_prog *prog);
int bpf_prog_load(const union bpf_attr *attr);
int bpf_prog_test_run(const union bpf_attr *attr, union bpf_attr __user *uattr);
int bpf_raw_tracepoint_open(const union bpf_attr *attr);
int bpf_link_create(const union bpf_attr *attr);
int bpf_link_update(const union bpf_attr *attr);
int bpf_link_detach(const union bpf_attr *attr);
int bpf_prog_bind_map(const union bpf_attr *attr);
int bpf_btf_load(const union bpf_attr *attr);
int bpf_obj_pin(const union bpf_attr *attr);
int bpf_obj_get(const union bpf_attr *attr);
int bpf_obj_get_info(const union bpf_attr *attr, union bpf_attr __user *uattr);

#endif
