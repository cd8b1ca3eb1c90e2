/*
 * identity.h - the identity of a run: the image and the options that affect the guest, as lines
 * that can be compared. Two runs with equal identities and equal input are the same.
 */
#ifndef CLI_IDENTITY_H
#define CLI_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/options.h"

enum { IDENTITY_LINES_MAX = 36 };

/* The beginning of the line with the file of --restore. */
#define IDENTITY_RESTORE "run restore "

/* Lines like `run harts 2`, in a fixed order. */
struct identity {
    char *lines[IDENTITY_LINES_MAX];
    size_t count;
};

/* Which file the lines are for. */
enum identity_use {
    IDENTITY_OF_RECORDING, /* a recording or a schedule: hashes of base/hash.h */
    IDENTITY_OF_SNAPSHOT,  /* digests of base/digest.h, which are fast */
};

/*
 * Collects the lines. `image_hash`: of the use's kind. Files are identified by the hash of their
 * contents; errors are as of file_hash. `firmware`: never FIRMWARE_AUTO.
 */
MUST_USE enum exit_status identity_new(const struct options *o, enum identity_use use,
                                       uint64_t image_hash, enum firmware_kind firmware,
                                       const struct diag *d, struct identity *out);
void identity_free(struct identity *i);

#endif
