/*
 * debugger.h - a session at the machine: break, step, look, and watch ftrace
 * patch its sites.
 *
 * Commands come from a terminal (with editing, history and completion), from a
 * pipe or from a file; docs/debugger.md lists them. Everything a session says
 * goes to one stream.
 */
#ifndef DEBUG_DEBUGGER_H
#define DEBUG_DEBUGGER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "machine.h"

struct lines;
struct symbols;
struct watch;

struct debugger_config {
    struct machine *machine;
    struct watch *watch;           /* sites, patches and findings; attached to the machine before */
    const struct symbols *symbols; /* may be empty, and NULL */
    struct lines *lines;           /* may be NULL */
    uint64_t max_insns, max_cycles; /* where the machine stops for good; UINT64_MAX: nowhere */
    FILE *out;
    bool interactive; /* standard input is a terminal: prompt, editing, history */
    bool colour;
    const char *commands_file; /* NULL: standard input */
    /*
     * Before the guest goes on, and when it stands again, and standard input is ours
     * in any case. A step keeps it, for what is typed meanwhile is meant for the next
     * one; otherwise it is the guest's console's while the guest runs. What is typed to
     * stop it reaches the machine, which then stops as if asked (console.interrupted).
     * Either may be NULL.
     */
    void (*resuming)(void *ctx, bool keep_input);
    void (*stopped)(void *ctx);
    bool (*over)(void *ctx); /* the session is to end; may be NULL */
    /* How the recorded run was stopped, if it was here (a replay); or NULL. May be NULL. */
    const char *(*recorded_stop)(void *ctx);
    bool (*await_input)(void *ctx); /* sleeps until there is input; false: `over`; may be NULL */
    void *ctx;
};

/*
 * Holds the session until `quit` or the end of the commands. Tells how the
 * guest's run stood then: STOP_EXIT and the like if it has ended, STOP_ASKED if
 * it was left in the middle. A file that cannot be opened was said on `out`;
 * the answer then is STOP_ASKED with code 1.
 *
 * The session stays attached to the machine's cluster as a listener: the
 * machine may be looked at and freed afterwards, but not run.
 */
MUST_USE struct stop debugger_run(const struct debugger_config *config);

#endif
