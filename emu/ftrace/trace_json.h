/*
 * trace_json.h - the record of calls as a file for Perfetto and chrome://tracing:
 * the JSON Array Format, one event a line. docs/trace.md describes it.
 *
 * Lines go out in order and are never looked at again, so memory does not grow
 * with the run, and of a run that is killed everything up to the last lines is
 * there: the closing bracket may be missing by the format's own rules.
 */
#ifndef FTRACE_TRACE_JSON_H
#define FTRACE_TRACE_JSON_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "base/new_file.h"
#include "ftrace/calls.h"

struct symbols;
struct trace_json;

struct trace_json_config {
    struct new_file *file;         /* open; trace_json_end closes it */
    const char *image;             /* its name heads the track */
    const struct symbols *symbols; /* of callers */
    void (*lost)(void *ctx);       /* once: from here on nothing can be written */
    void *ctx;
};

/* Strings and symbols must outlive it. */
struct trace_json *trace_json_new(const struct trace_json_config *config);

/* on_only: of functions, those whose site is on. */
struct calls_listener trace_json_listener(struct trace_json *t, bool on_only);

/* Ends the file, which gets its name. EXIT_IO: not all could be written, which is said. */
MUST_USE enum exit_status trace_json_end(struct trace_json *t, const struct diag *d);

/* NULL is allowed. The file is its owner's. */
void trace_json_free(struct trace_json *t);

#endif
