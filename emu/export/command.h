/*
 * command.h - `rvftrace log': shows and converts event logs.
 */
#ifndef EXPORT_COMMAND_H
#define EXPORT_COMMAND_H

#include "base/compiler.h"
#include "base/diag.h"

/* argv[1] is `log'. Returns the exit status. */
MUST_USE enum exit_status log_command(int argc, char **argv, const struct diag *d);

#endif
