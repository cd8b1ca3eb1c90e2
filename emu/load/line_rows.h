/*
 * line_rows.h - the rows of the line tables of an ELF: which code belongs to a line, and where the
 * code of a line begins. For stepping by lines and for breakpoints at lines.
 */
#ifndef LOAD_LINE_ROWS_H
#define LOAD_LINE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct lines;

/* Code of one line. The string lives as long as the struct lines. */
struct line_row {
    const char *file;    /* as in struct line_place (lines.h) */
    unsigned line;       /* from 1 */
    uint64_t start, end; /* end: of the next row */
    bool begins;         /* `start` is a good place to stop at: a statement begins there */
};

/* The row with the address. False: there is none, or it has no line; *row is unchanged. */
MUST_USE bool line_row_at(struct lines *l, uint64_t addr, struct line_row *row);

/*
 * Where the first code of a function [start, end) is that has a line: behind the nops of an ftrace
 * site, which are in no line if the function has a section of its own. `start' if it has none.
 */
uint64_t line_rows_entry(struct lines *l, uint64_t start, uint64_t end);

/*
 * Where the body of the function [start, end) begins, after its prologue, as debuggers find it: at
 * the end of its first line's code. `start` itself if it has no lines, or one only.
 */
uint64_t line_rows_body(struct lines *l, uint64_t start, uint64_t end);

/*
 * The functions that are inlined at the address, as numbers that differ; the outermost first.
 * Returns how many, at most INLINED_MAX.
 */
enum { INLINED_MAX = 16 };
unsigned line_rows_inlined(struct lines *l, uint64_t addr, uint64_t inlined[INLINED_MAX]);

/*
 * Where the function at depth `depth' of line_rows_inlined was called; its code must begin at
 * the address. False: it does not, or the place is not known. Of the row only file and line are
 * set.
 */
MUST_USE bool line_rows_call(struct lines *l, uint64_t addr, unsigned depth, struct line_row *row);

/*
 * Where the code of a line begins: one address for each function with code of it, and each place
 * where such a function is inlined; at most `max`. `file` is a name without or with the last
 * directories before it. If the line has no code, that of the next line that has some;
 * *line is changed then. Returns the number of addresses; they ascend.
 */
size_t line_rows_find(struct lines *l, const char *file, unsigned *line, uint64_t *addresses,
                      size_t max);

/* Whether the image has a source file of this name, as line_rows_find takes it. */
MUST_USE bool line_rows_has_file(struct lines *l, const char *file);

#endif
