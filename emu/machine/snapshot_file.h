/*
 * snapshot_file.h - snapshots in files: the state of the machine at an instruction boundary, for
 * another process. A run that continues from one is identical to the uninterrupted run, as for
 * snapshots in memory (snapshot.h).
 *
 * A file begins with lines of text, which the caller gives: they say which run it belongs to. After
 * an empty line follow zstd frames (base/frame.h): what is known of each page of memory and of
 * disks; the state of all parts of the machine; and the pages that are not all zero, 1 MiB in each
 * frame. An index and its hash end the file, so that a file that was cut off has none.
 *
 * Not in a file, other than in a snapshot in memory: the contents of disks that are not written to
 * memory (`snapshot`), the input, and the files that a run writes.
 */
#ifndef SNAPSHOT_FILE_H
#define SNAPSHOT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/diag.h"

struct machine;
struct snapshot_file;

/* The lines of text, none of them empty or with a line break in it. */
struct snapshot_lines {
    char **at;
    size_t count;
};

/*
 * Writes the state between two calls of machine_run; the run is not changed. The file gets its name
 * when it is complete (base/new_file.h). EXIT_IO: a message was given.
 */
MUST_USE enum exit_status snapshot_file_write(struct machine *m, const char *path,
                                              const struct snapshot_lines *lines,
                                              const struct diag *d);

/*
 * Opens a file and checks all but the contents of its frames: a file of another kind or version,
 * and one that was cut off or whose lines or index were altered, is EXIT_BAD_FILE. EXIT_NO_FILE,
 * EXIT_IO: as usual. A message was given. `path` must outlive the file.
 */
MUST_USE enum exit_status snapshot_file_open(const char *path, const struct diag *d,
                                             struct snapshot_file **out);
void snapshot_file_close(struct snapshot_file *f); /* NULL is allowed */

const struct snapshot_lines *snapshot_file_lines(const struct snapshot_file *f);

/*
 * Restores the state in a machine that was built from the same configuration, which the caller has
 * checked by the lines. EXIT_BAD_FILE: a part of the file was altered, or is not of such a machine;
 * a message was given. Then, if `keep`, the machine is as it was before; otherwise it must not be
 * run. EXIT_IO: the file of a disk could not be read, and the machine must not be run.
 */
MUST_USE enum exit_status snapshot_file_restore(struct snapshot_file *f, struct machine *m,
                                                bool keep);

#endif
