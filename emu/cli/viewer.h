/*
 * viewer.h - `rvftrace view': becomes the viewer, a program of its own, which needs SDL2.
 */
#ifndef CLI_VIEWER_H
#define CLI_VIEWER_H

#include "base/compiler.h"
#include "base/diag.h"

/* argv[1] is `view'. Returns only if there is no viewer: the exit status, a message was given. */
MUST_USE enum exit_status viewer_command(char **argv, const struct diag *d);

#endif
