/*
 * identity.h - what a run depends on apart from its input: the image and the options that change
 * what the guest does, as lines that can be compared.
 */
#ifndef CLI_IDENTITY_H
#define CLI_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/options.h"

enum { IDENTITY_LINES_MAX = 32 };

/* Lines like `run harts 2`, in an order that does not change. */
struct identity {
    char *lines[IDENTITY_LINES_MAX];
    size_t count;
};

/*
 * Files are identified by the hash of their contents; the errors are those of file_hash.
 * `firmware`: never FIRMWARE_AUTO.
 */
MUST_USE enum exit_status identity_new(const struct options *o, uint64_t image_hash,
                                       enum firmware_kind firmware, const struct diag *d,
                                       struct identity *out);
void identity_free(struct identity *i);

#endif
