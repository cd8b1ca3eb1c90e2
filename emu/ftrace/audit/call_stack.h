/*
 * call_stack.h - the call stack of a hart, as evidence.
 */
#ifndef FTRACE_CALL_STACK_H
#define FTRACE_CALL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "ftrace/audit/finding.h"
#include "ftrace/kernel/tasks.h"

struct audit;
struct hart;
struct state_io;

/*
 * Finds the call stack of the hart at pc: its present instruction, or where it goes on. Sets
 * slots[i] to the address of the return address of frame i in memory; 0: it is in a register.
 */
void call_stack_take(const struct audit *a, struct hart *h, uint64_t pc, struct call_stack *stack,
                     uint64_t slots[STACK_FRAMES]);

/* The same of a task that runs on no hart, as hart h reads it. False: it is not known. */
bool call_stack_of_sleeper(const struct audit *a, struct hart *h, uint64_t tp,
                           struct call_stack *stack);

/* Whether a hart, or such a task, is in [start, end) or in what was called from there. */
bool call_stack_uses(const struct audit *a, struct hart *h, uint64_t start, uint64_t end);
bool call_stack_of_sleeper_uses(const struct audit *a, struct hart *h, uint64_t tp, uint64_t start,
                                uint64_t end);
void call_stack_state_io(struct state_io *io, struct call_stack *stack);

/* The tp of the hart's task, also while the task is in user mode; 0: not known. */
uint64_t call_stack_task(struct hart *h);

#endif
