/*
 * updates_priv.h - what is known of updates: for updates.c, which follows them, updates_report.c,
 * which answers what was seen, and updates_state.c, which saves it.
 */
#ifndef FTRACE_UPDATES_PRIV_H
#define FTRACE_UPDATES_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "ftrace/patch/changes.h"
#include "ftrace/patch/timeline.h"
#include "ftrace/patch/updates.h"

struct cluster;
struct ftrace_stream;
struct patch_log;
struct site_table;
struct text_map;

/* A change that a task has announced, and not its end. */
struct section {
    bool open;
    enum announced what;
    uint64_t task;   /* its tp */
    uint64_t stamp;  /* of the announcement */
    uint64_t stores; /* made in it */
};

/* More tasks than change code at the same time; if there are more, the oldest one has ended. */
enum { SECTIONS_MAX = 32 };

/* What an open update is beside its record, since its first store or since all harts had fenced. */
struct round {
    uint32_t sections; /* in which it stored, a bit each */
    enum announced what;
    uint64_t announced_at; /* stamp of the oldest of them */
    uint64_t lock_owner;   /* the owner of text_mutex at the last store; 0: none */
    uint64_t first_stamp, stores;
    bool sites, labels;
};

/* Of all kept updates together: moments, and those after their ends. */
enum { MOMENTS_MAX = 1 << 19, ALL_LATE_MAX = 1 << 12 };

/* A moment after the end of a kept update. */
struct late_moment {
    uint32_t update;
    struct update_moment moment;
};

struct updates {
    struct cluster *cluster;
    const struct ftrace_stream *stream;
    const struct site_table *sites;
    const struct patch_log *log;
    unsigned harts;
    const struct text_map *text; /* NULL: not known */
    uint64_t text_mutex;         /* physical; 0: not known */
    size_t max;
    struct section sections[SECTIONS_MAX];
    uint32_t open_sections;
    struct update *open;  /* by writing hart; stores 0: none */
    struct round *rounds; /* the same */
    struct update_hart *open_harts;
    struct changes *open_changes; /* by writing hart */
    unsigned open_count;
    bool *stopped;   /* by hart */
    uint64_t *ended; /* by writing hart: its updates up to this stamp have ended */
    uint64_t *begun; /* the same: stamp of the begin of the newest update, see updates_begun */
    VEC_OF(struct update) kept;
    VEC_OF(struct update_hart) kept_harts;
    struct timeline *timelines;           /* of the open ones, by writing hart */
    VEC_OF(struct update_moment) moments; /* of the kept ones */
    VEC_OF(struct late_moment) late;
    struct changes last_changes; /* changes of the last kept update, while has_last */
    bool has_last;
    struct change_log changes; /* changes of the updates before it */
    uint64_t left_out, sections_left_out;
};

#endif
