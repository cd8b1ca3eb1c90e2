/*
 * explore.h - `rvftrace explore': runs the image as the seed has it, and tries the interleavings
 * around each update of code (search.h).
 */
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "machine/machine.h"

struct last_line;
struct plan;
struct report;

struct explore_config {
    struct machine *machine;
    const struct report *report;
    struct last_line *last_line;     /* of the guest's console */
    const struct identity *identity; /* of the run; for the files of schedules */
    const struct diag *diag;
    const char *image;
    const char *schedules; /* prefix of the names of the files of schedules */
    const char *json;      /* a file for the results; NULL: none; "-": standard output */
    unsigned jobs;         /* processes at the same time; 0: as many as the host has processors */
    unsigned steps;        /* departures from the seed's schedule in one run, at most */
    uint64_t runs;         /* interleavings of one update, at most */
    unsigned update;       /* explore only this one; 0: all */
    uint64_t max_insns, max_cycles;
    bool quiet, progress;
    /* Writes a file of a schedule. Errors: EXIT_IO, and a message was given. */
    enum exit_status (*write)(void *ctx, const char *path, const char *title,
                              const struct plan *plan);
    /* True: the user or a signal has asked to stop, or, *by_time, the time is over. */
    bool (*asked)(void *ctx, bool *by_time);
    void *ctx;
};

struct exploration {
    size_t found;    /* discoveries */
    struct stop end; /* of the run of the seed */
    bool by_update;  /* the run was ended because the update that was asked for is over */
    bool by_time;    /* the run was ended by the timeout */
};

/*
 * Explores, ends the watch, prints, and writes a file for each discovery. Errors: EXIT_IO,
 * EXIT_INTERNAL; a message was given.
 */
MUST_USE enum exit_status explore(const struct explore_config *config, struct exploration *result);

#endif
