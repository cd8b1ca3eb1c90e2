/*
 * page.h - the page of HTML of a run that has just ended (`run --html').
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stddef.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "base/new_file.h"

/*
 * Writes the page into a file that is open, and closes it: the run's report, as its JSON, and a
 * flame graph of its log (NULL: without), which was written before. Else a message was given.
 */
MUST_USE enum exit_status page_write(struct new_file *file, char *json, size_t size,
                                     const char *log, const struct diag *d);

#endif
