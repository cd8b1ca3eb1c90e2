/*
 * tree.h - sums up the cycles of a log by stacks of calls, for folded stacks and flame graphs.
 */
#ifndef EXPORT_TREE_H
#define EXPORT_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "export/export.h"

/* A function below its caller; node 0 is the root. Nodes come after their parents. */
struct tree_node {
    uint32_t parent;
    char *name;
    uint64_t cycles; /* its own */
    uint64_t all;    /* its own and those of its children; valid after tree_read */
};

struct tree {
    VEC_OF(struct tree_node) nodes;
    struct map children; /* hash of parent and key -> index */
};

/*
 * Reads the job's source: tasks at the first level, below them their calls; user mode and idle time
 * are [user] and [idle].
 */
void tree_read(struct tree *t, struct export_job *job);

/*
 * The same for the cycles of sites that were off: each call through such a site has the site's mean
 * cost, so that the calls of a whole log add up to the counted sum. The log must have counts.
 */
void tree_read_disabled(struct tree *t, struct export_job *job);
void tree_free(struct tree *t);

#endif
