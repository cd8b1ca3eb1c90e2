/*
 * tasks.h - the tasks of the guest's kernel: their list, and the frame in which one that runs on no
 * hart continues. Memory is read by the page tables of the hart that is given.
 */
#ifndef DEBUG_TASKS_H
#define DEBUG_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct guest;
struct task;
struct unwound;

/* What the guest's kernel has in its struct of the task. False: not known. */
MUST_USE bool task_read(const struct guest *g, unsigned hart, uint64_t tp, struct task *task);
/* The tp of the task that the hart runs; 0: none, or not known. */
uint64_t task_of_hart(const struct guest *g, unsigned hart);
MUST_USE bool task_runs_on(const struct guest *g, uint64_t tp, unsigned *hart);
/* Calls back for each task, with its threads. False: the place of their list is not known. */
MUST_USE bool tasks_each(const struct guest *g, unsigned hart,
                         void (*found)(void *ctx, uint64_t tp), void *ctx);
/* The innermost frame of a task that runs on no hart. False: not known. */
MUST_USE bool task_first(const struct guest *g, unsigned hart, uint64_t tp, struct unwound *u);

#endif
