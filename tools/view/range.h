/*
 * range.h - sums up the cycles of a range of time by function, by mode, and by the states of sites.
 * All its events are read once more, in steps.
 */
#ifndef VIEW_RANGE_H
#define VIEW_RANGE_H

#include "model.h"

struct range_name {
    uint32_t name;
    uint64_t own, calls, off;
};

struct range {
    struct model *model;
    uint64_t from, to;
    bool running, done;
    struct log_cursor *cursor;
    struct follow follow;
    size_t frame, end;
    uint64_t left, read, all; /* events */
    bool begun;
    uint64_t kinds[LOG_KINDS], flow[3]; /* cycles of all harts by enum flow_of */
    uint64_t calls[LOG_SITE_STATES];    /* of functions, by the state of their sites */
    uint64_t off_insns;                 /* instructions of the sites that were off, at least */
    double off_cycles;               /* the cost of these sites by their means, if the log has it */
    VEC_OF(struct range_name) names; /* when done: those with cycles or calls, most cycles first */
};

void range_begin(struct range *r, struct model *m, uint64_t from, uint64_t to);
bool range_step(struct range *r, unsigned events); /* false: nothing to read */
void range_free(struct range *r);

#endif
