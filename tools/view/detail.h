/*
 * detail.h - the spans of some frames of a log one by one, for pictures in which a pixel is shorter
 * than a bucket of level 0. They are read in steps; meanwhile the levels are drawn.
 */
#ifndef VIEW_DETAIL_H
#define VIEW_DETAIL_H

#include "model.h"

enum { DETAIL_EVENTS = 500000 }; /* at most: about 50 MiB */

struct span {
    uint64_t from, to; /* to UINT64_MAX: it is open after these frames */
    uint32_t what;
};

struct spans {
    VEC_OF(struct span) span; /* in ascending order */
};

struct detail {
    struct model *model;
    size_t begin, end; /* frames that it has, or will have */
    bool ready;
    struct log_cursor *cursor;
    struct follow follow;
    size_t frame;
    uint64_t left;
    bool begun;
    VEC_OF(struct spans) rows; /* by row */
};

void detail_init(struct detail *d, struct model *m);
void detail_free(struct detail *d);

/*
 * Requests the spans of these cycles. False: there are too many. detail_ready says when they are
 * read.
 */
bool detail_want(struct detail *d, uint64_t from, uint64_t to);
bool detail_ready(const struct detail *d, uint64_t from, uint64_t to);

/* Reads up to `events` events. False: there is nothing to read. */
bool detail_step(struct detail *d, unsigned events);

/* The first span of a row that ends after the cycle. */
size_t spans_find(const struct spans *s, uint64_t cycle);

#endif
