/*
 * export.h - the formats to which `rvftrace log --to FORMAT' converts a log.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"
#include "export/source.h"

/* A conversion: reads the source to its end and writes to `out`, whose error flag the caller
 * checks. */
struct export_job {
    struct source *source;
    struct log *log;
    FILE *out;
    unsigned depth;    /* export_calls: calls that are deeper are left out */
    uint64_t least;    /* export_calls: the duration, in cycles, below which calls are left out */
    const char *graph; /* export_graph: a shell pattern of functions */
};

struct export_format {
    const char *name, *what;
    void (*convert)(struct export_job *job);
};

/* NULL: there is no format with this name. */
const struct export_format *export_find(const char *name);

/* Whether the format needs a log with log_has_counts(); with log_has_text(). */
bool export_needs_counts(const struct export_format *f);
bool export_needs_text(const struct export_format *f);

/* Writes the names of all formats: "chrome, csv, ...". */
void export_names(char *text, size_t room);

/* ---- what `rvftrace log' prints by itself ---- */

/* Writes a summary: the run, the log's events, harts, functions, updates, findings. */
void export_summary(struct export_job *job);

/* Writes a line for each event. */
void export_list(struct export_job *job);

/* Writes the calls as the function graph tracer does: indented, with their durations. */
void export_calls(struct export_job *job);

/* Writes what has called the functions, what they have called, and how long that took. */
void export_graph(struct export_job *job);

/* Writes the line of an event, without a line break. */
void export_line(const struct log *log, const struct log_event *e, FILE *out);

/* ---- formats ---- */

void export_chrome(struct export_job *job);
void export_csv(struct export_job *job);
void export_perfetto(struct export_job *job);
void export_folded(struct export_job *job);
void export_flamegraph(struct export_job *job);
void export_folded_disabled(struct export_job *job);
void export_flamegraph_disabled(struct export_job *job);
void export_code(struct export_job *job);
void export_vcd(struct export_job *job);
void export_perf(struct export_job *job);
void export_kallsyms(struct export_job *job);
void export_trace_dat(struct export_job *job);
void export_trace_dat_7(struct export_job *job);
void export_trace_dat_function(struct export_job *job);

#endif
