/*
 * btf.c - types that BPF_BTF_LOAD brings: a header, types, and their names.
 *
 * First each type is checked for itself, then what types say of others (btf_resolve.c). So who
 * uses them later need not check anything.
 */
#include "btf.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

static const char *const kind_names[NR_BTF_KINDS] = {
    [BTF_KIND_UNKN] = "UNKNOWN",      [BTF_KIND_INT] = "INT",
    [BTF_KIND_PTR] = "PTR",           [BTF_KIND_ARRAY] = "ARRAY",
    [BTF_KIND_STRUCT] = "STRUCT",     [BTF_KIND_UNION] = "UNION",
    [BTF_KIND_ENUM] = "ENUM",         [BTF_KIND_FWD] = "FWD",
    [BTF_KIND_TYPEDEF] = "TYPEDEF",   [BTF_KIND_VOLATILE] = "VOLATILE",
    [BTF_KIND_CONST] = "CONST",       [BTF_KIND_RESTRICT] = "RESTRICT",
    [BTF_KIND_FUNC] = "FUNC",         [BTF_KIND_FUNC_PROTO] = "FUNC_PROTO",
    [BTF_KIND_VAR] = "VAR",           [BTF_KIND_DATASEC] = "DATASEC",
    [BTF_KIND_FLOAT] = "FLOAT",       [BTF_KIND_DECL_TAG] = "DECL_TAG",
    [BTF_KIND_TYPE_TAG] = "TYPE_TAG", [BTF_KIND_ENUM64] = "ENUM64",
};

int btf_bad(const struct btf_env *env, u32 id, const struct btf_type *t, const char *why)
{
    const char *name = btf_name_by_offset(env->btf, t->name_off);

    bpf_log(env->log, "[%u] %s %s %s\n", id, kind_names[btf_kind(t)],
            name && *name ? name : "(anon)", why);
    return -EINVAL;
}

static int bad_data(const struct btf_env *env, const char *why)
{
    bpf_log(env->log, "%s\n", why);
    return -EINVAL;
}

const struct btf_type *btf_type_by_id(const struct btf *btf, u32 id)
{
    static const struct btf_type type_void;

    return !id ? &type_void : id < btf->nr_types ? btf->types[id] : NULL;
}

const char *btf_name_by_offset(const struct btf *btf, u32 offset)
{
    return offset < btf->str_len ? btf->strings + offset : NULL;
}

/* ---- a type for itself ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

bool btf_name_valid(const struct btf *btf, u32 offset)
{
    const char *name = btf_name_by_offset(btf, offset);
    u32 i;

    if (!offset || !name || !is_letter(*name))
        return false;
    for (i = 1; name[i] && i < 128; i++)
        if (!is_letter(name[i]) && !(name[i] >= '0' && name[i] <= '9'))
            return false;
    return !name[i];
}

/* What a kind of types has. */
enum {
    HAS_COUNT = 1,
    HAS_FLAG = 2,
    NAME_ANY = 4,
    NAME_NONE = 8,      /* it must not have one */
    NAME_NEEDED = 16,   /* a word */
    NAME_OPTIONAL = 32, /* a word or none */
    NAME_TEXT = 64,     /* a text, not empty */
    IS_REFERENCE = 128, /* to another type, or void */
};

static const u8 traits[NR_BTF_KINDS] = {
    [BTF_KIND_INT] = NAME_ANY,
    [BTF_KIND_PTR] = NAME_NONE | IS_REFERENCE,
    [BTF_KIND_ARRAY] = NAME_NONE,
    [BTF_KIND_STRUCT] = HAS_COUNT | HAS_FLAG | NAME_OPTIONAL,
    [BTF_KIND_UNION] = HAS_COUNT | HAS_FLAG | NAME_OPTIONAL,
    [BTF_KIND_ENUM] = HAS_COUNT | HAS_FLAG | NAME_OPTIONAL,
    [BTF_KIND_FWD] = HAS_FLAG | NAME_NEEDED,
    [BTF_KIND_TYPEDEF] = NAME_NEEDED | IS_REFERENCE,
    [BTF_KIND_VOLATILE] = NAME_NONE | IS_REFERENCE,
    [BTF_KIND_CONST] = NAME_NONE | IS_REFERENCE,
    [BTF_KIND_RESTRICT] = NAME_NONE | IS_REFERENCE,
    [BTF_KIND_FUNC] = HAS_COUNT | NAME_NEEDED,
    [BTF_KIND_FUNC_PROTO] = HAS_COUNT | NAME_NONE,
    [BTF_KIND_VAR] = NAME_NEEDED | IS_REFERENCE,
    [BTF_KIND_DATASEC] = HAS_COUNT | NAME_NEEDED,
    [BTF_KIND_FLOAT] = NAME_ANY,
    [BTF_KIND_DECL_TAG] = NAME_TEXT,
    [BTF_KIND_TYPE_TAG] = NAME_TEXT | IS_REFERENCE,
    [BTF_KIND_ENUM64] = HAS_COUNT | HAS_FLAG | NAME_OPTIONAL,
};

