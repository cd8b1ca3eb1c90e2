/*
 * record.h - a console that records the input of another one.
 *
 * Each byte of input is a line of its own (recording.h), and is written before the guest sees it:
 * the recording of a run that was killed is complete up to there.
 */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/identity.h"
#include "machine/machine.h"
#include "recording/recording.h"

struct recorder;

/* All calls are passed on to `inner`. */
struct recorder *recorder_new(const char *path, const struct console *inner, const struct diag *d);
void recorder_free(struct recorder *r); /* NULL is allowed */

/* Creates the file, before the run. `title` becomes a comment in it. EXIT_IO: a message was given.
 */
MUST_USE enum exit_status recorder_begin(struct recorder *r, const char *title,
                                         const struct identity *i);

/* The console that records. Its `interrupted` is true once a line could not be written. */
struct console recorder_console(struct recorder *r);

/* Ends the recording, after the run. False: it is incomplete, and a message was given. */
MUST_USE bool recorder_end(struct recorder *r, const struct recorded_end *end);

#endif
