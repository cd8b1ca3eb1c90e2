/*
 * log_state.h - the state that the writer and the reader of a log both keep: harts, stacks with
 * their open calls, and the states of sites. Each frame of events begins with it.
 */
#ifndef LOG_STATE_H
#define LOG_STATE_H

#include "base/compiler.h"
#include "base/vec.h"
#include "log/log_format.h"
#include "log/log_io.h"

/*
 * Limits of a reader, and so of a writer. Most made-up numbers are near to a limit, and a fuzzer
 * shall not fill tens of megabytes for each.
 */
#ifdef STRESS
enum { LOG_STACKS_MAX = 1 << 12, LOG_SITES_MAX = 1 << 16 };
#else
enum { LOG_STACKS_MAX = 1 << 20, LOG_SITES_MAX = 1 << 24 };
#endif
enum { LOG_DEPTH_MAX = 1 << 13 };

struct log_stack {
    uint64_t base; /* its number among addresses: sp / LOG_STACK_BYTES */
    uint64_t when; /* of its last event */
    VEC_OF(struct log_call) open;
    bool used; /* it was looked up */
};

struct log_hart {
    uint64_t cycle, insns;
    uint64_t ahead;       /* the time CSR minus cycle / 100 */
    uint64_t others;      /* instructions of the other harts, up to its last event */
    uint32_t task, stack; /* LOG_NONE: none; 0: none */
    bool idle, stopped;
};

struct log_state {
    unsigned version;        /* of the log */
    unsigned harts, current; /* the hart of the next event */
    struct log_hart hart[LOG_HARTS_MAX];
    VEC_OF(struct log_stack) stacks; /* by number, from 1 */
    VEC_OF(uint32_t) used;           /* the numbers of those that were looked up */
    struct log_bytes sites;          /* enum log_site_state of each */
};

enum { LOG_STACK_SHIFT = 14, LOG_STACK_BYTES = 1 << LOG_STACK_SHIFT };

/* For a log of the version that is written. */
void log_state_init(struct log_state *s, unsigned harts);
void log_state_free(struct log_state *s);

/* Writes the state, or reads it, as the log's version has it, into one that was initialised. */
void log_state_io(struct log_io *io, struct log_state *s);

/* The stack with this number; NULL: the number is too high. */
struct log_stack *log_state_stack(struct log_state *s, uint32_t number);

/* The stack pointer that the innermost open call of a stack had, or the end of the stack. */
uint64_t log_stack_sp(const struct log_stack *s);

/* The instructions of the other harts up to their last events. */
uint64_t log_state_others(const struct log_state *s, unsigned hart);

/* Writes or reads the definition of a call; c->sp is relative to `sp`. */
void log_call_io(struct log_io *io, struct log_call *c, uint64_t sp);

/*
 * Writes or reads the details of an event that is neither CALL nor RETURN. update.hart points to as
 * many as the log has harts.
 */
void log_event_io(struct log_io *io, struct log_event *e, const struct log_state *s);

/* Changes the state, except for the clock, by an event that is neither CALL nor RETURN. */
void log_state_follow(struct log_state *s, const struct log_event *e);

#endif
