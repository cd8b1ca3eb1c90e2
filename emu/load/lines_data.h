/*
 * lines_data.h - the members of variables and of what pointers point to, by the DWARF of an ELF.
 */
#ifndef LOAD_LINES_DATA_H
#define LOAD_LINES_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct lines;

/*
 * The member at an offset in a global variable, as code at pc knows its type: "func",
 * "[2].head.next". Writes nothing if the variable has no members. False: it is not known.
 */
MUST_USE bool lines_data_member(struct lines *l, uint64_t pc, const char *variable, uint64_t offset,
                                char *text, size_t size);

/*
 * The same for an access through a register that holds a pointer, if at pc a variable or parameter
 * is in that register: "op->func, struct ftrace_ops".
 */
MUST_USE bool lines_data_pointed(struct lines *l, uint64_t pc, unsigned reg, uint64_t offset,
                                 char *text, size_t size);

#endif
