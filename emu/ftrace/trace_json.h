/*
 * trace_json.h - the record of calls as a file for Perfetto and chrome://tracing:
 * the JSON Array Format, with one event in a line. docs/trace.md describes it.
 *
 * Lines are written in order and not kept, so memory does not grow with the run. The
 * file of a killed run is complete up to its last lines and valid: the format allows
 * the closing bracket to be missing.
 */
#ifndef FTRACE_TRACE_JSON_H
#define FTRACE_TRACE_JSON_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "base/new_file.h"
#include "ftrace/calls.h"

struct symbols;
struct tasks;
struct trace_json;

struct trace_json_config {
    struct new_file *file;         /* open; trace_json_end closes it */
    const char *image;             /* its name is the name of the process */
    const struct symbols *symbols; /* for the names of callers */
    struct tasks *tasks;           /* for the names of tasks; NULL: they are not known */
    void (*lost)(void *ctx);       /* called once, when the file cannot be written any more */
    void *ctx;
};

/* Strings and symbols must outlive it. */
struct trace_json *trace_json_new(const struct trace_json_config *config);

/* on_only: only functions whose site is on. */
struct calls_listener trace_json_listener(struct trace_json *t, bool on_only);

/*
 * Begins the file again, empty, because the machine was restored from a file. Calls that are open
 * now are not in it.
 */
void trace_json_restart(struct trace_json *t);

/* Ends the file and renames it to its final name. EXIT_IO: a write failed; a message was given. */
MUST_USE enum exit_status trace_json_end(struct trace_json *t, const struct diag *d);

/* NULL is allowed. Does not close the file. */
void trace_json_free(struct trace_json *t);

#endif
