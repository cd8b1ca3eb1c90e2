/*
 * replay.h - a console that replays a recording, so that the run is the recorded one to
 * the last cycle.
 *
 * It needs no clock: idle time jumps to the moment of the next byte. Signals and the commands of
 * Ctrl-A still work. At the end of a truncated recording the inner console takes over, so that the
 * run can be continued interactively.
 */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/identity.h"
#include "machine/machine.h"
#include "recording/recording.h"

struct replay;

/* Reads the file. Errors EXIT_NO_FILE, EXIT_IO, EXIT_BAD_FILE: a message gives the line. */
MUST_USE enum exit_status replay_new(const char *path, const struct console *inner,
                                     const struct diag *d, struct replay **out);
void replay_free(struct replay *r); /* NULL is allowed */

/* EXIT_BAD_FILE: it is the recording of another image or other options; a message was given. */
MUST_USE enum exit_status replay_check(const struct replay *r, const struct identity *i);

/* Whether the recorded run was restored from a snapshot; otherwise it began at power-on. */
bool replay_is_of_restored(const struct replay *r);

/* Before the run: leaves out the first `count` bytes of input, which the machine has taken. */
void replay_skip(struct replay *r, uint64_t count);

struct console replay_console(struct replay *r);

/* The instruction limit for machine_run; UINT64_MAX: none, the recorded run ended by itself. */
uint64_t replay_limit(const struct replay *r);

/* How the recorded run was stopped, if this run has reached that instruction; else NULL. */
const struct recorded_end *replay_reached(const struct replay *r, uint64_t insns);

/* After the run: whether it was the recorded one. False: a message was given. */
MUST_USE bool replay_is_true(const struct replay *r, const struct recorded_end *end);

#endif
