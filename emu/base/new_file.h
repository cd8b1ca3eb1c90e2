/*
 * new_file.h - a file that takes its name only when it is complete: reports, traces, device
 * trees, recordings.
 *
 * It is written as PATH.part in the same folder and renamed to PATH in the end. After a run that
 * was killed, PATH is what it was before the run and PATH.part is what was written so far. What
 * cannot be replaced by another file is written directly: pipes, devices, a file in a folder that
 * takes no new ones, and `-`, which is standard output.
 */
#ifndef BASE_NEW_FILE_H
#define BASE_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/diag.h"

struct new_file {
    const char *path; /* as the user named it */
    char *final;      /* the name that it gets; NULL: written directly */
    char *part;       /* the name that it has until then; NULL as well */
    int fd;           /* -1: closed */
    FILE *stream;     /* of the same descriptor, after new_file_stream; else NULL */
};

/*
 * Opens it empty. False: it cannot be created, or another run is writing it: a message was
 * printed, it is EXIT_IO, and *f needs no closing. `path` must outlive it.
 */
MUST_USE bool new_file_open(struct new_file *f, const char *path, const struct diag *d);

/* For writing through stdio; closed with the file. */
FILE *new_file_stream(struct new_file *f);

/* Where it is now: PATH.part, or PATH if it is written directly. For messages, until it is closed.
 */
const char *new_file_name(const struct new_file *f);

/*
 * Closes it and gives it its name. False: not all of it could be written, then it is removed, or
 * it could not be renamed; either has a message and is EXIT_IO.
 */
MUST_USE bool new_file_commit(struct new_file *f, const struct diag *d);

/* Closes it and leaves PATH.part, as a killed run would; nothing to do for one that is closed. */
void new_file_leave(struct new_file *f);

/* Closes it and removes PATH.part; nothing to do for one that is closed. */
void new_file_discard(struct new_file *f);

#endif
