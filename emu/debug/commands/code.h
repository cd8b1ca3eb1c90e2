/*
 * code.h - disassembled instructions.
 */
#ifndef DEBUG_CODE_H
#define DEBUG_CODE_H

#include <stdint.h>

struct debugger;

enum code_mark { CODE_PLAIN, CODE_HERE };

/*
 * Prints one line: mark, address, name, bytes, text. Returns the instruction's size, 0: not mapped.
 */
unsigned print_code(struct debugger *d, uint64_t va, enum code_mark mark);
/* Prints one line as `x/i' does. */
unsigned print_instruction(struct debugger *d, uint64_t va);
/*
 * Returns the address `count' instructions before va, or the first of its function; va if unknown.
 */
uint64_t instructions_before(struct debugger *d, uint64_t va, uint64_t count);

#endif
