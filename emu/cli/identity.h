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

enum { IDENTITY_LINES_MAX = 32 };

/* Lines like `run harts 2`, in a fixed order. */
struct identity {
    char *lines[IDENTITY_LINES_MAX];
    size_t count;
};

/*
 * Collects the lines. Files are identified by the hash of their contents; errors are as of
 * file_hash. `firmware`: never FIRMWARE_AUTO.
 */
MUST_USE enum exit_status identity_new(const struct options *o, uint64_t image_hash,
                                       enum firmware_kind firmware, const struct diag *d,
                                       struct identity *out);
void identity_free(struct identity *i);

#endif
