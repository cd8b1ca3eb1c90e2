/*
 * log.h - `rvftrace log': shows and converts event logs.
 */
#ifndef COMMANDS_LOG_H
#define COMMANDS_LOG_H

#include <stdio.h>

#include "base/compiler.h"
#include "base/diag.h"

struct selection;

/* argv[1] is `log'. Returns the exit status. */
MUST_USE enum exit_status log_command(int argc, char **argv, const struct diag *d);

/*
 * Writes the selected calls of a log as `--to chrome' does; whether they could be written is the
 * stream's error flag. Another status: the log cannot be read; a message was given.
 */
MUST_USE enum exit_status log_to_trace(const char *path, const struct selection *selected,
                                       FILE *out, const struct diag *d);

#endif
