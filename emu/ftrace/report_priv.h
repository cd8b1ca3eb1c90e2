/*
 * report_priv.h - shared by the text and the JSON report.
 */
#ifndef FTRACE_REPORT_PRIV_H
#define FTRACE_REPORT_PRIV_H

#include "ftrace/account.h"
#include "ftrace/report.h"

/* Sums over all function sites; `cost` of the states is not filled in. */
struct site_totals {
    size_t functions;
    struct state_account state[SITE_STATES];
};

struct site_totals report_totals(const struct report *r);
uint64_t report_busy_cycles(const struct report *r);

#endif
