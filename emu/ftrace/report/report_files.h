/*
 * report_files.h - the files that are written at the end of a run: reports for programs.
 */
#ifndef FTRACE_REPORT_FILES_H
#define FTRACE_REPORT_FILES_H

#include "base/compiler.h"
#include "base/diag.h"
#include "base/new_file.h"

struct report;

enum report_format { REPORT_JSON, REPORT_SARIF, REPORT_JUNIT, REPORT_BASELINE, REPORT_FORMATS };

struct report_files {
    const char *paths[REPORT_FORMATS]; /* NULL: not requested */
    struct new_file files[REPORT_FORMATS];
};

/* The paths must outlive it. */
struct report_files report_files_none(void);

/*
 * Opens the files before the run, so that a wrong path is found at once; but not a FIFO, whose
 * reader may come later.
 */
MUST_USE enum exit_status report_files_prepare(struct report_files *f, const struct diag *d);

/* Writes all of them. EXIT_IO: one could not be written; a message was given. */
MUST_USE enum exit_status report_files_write(struct report_files *f, const struct report *r,
                                             const struct diag *d);

/* Removes those that were not written. */
void report_files_discard(struct report_files *f);

#endif
