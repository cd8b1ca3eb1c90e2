/*
 * lines_dwarf.h - the DWARF of struct lines, for the other files that read it.
 */
#ifndef LOAD_LINES_DWARF_H
#define LOAD_LINES_DWARF_H

#include <elfutils/libdw.h>

#include "load/cfi.h"
#include "load/lines.h"

/* NULL: there is none, or `l` is NULL. Opens the file if that was not done yet. */
Dwarf *lines_dwarf(struct lines *l);

/*
 * The call frame information of its .debug_frame; NULL: there is none, or libdw has to read it.
 * Valid while `l` is.
 */
const struct cfi *lines_cfi(struct lines *l);

/* The compilation unit with the address; lines_dwarf must not be NULL. */
MUST_USE bool lines_unit(struct lines *l, uint64_t addr, Dwarf_Die *unit);

/* File, line and column of an address in the unit. False: they are not known. */
MUST_USE bool lines_line(Dwarf_Die *unit, uint64_t addr, struct line_place *place);

/* The file's name as struct line_place has it. */
const char *lines_shorten(const char *file, Dwarf_Die *unit);

/* The DIEs around the address, innermost first; *scopes is from malloc. Returns their number, or
 * 0 or less. */
int lines_scopes(Dwarf_Die *unit, uint64_t addr, Dwarf_Die **scopes);

/*
 * The DIE of the function that contains the address, or of one that begins after it and before the
 * address `before'; *low: where it begins. False: none is known.
 */
MUST_USE bool lines_functions_die(const struct lines_functions *f, uint64_t addr, uint64_t before,
                                  Dwarf_Die *die, uint64_t *low);

/* Where an inlined function is called. False: it does not say, and nothing is changed. */
MUST_USE bool lines_call(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file, unsigned *line);

#endif
