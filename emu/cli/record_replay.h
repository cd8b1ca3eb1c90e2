/*
 * record_replay.h - the console of a run: the host's, with --replay and --record (either, both or
 * none) around it.
 */
#ifndef CLI_RECORD_REPLAY_H
#define CLI_RECORD_REPLAY_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/options.h"
#include "cli/recording.h"
#include "machine.h"

struct record_replay;

/* Reads the file of --replay; a message tells of a failure. `host`: the innermost console. */
MUST_USE enum exit_status record_replay_new(const struct options *o, const struct console *host,
                                            const struct diag *d, struct record_replay **out);
void record_replay_free(struct record_replay *t); /* NULL is allowed */

struct console record_replay_console(const struct record_replay *t); /* for machine_config */

/*
 * Before the run, when its image and firmware are known: checks the replay, begins the recording.
 * `image_hash` is needed with --record or --replay only.
 */
MUST_USE enum exit_status record_replay_begin(struct record_replay *t, uint64_t image_hash,
                                              enum firmware_kind firmware);

/* The instruction at which the replayed run was stopped by the host or a limit; UINT64_MAX: it was
 * not. */
uint64_t record_replay_limit(const struct record_replay *t);
/* How it was stopped, if this run has reached that point; else NULL. */
const struct recorded_end *record_replay_reached(const struct record_replay *t, uint64_t insns);

/* After the run. EXIT_IO: not all of it is recorded; EXIT_BAD_FILE: it was not the recorded run. */
MUST_USE enum exit_status record_replay_end(struct record_replay *t,
                                            const struct recorded_end *end);

#endif
