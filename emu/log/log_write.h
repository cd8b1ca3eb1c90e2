/*
 * log_write.h - writes the event log of a run: encodes events, and compresses and writes frames.
 *
 * The bytes depend on the events only. A frame in the file is complete. Memory does not grow with
 * the run. One thread at a time may use it.
 */
#ifndef LOG_WRITE_H
#define LOG_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clocks.h"
#include "base/compiler.h"
#include "log/log_format.h"

struct log_writer;
struct state_io;

struct log_writer_config {
    int fd;             /* of the file, at its beginning; the caller closes it */
    struct log_run run; /* its strings need not outlive the call */
    /* Calls put() for each symbol, in ascending order of address; called once. NULL: none. */
    void (*symbols)(void *ctx, void (*put)(void *frame, const struct log_symbol *s), void *frame);
    bool values; /* the log has arguments and results: log_write_values */
    /*
     * Sets name, caller, caller_offset and tail_name of a call; called once for calls that differ
     * only in their times.
     */
    void (*name)(void *ctx, struct log_call *c);
    void (*lost)(
        void *ctx); /* called once, when the file cannot be written any more; may be NULL */
    void *ctx;
};

struct log_writer *log_writer_new(const struct log_writer_config *config);

/* ---- definitions ---- */

/* Returns the number of a string, the same for equal strings; NULL: LOG_NONE. */
uint32_t log_write_string(struct log_writer *w, const char *text);

/*
 * Returns the number of a string that log_write_string does not return for an equal one: the names
 * of a kernel's sites are hardly ever equal, and there may be a million.
 */
uint32_t log_write_name(struct log_writer *w, const char *name);

/* Returns the number of a task; defines it when it is new or has changed. */
uint32_t log_write_task(struct log_writer *w, const struct log_task *task);

/* Defines the next site: their numbers count from 0. */
void log_write_site(struct log_writer *w, const struct log_site *site);

/* Writes the source line of a site that was defined. */
void log_write_line(struct log_writer *w, uint32_t site, const char *file, uint32_t line);

/*
 * Defines an enumeration, and returns its number; and the prototype of a site's function. Only with
 * config.values. Names are strings of log_write_string.
 */
uint32_t log_write_enumeration(struct log_writer *w, const struct log_enumerator *values,
                               size_t count);
void log_write_prototype(struct log_writer *w, uint32_t site, const struct log_prototype *p);

/* Writes code at a virtual address, as it is when the log begins; at most LOG_TEXT_MAX bytes. */
enum { LOG_TEXT_MAX = 4 << 20 };
void log_write_text(struct log_writer *w, uint64_t va, const uint8_t *bytes, size_t size);

/*
 * Writes the counts of the sites, as counts() returns them for each number; to be called once,
 * before the end. fixed: every entry of a site in a state costs the same.
 */
void log_write_counts(struct log_writer *w,
                      struct log_counts (*counts)(const void *ctx, uint32_t site), const void *ctx,
                      uint32_t sites, bool fixed);

/* Makes names of calls be requested again, as they may have changed. */
void log_write_forget_names(struct log_writer *w);

/* The name and pid of a task that was defined; name NULL: not known. */
void log_written_task(const struct log_writer *w, uint32_t task, const char **name, int32_t *pid);

/* The task that a hart has now. */
uint32_t log_written_task_of(const struct log_writer *w, unsigned hart);

/* ---- events, in the order in which they happen ---- */

/* Sets the hart's task, before an event of the hart. */
void log_write_has_task(struct log_writer *w, unsigned hart, uint32_t task);

/* The clocks of an event. */
static inline struct clocks log_clocks(const struct log_event *e)
{
    return (struct clocks){e->cycle, e->insns, e->time - clocks_ticks(e->cycle),
                           e->step - e->insns};
}

/*
 * Sets the arguments of the next call, or the results of the next return, before it; *v must live
 * until then. Only with config.values.
 */
void log_write_values(struct log_writer *w, const struct log_values *v);

/*
 * Writes the begin of a call on the stack with this number. Of *call the members kind, state, site,
 * pc, back, sp, tail_of and cause are used.
 */
void log_write_call(struct log_writer *w, unsigned hart, const struct clocks *now, uint32_t number,
                    const struct log_call *call);

/*
 * Writes the end of the stack's innermost call. False: the log has no open call there, so there is
 * no event.
 */
bool log_write_return(struct log_writer *w, unsigned hart, const struct clocks *now,
                      uint32_t number, enum log_call_end end);

/* Whether the stack's innermost call in the log is of this site and stack pointer. */
bool log_write_is_innermost(const struct log_writer *w, uint32_t number, uint64_t pc, uint64_t sp);

/* Writes any other event. */
void log_write_event(struct log_writer *w, struct log_event *e);

/*
 * Saves or restores the log's position in the run (base/state_io.h). After a restore, events
 * written since then are no longer part of the run and are not read; definitions remain.
 */
void log_writer_state_io(struct log_writer *w, struct state_io *io);

/*
 * Begins the run again, in another state of the machine: no call is open, and the `sites` sites,
 * all that are defined, are in these states.
 */
void log_writer_restart(struct log_writer *w, const uint8_t *states, size_t sites);

/* Writes the present frame, if it has events, so that a reader of the file sees them. */
void log_writer_show(struct log_writer *w);

/* The bytes written to the file so far. */
uint64_t log_writer_bytes(const struct log_writer *w);

/* Ends the log. Returns 0, or the errno of the first write that has failed. */
MUST_USE int log_writer_end(struct log_writer *w, const struct log_ending *ending);

void log_writer_free(struct log_writer *w); /* NULL is allowed */

#endif
