/*
 * dwarf_types.c - types out of DWARF (dwarf.h). A type is made when it is first needed, and its
 * members when these are.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/lang/dwarf_priv.h"

enum { TYPE_DEPTH_MAX = 256 };

static bool udata(Dwarf_Die *die, unsigned name, uint64_t *value)
{
    Dwarf_Attribute attr;
    Dwarf_Word word;

    if (dwarf_formudata(dwarf_attr_integrate(die, name, &attr), &word) != 0)
        return false;
    *value = word;
    return true;
}

bool dwarf_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attr;
    bool value = false;

    return dwarf_formflag(dwarf_attr_integrate(die, name, &attr), &value) == 0 && value;
}

struct type *debug_type_of(struct debug_info *i, Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    Dwarf_Die type;

    if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), &type))
        return NULL;
    return dwarf_type_from(i, &type);
}

static struct type *base_type(struct debug_info *i, Dwarf_Die *die)
{
    uint64_t size = 0, encoding = 0;
    struct type *t;

    (void)!udata(die, DW_AT_byte_size, &size);
    (void)!udata(die, DW_AT_encoding, &encoding);
    t = type_new(i->types,
                 encoding == DW_ATE_float           ? TYPE_FLOAT
                 : encoding == DW_ATE_complex_float ? TYPE_STRUCT
                                                    : TYPE_INT,
                 dwarf_diename(die), size);
    t->is_bool = encoding == DW_ATE_boolean;
    t->is_char = encoding == DW_ATE_unsigned_char || encoding == DW_ATE_signed_char;
    t->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    return t;
}

/*
 * Makes the type of an array. One of several dimensions is an array of arrays: the last subrange is
 * the innermost.
 */
static struct type *array_type(struct debug_info *i, Dwarf_Die *die)
{
    enum { DIMENSIONS_MAX = 8 };
    struct type *element = debug_type_of(i, die);
    uint64_t counts[DIMENSIONS_MAX], bound;
    bool known[DIMENSIONS_MAX];
    unsigned dimensions = 0;
    Dwarf_Die child;
    int end = dwarf_child(die, &child);

    for (; end == 0 && dimensions < DIMENSIONS_MAX; end = dwarf_siblingof(&child, &child)) {
        if (dwarf_tag(&child) != DW_TAG_subrange_type)
            continue;
        known[dimensions] = true;
        if (udata(&child, DW_AT_upper_bound, &bound))
            counts[dimensions] = bound + 1;
        else if (udata(&child, DW_AT_count, &bound))
            counts[dimensions] = bound;
        else
            counts[dimensions] = 0, known[dimensions] = false;
        dimensions++;
    }
    while (element && dimensions-- > 0) {
        struct type *t = type_new(i->types, TYPE_ARRAY, NULL, 0);

        t->target = element;
        t->count = counts[dimensions];
        t->bounded = known[dimensions];
        element = t;
    }
    return element ? element : type_void(i->types);
}

static struct type *tagged_type(struct debug_info *i, Dwarf_Die *die, enum type_kind kind)
{
    uint64_t size = 0;
    struct type *t;

    (void)!udata(die, DW_AT_byte_size, &size);
    t = type_new(i->types, kind, dwarf_diename(die), size);
    t->declared = dwarf_flag(die, DW_AT_declaration);
    t->is_signed = true; /* of an enum; fill_enum corrects it */
    t->origin = dwarf_dieoffset(die);
    return t;
}

static struct type *qualified_type(struct debug_info *i, Dwarf_Die *die, enum type_qualifier q)
{
    struct type *of = debug_type_of(i, die);

    return type_qualified(i->types, of ? of : type_void(i->types), q);
}

static struct type *make_type(struct debug_info *i, Dwarf_Die *die)
{
    struct type *t, *target;

    switch (dwarf_tag(die)) {
    case DW_TAG_base_type: return base_type(i, die);
    case DW_TAG_pointer_type:
        target = debug_type_of(i, die);
        return type_pointer_to(i->types, target ? target : type_void(i->types));
    case DW_TAG_structure_type: return tagged_type(i, die, TYPE_STRUCT);
    case DW_TAG_union_type: return tagged_type(i, die, TYPE_UNION);
    case DW_TAG_enumeration_type: return tagged_type(i, die, TYPE_ENUM);
    case DW_TAG_array_type: return array_type(i, die);
    case DW_TAG_const_type: return qualified_type(i, die, QUALIFIER_CONST);
    case DW_TAG_volatile_type: return qualified_type(i, die, QUALIFIER_VOLATILE);
    case DW_TAG_restrict_type: return qualified_type(i, die, QUALIFIER_RESTRICT);
    case DW_TAG_atomic_type: return qualified_type(i, die, QUALIFIER_ATOMIC);
    case DW_TAG_typedef:
        t = type_new(i->types, TYPE_TYPEDEF, dwarf_diename(die), 0);
        t->target = debug_type_of(i, die);
        if (!t->target)
            t->target = type_void(i->types);
        return t;
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
        t = type_new(i->types, TYPE_FUNCTION, NULL, 1);
        t->target = debug_type_of(i, die);
        t->prototyped = dwarf_flag(die, DW_AT_prototyped);
        t->origin = dwarf_dieoffset(die);
        return t;
    default: return type_void(i->types);
    }
}

