/*
 * check_trace.h - `rvftrace check-trace TRACE IMAGE': whether the ISA permits the fetches in the
 * trace of another machine.
 */
#ifndef COMMANDS_CHECK_TRACE_H
#define COMMANDS_CHECK_TRACE_H

#include "base/compiler.h"
#include "base/diag.h"

/*
 * argv[1] is `check-trace'. The result goes to standard output. Returns the exit status: EXIT_AUDIT
 * if a fetch is wrong.
 */
MUST_USE enum exit_status check_trace_command(int argc, char **argv, const struct diag *d);

#endif
