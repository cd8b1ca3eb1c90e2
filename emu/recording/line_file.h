/*
 * line_file.h - reads the text files that belong to one run: recordings and schedules.
 *
 * The first line names the format and its version. Then come comments (#), the identity of the run
 * (identity.h), and the lines of the format itself. A file of another run is refused.
 */
#ifndef CLI_LINE_FILE_H
#define CLI_LINE_FILE_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "base/vec.h"
#include "cli/identity.h"

/* What the messages of a format say. */
struct line_format {
    const char *magic; /* the first word of the file */
    int version;
    const char *name;   /* "a recording" */
    const char *source; /* "a file written by --record" */
    const char *made;   /* "recorded" */
    const char *remedy; /* "record the run again" */
};

struct identity_line {
    char *text;
    unsigned line;
};

struct line_file {
    const struct line_format *format;
    const char *path;
    const struct diag *diag;
    /* A line of the format's own. False: it is wrong, and line_file_refuse was called. */
    bool (*take)(void *ctx, const char *line);
    void *ctx;

    unsigned lines; /* read so far; the number of the present one */
    bool has_own;   /* lines of the format's own were read */
    VEC_OF(struct identity_line) identity;
};

/* Reads the file; the first five members must be set. EXIT_BAD_FILE: a message was given. */
MUST_USE enum exit_status line_file_read(struct line_file *f);
void line_file_free(struct line_file *f);

/* Gives a message about the present line, and returns false. */
bool line_file_refuse(const struct line_file *f, const char *why);

/* Checks that the file is of this run. EXIT_BAD_FILE: it is not, and a message was given. */
MUST_USE enum exit_status line_file_check(const struct line_file *f, const struct identity *i);

#endif
