/*
 * cores.h - where core files are, and what `rvftrace cores' prints of them.
 */
#ifndef COMMANDS_CORES_H
#define COMMANDS_CORES_H

#include "base/compiler.h"
#include "base/diag.h"

struct core;

/*
 * Reads the core of that name for --timing, or of the file if `name` has a slash. EXIT_USAGE: no
 * core has the name. EXIT_NO_FILE, EXIT_IO, EXIT_BAD_FILE: of the file. Each with a message.
 */
MUST_USE enum exit_status cores_read(const char *name, const struct diag *d, struct core **core);

/* Prints a line for each core there is; of `name` alone, unless that is NULL. */
MUST_USE enum exit_status cores_list(const char *name, const struct diag *d);

#endif
