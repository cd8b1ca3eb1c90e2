/*
 * log_record.h - makes the event log of a run (`--log FILE`): listens to the machine and writes its
 * events. The guest cannot notice it. Without --log nothing of it is there.
 */
#ifndef LOG_RECORD_H
#define LOG_RECORD_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "base/new_file.h"
#include "ftrace/calls/calls.h"
#include "log/log_format.h"

struct cluster;
struct ftrace_stream;
struct image;
struct lines;
struct log_record;
struct selection;
struct state_io;
struct symbols;
struct tasks;
struct watch;

struct log_record_config {
    struct new_file *file; /* open */
    struct log_run run;    /* its strings must outlive it; layout, harts, return_to_handler and
                              image_digest are filled in */
    struct cluster *cluster;
    struct ftrace_stream *stream;
    const struct image *image;
    const struct symbols *symbols;
    const char *named; /* the file with the debug information */
    struct lines *lines;
    struct tasks *tasks; /* NULL: they are not known */
    bool calls_only;     /* no code, no source lines */
    bool values;         /* arguments and results of calls; `lines' must not be NULL */
    const struct selection
        *selected;           /* only calls that begin in this time, of these tasks; NULL: all */
    void (*lost)(void *ctx); /* called once, when the file cannot be written any more */
    void *ctx;
};

/*
 * Begins to listen. Must be called before watch_new, so that a store or fence comes before its
 * effects. All arguments must outlive it.
 */
struct log_record *log_record_new(const struct log_record_config *config);

/* For watch_config.calls. on_only: only functions whose site is on. */
struct calls_listener log_record_calls(struct log_record *r, bool on_only);

/* Begins the file, before the run. `watch` was made after log_record_new. */
void log_record_begin(struct log_record *r, struct watch *watch);

/* Adds output of the guest. */
void log_record_console(struct log_record *r, unsigned hart, const uint8_t *bytes, size_t len);

/*
 * Saves or restores the log (base/state_io.h), as a part of the machine's snapshots after the
 * watch. Events since then stay in the file, but are no longer part of the log.
 */
void log_record_state_io(void *log_record, struct state_io *io);

/* Begins the log again, after the machine and the watch were restored from a file. */
void log_record_restart(struct log_record *r);

/*
 * Writes the events so far to the file, at least every quarter of a second, for a viewer of a log
 * that is being written (--view). To be called often while the guest runs, and before it waits for
 * long (`waits'). The ends of frames and of pieces of console output then depend on the host's
 * time; nothing else does.
 */
void log_record_show(struct log_record *r, bool waits);

/* Ends the log, whose file the caller closes. EXIT_IO: a write has failed; a message was given. */
MUST_USE enum exit_status log_record_end(struct log_record *r, const struct log_ending *ending,
                                         const struct diag *d);

/* NULL is allowed. Before the cluster is freed. */
void log_record_free(struct log_record *r);

#endif
