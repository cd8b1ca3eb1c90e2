/*
 * levels.h - the contents of one row of the picture over time, in levels of detail.
 *
 * Level 0 has buckets of 2^shift cycles; each further level has four times as long ones. A cell is
 * a run of buckets that look the same: what covers most of them, and how much of them is covered. A
 * picture is drawn from the level whose buckets are about a pixel, so its cost depends on its width
 * and not on the number of events. The memory has a limit: when there are too many cells, all
 * buckets of level 0 become twice as long.
 */
#ifndef VIEW_LEVELS_H
#define VIEW_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum { LEVELS_MAX = 18, LEVEL_SHIFT = 2, COVER_FULL = 255 };

struct cell {
    uint32_t at, len; /* buckets */
    uint32_t what;    /* model.h */
    uint32_t cover;   /* of COVER_FULL; not 0 */
};

struct cells {
    VEC_OF(struct cell) run;
};

/* The bucket that is being filled. */
struct bucket {
    uint64_t at;
    uint64_t covered; /* 0: nothing yet */
    uint64_t weight;  /* of `what', less that of all others */
    uint32_t what;
};

struct levels {
    struct cells level[LEVELS_MAX];
    unsigned count; /* levels that are made; level 0 always is */
    struct bucket bucket;
    uint64_t end; /* of the last span: later ones do not begin before it */
};

/* All rows of a log have the same buckets and share the memory. */
struct level_pool {
    unsigned shift;
    uint64_t cells, limit; /* in level 0 of all rows */
};

/* Adds a span. Spans come in ascending order; what overlaps an earlier one is left out. */
void levels_add(struct levels *l, struct level_pool *p, uint64_t from, uint64_t to, uint32_t what);

/* Makes the buckets of level 0 twice as long; the caller does it for all rows, then ++shift. */
void levels_coarsen(struct levels *l, struct level_pool *p);

/* Makes the levels above 0, up to one with few cells. */
void levels_finish(struct levels *l, const struct level_pool *p);

void levels_free(struct levels *l);

/* The first cell of a level that ends after this bucket. */
size_t cells_find(const struct cells *c, uint64_t bucket);

#endif
