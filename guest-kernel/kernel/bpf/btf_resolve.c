/*
 * btf_resolve.c - what types say of other types: which of them have a size, and that none
 * contains itself.
 *
 * A type is resolved when those that it needs are. A pointer needs no more of a structure or array
 * than that it is one, so that these can point to themselves; a structure or array needs no more of
 * a pointer.
 */
#include "btf.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

enum { MAX_DEPTH = 32, MAX_CHAIN = 32 };
enum { NOT_VISITED, VISITED, RESOLVED }; /* of a type */
/* What is followed: from a pointer, pointers; from a structure or array, these. */
enum mode { ANY, POINTERS, CONTENTS };

static bool is_modifier(const struct btf_type *t)
{
    switch (btf_kind(t)) {
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_CONST:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_TYPE_TAG: return true;
    default: return false;
    }
}

static bool is_struct(const struct btf_type *t)
{
    return btf_kind(t) == BTF_KIND_STRUCT || btf_kind(t) == BTF_KIND_UNION;
}

static bool has_no_size(const struct btf_type *t)
{
    if (!t)
        return true;
    switch (btf_kind(t)) {
    case BTF_KIND_UNKN: /* void */
    case BTF_KIND_FWD:
    case BTF_KIND_FUNC:
    case BTF_KIND_FUNC_PROTO:
    case BTF_KIND_DECL_TAG: return true;
    default: return false;
    }
}

/* No other type may be made of it. */
static bool is_no_part(const struct btf_type *t)
{
    u32 kind = btf_kind(t);

    return kind == BTF_KIND_VAR || kind == BTF_KIND_DECL_TAG || kind == BTF_KIND_DATASEC;
}

static bool needs_resolve(const struct btf_type *t)
{
    u32 kind = btf_kind(t);

    return is_modifier(t) || is_struct(t) || is_no_part(t) || kind == BTF_KIND_PTR ||
           kind == BTF_KIND_ARRAY || kind == BTF_KIND_FUNC;
}

/* The size that the type has for itself; false: it has none. */
static bool own_size(const struct btf *btf, u32 id, u32 *size)
{
    const struct btf_type *t = btf_type_by_id(btf, id);

    if (has_no_size(t) || is_modifier(t) || btf_kind(t) == BTF_KIND_VAR)
        return false;
    if (btf_kind(t) == BTF_KIND_ARRAY)
        *size = btf->resolved_sizes[id];
    else
        *size = btf_kind(t) == BTF_KIND_PTR ? sizeof(void *) : t->size;
    return true;
}

/* *id becomes that of the type that has the size; NULL: none. */
static const struct btf_type *sized(const struct btf *btf, u32 *id, u32 *size)
{
    const struct btf_type *t = btf_type_by_id(btf, *id);
    u32 n = 0;

    if (t && (is_modifier(t) || btf_kind(t) == BTF_KIND_VAR))
        *id = btf->resolved_ids[*id];
    if (!own_size(btf, *id, &n))
        return NULL;
    if (size)
        *size = n;
    return btf_type_by_id(btf, *id);
}

const struct btf_type *btf_type_id_size(const struct btf *btf, u32 id, u32 *size)
{
    return sized(btf, &id, size);
}

/* ---- members of structures ---- */

/* An integer of whole bytes, of a usual size. */
static bool is_regular(const struct btf_type *t)
{
    u32 data = *(const u32 *)(t + 1), bits = BTF_INT_BITS(data);

    return !BTF_INT_OFFSET(data) &&
           (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128);
}

/* Bits from there, of an integer or enumeration, which is read with the bytes around it. */
static bool bits_fit(const struct btf_type *in, u64 from, u64 bits)
{
    return bits + from % 8 <= 128 && (from + bits + 7) / 8 <= in->size;
}

static bool field_fits(const struct btf_type *in, const struct btf_type *t, u64 offset, u32 width)
{
    u32 data, most;

    if (btf_kind(t) == BTF_KIND_INT) {
        data = *(const u32 *)(t + 1);
        if (!BTF_INFO_KFLAG(in->info))
            return bits_fit(in, offset + BTF_INT_OFFSET(data), BTF_INT_BITS(data));
        if (!is_regular(t))
            return false;
        most = BTF_INT_BITS(data);
    } else {
        if (!BTF_INFO_KFLAG(in->info))
            return offset % 8 == 0 && offset / 8 + t->size <= in->size;
        most = 32;
    }
    if (!width)
        return offset % 8 == 0 && bits_fit(in, offset, most);
    return width <= most && bits_fit(in, offset, width);
}

