/*
 * tapes.h - the recording that a run's input comes from, and the one that it
 * goes to: both, either or none, wrapped around the host's console.
 */
#ifndef CLI_TAPES_H
#define CLI_TAPES_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/options.h"
#include "cli/recording.h"
#include "machine.h"

struct tapes;

/* Reads what --replay names; a failure is said. `host` is the console around which they are. */
MUST_USE enum exit_status tapes_new(const struct options *o, const struct console *host,
                                    const struct diag *d, struct tapes **out);
void tapes_free(struct tapes *t); /* NULL is allowed */

struct console tapes_console(const struct tapes *t); /* for machine_config */

/* Before the run, when it is known what runs: compares with the one, begins the other. */
MUST_USE enum exit_status tapes_begin(struct tapes *t, uint64_t image_hash,
                                      enum firmware_kind firmware);

/* Instructions at which the replayed run was stopped from outside; UINT64_MAX: it was not. */
uint64_t tapes_limit(const struct tapes *t);
/* How it was, if this one has come there at so many instructions; else NULL. */
const struct recorded_end *tapes_reached(const struct tapes *t, uint64_t insns);

/* After the run. EXIT_IO: not all of it is recorded; EXIT_BAD_FILE: it strayed. Either was said. */
MUST_USE enum exit_status tapes_end(struct tapes *t, const struct recorded_end *end);

#endif
