/*
 * sources.h - source files and the line tables of the debug information, for listings.
 */
#ifndef DEBUG_SOURCES_H
#define DEBUG_SOURCES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct debug_info;

/* A source file. The strings live as long as the debug information. */
struct source_file {
    const char *name; /* as the debug information has it: relative to `directory', or absolute */
    const char *directory; /* of the compilation; NULL: not known */
};

/* The code of one line around an address. */
struct source_range {
    struct source_file file;
    unsigned line;
    uint64_t start, end;
};

/* Returns the file of a unit by the name that libdw has for it. */
struct source_file sources_file(Dwarf_Die *unit, const char *name);
/* Finds the file and line of an address. False: unknown. */
MUST_USE bool sources_at(struct debug_info *i, uint64_t pc, struct source_range *r);
/* Finds the source file of a unit with this name, or with this end of its name after a `/'. */
MUST_USE bool sources_find(struct debug_info *i, const char *name, struct source_file *file);
/*
 * Finds the first code of a line, or of the next line that has code, to which *line is set then.
 * False: there is none.
 */
MUST_USE bool sources_line(struct debug_info *i, const struct source_file *file, unsigned *line,
                           struct source_range *r);
/* Finds where a name is declared; of a function, where its code begins. */
MUST_USE bool sources_declared(struct debug_info *i, const char *name, struct source_file *file,
                               unsigned *line);

#endif
