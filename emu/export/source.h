/*
 * source.h - reads the events of a log that the user selected, and attributes cycles to calls.
 */
#ifndef EXPORT_SOURCE_H
#define EXPORT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/selection.h"
#include "log/log_format.h"
#include "log/log_read.h"

struct log_cursor;

/* The owner of a hart's cycles. */
enum flow_kind { FLOW_KERNEL, FLOW_USER, FLOW_IDLE };

struct flow_hart {
    uint64_t last; /* the cycle of its last event */
    bool seen, idle, user;
    uint32_t stack; /* 0: not known */
    uint32_t task;
};

struct source {
    struct log *log;
    struct selection filter; /* steps: for logs that have them */
    struct log_cursor *cursor;
    size_t frame;  /* the next one */
    uint64_t left; /* unread events of the present frame */
    struct flow_hart flow[LOG_HARTS_MAX];
};

/* The log must outlive it. */
void source_begin(struct source *s, struct log *log, const struct selection *filter);
void source_end(struct source *s);

/* Reads the next selected event. */
MUST_USE bool source_next(struct source *s, struct log_event *e);

/*
 * Reads the next event, selected or not, but skips frames that are wholly before or after the
 * selected time.
 */
MUST_USE bool source_next_any(struct source *s, struct log_event *e);

/* Whether the event is a selected one. */
bool source_wants(const struct source *s, const struct log_event *e);

/* The cycles of a hart from its event before `e` to `e`. */
struct flow {
    enum flow_kind kind;
    uint64_t cycles;
    unsigned hart;
    uint32_t task;
    const struct log_call *open; /* calls of the stack, the outermost first; none: count 0 */
    size_t count;
    const struct log_call *last; /* one more, the innermost; or NULL */
};

/* Must be called for every event, in order. */
struct flow source_flow(struct source *s, const struct log_event *e);

#endif
