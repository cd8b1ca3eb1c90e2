/*
 * updates.h - the table of the updates of code in one or several reports.
 */
#ifndef REPORT_UPDATES_H
#define REPORT_UPDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/run_file.h"

/* Prints a row for each update, the longest first: at most `top` as text, all as CSV. */
void updates_show(const struct run_file *runs, size_t count, size_t top, bool csv, FILE *out);

#endif
