/*
 * changes.h - records what an update of code changes: sites, with their states before and after,
 * and other places in code.
 *
 * While an update is open, each site that it changes is one item, whatever the number of stores. An
 * update that has ended takes little memory even if it changed all sites of a kernel: its sites are
 * grouped by their states before and after, and a group is a list of runs of ids.
 */
#ifndef FTRACE_CHANGES_H
#define FTRACE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "ftrace/sites/sites.h"

struct bus;
struct code_write;
struct state_io;

enum { CHANGE_BYTES = SITE_BYTES_MAX };

/* A site, or the literal before it that names its ops (site_find_literal), before and after. */
struct site_change {
    uint32_t site;
    bool is_ops;
    uint8_t old_bytes[CHANGE_BYTES], new_bytes[CHANGE_BYTES];
};

/* Stores outside of sites that touch or overlap each other: [pa, pa + size). */
struct place_change {
    uint64_t pa, size, stores;
    uint8_t old_bytes[CHANGE_BYTES], new_bytes[CHANGE_BYTES]; /* if size <= CHANGE_BYTES */
};

/* The changes of an open update. All zeroes: none yet. */
struct changes {
    VEC_OF(struct site_change) sites;
    VEC_OF(struct place_change) places;
    uint64_t left_out; /* stores at places that were not kept, as there were too many */
};

/*
 * Adds a store, which is in memory already. `site`: the first one that it hits, or NO_SITE;
 * `begins`: it begins a patch of that site. `sites` must be the same table at each call.
 */
void changes_write(struct changes *c, const struct site_table *sites, const struct bus *bus,
                   const struct code_write *w, uint32_t site, bool begins);
void changes_clear(struct changes *c);
void changes_free(struct changes *c);
void changes_state_io(struct state_io *io, struct changes *c, const struct site_table *sites);

/* ---- of updates that have ended ---- */

/* The sites with consecutive ids from `first` to `last`. */
struct site_run {
    uint32_t first, last;
};

/* Sites that went from one state to the same other one. */
struct change_group {
    bool is_ops; /* the group is of the sites' literals; the states have no meaning */
    enum site_state from, to;
    uint32_t count;             /* of sites */
    struct site_change example; /* the first one */
    uint32_t first_run, runs;
    uint32_t unlisted; /* sites of the count that no run lists, as there were too many runs */
};

/* Where the groups and places of an update are in the log. */
struct change_ranges {
    uint32_t first_group, groups, first_place, places;
    uint64_t left_out; /* stores at places that were not kept */
};

struct change_log {
    VEC_OF(struct change_group) groups;
    VEC_OF(struct site_run) runs;
    VEC_OF(struct place_change) places;
};

/* Adds the changes of an update. */
struct change_ranges change_log_add(struct change_log *l, const struct site_table *sites,
                                    struct changes *c);
void change_log_free(struct change_log *l);
void change_log_state_io(struct state_io *io, struct change_log *l, const struct site_table *sites);

#endif
