/*
 * lines.h - from a virtual address to source file, line and function, through
 * the DWARF of an ELF (libdw). Opened at the first question; an ELF without
 * DWARF, or a file that is no ELF, answers every question with false.
 */
#ifndef LOAD_LINES_H
#define LOAD_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct lines;

/* The strings live as long as the struct lines. */
struct line_place {
    const char *file;     /* below the compilation directory: relative to it */
    unsigned line;        /* 1 is the first; 0: the compiler made it without a source line */
    unsigned column;      /* 0: not known */
    const char *function; /* the out-of-line function that holds the address; NULL: not known */
    const char *inlined;  /* the innermost function inlined there; NULL: none */
};

/* Touches nothing yet: never NULL, no message. */
struct lines *lines_new(const char *path);
void lines_free(struct lines *l); /* NULL is allowed; so it is below */

/* False: nothing is known of the address; *place is untouched then. */
MUST_USE bool lines_at(struct lines *l, uint64_t addr, struct line_place *place);

#endif
