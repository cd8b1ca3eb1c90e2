/*
 * report_priv.h - shared by the text and the JSON report.
 */
#ifndef FTRACE_REPORT_PRIV_H
#define FTRACE_REPORT_PRIV_H

#include <stdio.h>

#include "ftrace/cost/account.h"
#include "ftrace/cost/jump_labels.h"
#include "ftrace/report/report.h"

struct finding;
struct json;

/* Sums over all function sites; `cost` of the states is not filled in. */
struct site_totals {
    size_t functions;
    struct state_account state[SITE_STATES];
};

/* Sums over all jump labels, by enum jump_state. */
struct jump_totals {
    uint64_t entries[JUMP_STATES];
    struct site_cost parts[JUMP_STATES];
};

/*
 * The owners of all busy cycles: each cycle is in one of the first four members. Those of the
 * trampolines include their own sites (ftrace_call).
 */
struct cycle_totals {
    struct site_cost sites, trampolines, jump_labels;
    struct site_cost rest; /* with a core model */
    struct site_cost all;  /* with a core model */
    uint64_t busy, rest_cycles;
    bool has_parts; /* with a core model: otherwise only the sums of `rest` and `all` are known */
};

struct site_totals report_totals(const struct report *r);
struct jump_totals report_jumps(const struct report *r);
struct cycle_totals report_cycles(const struct report *r, const struct site_totals *sites);
uint64_t report_busy_cycles(const struct report *r);

/* "at PLACE, written by PLACE; 12 times, on harts 1 2", without a newline. */
void report_finding_summary(const struct report *r, size_t index, FILE *out);

/* Returns the output of such a function as a string, which the caller frees. */
char *report_finding_text(const struct report *r, size_t index,
                          void (*print)(const struct report *r, size_t index, FILE *out));

/* Writes the array "harts" of a finding. */
void report_put_harts(struct json *j, const struct finding *f);

/* Writes the object with the parts of a cost. */
void report_put_parts(struct json *j, const char *name, struct site_cost parts);

/* Writes the array "regions", and prints their table. */
void report_put_regions(struct json *j, const struct regions *r);
void report_print_regions(const struct regions *r, FILE *out);

#endif
