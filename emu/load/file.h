/*
 * file.h - reads whole files into memory: images, symbol files, initrds.
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
 * Reads all of `path`, which may be a pipe. EXIT_NO_FILE: it does not exist.
 * EXIT_IO: it cannot be read, or is a directory. EXIT_BAD_FILE: it is larger than
 * 4 GiB, or endless. Each with a message through d.
 */
MUST_USE enum exit_status file_read(const char *path, const struct diag *d, struct file *out);

/*
 * The 64-bit FNV-1a hash of a file of any size, such as a disk. Errors as for file_read; a pipe,
 * which can be read only once, is EXIT_IO.
 */
MUST_USE enum exit_status file_hash(const char *path, const struct diag *d, uint64_t *hash);

/*
 * The digest (base/digest.h) of a file of any size; holes are not read. Errors as of file_hash.
 */
MUST_USE enum exit_status file_digest(const char *path, const struct diag *d, uint64_t *digest);

/*
 * Creates a file for output that appears as it is written (the console's), or truncates it. Returns
 * the descriptor, or -1 with a message; the exit status for that is EXIT_IO.
 */
MUST_USE int file_create(const char *path, const struct diag *d);

void file_free(struct file *f); /* may be called twice */

#endif
