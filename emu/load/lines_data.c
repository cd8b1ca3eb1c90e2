/*
 * lines_data.c - see lines_data.h.
 */
#include "load/lines_data.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/lines_dwarf.h"

/* Members within members, the text of all of them, and of an index. */
enum { NESTED_MAX = 16, MEMBER_TEXT = 96, INDEX_TEXT = 24 };

struct writing {
    char *text;
    size_t size, used;
};

static void write_text(struct writing *w, const char *text)
{
    size_t len = strlen(text);

    if (w->used + len >= w->size)
        return;
    memcpy(w->text + w->used, text, len + 1);
    w->used += len;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attr;

    return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type) &&
           dwarf_peel_type(type, type) == 0;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attr;
    Dwarf_Word value;

    return dwarf_formudata(dwarf_attr_integrate(die, name, &attr), &value) ? 0 : value;
}

/* The member that has the offset, which becomes one within it. */
static bool member_at(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *member)
{
    Dwarf_Word bytes;
    Dwarf_Die inner;

    for (int end = dwarf_child(type, member); end == 0; end = dwarf_siblingof(member, member)) {
        uint64_t at = number_of(member, DW_AT_data_member_location) +
                      number_of(member, DW_AT_data_bit_offset) / 8;

        if (dwarf_tag(member) != DW_TAG_member || at > *offset || !type_of(member, &inner) ||
            dwarf_aggregate_size(&inner, &bytes) != 0 || *offset - at >= bytes)
            continue;
        *offset -= at;
        return true;
    }
    return false;
}

static bool element_at(Dwarf_Die *type, uint64_t *offset, struct writing *w)
{
    char index[INDEX_TEXT];
    Dwarf_Die element;
    Dwarf_Word bytes;

    if (!type_of(type, &element) || dwarf_aggregate_size(&element, &bytes) != 0 || !bytes)
        return false;
    snprintf(index, sizeof index, "[%" PRIu64 "]", *offset / bytes);
    write_text(w, index);
    *offset %= bytes;
    *type = element;
    return true;
}

/* Writes the members that lead to the offset, from the outermost one; false: there is none. */
static bool write_members(Dwarf_Die *type, uint64_t offset, struct writing *w)
{
    size_t before = w->used;
    Dwarf_Die member;

    for (unsigned nested = 0; nested < NESTED_MAX; nested++) {
        switch (dwarf_tag(type)) {
        case DW_TAG_array_type:
            if (!element_at(type, &offset, w))
                return false;
            break;
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
            if (!member_at(type, &offset, &member) || !type_of(&member, type))
                return w->used > before;
            if (dwarf_diename(&member) && w->used)
                write_text(w, ".");
            if (dwarf_diename(&member))
                write_text(w, dwarf_diename(&member));
            break;
        default: return w->used > before;
        }
    }
    return w->used > before;
}

bool lines_data_member(struct lines *l, uint64_t pc, const char *variable, uint64_t offset,
                       char *text, size_t size)
{
    struct writing w = {text, size, 0};
    Dwarf_Die unit, die, type;

    if (!lines_dwarf(l) || !lines_unit(l, pc, &unit))
        return false;
    for (int end = dwarf_child(&unit, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
        const char *name = dwarf_tag(&die) == DW_TAG_variable ? dwarf_diename(&die) : NULL;

        if (name && !strcmp(name, variable) && type_of(&die, &type))
            return write_members(&type, offset, &w);
    }
    return false;
}

/* Whether the variable's value is in the register at pc. */
static bool is_in_register(Dwarf_Die *die, uint64_t pc, unsigned reg)
{
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t count;

    if (!dwarf_attr_integrate(die, DW_AT_location, &attr) ||
        dwarf_getlocation_addr(&attr, pc, &ops, &count, 1) != 1)
        return false;
    if (count == 1)
        return ops[0].atom == DW_OP_reg0 + reg ||
               (ops[0].atom == DW_OP_regx && ops[0].number == reg);
    return count == 2 && ops[0].atom == DW_OP_breg0 + reg && !ops[0].number &&
           ops[1].atom == DW_OP_stack_value;
}

/* The struct or union that the variable points to. */
static bool pointed_by(Dwarf_Die *variable, Dwarf_Die *type)
{
    return type_of(variable, type) && dwarf_tag(type) == DW_TAG_pointer_type &&
           type_of(type, type) &&
           (dwarf_tag(type) == DW_TAG_structure_type || dwarf_tag(type) == DW_TAG_union_type);
}

static bool write_pointed(Dwarf_Die *variable, Dwarf_Die *type, uint64_t offset, struct writing *w)
{
    const char *name = dwarf_diename(variable), *kind = dwarf_diename(type);
    const char *of = dwarf_tag(type) == DW_TAG_union_type ? ", union " : ", struct ";
    char members[MEMBER_TEXT];
    struct writing inner = {members, sizeof members, 0};

    if (!name || !write_members(type, offset, &inner))
        return false;
    write_text(w, name);
    write_text(w, "->");
    write_text(w, members);
    if (kind) {
        write_text(w, of);
        write_text(w, kind);
    }
    return true;
}

bool lines_data_pointed(struct lines *l, uint64_t pc, unsigned reg, uint64_t offset, char *text,
                        size_t size)
{
    struct writing w = {text, size, 0};
    Dwarf_Die unit, die, type, *scopes;
    bool found = false;
    int count;

    if (!lines_dwarf(l) || !lines_unit(l, pc, &unit))
        return false;
    count = lines_scopes(&unit, pc, &scopes);
    for (int i = 0; i < count && !found; i++)
        for (int end = dwarf_child(&scopes[i], &die); end == 0 && !found;
             end = dwarf_siblingof(&die, &die)) {
            if ((dwarf_tag(&die) == DW_TAG_variable ||
                 dwarf_tag(&die) == DW_TAG_formal_parameter) &&
                is_in_register(&die, pc, reg) && pointed_by(&die, &type))
                found = write_pointed(&die, &type, offset, &w);
        }
    if (count > 0)
        free(scopes);
    return found;
}
