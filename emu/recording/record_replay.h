/*
 * record_replay.h - the console of a run: the host's, wrapped by those of --replay and --record if
 * they are given.
 */
#ifndef CLI_RECORD_REPLAY_H
#define CLI_RECORD_REPLAY_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/options.h"
#include "machine/machine.h"
#include "recording/recording.h"

struct record_replay;

/* Reads the file of --replay; gives a message on an error. `host`: the innermost console. */
MUST_USE enum exit_status record_replay_new(const struct options *o, const struct console *host,
                                            const struct diag *d, struct record_replay **out);
void record_replay_free(struct record_replay *t); /* NULL is allowed */

struct console record_replay_console(const struct record_replay *t); /* for machine_config */

/*
 * Checks that the replay is of this image and these options, and begins the recording. Must be
 * called before the run. `image_hash` is used with --record or --replay only.
 */
MUST_USE enum exit_status record_replay_begin(struct record_replay *t, uint64_t image_hash,
                                              enum firmware_kind firmware);

/* Notes that the machine was restored from a file after taking input_count bytes of input. */
void record_replay_restored(struct record_replay *t, uint64_t input_count);

/*
 * The number of instructions at which the replayed run was stopped by the host or a limit;
 * UINT64_MAX: it was not.
 */
uint64_t record_replay_limit(const struct record_replay *t);
/* How it was stopped, if this run has reached that instruction; else NULL. */
const struct recorded_end *record_replay_reached(const struct record_replay *t, uint64_t insns);

/*
 * Ends both, after the run. EXIT_IO: the recording is incomplete; EXIT_BAD_FILE: the run differed
 * from the replayed one.
 */
MUST_USE enum exit_status record_replay_end(struct record_replay *t,
                                            const struct recorded_end *end);

#endif
