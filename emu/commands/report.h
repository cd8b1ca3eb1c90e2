/*
 * report.h - `rvftrace report FILE...': the reports of finished runs as tables.
 */
#ifndef COMMANDS_REPORT_H
#define COMMANDS_REPORT_H

#include "base/compiler.h"
#include "base/diag.h"

/*
 * argv[0] is the program, argv[1] the word `report`. The table goes to standard output. An error
 * has a message through `d`; returns the exit status.
 */
MUST_USE enum exit_status report_command(int argc, char **argv, const struct diag *d);

#endif
