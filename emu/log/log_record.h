/*
 * log_record.h - makes the event log of a run (`--log FILE`): listens to the machine and writes
 * what it sees. The guest cannot notice it, and without --log there is none of it.
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
struct image;
struct lines;
struct log_record;
struct state_io;
struct symbols;
struct tasks;
struct watch;

struct log_record_config {
    struct new_file *file; /* open */
    struct log_run run;    /* its strings must outlive it; layout, harts, return_to_handler and
                              image_digest are filled in */
    struct cluster *cluster;
    const struct image *image;
    const struct symbols *symbols;
    const char *named; /* the file with the debug information */
    struct lines *lines;
    struct tasks *tasks;     /* NULL: they are not known */
    bool calls_only;         /* no code, no source lines */
    void (*lost)(void *ctx); /* called once, when the file cannot be written any more */
    void *ctx;
};

/*
 * Listens from now on; before watch_new, so that a store or fence comes before what it causes. What
 * it is given must outlive it.
 */
struct log_record *log_record_new(const struct log_record_config *config);

/* For watch_config.calls. on_only: only functions whose site is on. */
struct calls_listener log_record_calls(struct log_record *r, bool on_only);

/* Before the run: begins the file. `watch` was made after log_record_new. */
void log_record_begin(struct log_record *r, struct watch *watch);

/* What the guest has printed. */
void log_record_console(struct log_record *r, unsigned hart, const uint8_t *bytes, size_t len);

/*
 * Saves or restores the log (base/state_io.h), to be joined with the snapshots of the machine after
 * the watch: what was recorded since is in the file, but not in the log any more.
 */
void log_record_state_io(void *log_record, struct state_io *io);

/* The machine was restored from a file, and with it the watch: the log begins again, there. */
void log_record_restart(struct log_record *r);

/*
 * For one who follows the log while it is written (--view); called often while the guest runs, and
 * before it waits for long (`waits'): what was seen is in the file after a quarter of a second at
 * most. Where frames end and console output is cut then depends on the host's time; nothing else
 * does.
 */
void log_record_show(struct log_record *r, bool waits);

/* Ends the log, whose file the caller closes. EXIT_IO: a write has failed; a message was given. */
MUST_USE enum exit_status log_record_end(struct log_record *r, const struct log_ending *ending,
                                         const struct diag *d);

/* NULL is allowed. Before the cluster is freed. */
void log_record_free(struct log_record *r);

#endif
