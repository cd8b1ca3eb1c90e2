/*
 * prototypes_dwarf.c - the parameters and results of functions by DWARF: see prototypes.h.
 */
#include <dwarf.h>
#include <string.h>

#include "load/lines_dwarf.h"
#include "load/prototypes_priv.h"
#include "load/symbols.h"

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

/* ---- types ---- */

static bool is_char(Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Word encoding;

    return dwarf_tag(type) == DW_TAG_base_type &&
           dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute), &encoding) == 0 &&
           (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char) &&
           dwarf_diename(type) && !strcmp(dwarf_diename(type), "char");
}

/* Whether the pointer's target is const char, without a name of its own. */
static bool points_to_text(Dwarf_Die *pointer)
{
    Dwarf_Die target, inner;

    return type_of(pointer, &target) && dwarf_tag(&target) == DW_TAG_const_type &&
           type_of(&target, &inner) && is_char(&inner);
}

static enum value_kind kind_of_base(Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Word encoding;

    if (dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute), &encoding) != 0)
        return VALUE_UNSIGNED;
    switch (encoding) {
    case DW_ATE_boolean: return VALUE_BOOL;
    case DW_ATE_float: return VALUE_FLOAT;
    case DW_ATE_complex_float: return VALUE_AGGREGATE;
    case DW_ATE_signed:
    case DW_ATE_signed_char: return VALUE_SIGNED;
    default: return VALUE_UNSIGNED;
    }
}

static void add_values(Dwarf_Die *type, struct enumeration *to, bool *negative)
{
    Dwarf_Die die;

    for (int end = dwarf_child(type, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
        Dwarf_Attribute attribute;
        struct enumerator e = {.name = dwarf_diename(&die)};
        Dwarf_Sword value;

        if (dwarf_tag(&die) != DW_TAG_enumerator || !e.name ||
            dwarf_formsdata(dwarf_attr(&die, DW_AT_const_value, &attribute), &value) != 0)
            continue;
        e.value = value;
        *negative |= value < 0;
        VEC_PUSH(&to->values, e);
    }
}

static void read_enumeration(struct prototypes *p, Dwarf_Die *type, struct value_type *to)
{
    bool is_new, negative = false;
    struct enumeration *e =
        prototypes_add_enumeration(p, dwarf_dieoffset(type), &to->enumeration, &is_new);

    if (is_new)
        add_values(type, e, &negative);
    for (size_t i = 0; i < e->values.len; i++)
        negative |= e->values.at[i].value < 0;
    to->kind = negative ? VALUE_SIGNED : VALUE_UNSIGNED;
}

/* False: a type that no value of a register has. */
static bool read_type(struct prototypes *p, Dwarf_Die *die, struct value_type *to)
{
    Dwarf_Die type;
    Dwarf_Word size;
    int peeled;

    *to = (struct value_type){VALUE_VOID, 0, NO_ENUMERATION};
    if (!type_of(die, &type))
        return true;
    peeled = dwarf_peel_type(&type, &type);
    if (peeled)
        return peeled > 0; /* const void */
    to->size = dwarf_aggregate_size(&type, &size) == 0 ? (uint32_t)size : 0;
    switch (dwarf_tag(&type)) {
    case DW_TAG_base_type: to->kind = kind_of_base(&type); break;
    case DW_TAG_enumeration_type: read_enumeration(p, &type, to); break;
    case DW_TAG_pointer_type: to->kind = points_to_text(&type) ? VALUE_TEXT : VALUE_POINTER; break;
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_array_type: to->kind = VALUE_AGGREGATE; break;
    default: return false;
    }
    return true;
}

/* ---- places ---- */

/* Takes one operation that names a register; others are no register. */
static bool register_of(const Dwarf_Op *op, unsigned *number)
{
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        *number = op->atom - DW_OP_reg0;
    else if (op->atom == DW_OP_regx && op->number < 2 * REGISTER_F0)
        *number = (unsigned)op->number;
    else
        return false;
    return true;
}

/* Takes a location that is a register, or pieces of two; others are none. */
static void take_registers(const Dwarf_Op *ops, size_t count, struct parameter *to)
{
    unsigned number;

    to->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (ops[i].atom == DW_OP_piece)
            continue;
        if (to->count == sizeof to->registers || !register_of(&ops[i], &number)) {
            to->count = 0;
            return;
        }
        to->registers[to->count++] = (uint8_t)number;
    }
}

/* Where the parameter is at the address. */
static void find_place(Dwarf_Die *die, uint64_t address, struct parameter *to)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;

    to->count = 0;
    if (dwarf_attr(die, DW_AT_location, &attribute) &&
        dwarf_getlocation_addr(&attribute, address, &ops, &count, 1) == 1)
        take_registers(ops, count, to);
}

/* ---- functions ---- */

static void read_parameters(struct prototypes *p, Dwarf_Die *function, uint64_t address,
                            bool by_convention, struct convention *c, struct prototype *to)
{
    Dwarf_Die die;

    for (int end = dwarf_child(function, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
        struct parameter passed, *parameter = &to->parameters[to->count];

        to->variadic |= dwarf_tag(&die) == DW_TAG_unspecified_parameters;
        if (dwarf_tag(&die) != DW_TAG_formal_parameter || to->count == PARAMETERS_MAX)
            continue;
        *parameter = (struct parameter){.name = dwarf_diename(&die)};
        c->lost |= !read_type(p, &die, &parameter->type);
        passed = *parameter;
        convention_pass(p, c, &passed);
        if (by_convention && !c->lost)
            *parameter = passed;
        else
            find_place(&die, address, parameter);
        to->count++;
    }
}

bool prototypes_by_dwarf(struct prototypes *p, const struct symbol *symbol, uint64_t address,
                         bool at_entry, struct prototype *found)
{
    struct convention c = {0}, of_result = {0};
    Dwarf_Die function;
    uint64_t low;

    /* Sites before the prologue are before the addresses that the function has there. */
    if (!lines_functions_die(p->functions, address, symbol->end, &function, &low))
        return false;
    of_result.lost = !read_type(p, &function, &found->result.type);
    if (convention_returns_in_memory(&found->result.type))
        c.integers = 1;
    else
        convention_pass(p, &of_result, &found->result);
    read_parameters(p, &function, address > low ? address : low,
                    at_entry && !strchr(symbol->name, '.'), &c, found);
    return true;
}
