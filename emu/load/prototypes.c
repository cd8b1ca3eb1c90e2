/*
 * prototypes.c - see prototypes.h. Here: the calling convention (RISC-V psABI, "Integer Calling
 * Convention" and "Hardware Floating-point Calling Convention"), and which reader answers.
 */
#include "load/prototypes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "load/image.h"
#include "load/lines_dwarf.h"
#include "load/prototypes_priv.h"
#include "load/symbols.h"

/* a0 is x10, fa0 is f10; there are eight of each. */
enum { FIRST_ARGUMENT = 10, ARGUMENTS = 8, REGISTER_BYTES = 8 };

static bool is_passed_as_float(const struct prototypes *p, const struct convention *c,
                               const struct value_type *type)
{
    return p->float_registers && type->kind == VALUE_FLOAT && type->size <= REGISTER_BYTES &&
           c->floats < ARGUMENTS;
}

void convention_pass(const struct prototypes *p, struct convention *c, struct parameter *to)
{
    unsigned words = (to->type.size + REGISTER_BYTES - 1) / REGISTER_BYTES;

    to->count = 0;
    /* A struct with members of floating point may be in both kinds of registers. */
    c->lost |= p->float_registers && to->type.kind == VALUE_AGGREGATE;
    if (c->lost || !words)
        return;
    if (is_passed_as_float(p, c, &to->type)) {
        to->registers[to->count++] = (uint8_t)(REGISTER_F0 + FIRST_ARGUMENT + (int)c->floats++);
        return;
    }
    if (words > 2) { /* its address is passed */
        to->type = (struct value_type){VALUE_POINTER, REGISTER_BYTES, NO_ENUMERATION};
        words = 1;
    }
    for (unsigned i = 0; i < words && c->integers < ARGUMENTS; i++)
        to->registers[to->count++] = (uint8_t)(FIRST_ARGUMENT + c->integers++);
    if (to->count < words)
        to->count = 0; /* on the stack, all of it or its upper half */
}

bool convention_returns_in_memory(const struct value_type *type)
{
    return type->size > 2 * REGISTER_BYTES;
}

struct enumeration *prototypes_add_enumeration(struct prototypes *p, uint64_t key, uint32_t *number,
                                               bool *is_new)
{
    uint64_t index;

    *is_new = !map_get(&p->enumeration_at, key, &index);
    if (*is_new) {
        index = p->enumerations.len;
        map_put(&p->enumeration_at, key, index);
        VEC_PUSH(&p->enumerations, (struct enumeration){0});
    }
    *number = (uint32_t)index;
    return &p->enumerations.at[index];
}

/* Whether the file's code passes floating point in registers of its own. */
static bool has_float_abi(Dwarf *dwarf)
{
    enum { FLOAT_ABI = 6 };
    GElf_Ehdr head;

    return gelf_getehdr(dwarf_getelf(dwarf), &head) && (head.e_flags & FLOAT_ABI);
}

struct prototypes *prototypes_new(struct lines *lines, const struct image *im,
                                  const struct symbols *symbols)
{
    struct prototypes *p = xcalloc(1, sizeof *p);
    Dwarf *dwarf = lines_dwarf(lines);
    struct file btf = image_btf(im);

    p->lines = lines;
    p->symbols = symbols;
    if (dwarf) {
        p->functions = lines_functions_new(lines);
        p->float_registers = has_float_abi(dwarf);
    } else {
        p->btf = btf_functions_new(btf.bytes, btf.size, symbols);
    }
    return p;
}

void prototypes_free(struct prototypes *p)
{
    if (!p)
        return;
    lines_functions_free(p->functions);
    btf_functions_free(p->btf);
    for (size_t i = 0; i < p->enumerations.len; i++)
        VEC_FREE(&p->enumerations.at[i].values);
    VEC_FREE(&p->enumerations);
    map_free(&p->enumeration_at);
    free(p);
}

bool prototypes_find(struct prototypes *p, uint64_t address, bool at_entry, struct prototype *found)
{
    const struct symbol *symbol = symbols_function_at(p->symbols, address);

    *found = (struct prototype){0};
    if (!symbol)
        return false;
    if (p->functions)
        return prototypes_by_dwarf(p, symbol, address, at_entry, found);
    return p->btf && at_entry && !strchr(symbol->name, '.') &&
           prototypes_by_btf(p, symbol->name, found);
}

uint32_t prototypes_enumerations(const struct prototypes *p)
{
    return (uint32_t)p->enumerations.len;
}

const struct enumerator *prototypes_enumeration(const struct prototypes *p, uint32_t number,
                                                size_t *count)
{
    *count = p->enumerations.at[number].values.len;
    return p->enumerations.at[number].values.at;
}
