/*
 * log_record_priv.h - what is being recorded, for the three files of log_record.h.
 *
 * Code that reads the machine runs on the machine's thread, and sends messages to the reader of the
 * feed (cpu/feed.h), which owns the writer and the names ("the reader's", below). State that both
 * use, and definitions of sites and findings, are changed while the reader has nothing to read.
 */
#ifndef LOG_RECORD_PRIV_H
#define LOG_RECORD_PRIV_H

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "cpu/feed.h"
#include "ftrace/calls/call_values.h"
#include "ftrace/kernel/tasks.h"
#include "log/log_record.h"
#include "log/log_write.h"

struct event;
struct ftrace_event;
struct hart;
struct kernel_probes;
struct log_lines;

/* The task that a hart had when it was last read, and the place of its name in memory. */
struct running {
    uint64_t tp;
    const uint8_t *name; /* in the host's memory; NULL: not in one page */
    uint8_t was[TASK_NAME_MAX];
    uint32_t looks;
    bool looked, known; /* known: name, pid and stack are */
};

/* A name that symbols do not have: of an address, with the address's offset in the function. */
struct named {
    uint32_t string;
    uint64_t offset;
};

/* Console output is an event for each line, or for this many bytes. */
enum { CONSOLE_BYTES = 256 };

/* What is recorded of a function: its arguments, and its results as indices of CALL_RESULT_. */
struct call_shape {
    struct call_registers registers;
    uint8_t result_count, results[2];
};

struct log_record {
    struct log_record_config config;
    struct feed *feed;
    struct log_lines *lines; /* NULL: none are looked up */
    struct watch *watch;
    struct running running[LOG_HARTS_MAX];
    VEC_OF(uint8_t) states;    /* of the sites in memory */
    struct log_counts *before; /* the counts of the first `counted' sites before the log began */
    uint32_t counted;
    struct kernel_probes *at_switch; /* NULL: switches are not recorded */
    uint8_t printed[CONSOLE_BYTES];
    size_t printed_len;
    unsigned printing; /* the hart */
    bool begun, told;  /* told: config.lost was called */
    uint64_t shown_at; /* host's time, for log_record_show */
    struct map met;    /* addresses whose name is in `named' or in the symbols */
    /* the reader's */
    struct log_writer *writer;
    VEC_OF(struct named) named;
    struct map named_at;         /* address -> index */
    VEC_OF(uint32_t) site_names; /* strings; LOG_NONE: the site has none */
    struct log_call
        call;  /* the call to be written; a member, as most of its members are always the same */
    bool lost; /* the machine's thread reads it, too */
    struct log_values values; /* of the next call or return */
    VEC_OF(uint8_t) wanted;   /* tasks, by number: whether they are selected */
    /* by site, of those at the start: not changed afterwards; NULL without config.values */
    struct call_shape *shapes;
    uint32_t shape_count;
};

/* Gives `lost' of the config notice, once, when the file cannot be written any more. */
void log_record_tell_loss(struct log_record *r);

/* An event of the hart as it is now. */
struct log_event log_record_event_of(struct hart *h, enum log_kind kind);

/* Sends an event to the reader. `more': the data that the event points to. */
void log_record_send(struct log_record *r, const struct log_event *e, const void *more,
                     size_t size);

/* The state of a site in memory: enum site_state. */
uint8_t log_record_site_state(const struct log_record *r, uint32_t id);
void log_record_define_site(struct log_record *r, uint32_t id);
void log_record_flush_console(struct log_record *r);

/*
 * Makes the next call read the task again: a name changes within a system call, which ends with a
 * trap return.
 */
void log_record_look_at_name(struct log_record *r, const struct hart *h);

/*
 * Names the caller by the address just before the return address: after the call of a function that
 * does not return, the next function may begin.
 */
void log_record_name_call(void *log_record, struct log_call *c);

/* Defines the prototypes of the sites' functions, before the run. */
void log_record_define_prototypes(struct log_record *r);

/* For calls_listener.registers. */
const struct call_registers *log_record_registers(void *log_record, uint32_t site);

/* The values of the next call, and of the next return from the site's function; v: may be NULL. */
void log_record_arguments(struct log_record *r, const struct call_values *v);
void log_record_results(struct log_record *r, uint32_t site, const struct call_values *v);

/* Whether calls of the task with this number are recorded. */
bool log_record_wants_task(struct log_record *r, uint32_t task);

/* The events that are listened to. */
void log_record_on_switch(void *log_record, unsigned which, struct hart *h);
void log_record_on_event(void *log_record, const struct event *e);
void log_record_on_ftrace_event(void *log_record, const struct ftrace_event *e);

#endif
