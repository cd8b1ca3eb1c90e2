/*
 * members.c - where the guest's kernel has the members of its structs: by its debug information
 * (DWARF), or by the BTF that is part of it. A search takes milliseconds, so answers are kept.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/commands/debugger_priv.h"
#include "debug/lang/dwarf.h"
#include "load/btf.h"
#include "load/image.h"

/* A member, or the struct itself (member NULL, and its size as the value). */
struct known {
    const char *structure, *member;
    bool found;
    uint64_t value;
};

struct members {
    VEC_OF(struct known) known;
};

struct members *members_new(void)
{
    return xcalloc(1, sizeof(struct members));
}

void members_free(struct members *m)
{
    VEC_FREE(&m->known);
    free(m);
}

static bool by_type(const struct type *type, const char *member, uint64_t *value)
{
    *value = type->size;
    if (!member)
        return true;
    for (size_t i = 0; i < type->fields.len; i++)
        if (type->fields.at[i].name && !strcmp(type->fields.at[i].name, member)) {
            *value = type->fields.at[i].offset;
            return true;
        }
    return false;
}

static bool by_btf(const struct debugger *d, const char *structure, const char *member,
                   uint64_t *value)
{
    const struct image *im = machine_image(d->config.machine);

    if (member)
        return btf_member(im->file.bytes, im->file.size, structure, member, value);
    return btf_struct_size(im->file.bytes, im->file.size, structure, value);
}

static bool search(const struct debugger *d, const char *structure, const char *member,
                   uint64_t *value)
{
    struct type *type = debug_find_type(d->info, TYPE_STRUCT, structure);

    if (type)
        return by_type(type_strip(debug_types(d->info), type), member, value);
    return by_btf(d, structure, member, value);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool find(const struct debugger *d, const char *structure, const char *member,
                 uint64_t *value)
{
    struct known k = {.structure = structure, .member = member};

    for (size_t i = 0; i < d->members->known.len; i++) {
        const struct known *old = &d->members->known.at[i];

        if (is_same(old->structure, structure) && is_same(old->member, member)) {
            *value = old->value;
            return old->found;
        }
    }
    k.found = search(d, structure, member, &k.value);
    VEC_PUSH(&d->members->known, k);
    *value = k.value;
    return k.found;
}

bool member_find(const struct debugger *d, const char *structure, const char *member,
                 uint64_t *offset)
{
    return find(d, structure, member, offset);
}

bool struct_size(const struct debugger *d, const char *structure, uint64_t *size)
{
    return find(d, structure, NULL, size);
}
