/*
 * updates.h - the table of the updates of code in one or several reports, and the timeline of one.
 */
#ifndef REPORT_UPDATES_H
#define REPORT_UPDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/run_file.h"

/* Prints a row for each update, the longest first: at most `top` as text, all as CSV. */
void updates_show(const struct run_file *runs, size_t count, size_t top, bool csv, FILE *out);

/* The number of updates in the report; prints the timeline of one of them. */
size_t updates_in(const struct run_file *run);
void updates_show_timeline(const struct run_file *run, size_t index, FILE *out);

#endif
