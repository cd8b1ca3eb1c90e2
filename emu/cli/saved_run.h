/*
 * saved_run.h - snapshots in files (snapshot_file.h) on the command line: which run a file belongs
 * to, and with which options that run continues.
 *
 * The lines at the beginning of a file:
 *     build VERSION REVISION   the rvftrace that has saved it
 *     at INSNS CYCLES INPUT    the machine's instructions, cycles and bytes of input until then
 *     image PATH
 *     option NAME [VALUE]      an option, as it was given; the restored run may be given another
 *     run ...                  the identity of the run (identity.h), which must be the same
 *     watch ...                what is recorded of the run, which must be the same
 */
#ifndef CLI_SAVED_RUN_H
#define CLI_SAVED_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/options.h"

struct machine;
struct snapshot_file;

struct saved_run {
    const struct options *options;
    struct machine *machine;
    uint64_t image_digest; /* image_digest() of the image */
    const struct diag *diag;
};

/* Writes the machine's state to a file. Errors: EXIT_IO, and those of files that belong to the run;
 * a message was given. */
MUST_USE enum exit_status saved_run_write(const struct saved_run *r, const char *path);

/* Whether this rvftrace has saved the file. EXIT_BAD_FILE: another one has; a message was given. */
MUST_USE enum exit_status saved_run_check_build(const struct snapshot_file *f, const char *path,
                                                const struct diag *d);

/*
 * Checks that the file is of this run, and restores the machine's state. Errors and `keep` are as
 * of snapshot_file_restore. `path`: of the file, for messages.
 */
MUST_USE enum exit_status saved_run_restore(const struct saved_run *r, const char *path,
                                            struct snapshot_file *f, bool keep);

#endif
