/*
 * html.h - reports as one page of HTML that needs nothing else (page.html).
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stddef.h>
#include <stdio.h>

#include "report/run_file.h"

/*
 * Writes the page, with the reports as JSON in it, and `stacks', the JSON of export/stacks.h; NULL:
 * no flame graph. The caller checks the error flag of `out`.
 */
void html_write(const struct run_file *runs, size_t count, const char *stacks, FILE *out);

#endif