static bool member_fits(const struct btf_env *env, const struct btf_type *in,
                        const struct btf_member *m)
{
    bool flag = BTF_INFO_KFLAG(in->info);
    u32 width = flag ? m->offset >> 24 : 0, offset = flag ? m->offset & 0xffffff : m->offset;
    u32 id = m->type, size = 0;
    const struct btf_type *t = sized(env->btf, &id, &size);

    if (!t)
        return false;
    switch (btf_kind(t)) {
    case BTF_KIND_INT:
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64: return field_fits(in, t, offset, width);
    case BTF_KIND_FLOAT:
        if (offset % (8 * min(t->size, (u32)sizeof(void *))))
            return false;
        /* fall through */
    default: return !width && offset % 8 == 0 && (u64)offset / 8 + size <= in->size;
    }
}

/* ---- resolving ---- */

static int resolve(struct btf_env *env, u32 id, enum mode mode, u32 depth);

static bool is_enough(const struct btf_type *t, enum mode mode)
{
    u32 kind = btf_kind(t);

    if (mode == ANY)
        return !needs_resolve(t);
    if (is_modifier(t))
        return false;
    return mode == POINTERS ? kind != BTF_KIND_PTR : kind != BTF_KIND_ARRAY && !is_struct(t);
}

static int need(struct btf_env *env, u32 id, enum mode mode, u32 depth)
{
    if (is_enough(btf_type_by_id(env->btf, id), mode) || env->state[id] == RESOLVED)
        return 0;
    return resolve(env, id, mode, depth + 1);
}

/* Modifiers, pointers and variables: what they are of. */
static int resolve_reference(struct btf_env *env, u32 id, const struct btf_type *t, enum mode mode,
                             u32 depth)
{
    const struct btf *btf = env->btf;
    u32 to = t->type;
    const struct btf_type *next = btf_type_by_id(btf, to);
    int err;

    if (!next || is_no_part(next))
        return btf_bad(env, id, t, "Invalid type_id");
    err = need(env, to, mode, depth);
    /* What is const may have been resolved only up to a pointer. */
    if (!err && !is_modifier(t) && is_modifier(next)) {
        const struct btf_type *end = btf_type_by_id(btf, btf->resolved_ids[to]);

        if (btf_kind(end) == BTF_KIND_PTR)
            err = need(env, btf->resolved_ids[to], mode, depth);
    }
    if (err)
        return err;
    if (!sized(btf, &to, NULL)) {
        if (env->state[t->type] == RESOLVED) {
            to = btf->resolved_ids[t->type];
            next = btf_type_by_id(btf, to);
        }
        if (btf_kind(t) == BTF_KIND_VAR ||
            (btf_kind(next) != BTF_KIND_UNKN && btf_kind(next) != BTF_KIND_FWD &&
             btf_kind(next) != BTF_KIND_FUNC_PROTO))
            return btf_bad(env, id, t, "Invalid type_id");
    }
    btf->resolved_ids[id] = to;
    return 0;
}

static int resolve_array(struct btf_env *env, u32 id, const struct btf_type *t, enum mode mode,
                         u32 depth)
{
    const struct btf_array *array = (const struct btf_array *)(t + 1);
    const struct btf *btf = env->btf;
    const struct btf_type *index = btf_type_by_id(btf, array->index_type);
    const struct btf_type *elem = btf_type_by_id(btf, array->type);
    u32 index_id = array->index_type, elem_id = array->type, size = 0;
    int err;

    if (has_no_size(index) || is_no_part(index))
        return btf_bad(env, id, t, "Invalid index");
    err = need(env, index_id, mode, depth);
    if (err)
        return err;
    index = sized(btf, &index_id, NULL);
    if (!index || btf_kind(index) != BTF_KIND_INT || !is_regular(index))
        return btf_bad(env, id, t, "Invalid index");
    if (has_no_size(elem) || is_no_part(elem))
        return btf_bad(env, id, t, "Invalid elem");
    err = need(env, elem_id, mode, depth);
    if (err)
        return err;
    elem = sized(btf, &elem_id, &size);
    if (!elem)
        return btf_bad(env, id, t, "Invalid elem");
    if (btf_kind(elem) == BTF_KIND_INT && !is_regular(elem))
        return btf_bad(env, id, t, "Invalid array of int");
    if (array->nelems && size > ~0u / array->nelems)
        return btf_bad(env, id, t, "Array size overflows U32_MAX");
    btf->resolved_ids[id] = elem_id;
    btf->resolved_sizes[id] = size * array->nelems;
    return 0;
}

