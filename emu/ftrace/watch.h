/*
 * watch.h - attaches all parts that know ftrace to a cluster, as one listener: sites, patch log,
 * accounting, audit, calls.
 */
#ifndef FTRACE_WATCH_H
#define FTRACE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ftrace/audit/audit.h"
#include "ftrace/calls/calls.h"

struct account;
struct audit;
struct bpf_text;
struct cluster;
struct diag;
struct ftrace_stream;
struct image;
struct jump_labels;
struct lines;
struct patch_log;
struct site_table;
struct state_io;
struct symbols;
struct tasks;
struct trampolines;
struct updates;
struct watch;

struct watch_config {
    struct cluster *cluster;
    struct ftrace_stream *stream; /* for the events of all parts; NULL: one of the watch's own */
    const struct image *image;
    const struct symbols *symbols;
    struct lines *lines;             /* NULL: there is no debug information */
    struct tasks *tasks;             /* NULL: tasks are not known */
    const struct bpf_text *programs; /* of BPF; NULL: none are known */
    bool account;                    /* measure the cost of the sites */
    bool audit;                      /* check the rules */
    bool asked_locks;                /* emit FTRACE_LOCK_ASKED, too */
    size_t findings_max;             /* findings that are kept: causes of breaches */
    size_t patches_max;              /* patches that are kept, for the debugger */
    size_t updates_max;              /* updates that are kept */
    struct calls_listener calls;     /* of the record of calls; .enter NULL: no record */
};

/* What it is given must outlive it. The patch log is always kept. */
struct watch *watch_new(const struct watch_config *config, const struct diag *d);
void watch_free(struct watch *w); /* before the cluster */

/* Saves or restores the state of all parts; `watch` is a struct watch. */
void watch_state_io(void *watch, struct state_io *io);

/* At the end of the run: ends calls and updates that are still open, as open ones. */
void watch_end(struct watch *w, struct run_end end);

/* What was left out because there was too much of it. */
struct watch_left_out {
    uint64_t returns;   /* calls_returns_left_out */
    uint64_t calls;     /* calls_open_left_out */
    uint64_t swaps;     /* audit_swaps_left_out */
    uint64_t sites;     /* site_life_left_out, module_sites_left_out */
    uint64_t labels;    /* jump_labels_left_out, or key_labels_left_out if it is more */
    uint64_t texts;     /* live_text_left_out */
    uint64_t announced; /* announcers_left_out, updates_sections_left_out */
};
struct watch_left_out watch_left_out(const struct watch *w);

struct ftrace_stream *watch_stream(const struct watch *w);
const struct site_table *watch_sites(const struct watch *w);
const struct patch_log *watch_patches(const struct watch *w);
const struct updates *watch_updates(const struct watch *w);
struct account *watch_account(const struct watch *w);               /* NULL: not asked for */
const struct trampolines *watch_trampolines(const struct watch *w); /* NULL: not asked for */
const struct jump_labels *watch_jump_labels(const struct watch *w); /* NULL: not asked for */
const struct audit *watch_audit(const struct watch *w);             /* NULL: not asked for */
const struct calls *watch_calls(const struct watch *w);             /* NULL: none are followed */
struct tasks *watch_tasks(const struct watch *w);                   /* NULL: none are known */

#endif
