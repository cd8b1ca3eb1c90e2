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
struct watch;

struct watch_config {
    struct cluster *cluster;
    const struct image *image;
    const struct symbols *symbols;
    bool account; /* count what the sites cost */
    bool audit;   /* report broken protocols */
    struct finding_listener listener;
    struct calls_listener calls; /* who wants to hear of each call; .enter NULL: nobody */
};

/* Image and symbols must outlive it. The patch log is always kept. */
struct watch *watch_new(const struct watch_config *config, const struct diag *d);
void watch_free(struct watch *w); /* before the cluster */

/* The run is over: calls that are still open are told to end so. */
void watch_end(struct watch *w);

const struct site_table *watch_sites(const struct watch *w);
const struct patch_log *watch_patches(const struct watch *w);
struct account *watch_account(const struct watch *w);   /* NULL: not asked for */
const struct audit *watch_audit(const struct watch *w); /* NULL: not asked for */

#endif
