/*
 * report.h - a run's result, for people and for programs.
 *
 * Pure: the same run gives the same bytes. docs/report.md describes the JSON.
 */
#ifndef FTRACE_REPORT_H
#define FTRACE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"

struct lines;
struct symbols;
struct watch;

/* What was run, and how it ended. Strings are the user's own words. */
struct run_info {
    const char *version;  /* of rvftrace */
    const char *revision; /* of its source; NULL: not known */
    const char *image;
    uint64_t image_hash;
    const char *bootargs; /* NULL: none */
    const char *firmware, *fetch, *timing;
    bool fetch_is_random;
    uint64_t fetch_seed; /* of random fetches */
    uint64_t seed, memory;
    const char *replay;   /* the recording that was replayed; NULL: none */
    const char *ended;    /* "exit", "max-insns", ... */
    const char *ended_by; /* "finisher", ...; NULL: not by a request of the guest */
    unsigned exit_code;
};

struct report {
    struct run_info run;
    struct cluster *cluster;
    struct watch *watch;
    const struct symbols *symbols;
    struct lines *lines;
    unsigned rows; /* of the text's site table; the rest is summed up */
};

/* Totals, the site table with the busiest first, what off and on cost, the audit's verdict. */
void report_text(const struct report *r, FILE *out);

/* All findings with their evidence; nothing if there are none. */
void report_findings(const struct report *r, FILE *out);

/* Everything. False: writing failed; errno says why. */
MUST_USE bool report_json(const struct report *r, FILE *out);

#endif
