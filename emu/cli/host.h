/*
 * host.h - the host's side of the console, its signals and its clock.
 *
 * Signals arrive through a file descriptor, not a handler, so there is nothing
 * global and nothing happens between two instructions of ours.
 */
#ifndef CLI_HOST_H
#define CLI_HOST_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/options.h"
#include "machine.h"

struct host;

/* Why the host wants the machine to stop. */
enum host_wish { HOST_GO_ON, HOST_TIMEOUT, HOST_INTERRUPT, HOST_QUIT, HOST_OUTPUT_LOST };

/* Opens what --console and --input name. The terminal goes raw if input is one. */
MUST_USE enum exit_status host_new(const struct options *o, const struct diag *d,
                                   struct host **out);
void host_free(struct host *h); /* flushes; the terminal is as it was */

/* For machine_config: console and interrupted. */
struct console host_console(struct host *h);
bool host_interrupted(void *host);

enum host_wish host_wish(const struct host *h);
void host_clear_wish(struct host *h); /* so that a debugger can go on */

/* Writes out what is buffered. False: it cannot be written; *reason is errno's. */
MUST_USE bool host_flush(struct host *h, int *reason);

#endif
