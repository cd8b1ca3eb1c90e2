/*
 * timeline.h - what happened in an update of code, moment by moment, over all harts: stores,
 * interrupts, fences, and fetches of what was there before.
 *
 * The steps say which of two moments of different harts was before the other (cluster_steps).
 * Moments of one kind that follow each other are one. Of more than TIMELINE_MAX the first and the
 * last ones are kept.
 */
#ifndef FTRACE_TIMELINE_H
#define FTRACE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/observer.h"

struct hart;
struct state_io;

enum update_moment_kind {
    MOMENT_STORE,     /* `fences': of the writer itself, between the stores */
    MOMENT_FENCE,     /* a fence.i of the hart; `other' has asked for it, or is the hart itself */
    MOMENT_IPI_SENT,  /* an interrupt to hart `other' */
    MOMENT_IPI_TAKEN, /* by the hart */
    MOMENT_STALE,     /* the hart fetched what was there before */
    MOMENT_END,       /* of the update, or now if it is open; in no struct timeline */
    MOMENT_KINDS,
};

struct update_moment {
    enum update_moment_kind kind;
    uint32_t hart, other;
    uint32_t count, fences;
    uint64_t step, last_step; /* of the first and the last of `count' */
    uint64_t cycle;           /* the hart's own, at the first */
    uint64_t pc;              /* STORE, STALE: of the first */
};

enum { TIMELINE_MAX = 64, TIMELINE_FIRST = 40 };

struct timeline {
    unsigned count;
    uint64_t left_out; /* after the first TIMELINE_FIRST */
    struct update_moment moments[TIMELINE_MAX];
};

void timeline_store(struct timeline *t, const struct writer *who);
void timeline_fence(struct timeline *t, const struct hart *h, const struct fence_event *f);
void timeline_ipi_sent(struct timeline *t, const struct hart *sender, const struct hart *to);
void timeline_ipi_taken(struct timeline *t, const struct hart *h);

/* The moment of a fetch; and whether two of them are one. */
struct update_moment update_moment_of_stale(const struct stale_fetch *s);
bool update_moments_join(struct update_moment *before, const struct update_moment *m);

void timeline_stale(struct timeline *t, const struct stale_fetch *s);

const char *update_moment_name(enum update_moment_kind kind); /* "fence" */

void update_moment_state_io(struct state_io *io, struct update_moment *m);
void timeline_state_io(struct state_io *io, struct timeline *t);

#endif
