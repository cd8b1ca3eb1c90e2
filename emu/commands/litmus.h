/*
 * litmus.h - `rvftrace litmus FILE...': all outcomes of litmus tests.
 */
#ifndef COMMANDS_LITMUS_H
#define COMMANDS_LITMUS_H

#include "base/compiler.h"
#include "base/diag.h"

/*
 * argv[0] is the program, argv[1] the word `litmus`. The outcomes go to standard output. An error
 * has a message through `d`; returns the exit status.
 */
MUST_USE enum exit_status litmus_command(int argc, char **argv, const struct diag *d);

#endif
