/* btf.h - types of programs and maps, as BPF_BTF_LOAD takes them. */
#ifndef UAPI_LINUX_BTF_H
#define UAPI_LINUX_BTF_H

#include <linux/types.h>

#define BTF_MAGIC   0xeb9f
#define BTF_VERSION 1

/* What the data begin with; offsets are from its end. */
struct btf_header {
    unsigned short magic;
    u8 version;
    u8 flags;
    u32 hdr_len;
    u32 type_off;
    u32 type_len;
    u32 str_off;
    u32 str_len;
};

#define BTF_MAX_TYPE        0x000fffff
#define BTF_MAX_NAME_OFFSET 0x00ffffff

/* Types are numbered from 1 in their order; 0 is void. */
struct btf_type {
    u32 name_off;
    u32 info; /* number of what follows, kind, and a flag */
    union {
        u32 size;
        u32 type;
    };
};

#define BTF_INFO_KIND(info)  (((info) >> 24) & 0x1f)
#define BTF_INFO_VLEN(info)  ((info)&0xffff)
#define BTF_INFO_KFLAG(info) ((info) >> 31)

enum {
    BTF_KIND_UNKN,
    BTF_KIND_INT,
    BTF_KIND_PTR,
    BTF_KIND_ARRAY,
    BTF_KIND_STRUCT,
    BTF_KIND_UNION,
    BTF_KIND_ENUM,
    BTF_KIND_FWD,
    BTF_KIND_TYPEDEF,
    BTF_KIND_VOLATILE,
    BTF_KIND_CONST,
    BTF_KIND_RESTRICT,
    BTF_KIND_FUNC,
    BTF_KIND_FUNC_PROTO,
    BTF_KIND_VAR,
    BTF_KIND_DATASEC,
    BTF_KIND_FLOAT,
    BTF_KIND_DECL_TAG,
    BTF_KIND_TYPE_TAG,
    BTF_KIND_ENUM64,
    NR_BTF_KINDS,
    BTF_KIND_MAX = NR_BTF_KINDS - 1,
};

/* After an integer: these three in a word. */
#define BTF_INT_ENCODING(val) (((val)&0x0f000000) >> 24)
#define BTF_INT_OFFSET(val)   (((val)&0x00ff0000) >> 16)
#define BTF_INT_BITS(val)     ((val)&0x000000ff)

struct btf_enum {
    u32 name_off;
    s32 val;
};

struct btf_enum64 {
    u32 name_off;
    u32 val_lo32;
    u32 val_hi32;
};

struct btf_array {
    u32 type;
    u32 index_type;
    u32 nelems;
};

/* offset: in bits; if the structure has the flag, the upper 8 bits are the width of a bit field. */
struct btf_member {
    u32 name_off;
    u32 type;
    u32 offset;
};

struct btf_param {
    u32 name_off;
    u32 type;
};

struct btf_var {
    u32 linkage;
};

enum { BTF_FUNC_STATIC = 0, BTF_FUNC_GLOBAL = 1, BTF_FUNC_EXTERN = 2 };

/* A variable in a section. */
struct btf_var_secinfo {
    u32 type;
    u32 offset;
    u32 size;
};

struct btf_decl_tag {
    s32 component_idx;
};

#endif
