/*
 * log_write_priv.h - a log that is being written, for the files of log_write.h: log_write.c has its
 * frames and definitions, log_write_events.c calls and events.
 */
#ifndef LOG_WRITE_PRIV_H
#define LOG_WRITE_PRIV_H

#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"
#include "log/log_frames.h"
#include "log/log_state.h"
#include "log/log_values.h"
#include "log/log_write.h"

/* Slots of the cache of known calls. */
enum { RECENT_BITS = 12, RECENT = 1 << RECENT_BITS };

/* So many events find room for their numbers in all columns but STATE and DETAILS, unchecked. */
enum { EVENTS_AT_ONCE = 64 };

/* A call, and its number in the present frame. */
struct known {
    struct log_call call; /* sp: relative */
    uint32_t frame, number;
};

/* An open call; its definition is that of a known call, or a trap. */
struct open_call {
    uint64_t sp, cycle, when, step;
    uint32_t defined, task;
    uint8_t hart;
    bool trap; /* `defined' is an index of traps */
};

struct open_calls {
    uint64_t base, when;
    VEC_OF(struct open_call) open;
};

struct log_writer {
    struct log_writer_config config;
    struct log_frames *frames;
    struct log_state state;           /* its stacks: only while a frame begins */
    VEC_OF(struct open_calls) stacks; /* by number, from 1 */
    VEC_OF(struct log_call) traps;    /* of open calls, and unused ones */
    VEC_OF(uint32_t) unused_traps;
    struct log_bytes column[LOG_COLUMNS];
    uint8_t
        *to[LOG_COLUMN_DETAILS]; /* where the next numbers go, in the columns with reserved room */
    uint32_t in_frame;           /* events of the present frame */
    uint64_t harts;              /* a bit for each hart that has events */
    uint64_t first, until;       /* cycles: the lowest; a frame ends before this one */
    uint32_t frame;              /* from 1 */
    uint32_t known_in_frame;
    VEC_OF(struct known) known;
    size_t forgotten; /* number of the calls at its beginning that are kept only for open calls */
    uint32_t recent[RECENT]; /* by hash: index of a known call that may be the same */
    struct map known_at;   /* hash -> index; calls with the same hash follow each other by `+ 1` */
    struct log_bytes defs; /* definitions that are not in the file yet */
    struct interned strings;
    struct log_last_values *last;    /* NULL: the log has no values */
    const struct log_values *values; /* of the next call or return; NULL: none */
    uint32_t enumerations;
    struct map task_of; /* tp -> number of its last definition */
    VEC_OF(struct log_task) tasks;
    uint32_t sites;
    uint64_t events;
    bool told;
};

static inline const struct log_call *open_call_definition(const struct log_writer *w,
                                                          const struct open_call *o)
{
    return o->trap ? &w->traps.at[o->defined] : &w->known.at[o->defined].call;
}

/* Makes room for the next EVENTS_AT_ONCE events. */
void log_writer_reserve(struct log_writer *w);

/* Makes room, and writes the frame if it has enough events, or enough cycles by this one. */
NOINLINE void log_writer_look_at_size(struct log_writer *w, uint64_t cycle);

/* An event of this cycle has been written. */
static inline void log_writer_end_event(struct log_writer *w, uint64_t cycle)
{
    if (UNLIKELY(!(w->in_frame % EVENTS_AT_ONCE) || cycle >= w->until))
        log_writer_look_at_size(w, cycle);
}

#endif
