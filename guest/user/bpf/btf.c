/*
 * btf.c - the types in section .BTF, as far as they describe maps.
 *
 * A map in section .maps is a variable of a structure whose members tell by their types what the
 * map is: `int (*type)[N]' says that type is N, `struct key *key' that the key is of that type.
 */
#include "types.h"

/* Bytes that follow a type. */
static uint32_t rest_of(const struct btf_type *t)
{
    switch (kind(t)) {
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case BTF_KIND_DECL_TAG: return 4;
    case BTF_KIND_ARRAY: return sizeof(struct btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_DATASEC:
    case BTF_KIND_ENUM64: return 12 * vlen(t);
    case BTF_KIND_ENUM:
    case BTF_KIND_FUNC_PROTO: return 8 * vlen(t);
    default: return 0;
    }
}

const struct btf_type *next_type(const struct btf *b, uint32_t *at)
{
    const struct btf_type *t = (const struct btf_type *)(b->types + *at);

    if (b->types_len - *at < sizeof(*t) || b->types_len - *at - sizeof(*t) < rest_of(t))
        return NULL;
    *at += sizeof(*t) + rest_of(t);
    return t;
}

const struct btf_type *type_of(const struct btf *b, uint32_t id)
{
    const struct btf_type *t = NULL;
    uint32_t at = 0;

    for (; id; id--) {
        t = next_type(b, &at);
        if (!t)
            return NULL;
    }
    return t;
}

const char *name_of(const struct btf *b, uint32_t off)
{
    return off < b->strings_len ? b->strings + off : "";
}

/* Without typedef, const and the like. */
static const struct btf_type *bare(const struct btf *b, uint32_t id)
{
    const struct btf_type *t = type_of(b, id);
    unsigned int depth;

    for (depth = 0; t && depth < 32; depth++) {
        switch (kind(t)) {
        case BTF_KIND_TYPEDEF:
        case BTF_KIND_VOLATILE:
        case BTF_KIND_CONST:
        case BTF_KIND_RESTRICT:
        case BTF_KIND_TYPE_TAG: t = type_of(b, t->type); break;
        default: return t;
        }
    }
    return NULL;
}

/* 0: not known. */
static uint64_t size_of(const struct btf *b, uint32_t id)
{
    const struct btf_type *t = bare(b, id);
    uint64_t n = 1;

    for (; t && kind(t) == BTF_KIND_ARRAY; t = bare(b, ((const struct btf_array *)(t + 1))->type)) {
        n *= ((const struct btf_array *)(t + 1))->nelems;
        if (n > 1u << 30)
            return 0;
    }
    if (!t)
        return 0;
    switch (kind(t)) {
    case BTF_KIND_PTR: return 8 * n;
    case BTF_KIND_INT:
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_ENUM:
    case BTF_KIND_FLOAT:
    case BTF_KIND_ENUM64: return t->size * n;
    default: return 0;
    }
}

bool open_btf(const struct object *o, struct btf *b)
{
    unsigned int section = find_section(o, ".BTF");
    const struct btf_header *h;
    uint64_t room;

    if (!section || o->sections[section].sh_size < sizeof(*h))
        return false;
    h = (const struct btf_header *)section_data(o, section);
    room = o->sections[section].sh_size;
    if (h->magic != BTF_MAGIC || (uint64_t)h->hdr_len + h->type_off + h->type_len > room ||
        (uint64_t)h->hdr_len + h->str_off + h->str_len > room || !h->str_len)
        return false;
    b->types = (const char *)h + h->hdr_len + h->type_off;
    b->types_len = h->type_len;
    b->strings = (const char *)h + h->hdr_len + h->str_off;
    b->strings_len = h->str_len;
    return b->strings[h->str_len - 1] == 0;
}

/* The number that `int (*member)[N]' stands for. */
static unsigned int number(const struct btf *b, const struct btf_type *pointer)
{
    const struct btf_type *array = bare(b, pointer->type);

    return array && kind(array) == BTF_KIND_ARRAY ? ((const struct btf_array *)(array + 1))->nelems
                                                  : 0;
}

static void take_member(const struct btf *b, struct map *map, const struct btf_member *m)
{
    const struct btf_type *t = bare(b, m->type);
    const char *name = name_of(b, m->name_off);

    if (!t || kind(t) != BTF_KIND_PTR)
        fail(map->name, "a member of this map is no pointer");
    if (!strcmp(name, "type"))
        map->type = number(b, t);
    else if (!strcmp(name, "max_entries"))
        map->max_entries = number(b, t);
    else if (!strcmp(name, "map_flags"))
        map->flags = number(b, t);
    else if (!strcmp(name, "key_size"))
        map->key_size = number(b, t);
    else if (!strcmp(name, "value_size"))
        map->value_size = number(b, t);
    else if (!strcmp(name, "key"))
        map->key_size = size_of(b, map->key_type = t->type);
    else if (!strcmp(name, "value"))
        map->value_size = size_of(b, map->value_type = t->type);
    else
        fail(map->name, "a member of this map is not known here");
}

bool btf_describe_map(const struct object *o, struct map *map)
{
    const struct btf_type *t;
    struct btf b;
    uint32_t at = 0;
    unsigned int i;

    if (!open_btf(o, &b))
        return false;
    while ((t = next_type(&b, &at))) {
        if (kind(t) != BTF_KIND_VAR || strcmp(name_of(&b, t->name_off), map->name))
            continue;
        t = bare(&b, t->type);
        if (!t || kind(t) != BTF_KIND_STRUCT)
            return false;
        for (i = 0; i < vlen(t); i++)
            take_member(&b, map, (const struct btf_member *)(t + 1) + i);
        return true;
    }
    return false;
}
