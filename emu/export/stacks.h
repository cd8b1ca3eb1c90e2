/*
 * stacks.h - makes JSON of a log's cycles by stacks of calls, for a page that draws a flame graph.
 */
#ifndef EXPORT_STACKS_H
#define EXPORT_STACKS_H

#include "base/compiler.h"
#include "base/diag.h"

/*
 * Makes *json, which the caller frees: an object with `log', the path; `all', all cycles; and, if
 * the log has counts, `disabled', those of the sites that were off. The latter two have the lists
 * `parents', `names' and `cycles' (own cycles), with an element for each function below its caller;
 * the first one is the root. On failure a message was given.
 */
MUST_USE enum exit_status stacks_json(const char *path, const struct diag *d, char **json);

#endif
