/*
 * file.h - a whole file in memory: images, symbol files, initrds.
 */
#ifndef LOAD_FILE_H
#define LOAD_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"

struct file {
    uint8_t *bytes; /* never NULL after file_read */
    size_t size;
};

/*
 * Reads all of `path`, which may be a pipe. EXIT_NO_FILE: there is none.
 * EXIT_IO: it cannot be read, or is a directory. EXIT_BAD_FILE: it has more than
 * 4 GiB, or no end. Each with a message through d.
 */
MUST_USE enum exit_status file_read(const char *path, const struct diag *d, struct file *out);

/*
 * The FNV-1a of a file of any size, such as a disk. Errors as of file_read; a pipe, which can be
 * read only once, is EXIT_IO.
 */
MUST_USE enum exit_status file_hash(const char *path, const struct diag *d, uint64_t *hash);

/*
 * Creates a file to be written as it grows (the console's), or empties the one that is there. The
 * descriptor; -1: it cannot be created, which has a message and is EXIT_IO.
 */
MUST_USE int file_create(const char *path, const struct diag *d);

void file_free(struct file *f); /* leaves an empty one; may be called twice */

#endif
