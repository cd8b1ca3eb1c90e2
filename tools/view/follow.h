/*
 * follow.h - turns the events of a log into spans: what each row shows, from which cycle to which.
 */
#ifndef VIEW_FOLLOW_H
#define VIEW_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "log/log_read.h"

struct model;

/* Gets each span when it has ended; `to' UINT64_MAX: it is open at the end. */
struct span_sink {
    void (*span)(void *ctx, uint32_t row, uint64_t from, uint64_t to, uint32_t what);
    void *ctx;
};

struct shown {
    uint64_t from;
    uint32_t what;
};

/* The state of a hart between two events; it can be copied at the beginning of a frame. */
struct follow_hart {
    uint64_t last;        /* cycle of its last event */
    uint64_t state_since; /* of `state' */
    uint64_t task_since, stack_since;
    uint32_t state; /* what its first row shows; WHAT_NONE: nothing yet */
    uint32_t task, stack;
    bool seen, user, idle, stopped;
};

struct follow {
    struct model *model;
    struct span_sink sink;
    unsigned harts;
    struct follow_hart hart[LOG_HARTS_MAX];
    struct {
        VEC_OF(struct shown) open; /* calls in the hart's lane */
    } stack[LOG_HARTS_MAX];
};

void follow_begin(struct follow *f, struct model *m, unsigned harts, struct span_sink sink);
void follow_free(struct follow *f);

/*
 * Begins in the middle of a log, with this event, the first of a frame; `hart' was copied there
 * before. Must be called before follow_event.
 */
void follow_resume(struct follow *f, const struct follow_hart *hart, const struct log_state *state,
                   const struct log_event *e);

/* Follows the next event; `state` is the one after it. */
void follow_event(struct follow *f, const struct log_state *state, const struct log_event *e);

/* Gives the sink all open spans. */
void follow_open(const struct follow *f, const struct log_state *state);

/*
 * The owner of a hart's cycles from its last event to this one; to be called before follow_event.
 */
enum flow_of { FLOW_KERNEL, FLOW_USER, FLOW_IDLE };
struct follow_flow {
    enum flow_of kind;
    uint64_t cycles;
    uint32_t what; /* KERNEL: the innermost function, or WHAT_NONE */
};
struct follow_flow follow_flow(const struct follow *f, const struct log_event *e);

#endif