static size_t known_slot(const struct debug_info *i, Dwarf_Off die)
{
    size_t slot = (die * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (i->known_size - 1);

    while (i->known[slot].type && i->known[slot].die != die)
        slot = (slot + 1) & (i->known_size - 1);
    return slot;
}

static void grow_known(struct debug_info *i)
{
    struct known_type *old = i->known;
    size_t old_size = i->known_size;

    i->known_size = old_size ? old_size * 2 : 1024;
    i->known = xcalloc(i->known_size, sizeof *i->known);
    for (size_t n = 0; n < old_size; n++)
        if (old[n].type)
            i->known[known_slot(i, old[n].die)] = old[n];
    free(old);
}

struct type *dwarf_type_from(struct debug_info *i, Dwarf_Die *die)
{
    Dwarf_Off at = dwarf_dieoffset(die);
    struct type *t;

    if (i->known_count * 2 >= i->known_size)
        grow_known(i);
    if (i->known[known_slot(i, at)].type)
        return i->known[known_slot(i, at)].type;
    if (i->depth == TYPE_DEPTH_MAX) /* damaged debug information: the type contains itself */
        return type_void(i->types);
    i->depth++;
    t = make_type(i, die); /* which may have made others */
    i->depth--;
    if (i->known_count * 2 >= i->known_size)
        grow_known(i);
    if (!i->known[known_slot(i, at)].type)
        i->known_count++;
    i->known[known_slot(i, at)] = (struct known_type){at, t};
    return t;
}

/* Sets where in its unit a bit-field is, counted from the lowest bit. */
static void place_bits(Dwarf_Die *die, struct type_field *f, uint64_t unit_size)
{
    uint64_t bits, offset;

    if (!udata(die, DW_AT_bit_size, &bits))
        return;
    if (bits > 64)
        return;
    f->bit_size = (unsigned)bits;
    if (udata(die, DW_AT_data_bit_offset, &offset)) {
        f->offset = offset / 8;
        f->bit_offset = offset % 8;
    } else if (udata(die, DW_AT_bit_offset, &offset)) { /* DWARF 2: from the highest bit */
        f->bit_offset = (unsigned)(unit_size * 8 - offset - bits);
    }
    if (f->bit_offset > 63) /* damaged: no compiler makes such a field */
        f->bit_offset = 0;
}

static void add_field(struct debug_info *i, struct type *t, Dwarf_Die *die)
{
    struct type_field f = {.name = dwarf_diename(die), .type = debug_type_of(i, die)};

    if (!f.type)
        f.type = type_void(i->types);
    (void)!udata(die, DW_AT_data_member_location, &f.offset);
    place_bits(die, &f, type_size(i->types, f.type));
    VEC_PUSH(&t->fields, f);
}

int64_t dwarf_enumerator_value(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    Dwarf_Sword value = 0;

    (void)!dwarf_formsdata(dwarf_attr(die, DW_AT_const_value, &attr), &value);
    return value;
}

/*
 * Fills in the values, and whether all of them are single bits or zero: then a sum of values is
 * shown by its parts.
 */
static void fill_enum(struct type *t, Dwarf_Die *die)
{
    uint64_t seen = 0;
    Dwarf_Die child;
    int end = dwarf_child(die, &child);

    t->is_signed = false;
    t->flags = true;
    for (; end == 0; end = dwarf_siblingof(&child, &child)) {
        struct type_value v = {dwarf_diename(&child), dwarf_enumerator_value(&child)};
        uint64_t bits = (uint64_t)v.value;

        if (!v.name)
            continue;
        t->is_signed |= v.value < 0;
        t->flags &= v.value >= 0 && !(seen & bits);
        seen |= bits;
        VEC_PUSH(&t->values, v);
    }
}

static void fill_parameters(struct debug_info *i, struct type *t, Dwarf_Die *die)
{
    Dwarf_Die child;
    int end = dwarf_child(die, &child);

    for (; end == 0; end = dwarf_siblingof(&child, &child)) {
        struct type_field f = {.name = NULL};

        if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
            t->variadic = true;
        if (dwarf_tag(&child) != DW_TAG_formal_parameter)
            continue;
        f.name = dwarf_diename(&child);
        f.type = debug_type_of(i, &child);
        if (f.type)
            VEC_PUSH(&t->fields, f);
    }
}

void dwarf_fill_type(void *ctx, struct type *t)
{
    struct debug_info *i = ctx;
    Dwarf_Die die, child;
    int end;

    if (!debug_dwarf(i) || !dwarf_offdie(debug_dwarf(i), t->origin, &die))
        return;
    if (t->kind == TYPE_ENUM) {
        fill_enum(t, &die);
    } else if (t->kind == TYPE_FUNCTION) {
        fill_parameters(i, t, &die);
    } else {
        for (end = dwarf_child(&die, &child); end == 0; end = dwarf_siblingof(&child, &child))
            if (dwarf_tag(&child) == DW_TAG_member)
                add_field(i, t, &child);
    }
}

static bool tag_fits(int tag, enum type_kind kind)
{
    switch (kind) {
    case TYPE_STRUCT: return tag == DW_TAG_structure_type;
    case TYPE_UNION: return tag == DW_TAG_union_type;
    case TYPE_ENUM: return tag == DW_TAG_enumeration_type;
    default: return tag == DW_TAG_typedef || tag == DW_TAG_base_type;
    }
}

struct type *debug_find_type(struct debug_info *i, enum type_kind kind, const char *name)
{
    struct type *declared = NULL;
    Dwarf_Die die;

    for (uint32_t n = dwarf_first_name(i, name); n; n = i->names.at[n - 1].next) {
        const struct name *at = &i->names.at[n - 1];

        if (!tag_fits(at->tag, kind) || strcmp(at->name, name) != 0 ||
            !dwarf_offdie(debug_dwarf(i), at->die, &die))
            continue;
        if (!dwarf_hasattr(&die, DW_AT_declaration))
            return dwarf_type_from(i, &die);
        if (!declared)
            declared = dwarf_type_from(i, &die);
    }
    return declared;
}

struct type *dwarf_complete_type(void *ctx, enum type_kind kind, const char *name)
{
    return debug_find_type(ctx, kind, name);
}
