/*
 * host.h - the host's side of the console, its signals and its clock.
 *
 * Who has the terminal: the guest while it runs, the debugger while it stands.
 * host_resume and host_stand hand it over. What is typed behind Ctrl-A is for us
 * (keys.def), signals come as wishes, and an idle machine with somebody at the
 * terminal sleeps beside the clock on the wall (pace.h).
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
enum host_wish {
    HOST_GO_ON,
    HOST_DEBUG, /* the machine is to stand, the session goes on; all others end it */
    HOST_QUIT,
    HOST_SIGNAL, /* see host_signal */
    HOST_TIMEOUT,
    HOST_OUTPUT_LOST,
    HOST_INPUT_LOST,
};

/* Opens what --console and --input name; a failure is said. */
MUST_USE enum exit_status host_new(const struct options *o, const struct diag *d,
                                   struct host **out);
void host_free(struct host *h);

struct console host_console(struct host *h);

enum host_wish host_wish(const struct host *h);
bool host_is_ending(const struct host *h);
int host_signal(const struct host *h); /* the one that ended the run; 0: none */

/* From here on SIGINT and Ctrl-C mean HOST_DEBUG, and the terminal is the debugger's. */
void host_begin_session(struct host *h);
/* The machine goes on, HOST_DEBUG is forgotten; unless the debugger keeps it, the guest gets the
 * terminal when it has run for a while. */
void host_resume(struct host *h, bool keep_terminal);
/* The machine stands: its output is written and its line ended, the terminal given back. */
void host_stand(struct host *h);
/* Sleeps until standard input has something. False: the session is to end. */
bool host_await_key(struct host *h);

/*
 * The run is over: output is written, the terminal as it was, and signals act as
 * they did, so that a second one ends us at once.
 */
void host_release(struct host *h);

/* One line about what was lost; false: nothing was. */
bool host_complain(const struct host *h, const struct diag *d);

#endif
