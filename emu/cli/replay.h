/*
 * replay.h - a console that answers as a recording says, so that the run is the
 * recorded one to the last cycle.
 *
 * It needs no clock: idle time jumps to the moment of the next byte. Signals and the commands
 * of Ctrl-A still work. At the end of a recording that was cut off the inner console takes over, so
 * that the run can be continued by hand.
 */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/identity.h"
#include "cli/recording.h"
#include "machine.h"

struct replay;

/* Reads all of it. EXIT_NO_FILE, EXIT_IO, EXIT_BAD_FILE: a message names the line. */
MUST_USE enum exit_status replay_new(const char *path, const struct console *inner,
                                     const struct diag *d, struct replay **out);
void replay_free(struct replay *r); /* NULL is allowed */

/* EXIT_BAD_FILE: it is the recording of another run; a message says what differs. */
MUST_USE enum exit_status replay_check(const struct replay *r, const struct identity *i);

struct console replay_console(struct replay *r);

/* Instructions at which the machine must be stopped, for machine_run; UINT64_MAX: by itself. */
uint64_t replay_limit(const struct replay *r);

/* How the recorded run was stopped, if this one has reached that point; else NULL. */
const struct recorded_end *replay_reached(const struct replay *r, uint64_t insns);

/* After the run. False: it was not the recorded one; a message was printed. */
MUST_USE bool replay_is_true(const struct replay *r, const struct recorded_end *end);

#endif
