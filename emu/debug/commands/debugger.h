/*
 * debugger.h - the interactive debugger: breakpoints, stepping, registers and
 * memory, and the patches of ftrace sites.
 *
 * Commands come from a terminal (with editing, history and completion), from a
 * pipe or from a file; docs/debugger.md lists them. All output goes to one
 * stream. The debugger runs the machine through the target layer (target.h).
 */
#ifndef DEBUG_DEBUGGER_H
#define DEBUG_DEBUGGER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "machine/machine.h"

struct lines;
struct symbols;
struct tasks;
struct watch;

struct debugger_config {
    struct machine *machine;
    struct watch *ftrace;           /* sites, patches and findings; must be attached already */
    const struct symbols *symbols;  /* may be empty, and NULL */
    struct lines *lines;            /* may be NULL */
    const char *image;              /* the file with the debug information; may be NULL */
    struct tasks *tasks;            /* may be NULL */
    uint64_t max_insns, max_cycles; /* totals beyond which the machine does not run; UINT64_MAX */
    uint64_t history_max;           /* bytes of host memory for going back; 0: none */
    const char *modes, *command;    /* how the run was made (cli/modes.h); for `info machine' */
    FILE *out;
    bool interactive; /* standard input is a terminal: prompt, editing, history */
    bool colour;
    const char *commands_file; /* NULL: standard input */
    bool batch;                /* no prompts; the first command that fails ends the session */
    /*
     * Callbacks with ctx; each may be NULL. They pass standard input between the debugger and the
     * guest's console.
     *
     * resuming: called before the guest runs. keep_input: the debugger keeps standard input (a
     * step: keys that are typed meanwhile are for the next command); otherwise the guest's console
     * has it while the guest runs, and a key that interrupts reaches the machine through
     * console.interrupted.
     * stopped: called when the guest has stopped; the debugger has standard input again.
     */
    void (*resuming)(void *ctx, bool keep_input);
    void (*stopped)(void *ctx);
    bool (*over)(void *ctx); /* whether the session must end */
    /*
     * In a replay, how the recorded run was stopped, if it was at the present instruction; else
     * NULL.
     */
    const char *(*recorded_stop)(void *ctx);
    /*
     * The commands save and restore, with a file's name. False: the machine is unchanged, and a
     * message was printed on `out`.
     */
    bool (*save)(void *ctx, const char *path, FILE *out);
    bool writes_in_folder; /* commands write files in `folder' only; NULL: none at all */
    const char *folder;
    bool (*restore)(void *ctx, const char *path, FILE *out);
    /* Whether the user has pressed Ctrl-C since the last call, to end what the debugger does. */
    bool (*interrupted)(void *ctx);
    bool (*await_input)(void *ctx); /* blocks until there is input; false: the session must end */
    void *ctx;
};

/*
 * Runs a session until `quit` or the end of the commands. Returns how the
 * guest's run ended (STOP_EXIT and the like), or STOP_ASKED if it has not. If
 * commands_file cannot be opened, a message goes to `out` and the result is
 * STOP_ASKED with code 1, as after a command that has failed in a batch.
 *
 * The session stays attached to the machine's cluster as a listener: the
 * machine may be inspected and freed afterwards, but not run.
 */
MUST_USE struct stop debugger_run(const struct debugger_config *config);

/*
 * A session of another front end (the gdb server), which runs the machine itself, through the
 * target, and runs single commands of the debugger. Output goes to `out` of the call;
 * `commands_file` and `interactive` of the configuration are not used.
 */
struct debugger;
struct target;
struct target_stop;

struct debugger *debugger_new(const struct debugger_config *config);
void debugger_free(struct debugger *d);
struct target *debugger_target(const struct debugger *d);

/* Runs one command with this hart selected; returns the hart that is selected after it. */
unsigned debugger_command(struct debugger *d, unsigned hart, const char *line, FILE *out);
/* To be called before and after each run by the front end itself. */
void debugger_before_run(struct debugger *d);
void debugger_after_run(struct debugger *d, const struct target_stop *s);
/* Prints what happened in the last run: patches, findings, and, if asked, why it ended. */
void debugger_explain(struct debugger *d, bool reason, FILE *out);

bool debugger_has_quit(const struct debugger *d);       /* by the command `quit' */
struct stop debugger_outcome(const struct debugger *d); /* as debugger_run returns it */

#endif
