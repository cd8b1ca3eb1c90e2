/*
 * stacks.h - the cycles of a log by stacks of calls, as JSON for a page that draws a flame graph.
 */
#ifndef EXPORT_STACKS_H
#define EXPORT_STACKS_H

#include "base/compiler.h"
#include "base/diag.h"

/*
 * `*json`, which the caller frees: an object with `log', its path, and `all', all cycles,
 * and, if the log has counts, `disabled', those of the sites that were off. Each has the lists
 * `parents', `names' and `cycles', its own, of each function below its caller; the first is all.
 * Else a message was given.
 */
MUST_USE enum exit_status stacks_json(const char *path, const struct diag *d, char **json);

#endif
