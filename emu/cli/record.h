/*
 * record.h - a console that records what another one answers.
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
#include "cli/recording.h"
#include "machine.h"

struct recorder;

/* All calls are passed on to `inner`. */
struct recorder *recorder_new(const char *path, const struct console *inner, const struct diag *d);
void recorder_free(struct recorder *r); /* NULL is allowed */

/* Before the run: creates the file. `title` is a comment. EXIT_IO: a message was printed. */
MUST_USE enum exit_status recorder_begin(struct recorder *r, const char *title,
                                         const struct identity *i);

/* It also asks the machine to stop once a line could not be written. */
struct console recorder_console(struct recorder *r);

/* After the run. False: not all of it could be written; a message was printed. */
MUST_USE bool recorder_end(struct recorder *r, const struct recorded_end *end);

#endif
