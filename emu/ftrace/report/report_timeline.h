/*
 * report_timeline.h - the timeline of an update as text: a line for each moment, in order of the
 * steps.
 */
#ifndef FTRACE_REPORT_TIMELINE_H
#define FTRACE_REPORT_TIMELINE_H

#include <stdbool.h>
#include <stdio.h>

#include "ftrace/patch/updates.h"

struct finding;
struct report;
struct writer;

struct timeline_text {
    unsigned indent;    /* columns */
    unsigned lines_max; /* 0: no limit */
    FILE *out;
    struct update update;
    unsigned count;
    struct update_moment moments[UPDATE_MOMENTS_MAX];
};

/*
 * The store whose update a finding is about: its own, or the last one before the guest noticed
 * something. False: there is none.
 */
bool report_timeline_writer(const struct finding *f, struct writer *who);

/*
 * Finds the update that has made the store of a hart, ended or not, and a headline. False: it is
 * not known.
 */
enum { TIMELINE_HEAD_MAX = 128 };
bool report_timeline_find(const struct report *r, const struct writer *who,
                          struct timeline_text *text, char head[TIMELINE_HEAD_MAX]);

/* Finds the moments of the update with this index. */
void report_timeline_take(const struct report *r, size_t index, struct timeline_text *text);

/* What happened at the moment, in words. */
enum { TIMELINE_TEXT_MAX = 512 };
void report_timeline_describe(char what[TIMELINE_TEXT_MAX], const struct report *r,
                              const struct timeline_text *text, unsigned i);

void report_timeline_print(const struct report *r, const struct timeline_text *text);

#endif
