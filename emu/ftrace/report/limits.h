/*
 * limits.h - how much of each row of limits.def was left out, because there was too much of it.
 */
#ifndef FTRACE_LIMITS_H
#define FTRACE_LIMITS_H

#include <stdint.h>

#include "ftrace/audit/rules.h"

struct audit;
struct report;

enum limit {
#define LIMIT(name, option, words) LIMIT_##name,
#include "ftrace/report/limits.def"
    LIMITS,
};

/* A row of the table. */
struct limit_row {
    const char *json_name; /* "updates_left_out" */
    const char *words;     /* "updates (--updates-max)" */
};

const struct limit_row *limit_row(enum limit limit);

uint64_t limit_left_out(const struct report *r, enum limit limit);

/* Of findings: breaches that are in none, and what the rules have not followed. */
enum findings_limit {
#define FINDINGS_LIMIT(name, severity, words) FINDINGS_LIMIT_##name,
#include "ftrace/report/limits.def"
    FINDINGS_LIMITS,
};

struct findings_limit_row {
    const char *json_name; /* "windows" */
    enum severity severity;
    const char *words; /* "fetches during updates were not tracked" */
};

const struct findings_limit_row *findings_limit_row(enum findings_limit limit);

uint64_t findings_limit_left_out(const struct audit *a, enum findings_limit limit);

#endif
