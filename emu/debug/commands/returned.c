/*
 * returned.c - prints the value that a function has returned, by its type, after `finish'.
 */
#include <dwarf.h>
#include <inttypes.h>

#include "cpu/isa/isa.h"
#include "debug/commands/address.h"
#include "debug/commands/run.h"
#include "debug/commands/session.h"
#include "debug/frames/place.h"
#include "debug/lang/dwarf.h"

enum { REGISTER_BYTES = 8, BY_REGISTERS = 16 };

/* Reads the value from where the calling convention has one of the type (RISC-V ELF psABI). */
static struct value returned_value(struct debugger *d, struct type *type)
{
    struct types *types = language_types(d->language);
    const struct type *stripped = type_strip(types, type);
    uint64_t size = type_size(types, type);
    uint64_t registers[2] = {selected_register(d, REG_A0), selected_register(d, REG_A1)};

    if (size > BY_REGISTERS)
        return value_at(type, registers[0]);
    if (stripped->kind == TYPE_FLOAT && size <= REGISTER_BYTES)
        registers[0] = selected_register(d, TARGET_REG_F0 + REG_A0);
    return value_of_bytes(d->language, type, registers, size);
}

void print_returned(struct debugger *d, uint64_t pc)
{
    const struct print_format plain = {.count = 1};
    struct blocks blocks;
    struct type *type;
    struct value v;
    unsigned number;

    if (!debug_blocks(language_debug(d->language), place_canonical(&d->guest, pc), &blocks) ||
        !blocks.count || dwarf_srclang(&blocks.unit) == DW_LANG_Mips_Assembler) {
        fprintf(d->out, "   a0 = 0x%" PRIx64 "\n", selected_register(d, REG_A0));
        return;
    }
    type = debug_type_of(language_debug(d->language), &blocks.at[0]);
    if (!type || type_strip(language_types(d->language), type)->kind == TYPE_VOID)
        return;
    v = returned_value(d, type);
    if (value_record(d->language, &v, &number)) {
        fprintf(d->out, "Value returned is $%u = ", number);
        if (!value_print(d->language, d->out, v, plain))
            fprintf(d->out, "%s", language_why(d->language));
        fprintf(d->out, "\n");
    }
    language_release(d->language);
}
