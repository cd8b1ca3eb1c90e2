/*
 * lines.h - from a virtual address to source file, line and function, through
 * the DWARF of an ELF (libdw). The file is opened by the first lines_at. For an
 * ELF without DWARF, or a file that is not an ELF, lines_at is always false.
 */
#ifndef LOAD_LINES_H
#define LOAD_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct lines;
struct lines_functions;

/* The strings live as long as the struct lines. */
struct line_place {
    const char *file;     /* relative to the compilation directory if it is below that */
    unsigned line;        /* from 1; 0: compiler-generated code without a source line */
    unsigned column;      /* 0: not known */
    const char *function; /* the out-of-line function that contains the address; NULL: not known */
    const char *inlined;  /* the innermost function inlined there; NULL: none */
};

/* Does not open the file yet; never NULL, no message. */
struct lines *lines_new(const char *path);
void lines_free(struct lines *l); /* NULL is allowed here and in lines_at */

/* Whether the file has DWARF at all. Opens it. */
bool lines_known(struct lines *l);

/* The place of an address. False: it is not known, and *place is unchanged. */
MUST_USE bool lines_at(struct lines *l, uint64_t addr, struct line_place *place);

/*
 * The same of the function that contains the address: the line with its name. Its column is 0.
 * False: the address is in no function that has debug information.
 */
MUST_USE bool lines_of_function(struct lines *l, uint64_t addr, struct line_place *place);

/*
 * The same as lines_at; but code inlined from a file of this name, as `jump_label.h', has the place
 * of its call, in the first file around it with another name.
 */
MUST_USE bool lines_outside(struct lines *l, uint64_t addr, const char *name,
                            struct line_place *place);

/*
 * The functions of all units, for callers that ask for many of them: reading them all takes as long
 * as a few calls of lines_at. `l` must outlive it, and may be NULL.
 */
struct lines_functions *lines_functions_new(struct lines *l);
void lines_functions_free(struct lines_functions *f); /* NULL is allowed */

/*
 * The place of an address in a function; or the function that begins after it and before the
 * address `before`, at the line with its name. `inlined' is not set. False: none is known, and
 * nothing is changed.
 */
MUST_USE bool lines_functions_at(const struct lines_functions *f, uint64_t addr, uint64_t before,
                                 struct line_place *place);

/*
 * Makes structs quick to find that the source file of the code at this address uses. Else units are
 * read in the order of the file until one has the struct.
 */
void lines_read_structs(struct lines *l, uint64_t addr);

/* The offset of a member of a struct; false: the debug information does not have it. */
MUST_USE bool lines_member(struct lines *l, const char *structure, const char *member,
                           uint64_t *offset);

/* The bytes of a struct; false: the debug information does not have it. */
MUST_USE bool lines_struct_size(struct lines *l, const char *structure, uint64_t *size);

#endif
