/*
 * resumed_tasks.h - whether code that was left in the middle goes on with the registers that it
 * had: a task that was switched away from, and what an interrupt or a fault of a page has
 * interrupted.
 *
 * A register that is lost so is missed long afterwards, by code that has nothing to do with it.
 */
#ifndef FTRACE_RESUMED_TASKS_H
#define FTRACE_RESUMED_TASKS_H

#include "cpu/observer.h"

struct audit;
struct hart;
struct resumed_tasks;
struct state_io;

struct resumed_tasks *resumed_tasks_new(struct audit *a);
void resumed_tasks_free(struct resumed_tasks *r);

/* Must be called at the first instruction of __switch_to(previous, next). */
void resumed_tasks_switch(struct resumed_tasks *r, struct hart *h);

/* Must be called at traps and returns from them. */
void resumed_tasks_trap(struct resumed_tasks *r, const struct trap_event *t);
void resumed_tasks_trap_return(struct resumed_tasks *r, const struct trap_return_event *t);

/* The number of tasks and interrupted places that were not followed: there were too many. */
uint64_t resumed_tasks_left_out(const struct resumed_tasks *r);

void resumed_tasks_state_io(struct state_io *io, struct resumed_tasks *r);

#endif
