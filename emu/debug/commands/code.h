/*
 * code.h - disassembled instructions.
 */
#ifndef DEBUG_CODE_H
#define DEBUG_CODE_H

#include <stdint.h>

struct debugger;

enum code_mark { CODE_PLAIN, CODE_HERE };

/* Prints one line: mark, address, name, bytes, text. Returns the instruction's size, 0: not mapped.
 */
unsigned print_code(struct debugger *d, uint64_t va, enum code_mark mark);
/* The same as `x/i' shows it. */
unsigned print_instruction(struct debugger *d, uint64_t va);
/* Where `count' instructions before va begin, as far as its function goes back; else va. */
uint64_t instructions_before(struct debugger *d, uint64_t va, uint64_t count);

#endif
