/*
 * regions.h - regions of interest of two runs side by side.
 */
#ifndef REPORT_REGIONS_H
#define REPORT_REGIONS_H

#include <stdio.h>

#include "report/run_file.h"

struct json;

/* Prints, for each region that both runs have, what it took in A and in B. */
void regions_print_diff(const struct run_file *a, const struct run_file *b, FILE *out);

/* The same as the array "regions" of the open object. */
void regions_json_diff(const struct run_file *a, const struct run_file *b, struct json *j);

#endif
