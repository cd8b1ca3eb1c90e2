/*
 * address.h - prints addresses with their names and source lines; reads registers and memory of the
 * selected hart.
 */
#ifndef DEBUG_ADDRESS_H
#define DEBUG_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "debug/target/target.h"

struct debugger;

/* Prints "0xffffffff80001234 <schedule+0x1c>". */
void print_place(const struct debugger *d, uint64_t address);
/* Writes "kernel/sched/core.c:120"; false: not known. */
bool place_line(const struct debugger *d, uint64_t address, char *text, size_t size);
/* Prints the source line, if its file can be read. */
void print_source(const struct debugger *d, uint64_t address);
/* Prints the message of an error of the target layer about an address. */
void complain_of_address(const struct debugger *d, enum target_error error, uint64_t address);

/* Returns a register of the selected hart; `number` must be one that every hart has. */
uint64_t selected_register(const struct debugger *d, unsigned number);
uint64_t selected_pc(const struct debugger *d);
/*
 * Read memory and translate addresses by TARGET_BY_ANY, first by the page tables of the selected
 * hart.
 */
bool selected_read(const struct debugger *d, uint64_t va, void *to, unsigned len);
MUST_USE bool selected_physical(const struct debugger *d, uint64_t va, uint64_t *pa);
/* Reads the instruction at va, as insn_decode takes it; false: not readable. */
MUST_USE bool selected_word(const struct debugger *d, uint64_t va, uint32_t *word);

#endif
