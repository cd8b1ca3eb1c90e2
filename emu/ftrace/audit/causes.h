/*
 * causes.h - finds the earlier finding that has caused a finding, if there is one.
 */
#ifndef FTRACE_CAUSES_H
#define FTRACE_CAUSES_H

struct audit;
struct finding;

/* Sets caused_by and explained of a finding whose evidence is complete. */
void cause_find(const struct audit *a, struct finding *f);

#endif