static int resolve_struct(struct btf_env *env, u32 id, const struct btf_type *t, enum mode mode,
                          u32 depth)
{
    const struct btf_member *m = (const struct btf_member *)(t + 1);
    u32 i;

    for (i = 0; i < btf_vlen(t); i++, m++) {
        const struct btf_type *type = btf_type_by_id(env->btf, m->type);
        int err;

        if (has_no_size(type) || is_no_part(type))
            return btf_bad(env, id, t, "Invalid member");
        err = need(env, m->type, mode, depth);
        if (err)
            return err;
        if (!member_fits(env, t, m))
            return btf_bad(env, id, t, "Member exceeds struct_size");
    }
    return 0;
}

static int resolve_datasec(struct btf_env *env, u32 id, const struct btf_type *t, u32 depth)
{
    const struct btf_var_secinfo *v = (const struct btf_var_secinfo *)(t + 1);
    u32 i, size = 0;
    int err;

    for (i = 0; i < btf_vlen(t); i++, v++) {
        const struct btf_type *var = btf_type_by_id(env->btf, v->type);

        if (!var || btf_kind(var) != BTF_KIND_VAR)
            return btf_bad(env, id, t, "Not a VAR kind member");
        err = need(env, v->type, ANY, depth);
        if (err)
            return err;
        if (!btf_type_id_size(env->btf, var->type, &size))
            return btf_bad(env, id, t, "Invalid type");
        if (v->size < size)
            return btf_bad(env, id, t, "Invalid size");
    }
    return 0;
}

static int resolve_func(const struct btf_env *env, u32 id, const struct btf_type *t)
{
    const struct btf_type *proto = btf_type_by_id(env->btf, t->type);
    const struct btf_param *p;
    u32 i;

    if (!proto || btf_kind(proto) != BTF_KIND_FUNC_PROTO)
        return btf_bad(env, id, t, "Invalid type_id");
    p = (const struct btf_param *)(proto + 1);
    for (i = 0; i < btf_vlen(proto); i++, p++)
        if (!p->name_off && p->type)
            return btf_bad(env, id, t, "Invalid arg");
    env->btf->resolved_ids[id] = t->type;
    return 0;
}

static int resolve_tag(struct btf_env *env, u32 id, const struct btf_type *t, enum mode mode,
                       u32 depth)
{
    const struct btf_type *of = btf_type_by_id(env->btf, t->type);
    s32 part = ((const struct btf_decl_tag *)(t + 1))->component_idx;
    u32 kind = of ? btf_kind(of) : BTF_KIND_UNKN;
    int err;

    if (!of || (kind != BTF_KIND_FUNC && kind != BTF_KIND_VAR && kind != BTF_KIND_TYPEDEF &&
                !is_struct(of)))
        return btf_bad(env, id, t, "Invalid type_id");
    err = need(env, t->type, mode, depth);
    if (err)
        return err;
    if (part != -1 && kind == BTF_KIND_FUNC)
        of = btf_type_by_id(env->btf, of->type);
    if (part != -1 &&
        (kind == BTF_KIND_VAR || kind == BTF_KIND_TYPEDEF || (u32)part >= btf_vlen(of)))
        return btf_bad(env, id, t, "Invalid component_idx");
    env->btf->resolved_ids[id] = t->type;
    return 0;
}

