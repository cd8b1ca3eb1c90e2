/*
 * schedule.h - an execution of a litmus test as a plan (machine/plan.h) for `rvftrace run'.
 */
#ifndef LITMUS_SCHEDULE_H
#define LITMUS_SCHEDULE_H

#include "litmus/search.h"
#include "machine/plan.h"

/* Adds the steps to `plan', which is empty. */
void moves_to_plan(const struct moves *moves, unsigned harts, struct plan *plan);

#endif
