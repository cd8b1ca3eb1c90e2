/*
 * host.h - the host's side of the console, its signals and its clock.
 *
 * The terminal belongs to the guest while the machine runs, and to the debugger while it is
 * stopped; host_resume and host_pause switch it. Ctrl-A begins a command to rvftrace (keys.def).
 * Signals, keys and the timeout become requests. With a terminal, the time of an idle machine
 * follows the wall clock (pace.h).
 */
#ifndef CLI_HOST_H
#define CLI_HOST_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/options.h"
#include "machine/machine.h"

struct end_watch;
struct host;

/* Why the host wants the machine to stop; all but the first two end the run. */
enum host_request {
    HOST_NO_REQUEST,
    HOST_DEBUG, /* stop the machine, go to the debugger */
    HOST_QUIT,
    HOST_SIGNAL, /* see host_signal */
    HOST_TIMEOUT,
    HOST_OUTPUT_LOST,
    HOST_INPUT_LOST,
    HOST_INPUT_ENDED, /* and the guest only waits for more */
};

/* Opens the files of --console and --input; gives a message on an error. */
MUST_USE enum exit_status host_new(const struct options *o, const struct diag *d,
                                   struct end_watch *ending, struct host **out);
void host_free(struct host *h);

struct console host_console(struct host *h);

enum host_request host_request(const struct host *h); /* the present one */
bool host_is_ending(const struct host *h);
/* Whether a user at the terminal has typed something for the guest. */
bool host_was_typed(const struct host *h);
int host_signal(const struct host *h); /* the one that ended the run; 0: none */

/* Begins a session of the debugger: SIGINT and Ctrl-C become HOST_DEBUG; it gets the terminal. */
void host_begin_session(struct host *h);
/*
 * Before the machine runs again: clears HOST_DEBUG. keep_terminal: the debugger keeps the terminal;
 * otherwise the guest gets it when it next looks for input.
 */
void host_resume(struct host *h, bool keep_terminal);
/* After the machine has stopped: writes its output, ends its line, gives the terminal back. */
void host_pause(struct host *h);
/* Whether Ctrl-C was pressed since the last call, while the machine stands; or the session ends. */
bool host_interrupted(struct host *h);
/* Blocks until the descriptor has data. False: the session must end. */
bool host_await(struct host *h, int fd);
/*
 * While the machine runs, data at this descriptor, of another program that controls the machine, is
 * HOST_DEBUG; -1: of none. Stops of the machine then do not end a line of the guest's output.
 */
void host_watch(struct host *h, int fd);

/*
 * At the end of the run: writes the output, restores the terminal and the former actions of
 * signals, so that a second signal ends the process at once.
 */
void host_release(struct host *h);

/* Prints the message for input or output that has failed; false: none has. */
bool host_report_failure(const struct host *h, const struct diag *d);

#endif