/* depth: how many types are being resolved already. */
static int resolve(struct btf_env *env, u32 id, enum mode mode, u32 depth)
{
    const struct btf_type *t = btf_type_by_id(env->btf, id);
    int err;

    if (depth == MAX_DEPTH) {
        btf_bad(env, id, t, "Exceeded max resolving depth:32");
        return -E2BIG;
    }
    if (env->state[id] != NOT_VISITED) {
        btf_bad(env, id, t, "Loop detected");
        return -EEXIST;
    }
    env->state[id] = VISITED;
    if (mode == ANY && btf_kind(t) == BTF_KIND_PTR)
        mode = POINTERS;
    else if (mode == ANY && (is_struct(t) || btf_kind(t) == BTF_KIND_ARRAY))
        mode = CONTENTS;
    switch (btf_kind(t)) {
    case BTF_KIND_ARRAY: err = resolve_array(env, id, t, mode, depth); break;
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION: err = resolve_struct(env, id, t, mode, depth); break;
    case BTF_KIND_DATASEC: err = resolve_datasec(env, id, t, depth); break;
    case BTF_KIND_FUNC: err = resolve_func(env, id, t); break;
    case BTF_KIND_DECL_TAG: err = resolve_tag(env, id, t, mode, depth); break;
    default: err = resolve_reference(env, id, t, mode, depth);
    }
    env->state[id] = err ? VISITED : RESOLVED;
    return err;
}

/* A type of an argument or result, which must have a size. */
static int check_value(struct btf_env *env, u32 id)
{
    const struct btf_type *t = btf_type_by_id(env->btf, id);
    int err = 0;

    if (!t || is_no_part(t))
        return -EINVAL;
    if (needs_resolve(t) && env->state[id] != RESOLVED)
        err = resolve(env, id, ANY, 0);
    return err ? err : btf_type_id_size(env->btf, id, NULL) ? 0 : -EINVAL;
}

static int check_proto(struct btf_env *env, u32 id, const struct btf_type *t)
{
    const struct btf_param *p = (const struct btf_param *)(t + 1);
    u32 n = btf_vlen(t), i;
    int err = t->type ? check_value(env, t->type) : 0;

    if (err == -EINVAL)
        return btf_bad(env, id, t, "Invalid return type");
    if (!err && n && !p[n - 1].type) { /* further arguments */
        if (p[n - 1].name_off)
            return btf_bad(env, id, t, "Invalid arg");
        n--;
    }
    for (i = 0; !err && i < n; i++) {
        if (p[i].name_off && !btf_name_valid(env->btf, p[i].name_off))
            return btf_bad(env, id, t, "Invalid arg");
        err = p[i].type ? check_value(env, p[i].type) : -EINVAL;
        if (err == -EINVAL)
            return btf_bad(env, id, t, "Invalid arg");
    }
    return err;
}

/* Tags of a type come before its other modifiers, of which there are not too many. */
static int check_tags(struct btf_env *env)
{
    u32 i, good = 0;

    for (i = 1; i < env->btf->nr_types; i++) {
        const struct btf_type *t = btf_type_by_id(env->btf, i);
        bool in_tags = btf_kind(t) == BTF_KIND_TYPE_TAG;
        u32 id = i, left = MAX_CHAIN;

        if (!is_modifier(t))
            continue;
        for (; is_modifier(t); left--) {
            bool tag = btf_kind(t) == BTF_KIND_TYPE_TAG;

            if (!left) {
                bpf_log(env->log, "Max chain length or cycle detected\n");
                return -ELOOP;
            }
            if (tag && !in_tags) {
                bpf_log(env->log, "Type tags don't precede modifiers\n");
                return -EINVAL;
            }
            in_tags = tag;
            if (id <= good)
                break;
            id = t->type;
            t = btf_type_by_id(env->btf, id);
        }
        good = i;
    }
    return 0;
}

int btf_resolve_all(struct btf_env *env)
{
    u32 id;
    int err = 0;

    env->state = vmalloc(env->btf->nr_types);
    if (!env->state)
        return -ENOMEM;
    memset(env->state, NOT_VISITED, env->btf->nr_types);
    for (id = 1; !err && id < env->btf->nr_types; id++) {
        const struct btf_type *t = btf_type_by_id(env->btf, id);

        if (needs_resolve(t) && env->state[id] != RESOLVED)
            err = resolve(env, id, ANY, 0);
        if (!err && btf_kind(t) == BTF_KIND_FUNC_PROTO)
            err = check_proto(env, id, t);
    }
    if (!err)
        err = check_tags(env);
    vfree(env->state);
    return err;
}
