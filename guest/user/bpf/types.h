/* types.h - the section .BTF of an object, for the files that read it. */
#ifndef USER_BPF_TYPES_H
#define USER_BPF_TYPES_H

#include "bpf.h"
#include <uapi/linux/btf.h>

struct btf {
    const char *types, *strings;
    uint32_t types_len, strings_len;
};

/* False: there is none, or it is damaged. */
bool open_btf(const struct object *o, struct btf *b);
/* The next type that is whole, or NULL; at: its offset, moved behind it. */
const struct btf_type *next_type(const struct btf *b, uint32_t *at);
/* The type of this number, from 1 on; its begin is in the data, which are whole. NULL: there is
 * none. */
const struct btf_type *type_of(const struct btf *b, uint32_t id);
const char *name_of(const struct btf *b, uint32_t off);

static inline unsigned int kind(const struct btf_type *t)
{
    return BTF_INFO_KIND(t->info);
}

static inline unsigned int vlen(const struct btf_type *t)
{
    return BTF_INFO_VLEN(t->info);
}

#endif
