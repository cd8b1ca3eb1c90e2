/*
 * place.h - addresses: their names, functions and contents.
 *
 * Before the kernel has enabled translation, no hart can translate the addresses of its symbols.
 * The image gives their physical addresses, so names and memory work from the first instruction
 * (TARGET_BY_ANY).
 */
#ifndef DEBUG_PLACE_H
#define DEBUG_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/isa/disasm.h"

struct guest;

/*
 * Writes "schedule+0x1c", or "" without a symbol. Physical addresses of the image have names, too.
 */
void place_name(const struct guest *g, uint64_t address, char *text, size_t size);
/* Names of addresses for the disassembler. */
struct disasm_names place_names(const struct guest *g);

/*
 * Finds the function's first address and the one after its end; false: no function is known there.
 */
bool place_function(const struct guest *g, uint64_t address, uint64_t *start, uint64_t *end);

/* Returns the image's virtual address for a physical one; any other address as it is. */
uint64_t place_canonical(const struct guest *g, uint64_t address);

/* Read memory and translate addresses by TARGET_BY_ANY, first by the page tables of the hart. */
bool place_read(const struct guest *g, unsigned hart, uint64_t va, void *to, unsigned len);
MUST_USE bool place_physical(const struct guest *g, unsigned hart, uint64_t va, uint64_t *pa);
/* Reads the instruction at va, as insn_decode takes it; false: not readable. */
MUST_USE bool place_word(const struct guest *g, unsigned hart, uint64_t va, uint32_t *word);

#endif
