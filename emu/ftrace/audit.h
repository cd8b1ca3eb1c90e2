/*
 * audit.h - the auditor: an event goes to the rules that need it, and what a rule
 * objects to becomes a finding.
 *
 * Findings are grouped by their cause. Where the fetching hart has not executed a
 * fence.i since it was started, that is the cause, whatever the rule; else a cause is a
 * rule and the function whose store lacks its fence. A hart was started when it left
 * M-mode for the first time, or at power-on if it never has: what its firmware fenced
 * before that says nothing of the kernel.
 */
#ifndef FTRACE_AUDIT_H
#define FTRACE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/observer.h"
#include "ftrace/finding.h"
#include "ftrace/rules.h"

struct audit;
struct patch_log;
struct site_table;
struct state_io;
struct symbols;
struct updates;

/*
 * `tell` is called for each new finding, for one that has become graver, and for each breach
 * for which there is no room. It may be NULL.
 */
struct finding_listener {
    void (*tell)(void *ctx, enum rule rule);
    void *ctx;
};

/* What it points to must outlive the auditor. */
struct audit_config {
    const struct site_table *sites;
    const struct symbols *symbols; /* NULL: none */
    const struct patch_log *log;
    const struct updates *updates;
    struct cluster *cluster;
    size_t findings_max;
    struct finding_listener listener;
};

struct audit *audit_new(const struct audit_config *config);
void audit_free(struct audit *a);

uint32_t audit_events(void); /* EVENT_BIT of each kind that it needs */

/* An event of these kinds. The patch log and the updates have heard of it. */
void audit_event(struct audit *a, const struct event *e);

/* Saves or restores the findings, and what the rules remember. */
void audit_state_io(struct state_io *io, struct audit *a);

size_t audit_count(const struct audit *a);
const struct finding *audit_get(const struct audit *a, size_t i); /* in order of first occurrence */
size_t audit_count_at_least(const struct audit *a, enum severity severity);

/* Breaches of that severity that are in no finding, because there were too many causes. */
uint64_t audit_left_out(const struct audit *a, enum severity severity);

/* Fetches in a window of an update that were not followed up, because there were too many. */
uint64_t audit_windows_left_out(const struct audit *a);

#endif
