/*
 * report.h - the report of a run, as text and as JSON.
 *
 * Pure: the same run gives the same bytes. docs/report.md describes the JSON.
 */
#ifndef FTRACE_REPORT_H
#define FTRACE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "ftrace/audit/pardon.h"
#include "ftrace/report/findings_style.h"

struct lines;
struct regions;
struct symbols;
struct watch;

/* The run: its options and how it ended. Strings are as the user gave them. */
struct run_info {
    const char *version;  /* of rvftrace */
    const char *revision; /* of its source; NULL: not known */
    const char *image;
    uint64_t image_hash;      /* for report_json only */
    const char *bootargs;     /* NULL: none */
    const char *modes;        /* in words (cli/modes.h) */
    const char *command_line; /* that repeats the run, for a shell */
    char *const *command;     /* the same in words, up to NULL */
    const char *firmware, *fetch, *timing;
    const char *translate, *stores;
    const uint64_t *translate_seed, *stores_seed; /* of random ones, else NULL */
    bool fetch_is_random;
    uint64_t fetch_seed; /* of random fetches */
    uint64_t seed, memory;
    const char *replay;   /* the recording that was replayed; NULL: none */
    const char *ended;    /* "exit", "max-insns", ... */
    const char *ended_by; /* "finisher", ...; NULL: the guest did not request it */
    unsigned exit_code;
};

struct report {
    struct run_info run;
    struct cluster *cluster;
    struct watch *watch;
    const struct regions *regions; /* NULL: none */
    const struct symbols *symbols;
    struct lines *lines;
    unsigned rows; /* rows of the site table in the text; the other sites are summed up */
    enum findings_style findings;
    const struct pardons *pardons; /* NULL: none */
    bool colour;                   /* severities are coloured: the text is for a terminal */
};

/* Why the finding with this index does not fail the run. index < audit_count(). */
enum pardon report_pardon(const struct report *r, size_t index);
bool report_fails(const struct report *r, size_t index); /* pardons_fails */

/*
 * Writes totals, the site table in order of entries, the cost of sites that are off and on, and the
 * audit's verdict.
 */
void report_text(const struct report *r, FILE *out);

/* Writes the sums in a few lines of less than 80 columns, for the end of a session at a terminal.
 */
void report_sums(const struct report *r, FILE *out);

/*
 * Writes the cost of tracing so far: the sites with most entries, the cycles of sites and
 * trampolines.
 */
void report_costs(const struct report *r, FILE *out);

/* Writes the findings in the style of the report; nothing if there are none. */
void report_findings(const struct report *r, FILE *out);

/* Writes all findings, a line each, with their numbers from 1. */
void report_findings_list(const struct report *r, FILE *out);

/* Writes the finding with this index and its evidence. index < audit_count(). */
void report_finding(const struct report *r, size_t index, FILE *out);

/* Writes the timeline of the update with this index. index < updates_count(). */
void report_timeline(const struct report *r, size_t index, FILE *out);

/* Writes the complete report. False: writing failed; errno is set. */
MUST_USE bool report_json(const struct report *r, FILE *out);

/*
 * Writes the findings in formats of other programs, SARIF 2.1.0 (OASIS) and JUnit's XML, and as a
 * baseline (baseline.h). The caller checks the stream's error flag. The report must have an audit.
 */
void report_sarif(const struct report *r, FILE *out);
void report_junit(const struct report *r, FILE *out);
void report_baseline(const struct report *r, FILE *out);

#endif
