/*
 * tasks.h - the tasks of the guest's kernel: their list, and where a task that runs on no hart will
 * continue. Memory is read by the page tables of the hart that is given.
 */
#ifndef DEBUG_TASKS_H
#define DEBUG_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct guest;
struct task;
struct unwound;

/* Reads name, pid and stack of a task. False: unknown. */
MUST_USE bool task_read(const struct guest *g, unsigned hart, uint64_t tp, struct task *task);
/* Returns the tp of the task that the hart runs; 0: none, or unknown. */
uint64_t task_of_hart(const struct guest *g, unsigned hart);
MUST_USE bool task_runs_on(const struct guest *g, uint64_t tp, unsigned *hart);
/* Calls back for each task, with its threads. False: the place of their list is not known. */
MUST_USE bool tasks_each(const struct guest *g, unsigned hart,
                         void (*found)(void *ctx, uint64_t tp), void *ctx);
/* Finds the innermost frame of a task that runs on no hart. False: unknown. */
MUST_USE bool task_first(const struct guest *g, unsigned hart, uint64_t tp, struct unwound *u);

#endif
