/*
 * new_file.h - output files that get their name when they are complete: reports, traces, device
 * trees, recordings.
 *
 * A file is written as PATH.part in the same directory and renamed to PATH at the end. After a
 * killed run, PATH is unchanged and PATH.part has what was written so far. Files that cannot be
 * replaced are written directly: pipes, devices, a file in a directory without write permission,
 * and `-`, which is standard output.
 */
#ifndef BASE_NEW_FILE_H
#define BASE_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/diag.h"

struct new_file {
    const char *path; /* as the user named it */
    char *final;      /* the final name; NULL: written directly */
    char *part;       /* the name until then; NULL: written directly */
    int fd;           /* -1: closed */
    FILE *stream;     /* of the same descriptor, after new_file_stream; else NULL */
};

/*
 * Removes the PATH.part of every file of this process that is open, as nobody will complete it. Of
 * the process because it is ending, whoever has the files; may be called by any thread. Returns the
 * name of the newest one that stays, which lives as long as its file; NULL: none.
 */
const char *new_files_remove(void);

/* What is written of this file so far can be read: new_files_remove leaves it unless it is empty.
 */
void new_file_is_lasting(const struct new_file *f);

/*
 * Opens the file, empty. False: it cannot be created, or another run is writing it; a message was
 * given, the status is EXIT_IO, and *f need not be closed. `path` must outlive it.
 */
MUST_USE bool new_file_open(struct new_file *f, const char *path, const struct diag *d);

/* For writing through stdio; closed with the file. */
FILE *new_file_stream(struct new_file *f);

/* The present name, for messages: PATH.part, or PATH if it is written directly. Valid until closed.
 */
const char *new_file_name(const struct new_file *f);

/*
 * Closes the file and renames it to its final name. False: a write had failed, and it was removed,
 * or it cannot be renamed; a message was given, and the status is EXIT_IO.
 */
MUST_USE bool new_file_commit(struct new_file *f, const struct diag *d);

/* Closes the file and leaves PATH.part, as a killed run does; does nothing if it is closed. */
void new_file_leave(struct new_file *f);

/* Closes the file and removes PATH.part; does nothing if it is closed. */
void new_file_discard(struct new_file *f);

#endif
