/*
 * identity.h - all that a run is a function of, but its input: the image and the
 * options that matter to it, in lines that can be compared.
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
 * Files are told apart by their contents, which are read for it: the errors are
 * those of file_hash. `firmware` is what became of FIRMWARE_AUTO.
 */
MUST_USE enum exit_status identity_new(const struct options *o, uint64_t image_hash,
                                       enum firmware_kind firmware, const struct diag *d,
                                       struct identity *out);
void identity_free(struct identity *i);

#endif
