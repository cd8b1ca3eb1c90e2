/*
 * itrace.h - writes the trace of a run's instructions (`run --itrace'), a line for each, in the
 * format of commit_line.h and in the order in which the machine executes them.
 *
 * A line is written when its instruction has ended; one that traps has none. Beside these there
 * are lines for exceptions and interrupts, as spike -l writes them, and where firmware has executed
 * a fence for a hart that another one has asked for: `core   1: >>>>  fence.i'.
 */
#ifndef ITRACE_ITRACE_H
#define ITRACE_ITRACE_H

#include <stdio.h>

#include "base/selection.h"

struct cluster;
struct itrace;
struct symbols;
struct tasks;

struct itrace_config {
    struct cluster *cluster;
    struct symbols *symbols; /* NULL: no function is known */
    struct tasks *tasks;     /* NULL: no task is known */
    const struct selection *selected;
    FILE *out; /* its error flag says whether all was written */
};

/* What it is given must outlive it. The machine emits the events (machine_config.trace_insns). */
struct itrace *itrace_new(const struct itrace_config *config);

/* Writes what is left; no hart runs any more. */
void itrace_end(struct itrace *t);
void itrace_free(struct itrace *t); /* before the cluster; NULL is allowed */

#endif
