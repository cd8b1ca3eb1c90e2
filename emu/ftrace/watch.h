/*
 * watch.h - everything the machine knows of ftrace, attached to a cluster as
 * one listener: sites, patch log, accounting, audit, calls.
 */
#ifndef FTRACE_WATCH_H
#define FTRACE_WATCH_H

#include <stdbool.h>

#include "ftrace/audit.h"
#include "ftrace/calls.h"

struct account;
struct audit;
struct cluster;
struct diag;
struct image;
struct patch_log;
struct site_table;
struct symbols;
struct updates;
struct watch;

struct watch_config {
    struct cluster *cluster;
    const struct image *image;
    const struct symbols *symbols;
    bool account;        /* count what the sites cost */
    bool audit;          /* report broken protocols */
    size_t findings_max; /* causes of breaches that are kept apart */
    size_t patches_max;  /* patches that are kept, and updates */
    struct finding_listener listener;
    struct calls_listener calls; /* is told of each call; .enter NULL: no listener */
};

/* Image and symbols must outlive it. The patch log is always kept. */
struct watch *watch_new(const struct watch_config *config, const struct diag *d);
void watch_free(struct watch *w); /* before the cluster */

/* The run is over: calls and updates that are still open are reported as open. */
void watch_end(struct watch *w);

const struct site_table *watch_sites(const struct watch *w);
const struct patch_log *watch_patches(const struct watch *w);
const struct updates *watch_updates(const struct watch *w);
struct account *watch_account(const struct watch *w);   /* NULL: not asked for */
const struct audit *watch_audit(const struct watch *w); /* NULL: not asked for */

#endif
