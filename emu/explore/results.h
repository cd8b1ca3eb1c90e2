/*
 * results.h - what `rvftrace explore' has found, and its output: the table of updates, the findings
 * with their schedules, and the JSON.
 */
#ifndef EXPLORE_RESULTS_H
#define EXPLORE_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "base/vec.h"
#include "explore/explore.h"
#include "explore/outcome.h"
#include "explore/search.h"

/* The result of an update. */
struct explored {
    unsigned number; /* from 1 */
    uint64_t cycle;
    size_t sites;
    unsigned writer;
    struct search done;
    size_t found; /* discoveries that no earlier update had */
};

struct results {
    const struct explore_config *config;
    VEC_OF(struct explored) explored;
    unsigned updates, idle; /* all; those with no orders to try */
    struct discoveries found;
    struct outcome seed; /* the findings of the run of the seed */
    uint64_t runs;       /* interleavings */
    double seconds;      /* of the host */
};

/*
 * Writes the schedules, prints, and writes the JSON. After an error of one file the others are
 * written all the same. Errors: EXIT_IO; a message was given.
 */
MUST_USE enum exit_status results_show(const struct results *r);

#endif
