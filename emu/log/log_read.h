/*
 * log_read.h - reads the event log of a run.
 *
 * A log that was cut (a killed run, a full disk) is read up to its last whole frame, and
 * log_problem() says so. Any input is safe: sizes are checked before they are used, and a bad log
 * is refused.
 */
#ifndef LOG_READ_H
#define LOG_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "log/log_format.h"

struct log;
struct log_cursor;

/*
 * Opens a log. EXIT_NO_FILE, EXIT_IO, EXIT_BAD_FILE: it cannot be read; a message was given, and
 * *out is unchanged.
 */
MUST_USE enum exit_status log_open(const char *path, const struct diag *d, struct log **out);

/* The same for bytes in memory, which must outlive it; `path` is for messages. */
MUST_USE enum exit_status log_open_bytes(const char *path, const uint8_t *bytes, size_t size,
                                         const struct diag *d, struct log **out);
void log_close(struct log *l); /* NULL is allowed */

/* A line about the missing part; NULL: the log is complete. */
const char *log_problem(const struct log *l);

const struct log_run *log_run(const struct log *l);
const struct log_ending *log_ended(const struct log *l); /* NULL: the end is missing */
uint64_t log_size(const struct log *l);                  /* in bytes */
uint64_t log_event_count(const struct log *l);

/* Whether `step' of its events is known: one number, which grows over all harts. */
bool log_has_steps(const struct log *l);

/* Definitions by number. NULL: there is no such number. */
const char *log_string(const struct log *l, uint32_t id);
const struct log_task *log_task(const struct log *l, uint32_t id);
const struct log_site *log_site(const struct log *l, uint32_t id);
uint32_t log_string_count(const struct log *l);
uint32_t log_task_count(const struct log *l);
uint32_t log_site_count(const struct log *l);

/* Whether sites were counted: they were not if the run was killed, or did not account for them. */
bool log_has_counts(const struct log *l);

/* Whether every entry of a site in a state costs the same cycles. */
bool log_counts_fixed(const struct log *l);

/* The counts of a site over the whole log; `state' is below LOG_COUNTED. */
struct log_count log_count(const struct log *l, uint32_t site, unsigned state);

/* Whether the log has the image's code: it has none that is larger than 4 MiB. */
bool log_has_text(const struct log *l);

/* Copies code as it was when the log began. False: the log does not have all of it. */
MUST_USE bool log_text(const struct log *l, uint64_t va, void *to, size_t size);

/* The symbols, in ascending order of address. */
size_t log_symbol_count(const struct log *l);
const struct log_symbol *log_symbol(const struct log *l, size_t i);

/* The symbol that contains the address, preferably a function; NULL: none does. */
const struct log_symbol *log_symbol_at(const struct log *l, uint64_t address);

/* "schedule+0x1c", or the number. */
enum { LOG_PLACE_MAX = 192 };
void log_place(const struct log *l, uint64_t address, char text[LOG_PLACE_MAX]);

/* The prototype of a site's function; NULL: it is not in the log. */
const struct log_prototype *log_prototype(const struct log *l, uint32_t site);

/* ---- events ---- */

/* Frames of events. `first` and `last` help to find the frame of a cycle. */
size_t log_frame_count(const struct log *l);
const struct log_frame_head *log_frame(const struct log *l, size_t i);

/* A cursor at the first event. A log may have several. */
struct log_cursor *log_cursor_new(struct log *l);
void log_cursor_free(struct log_cursor *c); /* NULL is allowed */

/* Moves to the first event of a frame; log_frame_count(): to the end. */
void log_cursor_seek(struct log_cursor *c, size_t frame);

/* Reads the next event. False: there are no more, or the rest is damaged (log_cursor_problem). */
MUST_USE bool log_next(struct log_cursor *c, struct log_event *e);

/* A line about the damage at which log_next has ended; NULL: there was none. */
const char *log_cursor_problem(const struct log_cursor *c);

/* The state after the last event: harts, open calls, sites (log_state.h). */
struct log_state;
const struct log_state *log_cursor_state(const struct log_cursor *c);

/* ---- names ---- */

const char *log_kind_name(enum log_kind kind); /* "call", "store", ... */
const char *log_access_name(unsigned access);  /* "load", "store", "fetch" */
const char *log_state_name(unsigned state);    /* "init", "off", "on", "other" */
const char *log_end_name(unsigned end);        /* "returned", ... */
const char *log_update_end_name(unsigned end);
const char *log_role_name(unsigned role);

/* The name of a call: its function, ftrace_caller, return_to_handler, "interrupt 5". */
const char *log_call_name(const struct log *l, const struct log_call *c, char text[LOG_PLACE_MAX]);

/*
 * Arguments and results of calls, as C would write them: a number, the name of an enumerator, the
 * name of a function whose address it is, a string. "?": it is not in the log.
 */
enum { LOG_VALUE_MAX = 192, LOG_ARGUMENTS_MAX = 1024 };

/* How many parameters are known; and one of them, by its number. `values': of the event; or NULL.
 */
unsigned log_argument_count(const struct log *l, const struct log_call *c);
const char *log_argument(const struct log *l, const struct log_call *c,
                         const struct log_values *values, unsigned number,
                         char text[LOG_VALUE_MAX]);

/* The name of a parameter; "arg1" and so on if it has none. */
const char *log_parameter_name(const struct log *l, const struct log_call *c, unsigned number,
                               char text[LOG_VALUE_MAX]);

/* "fd=1, buf=0xffffffd8, count=5"; empty: nothing is known. */
const char *log_arguments(const struct log *l, const struct log_call *c,
                          const struct log_values *values, char text[LOG_ARGUMENTS_MAX]);

/* The result of a call, at its return; NULL: it has none, or it is not in the log. */
const char *log_result(const struct log *l, const struct log_call *c,
                       const struct log_values *values, char text[LOG_VALUE_MAX]);

/* "COMM-PID", "COMM", or the address of the task; "-": not known. */
const char *log_task_name(const struct log *l, uint32_t id, char text[LOG_PLACE_MAX]);

#endif
