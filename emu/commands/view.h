/*
 * view.h - `rvftrace view': becomes the viewer, a program of its own, which needs SDL2.
 */
#ifndef COMMANDS_VIEW_H
#define COMMANDS_VIEW_H

#include "base/compiler.h"
#include "base/diag.h"

/* argv[1] is `view'. Returns only if there is no viewer: the exit status, a message was given. */
MUST_USE enum exit_status viewer_command(char **argv, const struct diag *d);

/*
 * Starts the viewer, which shows the log that this process writes; it outlives this process.
 * EXIT_NO_FILE, EXIT_INTERNAL: it was not started; a message was given.
 */
MUST_USE enum exit_status viewer_follow(const char *log, const struct diag *d);

#endif