/* Bytes that follow a type. */
static u32 rest_of(const struct btf_type *t)
{
    switch (btf_kind(t)) {
    case BTF_KIND_INT: return sizeof(u32);
    case BTF_KIND_ARRAY: return sizeof(struct btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION: return btf_vlen(t) * sizeof(struct btf_member);
    case BTF_KIND_ENUM: return btf_vlen(t) * sizeof(struct btf_enum);
    case BTF_KIND_ENUM64: return btf_vlen(t) * sizeof(struct btf_enum64);
    case BTF_KIND_FUNC_PROTO: return btf_vlen(t) * sizeof(struct btf_param);
    case BTF_KIND_VAR: return sizeof(struct btf_var);
    case BTF_KIND_DATASEC: return btf_vlen(t) * sizeof(struct btf_var_secinfo);
    case BTF_KIND_DECL_TAG: return sizeof(struct btf_decl_tag);
    default: return 0;
    }
}

static int check_name(const struct btf_env *env, u32 id, const struct btf_type *t)
{
    u8 has = traits[btf_kind(t)];
    bool ok = true;

    if (has & NAME_NONE)
        ok = !t->name_off;
    else if (has & NAME_NEEDED)
        ok = btf_name_valid(env->btf, t->name_off);
    else if (has & NAME_OPTIONAL)
        ok = !t->name_off || btf_name_valid(env->btf, t->name_off);
    else if (has & NAME_TEXT)
        ok = *btf_name_by_offset(env->btf, t->name_off);
    return ok ? 0 : btf_bad(env, id, t, "Invalid name");
}

static int check_int(const struct btf_env *env, u32 id, const struct btf_type *t)
{
    u32 data = *(const u32 *)(t + 1), bits = BTF_INT_BITS(data) + BTF_INT_OFFSET(data);
    u32 encoding = BTF_INT_ENCODING(data);

    if (data & ~0x0fffffffu)
        return btf_bad(env, id, t, "Invalid int_data");
    if (bits > 128)
        return btf_bad(env, id, t, "nr_bits exceeds 128");
    if ((bits + 7) / 8 > t->size)
        return btf_bad(env, id, t, "nr_bits exceeds type_size");
    if (encoding & (encoding - 1) || encoding == 8) {
        btf_bad(env, id, t, "Unsupported encoding");
        return -ENOTSUPP;
    }
    return 0;
}

static int check_struct(const struct btf_env *env, u32 id, const struct btf_type *t)
{
    const struct btf_member *m = (const struct btf_member *)(t + 1);
    u32 last = 0, i;

    for (i = 0; i < btf_vlen(t); i++, m++) {
        u32 offset = BTF_INFO_KFLAG(t->info) ? m->offset & 0xffffff : m->offset;

        if (m->name_off && !btf_name_valid(env->btf, m->name_off))
            return btf_bad(env, id, t, "Invalid name");
        if (!m->type || m->type > BTF_MAX_TYPE)
            return btf_bad(env, id, t, "Invalid type_id");
        if (offset < last || (btf_kind(t) == BTF_KIND_UNION && offset))
            return btf_bad(env, id, t, "Invalid member bits_offset");
        if (((u64)offset + 7) / 8 > t->size)
            return btf_bad(env, id, t, "Member bits_offset exceeds its struct size");
        last = offset;
    }
    return 0;
}

/* Of both widths: each element begins with its name. */
static int check_enum(const struct btf_env *env, u32 id, const struct btf_type *t)
{
    u32 step = btf_kind(t) == BTF_KIND_ENUM ? sizeof(struct btf_enum) : sizeof(struct btf_enum64);
    const char *at = (const char *)(t + 1);
    u32 i;

    if (!t->size || t->size > 8 || t->size & (t->size - 1))
        return btf_bad(env, id, t, "Unexpected size");
    for (i = 0; i < btf_vlen(t); i++, at += step)
        if (!btf_name_valid(env->btf, *(const u32 *)at))
            return btf_bad(env, id, t, "Invalid name");
    return 0;
}

static int check_datasec(const struct btf_env *env, u32 id, const struct btf_type *t)
{
    const struct btf_var_secinfo *v = (const struct btf_var_secinfo *)(t + 1);
    u64 end = 0;
    u32 i;

    if (!t->size)
        return btf_bad(env, id, t, "size == 0");
    for (i = 0; i < btf_vlen(t); i++, v++) {
        if (!v->type || v->type > BTF_MAX_TYPE)
            return btf_bad(env, id, t, "Invalid type_id");
        if (v->offset < end || v->offset >= t->size)
            return btf_bad(env, id, t, "Invalid offset");
        if (!v->size || v->size > t->size)
            return btf_bad(env, id, t, "Invalid size");
        end = (u64)v->offset + v->size;
        if (end > t->size)
            return btf_bad(env, id, t, "Invalid offset+size");
    }
    return 0;
}

static int check_kind(const struct btf_env *env, u32 id, const struct btf_type *t)
{
    const struct btf_array *array = (const struct btf_array *)(t + 1);

    switch (btf_kind(t)) {
    case BTF_KIND_INT: return check_int(env, id, t);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION: return check_struct(env, id, t);
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64: return check_enum(env, id, t);
    case BTF_KIND_DATASEC: return check_datasec(env, id, t);
    case BTF_KIND_FWD: return t->type ? btf_bad(env, id, t, "type != 0") : 0;
    case BTF_KIND_FUNC:
        return btf_vlen(t) > BTF_FUNC_GLOBAL ? btf_bad(env, id, t, "Invalid func linkage") : 0;
    case BTF_KIND_FLOAT:
        return t->size == 2 || t->size == 4 || t->size == 8 || t->size == 12 || t->size == 16
                   ? 0
                   : btf_bad(env, id, t, "Invalid type_size");
    case BTF_KIND_VAR:
        if (!t->type)
            return btf_bad(env, id, t, "Invalid type_id");
        return ((const struct btf_var *)(t + 1))->linkage > 1
                   ? btf_bad(env, id, t, "Linkage not supported")
                   : 0;
    case BTF_KIND_DECL_TAG:
        return ((const struct btf_decl_tag *)(t + 1))->component_idx < -1
                   ? btf_bad(env, id, t, "Invalid component_idx")
                   : 0;
    case BTF_KIND_ARRAY:
        if (t->size)
            return btf_bad(env, id, t, "size != 0");
        if (!array->type || array->type > BTF_MAX_TYPE)
            return btf_bad(env, id, t, "Invalid elem");
        return !array->index_type || array->index_type > BTF_MAX_TYPE
                   ? btf_bad(env, id, t, "Invalid index")
                   : 0;
    default: return 0;
    }
}

/* The size of the type in the data, of which so much is left; or an error. */
static int check_type(const struct btf_env *env, u32 id, const struct btf_type *t, u32 left)
{
    int err;

    if (left < sizeof(*t)) {
        bpf_log(env->log, "[%u] meta_left:%u meta_needed:%u\n", id, left, (u32)sizeof(*t));
        return -EINVAL;
    }
    if (t->info & ~0x9f00ffffu) {
        bpf_log(env->log, "[%u] Invalid btf_info:%x\n", id, t->info);
        return -EINVAL;
    }
    if (btf_kind(t) > BTF_KIND_MAX || btf_kind(t) == BTF_KIND_UNKN) {
        bpf_log(env->log, "[%u] Invalid kind:%u\n", id, btf_kind(t));
        return -EINVAL;
    }
    if (t->name_off >= env->btf->str_len || t->name_off > BTF_MAX_NAME_OFFSET) {
        bpf_log(env->log, "[%u] Invalid name_offset:%u\n", id, t->name_off);
        return -EINVAL;
    }
    if (left - sizeof(*t) < rest_of(t))
        return btf_bad(env, id, t, "is longer than what is left");
    if (btf_vlen(t) && !(traits[btf_kind(t)] & HAS_COUNT))
        return btf_bad(env, id, t, "vlen != 0");
    if (BTF_INFO_KFLAG(t->info) && !(traits[btf_kind(t)] & HAS_FLAG))
        return btf_bad(env, id, t, "Invalid btf_info kind_flag");
    if (traits[btf_kind(t)] & IS_REFERENCE && t->type > BTF_MAX_TYPE)
        return btf_bad(env, id, t, "Invalid type_id");
    err = check_name(env, id, t);
    if (!err)
        err = check_kind(env, id, t);
    return err ? err : (int)(sizeof(*t) + rest_of(t));
}

/* ---- the parts of the data ---- */

/* Types and names follow the header without a gap. */
static int check_sections(const struct btf_env *env, const struct btf_header *h, u32 size)
{
    u32 all = size - h->hdr_len;
    bool types_first = h->type_off <= h->str_off;
    u32 first = types_first ? h->type_off : h->str_off;
    u32 first_len = types_first ? h->type_len : h->str_len;
    u32 second = types_first ? h->str_off : h->type_off;
    u32 second_len = types_first ? h->str_len : h->type_len;

    if (first > all)
        return bad_data(env, "Invalid section offset");
    if (first)
        return bad_data(env, "Unsupported section found");
    if (first_len > all)
        return bad_data(env, "Total section length too long");
    if (second > all)
        return bad_data(env, "Invalid section offset");
    if (second != first_len)
        return bad_data(env,
                        second > first_len ? "Unsupported section found" : "Section overlap found");
    if (second_len > all - second)
        return bad_data(env, "Total section length too long");
    if (second + second_len != all)
        return bad_data(env, "Unsupported section found");
    return 0;
}

static int check_header(const struct btf_env *env, struct btf_header *h)
{
    const u8 *data = env->btf->data;
    u32 size = env->btf->data_size, len, i;

    if (size < offsetof(struct btf_header, type_off))
        return bad_data(env, "hdr_len not found");
    memcpy(h, data, offsetof(struct btf_header, type_off));
    len = h->hdr_len;
    if (size < len)
        return bad_data(env, "btf_header not found");
    for (i = sizeof(*h); i < len; i++)
        if (data[i]) {
            bad_data(env, "Unsupported btf_header");
            return -E2BIG;
        }
    memset(h, 0, sizeof(*h));
    memcpy(h, data, min(len, (u32)sizeof(*h)));
    h->hdr_len = len;
    if (h->magic != BTF_MAGIC)
        return bad_data(env, "Invalid magic");
    if (h->version != BTF_VERSION || h->flags) {
        bad_data(env, h->flags ? "Unsupported flags" : "Unsupported version");
        return -ENOTSUPP;
    }
    if (size == len)
        return bad_data(env, "No data");
    return check_sections(env, h, size);
}

static int check_strings(const struct btf_env *env, const struct btf_header *h)
{
    struct btf *btf = env->btf;

    btf->strings = (const char *)btf->data + h->hdr_len + h->str_off;
    btf->str_len = h->str_len;
    if (h->hdr_len + h->str_off + h->str_len != btf->data_size)
        return bad_data(env, "String section is not at the end");
    if (!h->str_len || h->str_len - 1 > BTF_MAX_NAME_OFFSET || btf->strings[h->str_len - 1] ||
        btf->strings[0])
        return bad_data(env, "Invalid string section");
    return 0;
}

/* Calls check_type() for each, and then keeps where each is. */
static int check_types(const struct btf_env *env, const struct btf_header *h)
{
    struct btf *btf = env->btf;
    const char *start = (const char *)btf->data + h->hdr_len + h->type_off;
    u32 at, id = 1;
    int size;

    if (h->type_off % 4 || h->hdr_len % 4)
        return bad_data(env, "Unaligned type_off");
    if (!h->type_len)
        return bad_data(env, "No type found");
    for (at = 0; at < h->type_len; at += size, id++) {
        size = check_type(env, id, (const struct btf_type *)(start + at), h->type_len - at);
        if (size < 0)
            return size;
        if (id > BTF_MAX_TYPE)
            return -E2BIG;
    }
    btf->nr_types = id;
    btf->types = vmalloc(id * sizeof(*btf->types));
    btf->resolved_ids = vmalloc(id * sizeof(u32));
    btf->resolved_sizes = vmalloc(id * sizeof(u32));
    if (!btf->types || !btf->resolved_ids || !btf->resolved_sizes)
        return -ENOMEM;
    memset(btf->resolved_ids, 0, id * sizeof(u32));
    memset(btf->resolved_sizes, 0, id * sizeof(u32));
    for (at = 0, id = 1; id < btf->nr_types; id++) {
        btf->types[id] = (const struct btf_type *)(start + at);
        at += sizeof(struct btf_type) + rest_of(btf->types[id]);
    }
    return 0;
}

void btf_free(struct btf *btf)
{
    vfree(btf->resolved_sizes);
    vfree(btf->resolved_ids);
    vfree(btf->types);
    vfree(btf->data);
    vfree(btf);
}

struct btf *btf_parse(void *data, u32 size, struct bpf_verifier_log *log)
{
    struct btf *btf = vmalloc(sizeof(*btf));
    struct btf_env env = {.btf = btf, .log = log};
    struct btf_header h;
    int err;

    if (!btf) {
        vfree(data);
        return ERR_PTR(-ENOMEM);
    }
    memset(btf, 0, sizeof(*btf));
    btf->data = data;
    btf->data_size = size;
    err = check_header(&env, &h);
    if (!err)
        err = check_strings(&env, &h);
    if (!err)
        err = check_types(&env, &h);
    if (!err)
        err = btf_resolve_all(&env);
    if (!err)
        return btf;
    btf_free(btf);
    return ERR_PTR(err);
}
