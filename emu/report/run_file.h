/*
 * run_file.h - reads the report of a finished run (`rvftrace run --report FILE`).
 */
#ifndef REPORT_RUN_FILE_H
#define REPORT_RUN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/diag.h"

/* The states of a site (docs/report.md), in the order of their columns. */
enum run_state { RUN_INIT, RUN_OFF, RUN_ON, RUN_STATES };

/* The kinds of cycles. */
enum run_part { RUN_ISSUE, RUN_FETCH, RUN_DATA, RUN_BRANCH, RUN_PARTS };

/*
 * The groups of code that have costs: ftrace's sites; its trampolines and return_to_handler, with
 * counts in RUN_ON; jump labels, RUN_OFF as nops and RUN_ON as jumps; all code of functions in
 * regions of interest, in RUN_ON.
 */
enum run_group { RUN_SITES, RUN_TRAMPOLINES, RUN_JUMP_LABELS, RUN_FUNCTIONS, RUN_GROUPS };

/* The counts of one state of a site, or the sum over several sites. Cycles are those of the hart.
 */
struct run_counts {
    uint64_t entries, cycles;
    uint64_t parts[RUN_PARTS]; /* the parts of `cycles`, which add up to it */
    uint64_t resumed;          /* calls that returned to the instruction after the site */
    uint64_t through_cycles, through_min, through_max; /* of these calls, from the site on */
    uint64_t site_cycles; /* RUN_FUNCTIONS: of the function's site, which are among `cycles` */
};

struct run_site {
    enum run_group group;
    uint64_t address; /* virtual */
    const char *function, *kind;
    const char *module; /* NULL: of the image itself */
    const char *file;   /* NULL: not known */
    const char *region; /* RUN_FUNCTIONS */
    unsigned line;      /* 0: not known */
    struct run_counts state[RUN_STATES];
};

/* A region of interest (docs/report.md). */
struct run_region {
    const char *name;
    uint64_t times, instructions, busy_cycles, idle_cycles;
    uint64_t parts[RUN_PARTS]; /* all 0 without a core model */
    struct run_counts sites;   /* entries, cycles and parts */
};

struct run_file {
    const char *path; /* as the user named it */
    const char *image, *layout, *timing, *isa, *fetch, *firmware;
    const char *revision, *bootargs, *replay, *ended; /* NULL: none, or not known */
    uint64_t harts, seed, exit_code;
    uint64_t instructions, busy_cycles; /* of all harts */
    uint64_t errors, warnings, notes;   /* findings; all 0 also without an audit */
    bool audited;
    struct run_site *sites; /* of all groups */
    size_t site_count;
    struct run_region *regions;
    size_t region_count;
    void *json; /* owns the strings */
};

/*
 * Reads a report. Errors, with a message: EXIT_NO_FILE, EXIT_IO, and EXIT_BAD_FILE for a file that
 * is not a report, has another version, or has no site table (--account=off). After EXIT_PASS the
 * caller must call run_file_free; `path` must outlive it.
 */
MUST_USE enum exit_status run_file_read(struct run_file *r, const char *path, const struct diag *d);
/* The same from an open file; `path' is its name in messages. */
MUST_USE enum exit_status run_file_parse(struct run_file *r, const char *path, FILE *in,
                                         const struct diag *d);
void run_file_free(struct run_file *r);

/* Drops all regions but that of this name, with their functions. False: there is none. */
MUST_USE bool run_file_keep_region(struct run_file *r, const char *name);

/* The sum that percentages of the group's rows refer to, in cycles. */
uint64_t run_file_busy(const struct run_file *r, enum run_group group);

/* Adds `more` to `sum`; keeps the smaller minimum and the greater maximum. */
void run_counts_add(struct run_counts *sum, const struct run_counts *more);

#endif
