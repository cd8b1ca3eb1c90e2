/*
 * schedule_file.h - files of --schedule: a plan (plan.h) for one run.
 *
 *     rvftrace-schedule 1
 *     # hart-inside in schedule           comments
 *     run harts 2                         must be equal (identity.h)
 *     stall hart 1 from 4210733 until 4211006     instructions of all harts since power-on
 *     tick hart 0 at 4230001
 *
 * `rvftrace explore' writes them. Steps are in order, those of one hart do not overlap.
 */
#ifndef CLI_SCHEDULE_FILE_H
#define CLI_SCHEDULE_FILE_H

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/identity.h"
#include "machine/plan.h"

struct schedule_file;

/* Reads a file; gives a message on an error. `harts`: how many the machine has. */
MUST_USE enum exit_status schedule_file_read(const char *path, unsigned harts, const struct diag *d,
                                             struct schedule_file **out);
void schedule_file_free(struct schedule_file *s); /* NULL is allowed */
const struct plan *schedule_file_plan(const struct schedule_file *s);

/* EXIT_BAD_FILE: it is of another run, and a message was given. */
MUST_USE enum exit_status schedule_file_check(const struct schedule_file *s,
                                              const struct identity *i);

/* Writes a plan. `title` becomes a comment. EXIT_IO: a message was given. */
MUST_USE enum exit_status schedule_file_write(const char *path, const char *title,
                                              const struct identity *i, const struct plan *p,
                                              const struct diag *d);

#endif
