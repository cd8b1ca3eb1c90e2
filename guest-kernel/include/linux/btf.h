/* btf.h - types that have been loaded by BPF_BTF_LOAD. */
#ifndef LINUX_BTF_H
#define LINUX_BTF_H

#include <linux/types.h>
#include <uapi/linux/btf.h>

struct bpf_verifier_log;

/* Checked types; does not change. */
struct btf {
    void *data; /* as loaded */
    u32 data_size;
    const char *strings;
    u32 str_len;
    const struct btf_type **types; /* by number; NULL: void */
    u32 nr_types;                  /* with void */
    u32 *resolved_ids, *resolved_sizes;
    u32 id;
    int refcnt; /* atomics only */
};

/* kernel/bpf/btf.c: takes over the data, of vmalloc(). The checked types, or ERR_PTR. */
struct btf *btf_parse(void *data, u32 size, struct bpf_verifier_log *log);
void btf_free(struct btf *btf);

/* NULL: there is no such type. */
const struct btf_type *btf_type_by_id(const struct btf *btf, u32 id);
/* NULL: the offset is not one. */
const char *btf_name_by_offset(const struct btf *btf, u32 offset);
/* The type without const, typedef and the like, and its size; NULL: it has none. */
const struct btf_type *btf_type_id_size(const struct btf *btf, u32 id, u32 *size);

static inline u32 btf_kind(const struct btf_type *t)
{
    return BTF_INFO_KIND(t->info);
}

static inline u32 btf_vlen(const struct btf_type *t)
{
    return BTF_INFO_VLEN(t->info);
}

#endif
