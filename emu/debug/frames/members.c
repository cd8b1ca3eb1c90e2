/*
 * members.c - where the guest's kernel has the members of its structs: by its debug information
 * (DWARF), or by the BTF that is part of it. A search takes milliseconds, so answers are kept.
 */
#include "debug/frames/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "debug/frames/guest.h"
#include "debug/lang/dwarf.h"
#include "load/btf.h"
#include "load/image.h"
#include "machine/machine.h"

/* An answer: the offset of a member, or, with member NULL, the size of the struct. */
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

static bool by_btf(const struct guest *g, const char *structure, const char *member,
                   uint64_t *value)
{
    struct file btf = image_btf(machine_image(g->machine));

    if (member)
        return btf_member(btf.bytes, btf.size, structure, member, value);
    return btf_struct_size(btf.bytes, btf.size, structure, value);
}

static bool search(const struct guest *g, const char *structure, const char *member,
                   uint64_t *value)
{
    struct type *type = debug_find_type(g->info, TYPE_STRUCT, structure);

    if (type)
        return by_type(type_strip(debug_types(g->info), type), member, value);
    return by_btf(g, structure, member, value);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool find(const struct guest *g, const char *structure, const char *member, uint64_t *value)
{
    struct known k = {.structure = structure, .member = member};

    for (size_t i = 0; i < g->members->known.len; i++) {
        const struct known *old = &g->members->known.at[i];

        if (is_same(old->structure, structure) && is_same(old->member, member)) {
            *value = old->value;
            return old->found;
        }
    }
    k.found = search(g, structure, member, &k.value);
    VEC_PUSH(&g->members->known, k);
    *value = k.value;
    return k.found;
}

bool member_find(const struct guest *g, const char *structure, const char *member, uint64_t *offset)
{
    return find(g, structure, member, offset);
}

bool struct_size(const struct guest *g, const char *structure, uint64_t *size)
{
    return find(g, structure, NULL, size);
}
