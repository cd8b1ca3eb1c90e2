/*
 * input.h - where the session's lines come from: a terminal or a stream, a file of commands, a
 * block of lines, the commands of a point.
 */
#ifndef DEBUG_INPUT_H
#define DEBUG_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/vec.h"

struct debugger;
struct input;

/* ---- input.c: a terminal or a stream ---- */

FILE *open_commands(const char *path);       /* NULL: errno says why; a directory is none */
struct input *input_new(struct debugger *d); /* NULL: the reason was printed */
void input_free(struct input *in);

/* The next line without its newline, valid until the next call; NULL: there are no more. */
const char *input_line(struct input *in);
/* The next line of a command that takes several. */
const char *input_body_line(struct input *in);
bool input_is_file(const struct input *in); /* --commands FILE: empty lines are ignored */

/* ---- user.c: files and blocks of lines ---- */

/*
 * Where the lines of a command that takes several come from while a file or a block of lines runs;
 * innermost first.
 */
struct line_source {
    struct line_source *outer;
    FILE *file; /* NULL: the lines */
    char *line; /* of the file, or the one with its arguments */
    size_t size;
    char *const *lines;
    size_t count, next;
    const char *args; /* of a user's command, for $arg0 and so on; NULL: as they are */
};

/* The next line, valid until the next call; NULL: there are no more. */
const char *lines_next(struct line_source *s);
/*
 * The next line of a command that takes several, wherever it comes from; NULL: there are no more.
 */
const char *next_body_line(struct debugger *d);

typedef VEC_OF(char *) line_list;

/*
 * Reads lines up to the `end' that belongs to the command, with those of commands within.
 * *otherwise: the first line after an `else', or NO_ELSE; NULL: not asked for.
 */
#define NO_ELSE SIZE_MAX
MUST_USE bool block_read(struct debugger *d, line_list *to, size_t *otherwise);
void block_free(line_list *l);

#endif
